// SPDX-License-Identifier: Apache-2.0
#include "bundle/files.h"

#include "base/error.h"
#include "base/file.h"
#include "base/printable.h"
#include "bundle/bytes.h"
#include "bundle/compress.h"

namespace ptxlat::bundle {

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
