#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>

#include "assemble/toolkit.h"
#include "bundle/functions.h"
#include "cli/bundled.h"
#include "cli/commands.h"
#include "cli/cuda.h"
#include "cli/progress.h"
#include "cli/workbench.h"
#include "error.h"
#include "isa/select.h"
#include "measure/estimate.h"
#include "measure/line.h"
#include "measure/repeated_cells.h"
#include "report/table.h"
#include "results/store.h"

namespace ptxlat {

namespace {

struct RunOptions {
  Selection selection;
  int device = 0;
  int launches = 9;
  int threads = 0;  // 0: two per core
  std::string bundle;
  std::optional<double> repeat;
  std::uint64_t seed = 1;
  std::string store = "ptxlat.sqlite";
  std::string tables = "tables";
  bool is_brief = false;
  std::string format = "text";
};

// What a run has found out before it starts.
//   disassembler, assemblers   where the machine code comes from
struct Setup {
  Workbench workbench;
  Toolchain toolchain;
  Target target;
  std::optional<DeviceInfo> device;
  Provenance provenance;
  std::vector<CellPlan> plan;
  std::unique_ptr<Disassembler> disassembler;
  std::vector<std::unique_ptr<KernelAssembler>> assemblers;
};

// "NVIDIA H200" → "nvidia-h200": a folder's name.
std::string folder_name(const std::string& gpu) {
  std::string name;
  for (const char c : gpu) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name;
}

// Variables that change what the driver's JIT does, and ours.
std::map<std::string, std::string> relevant_environment() {
  std::map<std::string, std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    const auto name = text.substr(0, equals);
    const bool is_relevant = name.starts_with("CUDA_CACHE") || name.starts_with("CUDA_FORCE") ||
                             name.starts_with("CUDA_DISABLE") || name.starts_with("CUDA_MODULE") ||
                             name.starts_with("CUDA_VISIBLE") || name.starts_with("PTXLAT_");
    if (is_relevant && equals != std::string::npos) found[name] = text.substr(equals + 1);
  }
  return found;
}

Provenance provenance_of(const Setup& setup, const RunOptions& options) {
  Provenance provenance;
  provenance.kind = setup.device ? "measured" : "static";
  provenance.toolchain = setup.toolchain.name;
  provenance.target = setup.target.name();
  provenance.device = setup.device;
  // A GPU is filed under what it is, not under what was assembled for it.
  provenance.table =
      setup.device ? fmt::format("sm_{}/{}/{}", setup.device->sm, folder_name(setup.device->name), setup.toolchain.name)
                   : fmt::format("{}/static/{}", setup.target.name(), setup.toolchain.name);
  provenance.tool_version = PTXLAT_VERSION;
  provenance.git_commit = PTXLAT_GIT_COMMIT;
  provenance.command_line = command_line();
  provenance.seed = options.seed;
  provenance.started_utc = utc_now();
  provenance.environment = relevant_environment();
  return provenance;
}

std::string summary(const std::vector<CellRecord>& cells, std::size_t made, double wall_seconds) {
  std::map<std::string, int> verdicts;
  for (const auto& cell : cells) ++verdicts[to_string(cell.verdict)];
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : verdicts) parts.push_back(fmt::format("{} {}", count, verdict));
  return fmt::format("{} cells made in {:.1f} s ({:.0f} a second); the table has {}: {}", made, wall_seconds,
                     static_cast<double>(made) / wall_seconds, cells.size(), fmt::join(parts, ", "));
}

// Errors can be systematic per process (method.md, trap 16): measures a sample again in a new process and marks what
// differs. False if it was interrupted.
bool repeat_sample(const Line& line, const std::vector<std::unique_ptr<KernelAssembler>>& assemblers,
                   const RepeatedCells& sample, Store& store, const std::string& table) {
  if (sample.cells.empty()) return true;
  std::vector<CellRecord> differing;
  std::size_t repeated = 0;
  line.worker->restart();
  Line again = line;
  again.on_finished = [&](const std::vector<CellRecord>& cells) {
    for (const auto& cell : cells) {
      const auto* before = sample.noted(cell);
      if (before == nullptr || !before->cycles) continue;
      ++repeated;
      // Where launches spread, so do processes.
      const double tolerance = std::max(spread_of(*before), spread_of(cell));
      if (cell.cycles && std::abs(*before->cycles - *cell.cycles) <= tolerance) continue;
      CellRecord marked = *before;
      marked.note +=
          fmt::format("{}{} cycles in one process, {} in another", marked.note.empty() ? "" : "; ", *marked.cycles,
                      cell.cycles ? fmt::format("{}", *cell.cycles) : to_string(cell.verdict));
      marked.verdict = Verdict::unstable;
      marked.cycles.reset();
      differing.push_back(std::move(marked));
    }
  };
  const bool completed = run_line(again, assemblers, sample.cells);
  store.save_cells(table, differing);
  fmt::print(stderr, "repeated in a fresh process: {} of {} cells agree\n", repeated - differing.size(), repeated);
  for (const auto& cell : differing)
    fmt::print(stderr, "  differs: {} {} {} O{}: {}\n", cell.ptx, cell.operand, cell.input, cell.level, cell.note);
  return completed;
}

