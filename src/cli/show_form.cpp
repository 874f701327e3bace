// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/print.h"
#include "cli/screen.h"
#include "cli/show.h"
#include "cli/table_names.h"
#include "cli/toolchains.h"
#include "isa/nearest_spellings.h"
#include "latency/experiment.h"
#include "latency/method.h"
#include "results/json.h"
#include "tables/folder.h"
#include "tables/number.h"
#include "tables/rows.h"
#include "tables/table.h"

namespace ptxlat::cli {

namespace {

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

// What is known of a form from one source.
//   heading  a table or an assembler
//   shared   at which levels its machine code is that of another form: "O3: the machine code is that of add.s32"
struct ShownCells {
  std::string heading;
  results::Json place;  // the same for programs
  std::vector<std::string> shared = {};
  std::vector<results::Record> records = {};
  std::vector<tables::RowThroughput> throughputs = {};  // of each record; none if there is no table
};

std::string nearest_in(const tables::Table& table, const std::string& wanted) {
  std::set<std::string> names;
  for (const auto& cell : table.cells) names.insert(cell.record.ptx);
  const auto nearest = isa::nearest_spellings(wanted, {names.begin(), names.end()});
  return nearest.empty() ? "" : fmt::format("it has {}", fmt::join(nearest, ", "));
}

ShownCells cells_from_table(const std::string& folder, const std::vector<int>& levels, const isa::Form& form) {
  using tables::Part;
  const auto table = tables::read_table(folder, {Part::cells, Part::opcodes, Part::throughputs});
  const auto is_wanted = [&](int level) { return std::find(levels.begin(), levels.end(), level) != levels.end(); };
  std::vector<const tables::Cell*> cells;
  bool has_form = false;
  for (const auto& cell : table.cells) {
    if (cell.record.ptx != form.ptx) continue;
    has_form = true;
    if (is_wanted(cell.record.level)) cells.push_back(&cell);
  }
  if (!has_form)
    throw Error(ExitCode::unknown_name, fmt::format("{} has no {}", folder, form.ptx), nearest_in(table, form.ptx));
  if (cells.empty())
    throw Error(ExitCode::unknown_name, fmt::format("{} has no {} at -O {}", folder, form.ptx, fmt::join(levels, ",")));
  const auto& run = table.run;
  const auto gpu = run.device ? run.device->name : std::string();
  ShownCells shown{fmt::format("{}{}, {}", gpu.empty() ? "" : gpu + ", ", run.target, run.toolchain),
                   {{"table", folder}, {"target", run.target}, {"toolchain", run.toolchain}}};
  results::put(shown.place, "gpu", gpu);
  for (const auto& spelling : table.spellings) {
    if (is_wanted(spelling.level) && spelling.ptx == form.ptx && !spelling.row.empty() && spelling.row != form.ptx)
      shown.shared.push_back(fmt::format("O{}: the machine code is that of {}", spelling.level, spelling.row));
  }
  shown.records = tables::whole_records(table, cells);
  const tables::RowThroughputs throughputs(table.opcodes, table.spellings);
  for (std::size_t i = 0; i < cells.size(); ++i)
    shown.throughputs.push_back(throughputs.of(form.ptx, cells[i]->levels, shown.records[i].sass));
  return shown;
}

// Assembled now, not measured.
ShownCells cells_from_assembler(const ShowOptions& options, const ptx::LoadedCatalogue& loaded, const isa::Form& form,
                                const assemble::Toolchain& toolchain, const isa::Target& target) {
  sass::Nvdisasm disassembler(assemble::nvdisasm_for(target), {}, cache_folder());
  const auto plan = latency::plan_cells(loaded, {&form}, options.selection.levels);
  line::Line line{.toolchain = toolchain, .target = target, .disassembler = disassembler};
  line.interrupted = &heed_interrupts();
  ShownCells shown{fmt::format("{}, {}", target.name(), toolchain.name),
                   {{"target", target.name()}, {"toolchain", toolchain.name}}};
  shown.records = line::made_records(line, latency::LatencyMethod(loaded, plan),
                                     make_kernel_assemblers(toolchain, target, worker_options(0), 1),
                                     latency::with_alike(plan, latency::line_cells(plan)));
  return shown;
}

void print_throughput(const tables::RowThroughput& row) {
  if (row.throughput) {
    const auto warps =
        row.saturates_at ? fmt::format(", from {} warps on", tables::decimal(row.saturates_at)) : std::string();
    say("    throughput   {:>8} {}{}\n", tables::decimal(row.throughput), tables::per_cycle(row), warps);
  }
  if (!row.pipe.empty()) say("    pipe {}\n", row.pipe);
}

// "17 cycles, issue 8, static ≥8; 16 results per cycle and SM, pipe xu; POPC"
std::string brief_numbers(const results::Record& cell, const tables::RowThroughput& row) {
  std::vector<std::string> numbers;
  if (const auto cycles = cell.number(results::metric::cycles)) numbers.push_back(tables::decimal(cycles) + " cycles");
  if (const auto issue = cell.number(results::metric::issue)) numbers.push_back("issue " + tables::decimal(issue));
  if (const auto cycles = cell.number(results::metric::static_cycles)) {
    const bool is_bound = cell.has_flag(results::flag::static_is_lower_bound);
    numbers.push_back(fmt::format("static {}{}", tables::mark_of_static(cell, is_bound), tables::decimal(cycles)));
  }
  if (row.throughput) numbers.push_back(fmt::format("{} {}", tables::decimal(row.throughput), tables::per_cycle(row)));
  if (!row.pipe.empty()) numbers.push_back("pipe " + row.pipe);
  if (cell.verdict != sass::Verdict::proven) numbers.emplace_back(to_string(cell.verdict));
  return fmt::format("{}; {}", fmt::join(numbers, ", "), tables::brief_opcodes(cell.sass, screen().columns));
}

// On a screen a line for each cell, and the machine code behind the first of them.
void print_cells(const ShownCells& shown) {
  say("\n{}\n", shown.heading);
  for (const auto& line : shown.shared) say("{}\n", line);
  for (std::size_t i = 0; i < shown.records.size(); ++i) {
    const auto& cell = shown.records[i];
    const auto throughput = shown.throughputs.empty() ? tables::RowThroughput() : shown.throughputs[i];
    if (is_brief()) {
      say("  O{} {}{}{}: {}\n", cell.level, cell.operand, cell.input.empty() ? "" : ", ", cell.input,
          brief_numbers(cell, throughput));
      continue;
    }
    print_numbers(cell);
    print_throughput(throughput);
    for (const auto& window : cell.windows) print_window(window);
  }
  if (is_brief() && !shown.records.empty() && !shown.records.front().windows.empty())
    print_window(shown.records.front().windows.front());
}

void print_cells_json(const isa::Form& form, const std::vector<ShownCells>& all) {
  auto document = json_head();
  document["ptx"] = form.ptx;
  document["chapter"] = form.chapter;
  document["section"] = form.section;
  document["shown"] = results::Json::array();
  for (const auto& shown : all) {
    auto place = shown.place;
    place["cells"] = results::Json::array();
    for (std::size_t i = 0; i < shown.records.size(); ++i) {
      auto cell = results::to_json(shown.records[i]);
      if (!shown.throughputs.empty()) put_throughput(cell, shown.throughputs[i]);
      place["cells"].push_back(std::move(cell));
    }
    document["shown"].push_back(std::move(place));
  }
  print_json(document);
}

// Of the table that was named, or of the usual one if that has it.
std::optional<ShownCells> cells_of_some_table(const ShowOptions& options, const isa::Form& form) {
  if (options.assembles) return std::nullopt;
  if (options.has_table) return cells_from_table(options.table, options.selection.levels, form);
  try {
    return cells_from_table(options.table, options.selection.levels, form);
  } catch (const Error& error) {
    if (error.exit_code != ExitCode::unknown_name) throw;
    say(stderr, "{}: assembled now\n", error.what());
    return std::nullopt;
  }
}

}  // namespace

void show_form(const ShowOptions& options, const ptx::LoadedCatalogue& loaded, const isa::Form& form) {
  std::vector<ShownCells> all;
  std::vector<isa::Form> compiled{form};
  if (auto stored = cells_of_some_table(options, form)) {
    all.push_back(std::move(*stored));
  } else {
    const auto& wanted = options.selection.target;
    for (const auto& toolchain : chosen_toolchains(options.selection.toolchain, std::nullopt)) {
      const auto target = target_of(toolchain, target_from(wanted.empty() ? "sm_90a" : wanted));
      require_levels(options.selection.levels, toolchain.kind);
      const auto functions = compile_cuda({&form}, toolchain, target);
      compiled = {form};
      cuda::apply_compiled(compiled, functions);
      auto cells = cells_from_assembler(options, loaded, compiled.front(), toolchain, target);
      if (!functions.compiler.empty()) cells.heading += ", " + functions.compiler;
      all.push_back(std::move(cells));
    }
  }
  if (options.format == "json") return print_cells_json(form, all);
  say("{}  {}{}\n{}:{}\n{}\n", form.ptx, form.chapter, form.section.empty() ? "" : ", PTX ISA " + form.section,
      std::filesystem::path(form.where.file).filename().string(), form.where.line, form.text);
  for (const auto& shown : all) print_cells(shown);
  if (is_brief()) return say("\nWith --full: every witness and its machine code, and the PTX.\n");
  print_ptx(loaded, compiled.front());
}

}  // namespace ptxlat::cli
