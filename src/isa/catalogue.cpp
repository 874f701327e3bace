// SPDX-License-Identifier: Apache-2.0
#include "isa/catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "isa/read_file.h"
#include "isa/types.h"

namespace ptxlat::isa {

namespace {

namespace fs = std::filesystem;

std::string place(const SourceLocation& where) { return fmt::format("{}:{}", where.file, where.line); }

std::vector<fs::path> toml_files(const fs::path& folder) {
  if (!fs::is_directory(folder)) {
    throw Error(ExitCode::catalogue, fmt::format("{}: there is no such catalogue folder", folder.string()));
  }
  std::vector<fs::path> files;
  for (const auto& file : entries_of(folder, ExitCode::catalogue)) {
    if (file.extension() == ".toml" && fs::is_regular_file(file)) files.push_back(file);
  }
  if (files.empty()) throw Error(ExitCode::catalogue, fmt::format("{}: there is no *.toml in it", folder.string()));
  return files;
}

// A form without the names of its operands: "mov.u32 {d}, %tid.x" → "mov.u32 u32[0], %tid.x".
std::string shape_of(const Form& form) {
  std::string shape = form.text;
  for (const Operand& operand : form.operands) {
    const std::string hole = "{" + operand.name + "}";
    const auto at = shape.find(hole);
    if (at != std::string::npos) shape.replace(at, hole.size(), fmt::format("{}[{}]", operand.type, operand.count));
  }
  return shape;
}

// "min.f32 {d}, {a}, {b}, {c}" → "min.f32 d, a, b, c"
std::string without_holes(std::string text) {
  std::erase_if(text, [](char c) { return c == '{' || c == '}'; });
  return text;
}

// "min(unsigned int, unsigned int)", as C++ distinguishes functions with the same name.
std::string with_types(const Form& form) {
  std::vector<std::string> types;
  for (const Operand& operand : form.operands) {
    if (!operand.is_result || operand.is_inout) types.push_back(cuda_type(operand.type, operand.count));
  }
  const auto option = form.cuda->option.empty() ? "" : " " + form.cuda->option;
  return fmt::format("{}({}){}", form.opcode, fmt::join(types, ", "), option);
}

// A spelling names one form. If PTX has the same spelling for forms with different operands (min.f32 of two and of
// three inputs, mov.u32 from %tid.x), the names of the later ones include their operands; the same operands are a
// mistake.
class Spellings {
 public:
  void add(Form& form, Mistakes& mistakes) {
    auto& same = seen_[form.ptx];
    const auto shape = shape_of(form);
    const auto twin = std::find_if(same.begin(), same.end(), [&](const Entry& entry) { return entry.shape == shape; });
    if (twin != same.end()) {
      report(mistakes, form.where, fmt::format("{} is already at {}", form.ptx, place(twin->where)));
      return;
    }
    same.push_back({shape, form.where});
    // The core form's new name is used everywhere.
    const auto entry = fmt::format("{} {}", place(form.where), form.core);
    const bool is_core = form.core == form.ptx;
    if (same.size() > 1) form.ptx = form.cuda ? with_types(form) : without_holes(form.text);
    if (is_core) core_names_[entry] = form.ptx;
    if (const auto core = core_names_.find(entry); core != core_names_.end()) form.core = core->second;
  }