void print(const Table& table, const std::string& format) {
  if (format == "csv") write_csv(std::cout, table.cells);
  if (format == "text") write_text(std::cout, table);
}

// A thread waits for nvdisasm as long as it assembles, so two of them keep a core busy.
int threads_of(const RunOptions& options) {
  return options.threads > 0 ? options.threads
                             : static_cast<int>(2 * std::max(1u, std::thread::hardware_concurrency()));
}

// Plans the cells that the options name and makes ready what assembles them now.
void prepare_assembling(Setup& setup, const RunOptions& options) {
  const auto& selection = options.selection;
  require_levels(selection.levels, setup.toolchain.kind);
  // A form that a filter names outright is wanted, core or not.
  const bool core_only = !selection.all_forms && selection.filters.empty();
  const auto forms = selected_forms(setup.workbench.catalogue, selection, core_only, std::nullopt);
  const auto functions = compile_cuda(forms, setup.toolchain, setup.target);
  put_in_place(setup.workbench.catalogue.forms, functions);
  setup.provenance.nvrtc = functions.compiler;
  setup.plan = plan_cells(setup.workbench.catalogue, setup.workbench.skeletons, forms, selection.levels);
  const int threads = threads_of(options);
  setup.disassembler = std::make_unique<Nvdisasm>(nvdisasm_for(setup.target), nvdisasm_pace(threads));
  setup.assemblers = make_kernel_assemblers(setup.toolchain, setup.target, worker_options(options.device), threads);
}

// Plans the cells of a bundle and makes ready what its toolchain answered.
void prepare_bundled(Setup& setup, const RunOptions& options, const Bundle& bundle, std::size_t toolchain,
                     const std::vector<int>& levels) {
  setup.plan = bundled_plan(bundle, setup.workbench, options.selection, levels);
  setup.disassembler = make_recorded_disassembler(bundle);
  for (int i = 0; i < threads_of(options); ++i) setup.assemblers.push_back(make_recorded_assembler(bundle, toolchain));
  setup.provenance.bundle = origin_of(bundle);
}

// The run that made the table in the store, if it came to its end.
std::optional<Provenance> finished_run(const Store& store, const std::string& table) {
  for (auto& provenance : store.provenances()) {
    if (provenance.table == table && !provenance.finished_utc.empty()) return std::move(provenance);
  }
  return std::nullopt;
}

void make_table(Setup setup, const RunOptions& options, Worker* worker) {
  const auto started = std::chrono::steady_clock::now();
  Store store(options.store);
  const auto& table_name = setup.provenance.table;
  const auto finished = store.finished(table_name);
  std::vector<CellPlan> missing;
  for (const auto& cell : setup.plan) {
    if (!finished.contains(key_of(cell).text())) missing.push_back(cell);
  }
  if (missing.size() < setup.plan.size()) {
    fmt::print(stderr, "{} of {} cells are in {} already\n", setup.plan.size() - missing.size(), setup.plan.size(),
               options.store);
  }
  // A run that finds all of its cells has made none of them, and only writes the table once more.
  const auto made_by = missing.empty() ? finished_run(store, table_name) : std::nullopt;
  if (!made_by) store.save_provenance(setup.provenance);

  StationClock clock;
  Progress progress(std::cerr, isatty(STDERR_FILENO) != 0, missing.size());
  Line line{setup.workbench.catalogue, setup.workbench.skeletons,
            setup.toolchain,           setup.target,
            *setup.disassembler,       worker,
            options.launches,          {},
            &heed_interrupts(),        &clock};
  auto sample = worker != nullptr ? sample_of(missing, options.repeat, options.seed) : RepeatedCells{};
  line.on_finished = [&](std::vector<CellRecord> cells) {
    for (auto& cell : cells) {
      constexpr double ns_per_ms = 1e6;
      if (cell.cycles && setup.device && setup.device->sm_clock_khz > 0)
        cell.elapsed_ns = *cell.cycles * ns_per_ms / setup.device->sm_clock_khz;
      sample.note(cell);
    }
    store.save_cells(table_name, cells);
    progress.advance(cells.size());
  };
  bool completed = run_line(line, setup.assemblers, missing);
  progress.finish();
  if (completed) completed = repeat_sample(line, setup.assemblers, sample, store, table_name);

  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  if (!missing.empty()) {
    setup.provenance.station_seconds = clock.seconds();
    setup.provenance.station_seconds["wall"] = wall;
    for (const auto& [station, seconds] : clock.seconds())
      fmt::print(stderr, "  {:<10} {:8.2f} s over {} threads\n", station, seconds, setup.assemblers.size());
  }
  if (!made_by) {
    setup.provenance.finished_utc = utc_now();
    store.save_provenance(setup.provenance);
  }
  if (!completed) {
    throw Error(ExitCode::interrupted, fmt::format("interrupted; every finished cell is kept in {}", options.store),
                "the same command goes on where this one stopped");
  }
  const Table table{made_by.value_or(setup.provenance), store.cells(table_name)};
  write_table(options.tables, table, options.is_brief ? Extent::brief : Extent::whole);
  fmt::print(stderr, "{}\n{}/{}\n", summary(table.cells, missing.size(), wall), options.tables, table_name);
  print(table, options.format);
}

