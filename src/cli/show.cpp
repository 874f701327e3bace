// SPDX-License-Identifier: Apache-2.0
#include "cli/show.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/nearest_names.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/pairs.h"
#include "cli/table_names.h"
#include "isa/catalogue.h"
#include "pages/evidence.h"
#include "pages/plot.h"
#include "probe/probe.h"
#include "tables/folder.h"

namespace ptxlat::cli {

namespace {

// Whether the catalogue has forms of the opcode that the name begins with.
bool has_opcode(const isa::Catalogue& catalogue, const std::string& name) {
  const auto opcode = name.substr(0, name.find('.'));
  return std::any_of(catalogue.forms.begin(), catalogue.forms.end(),
                     [&](const isa::Form& form) { return form.opcode == opcode; });
}

// What the name may have been meant to be: a quantity, a probe or a SASS opcode of the table, else a form.
std::string advice_for_name(const std::string& wanted, const isa::Catalogue& catalogue, const std::string& folder,
                            const std::vector<results::Record>& probes) {
  std::vector<std::string> names;
  for (const auto& probe : probes) names.push_back(probe.ptx);
  for (const auto& quantity : pages::quantities_of(probes)) {
    if (quantity.starts_with(wanted + ".")) return fmt::format("the table's facts have {}", quantity);
    names.push_back(quantity);
  }
  if (!folder.empty()) {
    const auto table = tables::read_table(folder, {tables::Part::opcodes});
    for (const auto& opcode : table.opcodes.opcodes) names.push_back(opcode.name);
  }
  const auto nearest = nearest_names(wanted, names);
  if (has_opcode(catalogue, lower_case(wanted)) || nearest.empty()) return advice_for_form(catalogue, wanted);
  return fmt::format("did you mean {}?", fmt::join(nearest, ", "));
}

// The table that the options name, else the usual one; empty if there is none and none is needed.
std::string folder_for(const ShowOptions& options) {
  if (options.has_table) return table_named(options.table);
  if (options.assembles) return {};
  try {
    return usual_table();
  } catch (const Error&) {
    return {};
  }
}

// The opcode of the name, alone in the catalogue: the rest takes a second.
ptx::LoadedCatalogue load_named(const ShowOptions& options) {
  return load_opcodes(options.selection,
                      std::set<std::string>{options.name.substr(0, options.name.find_first_of(". "))});
}

void require_plot_of(const ShowOptions& options, const std::string& folder) {
  if (options.plot.empty()) return;
  throw Error(ExitCode::unknown_name,
              fmt::format("{} has no probe or fact called {}, and only these can be drawn", folder, options.name),
              "`ptxlat probe --list` lists the probes");
}

// Whether it is the memory hierarchy, a probe that ships with ptxlat or the quantity of one's fact.
bool is_of_probes(const std::string& name) {
  if (name == "memory") return true;
  const auto probes = probe::load_probes({isa::templates_folder() / "probes"});
  return std::any_of(probes.begin(), probes.end(), [&](const probe::Probe& probe) {
    const bool has_fact = std::any_of(probe.facts.begin(), probe.facts.end(),
                                      [&](const series::FactRule& rule) { return rule.quantity == name; });
    const bool infers = probe.infer && name.starts_with(probe.infer->space + ".");
    return probe.name == name || has_fact || infers;
  });
}

void show(ShowOptions options) {
  if (options.format == "json" && (options.pairs || !options.plot.empty()))
    throw Error(ExitCode::usage, "--format json is not for --pairs or --plot", "leave one of them out");
  options.assembles = !options.has_table && options.plot.empty() && options.condition.empty() && !options.pairs &&
                      (!options.selection.toolchain.empty() || !options.selection.target.empty() ||
                       !options.selection.catalogues.empty());
  const bool is_of_table = options.pairs || !options.condition.empty() || !options.plot.empty();
  options.table = folder_for(options);
  if (is_of_table && options.table.empty()) options.table = usual_table();  // says what is missing
  const auto& folder = options.table;
  options.assembles = folder.empty();
  if (options.pairs) return show_pairs(folder, options.name);
  if (!options.plot.empty()) pages::require_gnuplot();
  const auto loaded = load_named(options);
  if (!is_of_table) {
    if (const auto* form = find_form(loaded.catalogue, options.name)) return show_form(options, loaded, *form);
  }
  const auto probed = folder.empty() ? tables::Table() : tables::read_table(folder, {tables::Part::probes});
  if (show_facts(options, folder, probed)) return;
  if (!options.condition.empty()) {
    throw Error(ExitCode::unknown_name,
                fmt::format("{} is not the quantity of a fact, and only facts have conditions", options.name),
                advice_for_name(options.name, {}, folder, probed.probes));
  }
  if (show_probe(options, folder, probed) || show_memory(options, folder, probed)) return;
  require_plot_of(options, folder);
  // "popc" is an opcode of PTX, of which there are forms, and "ffma" can only be FFMA.
  if (!folder.empty() && !has_opcode(loaded.catalogue, options.name) && show_opcode(options, folder)) return;
  const auto all = load_catalogue_for(options.selection);
  if (!folder.empty() && probed.probes.empty() && is_of_probes(options.name))
    throw Error(ExitCode::unknown_name, fmt::format("{} has no probes, and {} is of a probe", folder, options.name),
                "name the table of a GPU that was measured with --table: nvidia-h200");
  throw Error(ExitCode::unknown_name, "no such form: " + options.name,
              advice_for_name(options.name, all.catalogue, folder, probed.probes));
}

}  // namespace

void add_show(CLI::App& program) {
  auto* command = program.add_subcommand(
      "show",
      "Show what is known of one name: a PTX form (its numbers, and the SASS with control words behind them), a SASS "
      "opcode, a probe or a fact of a table, or the memory hierarchy.");
  auto options = std::make_shared<ShowOptions>();
  options->selection.levels = {3};
  command
      ->add_option("name", options->name,
                   "A form's spelling, as in `ptxlat list`; a SASS opcode (FFMA); a probe (chase); the quantity of a "
                   "fact (l1.line_bytes), which is shown with its evidence; or memory, for the memory hierarchy that "
                   "the table's facts describe.")
      ->required()
      ->type_name("NAME");
  command
      ->add_option("condition", options->condition,
                   "Only a quantity's facts with this condition (carveout=167936). Default: all.")
      ->type_name("KEY=VALUE");
  auto* table = add_table(*command, options->table,
                          "Show what this table has. Default: that of this machine's GPU, else of the newest GPU that "
                          "was measured; a form that it lacks is assembled now, without measuring.");
  add_output_folder(
      *command, "--plot", options->plot,
      "Also draw each series of a probe or fact into this folder as an SVG file, marked with the inferred "
      "facts; for memory, draw the hierarchy as memory.svg. Needs gnuplot. Default: none.");
  command->add_flag(
      "--pairs", options->pairs,
      "NAME is a SASS opcode (FFMA): show the table's pairs with it (docs/pairs.md), its nearest consumer "
      "first.");
  add_levels(*command, options->selection.levels, "3");
  auto* toolchain = add_toolchain(*command, options->selection.toolchain, Toolchains::several, "the newest ptxas",
                                  "are shown one after another");
  auto* target =
      add_target(*command, options->selection.target, "Assemble the form now, for this architecture. Default: sm_90a.");
  for (auto* assembling : {toolchain, target}) assembling->excludes(table);
  add_catalogue(*command, options->selection);
  add_format(*command, options->format, {"text", "json"});
  command->callback([options, table] {
    options->has_table = table->count() > 0;
    show(*options);
  });
}

}  // namespace ptxlat::cli
