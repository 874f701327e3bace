// SPDX-License-Identifier: Apache-2.0
#include "cli/selection.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/nearest_names.h"
#include "base/text.h"
#include "cli/options.h"
#include "isa/catalogue.h"
#include "isa/nearest_spellings.h"
#include "isa/rule.h"
#include "isa/select.h"

namespace ptxlat::cli {

void add_catalogue(CLI::App& command, Selection& selection) {
  command
      .add_option("--catalogue", selection.catalogues,
                  "A folder with your own *.toml entries, in addition to the shipped catalogue; can be repeated.")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
}

void add_shard(CLI::App& command, std::optional<results::Shard>& shard, const std::string& description) {
  command
      .add_option_function<std::string>(
          "--shard", [&shard](const std::string& text) { shard = results::shard_from(text); }, description)
      ->type_name("K/N")
      ->check(
          [](const std::string& text) {
            return results::shard_from(text) ? std::string() : text + " is not a shard: write 3/16 for part 3 of 16";
          },
          "");
}

void add_form_filters(CLI::App& command, Selection& selection) {
  command
      .add_option("--filter", selection.filters,
                  "Only these forms: an opcode (add), a glob over the whole spelling (cvt.*.f32.*) or a regular "
                  "expression (/^add/); can be repeated.")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  command
      .add_option("--chapter", selection.chapters,
                  "Only forms from chapters of the PTX ISA whose name contains this; can be repeated. Default: all.")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--type", selection.types,
                  "Only forms with this type among their qualifiers (f32); can be repeated. Default: all.")
      ->type_name("TYPE")
      ->allow_extra_args(false);
  command.add_option("--ptx", selection.ptx_version, "Only forms that this PTX version has (8.6). Default: any.")
      ->type_name("VERSION");
}

bool is_core_only(const Selection& selection) { return !selection.all_forms && selection.filters.empty(); }

std::vector<const isa::Form*> selected_forms(const isa::Catalogue& catalogue, const Selection& selection,
                                             bool core_only, const std::optional<isa::Target>& target) {
  isa::FormFilter filter{core_only, selection.chapters, selection.types, target, std::nullopt};
  if (!selection.ptx_version.empty()) {
    isa::Requirement version;
    if (!isa::read_ptx_version(selection.ptx_version, version)) {
      throw Error(ExitCode::unknown_name, "no such PTX version: " + selection.ptx_version,
                  "write a version such as 8.6");
    }
    filter.ptx_version = {version.ptx_major, version.ptx_minor};
  }
  return isa::filtered(catalogue, isa::select_forms(catalogue, selection.filters), filter);
}

void add_selection(CLI::App& command, Selection& selection) {
  add_form_filters(command, selection);
  command.add_flag("--all", selection.all_forms,
                   "Take all forms. Default: the core, which is one form for all that differ only in comparison "
                   "operator, ordering, scope, cache hints and the like, and CUDA C functions only if --chapter asks "
                   "for them.");
  add_levels(command, selection.levels, "0,1,2,3");
  add_toolchain(command, selection.toolchain, Toolchains::several, "driver for run, else the newest ptxas",
                "each give a table; `ptxlat doctor` lists them");
  add_catalogue(command, selection);
}

ptx::LoadedCatalogue load_catalogue_for(const Selection& selection) { return load_opcodes(selection, std::nullopt); }

ptx::LoadedCatalogue load_opcodes(const Selection& selection, const isa::Opcodes& opcodes) {
  std::vector<std::filesystem::path> folders{isa::templates_folder() / "isa", isa::templates_folder() / "cuda"};
  folders.insert(folders.end(), selection.catalogues.begin(), selection.catalogues.end());
  return {isa::load_catalogue(folders, opcodes), ptx::load_skeletons(isa::templates_folder())};
}

const isa::Form* find_form(const isa::Catalogue& catalogue, const std::string& spelling) {
  const auto& forms = catalogue.forms;
  const auto found =
      std::find_if(forms.begin(), forms.end(), [&](const isa::Form& form) { return form.ptx == spelling; });
  return found == forms.end() ? nullptr : &*found;
}

std::string advice_for_form(const isa::Catalogue& catalogue, const std::string& spelling) {
  std::vector<std::string> names;
  for (const auto& form : catalogue.forms) {
    if (form.opcode == lower_case(spelling))
      return fmt::format("`ptxlat list --filter {0}` lists all forms of {0}", form.opcode);
    names.push_back(form.ptx);
  }
  return did_you_mean(isa::nearest_spellings(spelling, names)) + "`ptxlat list` lists all forms";
}

namespace {

bool has_all(const isa::Catalogue& catalogue, const std::vector<std::string>& filters) {
  try {
    isa::select_forms(catalogue, filters);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

ptx::LoadedCatalogue load_selected(const Selection& selection, const std::vector<std::string>& filters) {
  std::set<std::string> opcodes;
  for (const auto& filter : filters) opcodes.insert(filter.substr(0, filter.find_first_of(". ")));
  const bool are_names = std::all_of(opcodes.begin(), opcodes.end(), [](const std::string& opcode) {
    return opcode.find_first_of("*?[/\\") == std::string::npos;
  });
  if (are_names && !opcodes.empty()) {
    auto loaded = load_opcodes(selection, opcodes);
    if (has_all(loaded.catalogue, filters)) return loaded;
  }
  return load_catalogue_for(selection);
}

}  // namespace ptxlat::cli
