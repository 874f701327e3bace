// SPDX-License-Identifier: Apache-2.0
#include "bundle/cells.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "bundle/bytes.h"
#include "results/json.h"

namespace ptxlat::bundle {

std::vector<BundledCell> bundled_cells(const std::vector<latency::CellPlan>& cells) {
  std::vector<BundledCell> bundled;
  for (const auto& cell : cells) {
    const auto& form = *cell.variant.form;
    bundled.push_back(
        {form.ptx, cell.variant.operand, cell.variant.input->name, form.cuda ? std::string{} : cell.recipe});
  }
  return bundled;
}

Bytes encode_cells(const std::vector<BundledCell>& cells) {
  ByteWriter frame;
  for (const auto& cell : cells) {
    for (const auto* text : {&cell.ptx, &cell.operand, &cell.input, &cell.recipe}) frame.put_text(*text);
  }
  return compress(frame.take());
}

std::vector<BundledCell> decode_cells(const Bytes& section) {
  const auto frame = decompress(section.data(), section.size());
  std::vector<BundledCell> cells;
  for (ByteReader reader(frame); reader.rest() > 0;) {
    auto& cell = cells.emplace_back();
    for (auto* text : {&cell.ptx, &cell.operand, &cell.input, &cell.recipe}) *text = reader.get_text();
  }
  return cells;
}

namespace {

std::string file_of(const std::string& toolchain) { return toolchain + "/functions.json"; }

}  // namespace

void add_functions(Files& files, const std::string& toolchain, const cuda::CudaFunctions& functions) {
  results::Json json;
  json["compiler"] = functions.compiler;
  json["functions"] = results::Json::array();
  for (const auto& [form, text, module, problem, compiler_failed] : functions.functions)  // which is final here
    json["functions"].push_back({{"form", form}, {"text", text}, {"module", module}, {"problem", problem}});
  files[file_of(toolchain)] = results::to_line(json);
}

cuda::CudaFunctions functions_in(const Files& files, const std::string& toolchain) {
  const auto found = files.find(file_of(toolchain));
  if (found == files.end()) return {};
  try {
    const auto json = results::parse_json(found->second);
    cuda::CudaFunctions functions{json.at("compiler").get<std::string>(), {}};
    for (const auto& entry : json.at("functions")) {
      functions.functions.push_back({entry.at("form").get<std::string>(), entry.at("text").get<std::string>(),
                                     entry.at("module").get<std::vector<std::string>>(),
                                     entry.at("problem").get<std::string>()});
    }
    return functions;
  } catch (const std::exception& error) {
    throw Error(ExitCode::storage,
                "the bundle has a " + found->first + " that cannot be read: " + std::string(error.what()),
                "make it again with `ptxlat assemble`, or copy it again");
  }
}

namespace fs = std::filesystem;

namespace {

void require_no_file_as_folder(const Files& files) {
  for (const auto& [path, text] : files) {
    for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      if (files.contains(path.substr(0, slash)))
        throw Error(ExitCode::storage,
                    "the bundle has a file where it has a folder: " + printable(path.substr(0, slash)));
    }
  }
}

}  // namespace

void add_folder(Files& files, const std::string& name, const fs::path& folder) {
  for (const auto& file : entries_of(folder, ExitCode::catalogue)) {
    if (file.extension() != ".toml" && file.extension() != ".ptx") continue;
    files[name + "/" + file.filename().string()] = read_file(file, ExitCode::catalogue, "");
  }
}

void write_folder(const Files& files, const std::string& name, const fs::path& folder) {
  const auto prefix = name + "/";
  std::vector<NamedContent> written;
  for (const auto& [path, text] : files) {
    if (path.starts_with(prefix)) written.emplace_back(path.substr(prefix.size()), text);
  }
  create_files(folder, written);
}

Bytes encode_files(const Files& files) {
  ByteWriter frame;
  for (const auto& [path, text] : files) {
    frame.put_text(path);
    frame.put_text(text);
  }
  return compress(frame.take());
}

Files decode_files(const Bytes& section) {
  const auto frame = decompress(section.data(), section.size());
  Files files;
  for (ByteReader reader(frame); reader.rest() > 0;) {
    const auto path = reader.get_text();
    if (!is_name_beneath(path) || files.contains(path))
      throw Error(ExitCode::storage, "the bundle has a file with a name that it cannot have: " + printable(path));
    files[path] = reader.get_text();
  }
  require_no_file_as_folder(files);
  return files;
}

}  // namespace ptxlat::bundle
