// SPDX-License-Identifier: Apache-2.0
#include "run/opcodes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "assemble/toolkit.h"
#include "base/deadline.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/cuda.h"
#include "cli/gpus.h"
#include "cli/opcodes.h"
#include "cli/progress.h"
#include "cli/selection.h"
#include "cli/toolchains.h"
#include "machine/opcode_rows.h"
#include "report/opcode_files.h"
#include "report/table.h"
#include "report/table_files.h"
#include "results/store.h"
#include "run/provenance.h"

namespace ptxlat::cli {

namespace {

struct OpcodeOptions {
  Selection selection;
  int level = 3;
  std::string devices = "0";
  int threads = 0;  // 0: two per core
  std::string store = "ptxlat.sqlite";
  std::string tables = "tables";
  std::string format = "text";
  std::string reread;
};

// A loop of copies takes milliseconds at most; one that never ends must not hold up all others.
std::chrono::milliseconds kernel_deadline() { return scaled_deadline(std::chrono::milliseconds(500)); }

// The latencies in the table of the same GPU and assembler; none if there is no table.
std::vector<results::Record> latency_of(const std::filesystem::path& folder) {
  std::vector<results::Record> records;
  if (!report::has_table(folder) || report::has_only_probes(folder)) return records;
  for (auto& cell : report::read_table(folder).cells) records.push_back(std::move(cell.record));
  return records;
}

void read_again(const OpcodeOptions& options) {
  auto files = report::read_opcode_files(options.reread);
  for (auto& record : files.throughput) machine::read_again(record);
  write_opcodes(options.reread, load_catalogue_for(options.selection), std::move(files), options.format);
}

void measure(const OpcodeOptions& options, const GpuKind& kind) {
  const auto& device = kind.first().device;
  // CUPTI hooks into the driver of the process that it is in, and runs each kernel several times.
  worker::Worker counting(worker_options(device.index));
  const auto& wanted = options.selection.toolchain;
  const int threads = assembling_threads(options.threads);
  for (const auto& toolchain : chosen_toolchains(wanted.empty() ? "driver" : wanted, driver_toolchain(device))) {
    require_levels({options.level}, toolchain.kind);
    run::OpcodeJob job;
    job.toolchain = toolchain;
    job.target = target_of(toolchain, device);
    job.loaded = load_catalogue_for(options.selection);
    job.forms = selected_forms(job.loaded.catalogue, options.selection, is_core_only(options.selection), std::nullopt);
    cuda::apply_compiled(job.loaded.catalogue.forms, compile_cuda(job.forms, toolchain, job.target));
    job.level = options.level;
    job.run = run::begin_run(toolchain, job.target, device);
    job.run.warnings = kind.first().warnings;
    job.further = kind.further();
    job.workers = kind.workers();
    job.counting = &counting;
    job.disassembler =
        std::make_unique<sass::Nvdisasm>(assemble::nvdisasm_for(job.target), sass::nvdisasm_pace(threads));
    job.assemblers = make_kernel_assemblers(toolchain, job.target, kind.options(), threads);
    results::Store store(options.store);
    std::optional<Progress> progress;
    const auto made = run::make_opcodes(
        job, store, &heed_interrupts(),
        {.on_stage =
             [&](const std::string& stage, std::size_t cells) {
               if (progress) progress->finish();
               fmt::print(stderr, "{}\n", stage);
               progress.emplace(std::cerr, isatty(STDERR_FILENO) != 0, cells);
             },
         .on_finished = [&](std::size_t count) { progress->advance(count); },
         .on_gpu_lost = [&](std::size_t gpu, const Error& why) { return report_lost(*kind.gpus[gpu], why); }});
    progress->finish();
    if (made.not_counted) {
      fmt::print(stderr, "no pipes by hardware counters: {}\n", made.not_counted->what());
      if (!made.not_counted->advice.empty()) fmt::print(stderr, "        {}\n", made.not_counted->advice);
    }
    if (!made.completed)
      throw Error(ExitCode::interrupted, fmt::format("interrupted; every finished cell is kept in {}", options.store),
                  "rerun the same command to continue");
    write_opcodes(std::filesystem::path(options.tables) / made.run.table, job.loaded,
                  {{}, made.throughput, made.contention, made.counters, made.operand_costs, store.runs(made.run.table)},
                  options.format);
  }
}

}  // namespace

void write_opcodes(const std::filesystem::path& folder, const ptx::LoadedCatalogue& loaded, report::OpcodeFiles files,
                   const std::string& format) {
  const auto opcodes = machine::opcodes_measured(loaded, files.throughput);
  const auto latency = latency_of(folder);
  files.opcodes =
      machine::opcode_rows(opcodes, {files.throughput, files.contention, files.counters, files.operand_costs, latency});
  report::write_opcode_files(folder, files);
  fmt::print(stderr, "{} opcodes of {} forms\n{}\n", files.opcodes.size(), files.throughput.size(), folder.string());
  if (format == "text") report::write_opcode_text(std::cout, files.opcodes);
}

void add_opcodes(CLI::App& program) {
  auto* command = program.add_subcommand(
      "opcodes",
      "Find the throughput and pipe of each SASS opcode and of each PTX form. Pipes have two witnesses: contention "
      "and, if `ptxlat doctor` finds them, hardware counters (docs/opcodes.md).");
  auto options = std::make_shared<OpcodeOptions>();
  add_form_filters(*command, options->selection);
  command->add_flag("--all", options->selection.all_forms, "Take all forms, not only the core.");
  add_catalogue(*command, options->selection);
  command
      ->add_option("--toolchain", options->selection.toolchain,
                   "The assembler: driver, ptxas, nvjitlink, or a specific version. Default: driver.")
      ->type_name("NAMES");
  command->add_option("-O,--level", options->level, "Optimisation level. Default: 3.")->check(CLI::Range(0, 4));
  add_devices(*command, options->devices);
  command
      ->add_option("--threads", options->threads, "How many assemblers work at the same time. Default: two per core.")
      ->check(CLI::Range(1, 1024));
  command
      ->add_option(
          "--store", options->store,
          "The SQLite file that keeps finished cells; rerun the same command to resume. Default: ptxlat.sqlite.")
      ->type_name("FILE");
  command->add_option("--tables", options->tables, "The folder under which the results are written. Default: tables.")
      ->type_name("FOLDER");
  command->add_option("--format", options->format, "What to write to standard output: text or none. Default: text.")
      ->check(CLI::IsMember({"text", "none"}));
  command
      ->add_option("--reread", options->reread,
                   "Apply the current rules to the records in this table's folder again, without a GPU, and write the "
                   "results there.")
      ->type_name("FOLDER");
  command->callback([options] {
    if (!options->reread.empty()) return read_again(*options);
    // The workers run patched code: they serve nothing else.
    for (const auto& kind : open_gpus(options->devices, kernel_deadline())) measure(*options, kind);
  });
}

}  // namespace ptxlat::cli