void add_line_options(CLI::App& command, RunOptions& options) {
  add_selection(command, options.selection);
  command
      .add_option(
          "--store", options.store,
          "The SQLite file that keeps finished cells; the same command again continues. Default: ptxlat.sqlite.")
      ->type_name("FILE");
  command.add_option("--tables", options.tables, "The folder below which the table is written. Default: tables.")
      ->type_name("FOLDER");
  command.add_flag("--brief", options.is_brief,
                   "Write latency.csv and run.json alone, without the machine code: for keeping many static tables.");
  command.add_option("--threads", options.threads, "Assemblers at work at a time. Default: two per core.")
      ->check(CLI::Range(1, 1024));
  command.add_option("--format", options.format, "What goes to standard output: text, csv or none. Default: text.")
      ->check(CLI::IsMember({"text", "csv", "none"}));
}

void run_assembling(const RunOptions& options) {
  Worker worker(worker_options(options.device));
  const auto device = worker.device_info();
  const auto& wanted = options.selection.toolchain;
  for (const auto& toolchain : chosen_toolchains(wanted.empty() ? "driver" : wanted, driver_toolchain(device))) {
    Setup setup;
    setup.device = device;
    setup.toolchain = toolchain;
    // From sm_90 on, "a" adds the instructions that only this very architecture has.
    setup.target = target_of(toolchain, {device.sm, device.sm >= 90 ? "a" : ""});
    setup.workbench = load_workbench(options.selection);
    setup.provenance = provenance_of(setup, options);
    prepare_assembling(setup, options);
    make_table(std::move(setup), options, &worker);
  }
}

// wanted_levels: empty for all that the bundle has.
void run_bundle(const RunOptions& options, const std::vector<int>& wanted_levels) {
  const auto bundle = open_bundle(options.bundle);
  const auto levels = bundled_levels(bundle, wanted_levels);
  const auto toolchains = bundled_toolchains(bundle, options.selection.toolchain);
  Worker worker(worker_options(options.device));
  const auto device = worker.device_info();
  require_fitting(bundle, device);
  for (const auto toolchain : toolchains) {
    Setup setup;
    setup.device = device;
    setup.toolchain = bundle.manifest.toolchains[toolchain].toolchain;
    setup.target = bundle.manifest.toolchains[toolchain].target;
    const auto functions = functions_in(bundle.files, setup.toolchain.name);
    setup.workbench = load_workbench(bundle, functions);
    setup.provenance = provenance_of(setup, options);
    setup.provenance.nvrtc = functions.compiler;
    prepare_bundled(setup, options, bundle, toolchain, levels);
    make_table(std::move(setup), options, &worker);
  }
}

}  // namespace

void add_run(CLI::App& program) {
  auto* command = program.add_subcommand("run", "Measure on the GPU and write the table.");
  auto options = std::make_shared<RunOptions>();
  add_line_options(*command, *options);
  command->add_option("--device", options->device, "The GPU's number, as the driver counts. Default: 0.")
      ->check(CLI::Range(0, 1023));
  command
      ->add_option("--launches", options->launches,
                   "Launches of each kernel; the mode of their cycles counts. Default: 9.")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option(
          "--repeat", options->repeat,
          "Share of the cells that is measured again in a fresh process, 0 to 1. Default: 0.02, at most 1,000 cells.")
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--seed", options->seed, "Chooses the sample that is repeated. Default: 1.");
  auto* bundle = command->add_option("--bundle", options->bundle,
                                     "Measure what `ptxlat assemble` put into this file, all of it if nothing else is "
                                     "said; --toolchain, -O and filters "
                                     "choose a part. Default: assemble here.");
  bundle->type_name("FILE")->excludes("--catalogue")->excludes("--all");
  command->callback([options, command] {
    if (command->count("--bundle") == 0) return run_assembling(*options);
    run_bundle(*options, command->count("--levels") > 0 ? options->selection.levels : std::vector<int>{});
  });
}

void add_static(CLI::App& program) {
  auto* command =
      program.add_subcommand("static", "The same table without a GPU: what the assembler's own schedule says.");
  auto options = std::make_shared<RunOptions>();
  options->selection.target = "sm_90a";
  add_line_options(*command, *options);
  command->add_option("--target", options->selection.target, "The architecture to assemble for. Default: sm_90a.")
      ->type_name("SM");
  command->callback([options] {
    const auto target = target_from(options->selection.target);
    for (const auto& toolchain : chosen_toolchains(options->selection.toolchain, std::nullopt)) {
      Setup setup;
      setup.target = target_of(toolchain, target);
      setup.toolchain = toolchain;
      setup.workbench = load_workbench(options->selection);
      setup.provenance = provenance_of(setup, *options);
      prepare_assembling(setup, *options);
      make_table(std::move(setup), *options, nullptr);
    }
  });
}

}  // namespace ptxlat