 private:
  struct Entry {
    std::string shape;
    SourceLocation where;
  };
  std::map<std::string, std::vector<Entry>> seen_;
  std::map<std::string, std::string> core_names_;
};

void add_consumer(Catalogue& catalogue, Consumer consumer, Mistakes& mistakes) {
  for (const Consumer& other : catalogue.consumers) {
    if (other.name != consumer.name) continue;
    report(mistakes, consumer.where,
           fmt::format("consumer \"{}\" is already at {}", consumer.name, place(other.where)));
    return;
  }
  catalogue.consumers.push_back(std::move(consumer));
}

// Forms whose result something else waits for as well, in another way: a predicate is a value to a selection, and a
// guard to what may not execute; before a second conversion, ptxas converts with another instruction.
void add_inputs_of_consumers(Catalogue& catalogue) {
  for (const Consumer& consumer : catalogue.consumers) {
    if (consumer.input.empty()) continue;
    for (Form& form : catalogue.forms) {
      if (!consumer.opcode.empty() && consumer.opcode != form.opcode) continue;
      const auto result = std::find_if(form.operands.begin(), form.operands.end(),
                                       [](const Operand& operand) { return operand.is_result; });
      if (result == form.operands.end() || !form.inputs.front().completion.empty() ||
          std::find(consumer.types.begin(), consumer.types.end(), result->type) == consumer.types.end())
        continue;
      form.inputs.push_back(form.inputs.front());
      form.inputs.back().name = consumer.input;
    }
  }
}

void check_consumers(const Catalogue& catalogue, Mistakes& mistakes) {
  std::vector<std::string> names;
  std::set<std::string> types;
  for (const Consumer& consumer : catalogue.consumers) {
    names.push_back(consumer.name);
    types.insert(consumer.types.begin(), consumer.types.end());
  }
  const std::size_t mistakes_before = mistakes.size();
  for (const Form& form : catalogue.forms) {
    if (mistakes.size() > mistakes_before + 100) return;  // enough of a kind, and each suggestion takes time
    for (const std::string& wanted : form.consumers) {
      if (std::find(names.begin(), names.end(), wanted) != names.end()) continue;
      report(mistakes, form.where, fmt::format("there is no consumer \"{}\"{}", wanted, did_you_mean(wanted, names)));
    }
    const bool is_waited_for = std::all_of(form.inputs.begin(), form.inputs.end(),
                                           [](const Input& input) { return !input.completion.empty(); });
    if (!form.consumers.empty() || !form.not_measurable.empty() || is_waited_for) continue;
    const auto result = std::find_if(form.operands.begin(), form.operands.end(),
                                     [](const Operand& operand) { return operand.is_result; });
    if (result != form.operands.end() && !types.contains(result->type)) {
      report(mistakes, form.where,
             fmt::format("no consumer takes a {} (result \"{}\" of {})", result->type, result->name, form.ptx));
    }
  }
}

void check_defaults(const Catalogue& catalogue, Mistakes& mistakes) {
  for (const Form& form : catalogue.forms) {
    for (const Operand& operand : form.operands) {
      if (!is_source(operand) || operand.type == "carry" || catalogue.objects.contains(operand.type)) continue;
      if (operand.type == "imm") continue;  // its entry must give its value
      const auto standard = catalogue.defaults.find(operand.type);
      const bool has_default = standard != catalogue.defaults.end() && !standard->second.empty();
      const bool is_given = std::all_of(form.inputs.begin(), form.inputs.end(),
                                        [&](const Input& input) { return input.values.contains(operand.name); });
      if (has_default || is_given) continue;
      report(mistakes, form.where,
             fmt::format("operand \"{}\" of {}: no default for the type {}; give it with values or [default]",
                         operand.name, form.ptx, operand.type));
    }
  }
}

using ParsedFiles = std::vector<std::pair<std::string, toml::table>>;

ParsedFiles parse_all(const std::vector<fs::path>& folders, Mistakes& mistakes) {
  ParsedFiles files;
  for (const fs::path& folder : folders) {
    for (const fs::path& path : toml_files(folder)) {
      if (auto root = parse_file(path, mistakes)) files.emplace_back(path.string(), std::move(*root));
    }
  }
  return files;
}

Objects add_objects(Catalogue& catalogue, const ParsedFiles& files, Mistakes& mistakes) {
  Objects objects;
  for (const auto& [path, root] : files) {
    for (Object& object : read_objects(root, path, mistakes)) {
      objects.names.insert(object.name);
      if (object.is_address) objects.addresses.insert(object.name);
      const auto [earlier, is_new] = catalogue.objects.emplace(object.name, object);
      if (is_new) continue;
      report(mistakes, object.where,
             fmt::format("object \"{}\" is already at {}", object.name, place(earlier->second.where)));
    }
  }
  return objects;
}

[[noreturn]] void give_up(const Mistakes& mistakes) {
  std::string lines;
  std::set<std::string> seen;  // the forms of one entry repeat its mistakes
  for (const CatalogueMistake& mistake : mistakes) {
    const std::string line = fmt::format("{}: {}", place(mistake.where), mistake.message);
    if (seen.insert(line).second) lines += (lines.empty() ? "" : "\n") + line;
  }
  throw Error(ExitCode::catalogue, lines,
              "The language of the catalogue is described in docs/adding-an-instruction.md.");
}

}  // namespace

Catalogue load_catalogue(const std::vector<fs::path>& folders, const Opcodes& opcodes) {
  Catalogue catalogue;
  Mistakes mistakes;
  Spellings spellings;
  std::map<std::string, SourceLocation> default_places;
  const auto files = parse_all(folders, mistakes);
  const Objects objects = add_objects(catalogue, files, mistakes);
  for (const auto& [path, root] : files) {
    CatalogueFile file = read_file(root, path, objects, opcodes, mistakes);
    for (Form& form : file.forms) {
      spellings.add(form, mistakes);
      catalogue.forms.push_back(std::move(form));
    }
    for (Consumer& consumer : file.consumers) add_consumer(catalogue, std::move(consumer), mistakes);
    for (auto& [type, standard] : file.defaults) {
      const auto [earlier, is_new] = default_places.emplace(type, standard.where);
      if (!is_new) {
        report(mistakes, standard.where,
               fmt::format("the default of \"{}\" is already at {}", type, place(earlier->second)));
      }
      catalogue.defaults.emplace(type, std::move(standard.values));
    }
  }
  add_inputs_of_consumers(catalogue);
  check_consumers(catalogue, mistakes);
  check_defaults(catalogue, mistakes);
  if (!mistakes.empty()) give_up(mistakes);
  return catalogue;
}

std::filesystem::path templates_folder() {
  namespace fs = std::filesystem;
  if (const char* chosen = std::getenv("PTXLAT_TEMPLATES"); chosen != nullptr && *chosen != '\0') {
    if (fs::is_directory(chosen)) return chosen;
    throw Error(ExitCode::catalogue, std::string("PTXLAT_TEMPLATES is not a folder: ") + chosen);
  }
  const auto is_folder = [](const fs::path& folder) {
    std::error_code ignored;
    return fs::is_directory(folder, ignored);
  };
  if (auto found = data_folder("ptx_templates", is_folder); !found.empty()) return found;
  throw Error(ExitCode::catalogue,
              "the folder ptx_templates was not found next to or above " + program_folder().string(),
              "Set PTXLAT_TEMPLATES to the folder ptx_templates of the ptxlat sources.");
}

}  // namespace ptxlat::isa
