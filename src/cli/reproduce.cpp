// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/selection.h"
#include "cli/table_names.h"
#include "cli/toolchains.h"
#include "isa/catalogue.h"
#include "reproduce/folder.h"
#include "run/provenance.h"
#include "tables/folder.h"

namespace ptxlat::cli {

namespace {

struct ReproduceOptions {
  Selection selection;
  std::string form;
  int level = 3;
  std::string folder;
  std::string operand, input;
  bool has_operand = false, has_input = false;
  std::string table;
  int device = 0;
};

// The assembler of the windows, and the target.
struct Tools {
  assemble::Toolchain toolchain;
  isa::Target target;
};

Tools tools_for(const ReproduceOptions& options, const std::optional<tables::Table>& table) {
  auto wanted = options.selection.toolchain;
  if (wanted.empty() && table) wanted = table->run.toolchain;
  auto target = options.selection.target;
  if (target.empty()) target = table && !table->run.target.empty() ? table->run.target : "sm_90a";
  std::optional<assemble::Toolchain> driver;
  if (wanted.starts_with("driver")) {
    worker::Worker worker(worker_options(options.device));
    driver = driver_toolchain(worker.device_info());
  }
  const auto chosen = chosen_toolchains(wanted, driver);
  if (chosen.size() > 1)
    throw Error(ExitCode::usage, "a folder has the machine code of one assembler", "name one with --toolchain");
  return {chosen.front(), target_of(chosen.front(), target_from(target))};
}

const isa::Form& form_spelled(const isa::Catalogue& catalogue, const std::string& name) {
  if (const auto* form = find_form(catalogue, name)) return *form;
  throw Error(ExitCode::unknown_name, "no form is spelled " + name, advice_for_form(catalogue, name));
}

// The cells of the form, or those of one operand or one class of inputs.
std::vector<latency::CellPlan> plan_of(const ReproduceOptions& options, const ptx::LoadedCatalogue& loaded,
                                       const isa::Form& form) {
  auto plan = latency::plan_cells(loaded, {&form}, {options.level});
  std::vector<std::string> names;
  for (const auto& cell : plan)
    names.push_back(fmt::format("--operand '{}' --input '{}'", cell.variant.operand, cell.variant.input->name));
  std::erase_if(plan, [&](const latency::CellPlan& cell) {
    return (options.has_operand && cell.variant.operand != options.operand) ||
           (options.has_input && cell.variant.input->name != options.input);
  });
  if (plan.empty())
    throw Error(ExitCode::unknown_name, form.ptx + " has no such operand or class of inputs",
                fmt::format("it has {}", fmt::join(names, "; ")));
  return plan;
}

std::string name_of(const results::Record& cell) {
  return fmt::format("{} -O{} operand {}{}{}", cell.ptx, cell.level, cell.operand.empty() ? "-" : cell.operand,
                     cell.input.empty() ? "" : ", ", cell.input);
}

// Why the folder's program cannot launch the windows behind the number; empty if it can.
std::string why_not(const latency::Reproduction& made, const latency::ReproducedNumber& number) {
  for (const auto& term : number.terms) {
    const auto& window = made.windows[term.window];
    if (window.uses_objects) return "it needs an object that the host makes (a texture, a surface or a tensor map)";
    if (!window.launch.buffers.empty() || window.launch.bank_bytes != 0 || window.launch.persisting_bytes != 0)
      return "its launches need prepared buffers";
  }
  return {};
}

// The table's record of the cell; empty, with the reason on standard error, if there is none with a number.
std::optional<results::Record> stored_record(const ReproduceOptions& options, const tables::Table& table,
                                             const results::Record& cell) {
  const auto* found = reproduce::find_cell(table, cell);
  if (found == nullptr) {
    say(stderr, "{}: {} has no such cell\n", name_of(cell), options.table);
    return std::nullopt;
  }
  return tables::whole_records(table, {found}).front();
}

// The windows of the cell as a record has them, to be compared with a table's.
results::Record with_windows(const latency::Reproduction& made, const latency::ReproducedCell& cell) {
  auto record = cell.record;
  record.windows.clear();
  for (const auto& number : cell.numbers) {
    for (const auto& term : number.terms) {
      const auto& code = made.windows[term.window].code;
      // A window that several cells share has the role that the first of them gave it.
      if (results::window_of_role(record, code.role) == nullptr) record.windows.push_back(code);
    }
  }
  return record;
}

// A cell with the expected values of its numbers; numbers that cannot be reproduced are left out, with a message.
reproduce::CheckedCell checked(const ReproduceOptions& options, const std::optional<tables::Table>& table,
                               const latency::Reproduction& made, const latency::ReproducedCell& cell) {
  reproduce::CheckedCell checked{name_of(cell.record), {}, {}};
  if (cell.numbers.empty()) {
    say(stderr, "{}: {}{}{}\n", checked.name, to_string(cell.record.verdict), cell.record.note.empty() ? "" : ", ",
        cell.record.note);
    return checked;
  }
  checked.numbers = reproduce::expected_by_schedule(cell);
  if (table) {
    const auto stored = stored_record(options, *table, cell.record);
    if (!stored) return {checked.name, {}, {}};
    checked.numbers = reproduce::expected_by_table(cell, *stored);
    if (checked.numbers.empty())
      say(stderr, "{}: the table has none of its numbers: {}{}{}\n", checked.name, to_string(stored->verdict),
          stored->note.empty() ? "" : ", ", stored->note);
    else if (stored->number(results::metric::cycles) && checked.numbers.front().number.tag != results::metric::cycles)
      say(stderr, "{}: the windows that the table's cycles are made of are not proven here\n", checked.name);
    if (const auto changed = reproduce::changed_windows(*stored, with_windows(made, cell)); !changed.empty()) {
      checked.note =
          fmt::format("the machine code here is not the table's in these windows: {}", fmt::join(changed, ", "));
      say(stderr, "{}: {}\n", checked.name, checked.note);
    }
  }
  for (const auto& number : checked.numbers) {
    const auto why = why_not(made, number.number);
    if (why.empty()) continue;
    say(stderr, "{}: left out: {}\n", checked.name, why);
    return {checked.name, {}, {}};
  }
  return checked;
}

std::string command_of(const Tools& tools, int level) {
  const auto arch = tools.target.name();
  switch (tools.toolchain.kind) {
    case assemble::ToolchainKind::ptxas:
      return fmt::format("ptxas -arch {} -O{} windows.ptx -o windows.cubin", arch, level);
    case assemble::ToolchainKind::nvjitlink:
      return fmt::format("nvJitLink with -arch={} -Xptxas=-O{}", arch, level);
    default:
      return fmt::format("the driver's JIT, cuModuleLoadDataEx for {} with CU_JIT_OPTIMIZATION_LEVEL {}", arch, level);
  }
}

std::string source_of(const Tools& tools, const std::optional<tables::Table>& table) {
  if (!table) return "by the schedule of " + tools.toolchain.name + ", not measured";
  const auto& run = table->run;
  return fmt::format("{}, {}, {}", run.device ? run.device->name : run.kind, run.toolchain, run.finished_utc);
}

void reproduce_form(const ReproduceOptions& options) {
  std::optional<tables::Table> table;
  if (!options.table.empty()) table = tables::read_table(table_named(options.table));
  if (table && tables::is_static(*table))
    throw Error(ExitCode::unknown_name, options.table + " is a static table: nothing in it was measured",
                "leave out --table to compare with the schedule");
  auto loaded = load_selected(options.selection, {options.form});
  form_spelled(loaded.catalogue, options.form);  // before a driver is asked
  const auto tools = tools_for(options, table);
  require_levels({options.level}, tools.toolchain.kind);
  const auto* form = &form_spelled(loaded.catalogue, options.form);
  cuda::apply_compiled(loaded.catalogue.forms, compile_cuda({form}, tools.toolchain, tools.target));
  const auto plan = plan_of(options, loaded, *form);

  sass::Nvdisasm disassembler(assemble::nvdisasm_for(tools.target), {}, cache_folder());
  line::Line line{.toolchain = tools.toolchain, .target = tools.target, .disassembler = disassembler};
  if (table && table->run.launches > 0) line.launches = table->run.launches;
  auto assemblers = make_assemblers(tools.toolchain, worker_options(options.device), 1);
  const auto made = latency::reproduce(loaded, line, std::move(assemblers.front()), plan);

  std::vector<reproduce::CheckedCell> cells;
  for (const auto& cell : made.cells) {
    auto one = checked(options, table, made, cell);
    if (!one.numbers.empty()) cells.push_back(std::move(one));
  }
  if (cells.empty()) throw Error(ExitCode::failure, options.form + " has no number that can be reproduced; see above");
  reproduce::write_folder(options.folder, isa::templates_folder(), made, cells,
                          {.title = fmt::format("{} -O{}, {} for {}", options.form, options.level, tools.toolchain.name,
                                                tools.target.name()),
                           .source = source_of(tools, table),
                           .assembler = command_of(tools, options.level),
                           .command = run::command_line(),
                           .tool = fmt::format("ptxlat {} ({})", run::tool_version(), run::git_commit()),
                           .sm = tools.target.sm});
  say("{}: {} cell{}; `make -C {} run` measures {}\n", options.folder, cells.size(), cells.size() == 1 ? "" : "s",
      options.folder, cells.size() == 1 ? "it" : "them");
}

}  // namespace

void add_reproduce(CLI::App& program) {
  auto* command = program.add_subcommand(
      "reproduce",
      "Write a folder that measures one form's cells again with a C compiler and the driver alone: PTX, cubin, a C "
      "file, a Makefile and the expected numbers.");
  auto options = std::make_shared<ReproduceOptions>();
  command->add_option("form", options->form, "The form's spelling, as `ptxlat list` shows it.")
      ->required()
      ->type_name("FORM");
  add_level(*command, options->level);
  add_output_folder(*command, "-o,--output", options->folder, "The folder to write.")->required();
  auto* operand =
      command->add_option("--operand", options->operand, "Only the cells of this source operand. Default: every one.")
          ->type_name("NAME");
  auto* input = command
                    ->add_option("--input", options->input,
                                 "Only the cells of this class of input values, '' for ordinary ones. Default: every "
                                 "one.")
                    ->type_name("NAME");
  add_table(*command, options->table,
            "The measured table with the expected numbers. Default: none; the numbers of the assembler's schedule are "
            "then expected.");
  add_toolchain(*command, options->selection.toolchain, Toolchains::one, "the table's, else the newest ptxas");
  add_target(*command, options->selection.target,
             "The architecture to assemble for. Default: the table's, else sm_90a.");
  add_device(*command, options->device, "The GPU whose driver assembles, for --toolchain driver.");
  add_catalogue(*command, options->selection);
  command->callback([options, operand, input] {
    options->has_operand = operand->count() > 0;
    options->has_input = input->count() > 0;
    reproduce_form(*options);
  });
}

}  // namespace ptxlat::cli
