#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "assemble/toolkit.h"
#include "cli/commands.h"
#include "cli/cuda.h"
#include "cli/workbench.h"
#include "error.h"
#include "isa/select.h"
#include "measure/line.h"
#include "nearest_names.h"
#include "ptx/experiment.h"
#include "report/table.h"

namespace ptxlat {

namespace {

struct ShowOptions {
  Selection selection;
  std::string form;
  std::string table;
};

std::string number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : "-"; }

std::string scoreboard(int number) { return number == ControlWord::no_scoreboard ? "-" : fmt::format("{}", number); }

void print_window(const WindowRecord& window) {
  fmt::print("\n    {}: {}{}{}\n", window.role, to_string(window.verdict), window.reason.empty() ? "" : ", ",
             window.reason);
  fmt::print("      schedule {}{} cycles", window.static_is_lower_bound ? "at least " : "", window.static_cycles);
  if (window.cycles) fmt::print(", measured {} ({:.0f} % of the launches)", *window.cycles, 100 * window.mode_share);
  fmt::print("\n      offset  stall yield write read wait  SASS\n");
  for (const auto& i : window.sass) {
    fmt::print("      {:04x}    {:5} {:>5} {:>5} {:>4} {:>4}  {}\n", i.offset, i.stall_count, i.yields ? "yes" : "-",
               scoreboard(i.write_scoreboard), scoreboard(i.read_scoreboard),
               i.wait_mask == 0 ? "-" : fmt::format("{:#x}", i.wait_mask), i.text);
  }
}

void print_cell(const CellRecord& cell) {
  fmt::print("\n  O{}  operand {}{}{}: {}\n", cell.level, cell.operand.empty() ? "-" : cell.operand,
             cell.input.empty() ? "" : ", ", cell.input, to_string(cell.verdict));
  fmt::print("    cycles {}  issue {}  bracket {}  overhead {}  differential {}  chain {}  static {}  consumer {}\n",
             number(cell.cycles), number(cell.issue), number(cell.bracket), number(cell.overhead),
             number(cell.differential), number(cell.chain), number(cell.static_cycles), cell.consumer);
  fmt::print("    SASS {} ({})\n", fmt::join(cell.sass, ";"), cell.sass_count);
  if (!cell.note.empty()) fmt::print("    {}\n", cell.note);
  for (const auto& window : cell.windows) print_window(window);
}

// The window of the differential as PTX, with the consumer that is tried first; the stream's where there is no other.
void print_ptx(const Workbench& workbench, const Form& form) {
  const auto variants = variants_of(form);
  if (!form.no_dependency.empty() || !form.unsupported.empty() || variants.empty()) return;
  const auto consumers = consumers_for(workbench.catalogue, variants.front());
  if (consumers.empty()) return;
  const auto experiment = expand(workbench.catalogue, workbench.skeletons, variants.front(), consumers.front());
  for (const Role role : {Role::differential, Role::stream}) {
    const auto& kernel = experiment.kernels[role];
    if (kernel.text.empty()) continue;
    std::string name = to_string(role);
    fmt::print("\n{}\n{}", fmt::join(kernel.module, "\n"), fill({"frame.ptx", kernel.text}, {{"name", name}}));
    return;
  }
}

std::vector<CellRecord> cells_from_table(const ShowOptions& options, const Form& form) {
  std::vector<CellRecord> cells;
  for (auto& cell : read_table(options.table).cells) {
    const auto& levels = options.selection.levels;
    if (cell.ptx == form.ptx && std::find(levels.begin(), levels.end(), cell.level) != levels.end())
      cells.push_back(std::move(cell));
  }
  if (cells.empty())
    throw Error(ExitCode::unknown_name, fmt::format("{} has no {} at these levels", options.table, form.ptx));
  return cells;
}

// Assembled here and now, not measured.
std::vector<CellRecord> cells_from_assembler(const ShowOptions& options, const Workbench& workbench, const Form& form,
                                             const Toolchain& toolchain, const Target& target) {
  std::vector<CellRecord> cells;
  Nvdisasm disassembler(nvdisasm_for(target));
  Line line{workbench.catalogue,
            workbench.skeletons,
            toolchain,
            target,
            disassembler,
            nullptr,
            0,
            {},
            &heed_interrupts(),
            nullptr};
  line.on_finished = [&](const std::vector<CellRecord>& made) { cells.insert(cells.end(), made.begin(), made.end()); };
  run_line(line, make_kernel_assemblers(toolchain, target, worker_options(0), 1),
           plan_cells(workbench.catalogue, workbench.skeletons, {&form}, options.selection.levels));
  return cells;
}

std::string advice_for(const std::string& wanted, const std::vector<Form>& forms) {
  std::vector<std::string> names;
  for (const auto& form : forms) {
    if (form.opcode == wanted) return fmt::format("`ptxlat list --filter {}` has all forms of {}", wanted, wanted);
    names.push_back(form.ptx);
  }
  const auto nearest = nearest_names(wanted, names);
  const auto question = nearest.empty() ? "" : fmt::format("did you mean {}? ", fmt::join(nearest, ", "));
  return question + "`ptxlat list` has them all";
}

void show(const ShowOptions& options) {
  const auto workbench = load_workbench(options.selection);
  const auto& forms = workbench.catalogue.forms;
  const auto form = std::find_if(forms.begin(), forms.end(), [&](const Form& f) { return f.ptx == options.form; });
  if (form == forms.end()) {
    throw Error(ExitCode::unknown_name, "no form is spelled " + options.form, advice_for(options.form, forms));
  }
  fmt::print("{}  {}, PTX ISA {}\n{}:{}\n{}\n", form->ptx, form->chapter, form->section,
             std::filesystem::path(form->where.file).filename().string(), form->where.line, form->text);
  print_ptx(workbench, *form);
  if (!options.table.empty()) {
    for (const auto& cell : cells_from_table(options, *form)) print_cell(cell);
    return;
  }
  for (const auto& toolchain : chosen_toolchains(options.selection.toolchain, std::nullopt)) {
    const auto target = target_of(toolchain, target_from(options.selection.target));
    const auto functions = compile_cuda({&*form}, toolchain, target);
    std::vector<Form> compiled{*form};
    put_in_place(compiled, functions);
    fmt::print("\n{}{}{}\n", toolchain.name, functions.compiler.empty() ? "" : ", ", functions.compiler);
    if (form->cuda) print_ptx(workbench, compiled.front());
    for (const auto& cell : cells_from_assembler(options, workbench, compiled.front(), toolchain, target))
      print_cell(cell);
  }
}

}  // namespace

void add_show(CLI::App& program) {
  auto* command = program.add_subcommand(
      "show", "Everything about one form: PTX, SASS with control words, every witness, per level.");
  auto options = std::make_shared<ShowOptions>();
  options->selection.levels = {3};
  options->selection.target = "sm_90a";
  command->add_option("form", options->form, "The form's spelling, as `ptxlat list` has it.")
      ->required()
      ->type_name("FORM");
  command
      ->add_option("--table", options->table,
                   "Show the cells of this table. Default: assemble the form now, without measuring.")
      ->type_name("FOLDER");
  add_levels(*command, options->selection.levels, "3");
  command
      ->add_option("--toolchain", options->selection.toolchain,
                   "The assembler: ptxas, nvjitlink, or one of a version (ptxas-12.4); several, separated by commas, "
                   "are shown one after another. Default: the newest ptxas.")
      ->type_name("NAMES");
  command->add_option("--target", options->selection.target, "The architecture to assemble for. Default: sm_90a.")
      ->type_name("SM");
  add_catalogue(*command, options->selection);
  command->callback([options] { show(*options); });
}

}  // namespace ptxlat
