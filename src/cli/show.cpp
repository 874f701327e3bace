// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <set>

#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/nearest_names.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/pairs.h"
#include "cli/print.h"
#include "cli/selection.h"
#include "cli/toolchains.h"
#include "isa/select.h"
#include "latency/experiment.h"
#include "latency/method.h"
#include "pages/evidence.h"
#include "pages/memory_map.h"
#include "pages/plot.h"
#include "tables/folder.h"
#include "tables/number.h"

namespace ptxlat::cli {

namespace {

// The name under which `show` combines the facts of all probes about memory.
constexpr const char* memory_name = "memory";

struct ShowOptions {
  Selection selection;
  std::string form;
  std::vector<std::string> condition;
  std::string table;
  std::string plot;  // folder; empty: none
  bool pairs = false;
};

// The window of the differential as PTX, with the consumer that is tried first; the stream's if there is no
// differential.
void print_ptx(const ptx::LoadedCatalogue& loaded, const isa::Form& form) {
  const auto variants = isa::variants_of(form);
  if (!form.not_measurable.empty() || !form.unsupported_because.empty() || variants.empty()) return;
  const auto consumers = latency::consumers_for(loaded.catalogue, variants.front());
  if (consumers.empty()) return;
  const auto experiment = latency::expand(loaded, variants.front(), consumers.front());
  for (const auto role : {latency::Role::differential, latency::Role::stream}) {
    const auto& trial = experiment.trials[role];
    if (trial.kernel.text.empty()) continue;
    auto name = trial.role;
    say("\n{}\n{}", fmt::join(trial.kernel.module, "\n"),
        ptx::fill({"frame.ptx", trial.kernel.text}, {{"name", name}}));
    return;
  }
}

std::string nearest_in(const tables::Table& table, const std::string& wanted) {
  std::set<std::string> names;
  for (const auto& cell : table.cells) names.insert(cell.record.ptx);
  const auto nearest = nearest_names(wanted, {names.begin(), names.end()});
  return nearest.empty() ? "" : fmt::format("it has {}", fmt::join(nearest, ", "));
}

struct CellOfTable {
  results::Record record;
  tables::RowThroughput throughput;
};

std::vector<CellOfTable> cells_from_table(const ShowOptions& options, const isa::Form& form) {
  using tables::Part;
  const auto table = tables::read_table(options.table, {Part::cells, Part::opcodes, Part::throughputs});
  const auto& levels = options.selection.levels;
  std::vector<const tables::Cell*> wanted;
  bool has_form = false;
  for (const auto& cell : table.cells) {
    if (cell.record.ptx != form.ptx) continue;
    has_form = true;
    if (std::find(levels.begin(), levels.end(), cell.record.level) != levels.end()) wanted.push_back(&cell);
  }
  if (!has_form) {
    throw Error(ExitCode::unknown_name, fmt::format("{} has no {}", options.table, form.ptx),
                nearest_in(table, form.ptx));
  }
  if (wanted.empty()) {
    throw Error(ExitCode::unknown_name,
                fmt::format("{} has no {} at -O {}", options.table, form.ptx, fmt::join(levels, ",")));
  }
  for (const auto& spelling : table.spellings) {
    const bool is_wanted = std::find(levels.begin(), levels.end(), spelling.level) != levels.end();
    if (is_wanted && spelling.ptx == form.ptx && !spelling.row.empty() && spelling.row != form.ptx)
      say("O{}: the machine code is that of {}\n", spelling.level, spelling.row);
  }
  const tables::RowThroughputs of_rows(table.opcodes, table.spellings);
  std::vector<CellOfTable> whole;
  for (auto& record : tables::whole_records(table, wanted)) {
    const auto& levels_of_row = wanted[whole.size()]->levels;
    auto throughput = of_rows.of(form.ptx, levels_of_row, record.sass);
    whole.push_back({std::move(record), std::move(throughput)});
  }
  return whole;
}

void print_throughput(const tables::RowThroughput& row) {
  if (row.throughput) {
    const auto warps =
        row.saturates_at ? fmt::format(", from {} warps on", tables::decimal(row.saturates_at)) : std::string();
    say("    throughput   {:>8} {} per cycle and SM{}\n", tables::decimal(row.throughput), row.unit, warps);
  }
  if (!row.pipe.empty()) say("    pipe {}\n", row.pipe);
}

// Assembled now, not measured.
std::vector<results::Record> cells_from_assembler(const ShowOptions& options, const ptx::LoadedCatalogue& loaded,
                                                  const isa::Form& form, const assemble::Toolchain& toolchain,
                                                  const isa::Target& target) {
  sass::Nvdisasm disassembler(assemble::nvdisasm_for(target), {}, cache_folder());
  const auto plan = latency::plan_cells(loaded, {&form}, options.selection.levels);
  line::Line line{.toolchain = toolchain, .target = target, .disassembler = disassembler};
  line.interrupted = &heed_interrupts();
  return line::made_records(line, latency::LatencyMethod(loaded, plan),
                            make_kernel_assemblers(toolchain, target, worker_options(0), 1),
                            latency::with_alike(plan, latency::line_cells(plan)));
}

std::string advice_for(const std::string& wanted, const std::vector<isa::Form>& forms,
                       const std::vector<results::Record>& probes) {
  std::vector<std::string> names;
  for (const auto& probe : probes) names.push_back(probe.ptx);
  for (const auto& quantity : pages::quantities_of(probes)) {
    if (quantity.starts_with(wanted + ".")) return fmt::format("the table's facts have {}", quantity);
    names.push_back(quantity);
  }
  for (const auto& form : forms) {
    if (form.opcode == wanted) return fmt::format("`ptxlat list --filter {}` lists all forms of {}", wanted, wanted);
    names.push_back(form.ptx);
  }
  const auto nearest = nearest_names(wanted, names);
  const auto question = nearest.empty() ? "" : fmt::format("did you mean {}? ", fmt::join(nearest, ", "));
  return question + "`ptxlat list` lists all forms; the probes, facts and memory of a table need --table";
}

// With --plot, draws the series of these probes as SVG files, whose names go to standard error.
void plot(const ShowOptions& options, const std::vector<results::Record>& probes,
          const std::vector<results::Run>& runs) {
  if (options.plot.empty()) return;
  for (const auto& file : pages::write_plots(options.plot, probes, runs)) say(stderr, "{}\n", file.string());
}

// A probe of the table: its series and facts, and the machine code of its kernels. False if the table has none of this
// name.
bool show_probe(const ShowOptions& options, const tables::Table& table) {
  auto records = table.probes;
  std::erase_if(records, [&](const results::Record& record) { return record.ptx != options.form; });
  tables::write_probe_text(std::cout, records);
  std::cout.flush();
  for (const auto& record : records) {
    for (const auto& window : record.windows) say("{}", pages::window_text(window));
  }
  if (!records.empty()) plot(options, records, table.probe_runs);
  return !records.empty();
}

// The facts of a quantity, probe by probe, with all their evidence. False if the table has none of this name.
bool show_facts(const ShowOptions& options, const tables::Table& table) {
  const auto& records = table.probes;
  const auto named = pages::find_facts(records, options.form, "");
  if (named.empty()) return false;
  const auto condition = fmt::format("{}", fmt::join(options.condition, " "));
  const auto found = pages::find_facts(records, options.form, condition);
  if (found.empty()) {
    std::set<std::string> conditions;
    for (const auto& one : named) conditions.insert(one.fact->condition.empty() ? "none" : one.fact->condition);
    throw Error(ExitCode::unknown_name, fmt::format("{} has no {} with {}", options.table, options.form, condition),
                fmt::format("it has it with {}", fmt::join(conditions, "; ")));
  }
  const char* separator = "";
  for (const auto& record : records) {
    std::vector<pages::FoundFact> of_probe;
    std::copy_if(found.begin(), found.end(), std::back_inserter(of_probe),
                 [&](const pages::FoundFact& fact) { return fact.probe == &record; });
    if (of_probe.empty()) continue;
    std::cout << separator;
    separator = "\n";
    pages::write_evidence(std::cout, options.table, of_probe, table.probe_runs);
    std::cout.flush();
    for (const auto* window : pages::windows_behind(of_probe)) say("{}", pages::window_text(*window));
    plot(options, {record}, table.probe_runs);
  }
  return true;
}

// The memory hierarchy that the table's facts describe. False if a different name was given, or the facts describe
// none.
bool show_memory(const ShowOptions& options, const tables::Table& table) {
  if (options.form != memory_name) return false;
  const auto map = pages::memory_map(table.probes);
  print_text([&](std::ostream& out) { pages::write_memory_text(out, map); });
  if (options.plot.empty()) return !map.empty();
  for (const auto& file : pages::write_memory_plot(options.plot, table.probes, table.probe_runs))
    say(stderr, "{}\n", file.string());
  return !map.empty();
}

void show(const ShowOptions& options) {
  if (options.pairs) return show_pairs(options.table, options.form);
  const auto probed =
      options.table.empty() ? tables::Table() : tables::read_table(options.table, {tables::Part::probes});
  if (show_facts(options, probed)) return;
  if (!options.condition.empty()) {
    throw Error(ExitCode::unknown_name,
                fmt::format("{} is not the quantity of a fact, and only facts have conditions", options.form),
                advice_for(options.form, {}, probed.probes));
  }
  if (show_probe(options, probed) || show_memory(options, probed)) return;
  if (!options.plot.empty()) {
    throw Error(
        ExitCode::unknown_name,
        fmt::format("{} has no probe or fact called {}, and only these can be drawn", options.table, options.form),
        advice_for(options.form, {}, probed.probes));
  }
  const auto loaded = load_selected(options.selection, {options.form});
  const auto& forms = loaded.catalogue.forms;
  const auto form = std::find_if(forms.begin(), forms.end(), [&](const isa::Form& f) { return f.ptx == options.form; });
  if (form == forms.end()) {
    throw Error(ExitCode::unknown_name, "no such form: " + options.form,
                advice_for(options.form, forms, probed.probes));
  }
  // Checked first, so that nothing is printed for a form that the table does not have.
  const auto in_table = options.table.empty() ? std::vector<CellOfTable>() : cells_from_table(options, *form);
  say("{}  {}, PTX ISA {}\n{}:{}\n{}\n", form->ptx, form->chapter, form->section,
      std::filesystem::path(form->where.file).filename().string(), form->where.line, form->text);
  print_ptx(loaded, *form);
  if (!options.table.empty()) {
    for (const auto& cell : in_table) {
      print_cell(cell.record);
      print_throughput(cell.throughput);
    }
    return;
  }
  for (const auto& toolchain : chosen_toolchains(options.selection.toolchain, std::nullopt)) {
    const auto target = target_of(toolchain, target_from(options.selection.target));
    const auto functions = compile_cuda({&*form}, toolchain, target);
    std::vector<isa::Form> compiled{*form};
    cuda::apply_compiled(compiled, functions);
    say("\n{}{}{}\n", toolchain.name, functions.compiler.empty() ? "" : ", ", functions.compiler);
    if (form->cuda) print_ptx(loaded, compiled.front());
    for (const auto& cell : cells_from_assembler(options, loaded, compiled.front(), toolchain, target))
      print_cell(cell);
  }
}

}  // namespace

void add_show(CLI::App& program) {
  auto* command = program.add_subcommand("show",
                                         "Show everything about one form (PTX, SASS with control words, every witness, "
                                         "per level), or about a probe or a fact of a table.");
  auto options = std::make_shared<ShowOptions>();
  options->selection.levels = {3};
  options->selection.target = "sm_90a";
  command
      ->add_option("form", options->form,
                   "The form's spelling, as in `ptxlat list`. With --table also the name of a probe (chase), the "
                   "quantity of a fact (l1.line_bytes), which is shown with its evidence, or memory, for the memory "
                   "hierarchy that the table's facts describe.")
      ->required()
      ->type_name("NAME");
  command
      ->add_option("condition", options->condition,
                   "Only a quantity's facts with this condition (carveout=167936). Default: all.")
      ->type_name("KEY=VALUE");
  add_table(*command, options->table,
            "Show the cells of this table. Default: assemble the form now, without measuring.");
  command
      ->add_option("--plot", options->plot,
                   "Also draw each series of a probe or fact into this folder as an SVG file, marked with the inferred "
                   "facts; for memory, draw the hierarchy as memory.svg. Needs gnuplot. Default: none.")
      ->type_name("FOLDER")
      ->needs("--table");
  command
      ->add_flag("--pairs", options->pairs,
                 "NAME is a SASS opcode (FFMA): show the table's pairs with it (docs/pairs.md), its nearest consumer "
                 "first.")
      ->needs("--table");
  add_levels(*command, options->selection.levels, "3");
  add_toolchain(*command, options->selection.toolchain, Toolchains::several, "the newest ptxas",
                "are shown one after another");
  add_target(*command, options->selection.target, "The architecture to assemble for. Default: sm_90a.");
  add_catalogue(*command, options->selection);
  command->callback([options] { show(*options); });
}

}  // namespace ptxlat::cli
