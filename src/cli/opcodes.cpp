// SPDX-License-Identifier: Apache-2.0
#include "cli/opcodes.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <future>
#include <iostream>

#include "base/data_folder.h"
#include "cli/commands.h"
#include "cli/cuda.h"
#include "cli/opcode_job.h"
#include "cli/print_text.h"
#include "cli/tables.h"
#include "cli/toolchains.h"
#include "loops/curves.h"
#include "opcodes/opcode_rows.h"
#include "opcodes/operand_cost.h"
#include "opcodes/throughput.h"
#include "pairs/pair_rows.h"
#include "results/store.h"
#include "run/kept.h"
#include "tables/opcode_files.h"
#include "tables/pair_files.h"
#include "tables/published.h"
#include "tables/record_lines.h"
#include "tables/shared_throughputs.h"
#include "tables/table.h"
#include "tables/table_files.h"

namespace ptxlat::cli {

namespace {

std::vector<tables::PublishedThroughput> documented() {
  const auto folder = data_folder("site", [](const std::filesystem::path& one) {
    return std::filesystem::exists(one / tables::published_throughput_name);
  });
  return folder.empty() ? std::vector<tables::PublishedThroughput>{}
                        : tables::read_published_throughputs(folder / tables::published_throughput_name);
}

void read_again(const OpcodeJobOptions& options) {
  auto files = tables::read_opcode_files(options.reread);
  require_rules(options.reread, tables::runs_of(files.throughput, files.runs), opcodes::readable_versions);
  for (auto& record : files.throughput) loops::read_again(record);
  for (auto& record : files.operand_costs) opcodes::read_cost_again(record);
  if (files.spellings.empty()) {  // from a time when each form had its own row
    auto shared = tables::share_throughputs(std::move(files.throughput));
    files.throughput = std::move(shared.records);
    files.spellings = std::move(shared.spellings);
  }
  write_opcodes(std::filesystem::path(options.reread), load_catalogue_for(options.selection),
                find_latencies(options.reread), std::move(files), options.format);
}

void measure(const OpcodeJobOptions& options, run::OpcodeJob& job, const GpuKind& kind, StageProgress& progress) {
  job.run.rules = opcodes::machine_version;
  // CUPTI hooks into the driver of the process that it is in, and runs each kernel several times.
  std::vector<std::unique_ptr<worker::Worker>> counting;
  for (const auto& gpu : kind.gpus) {
    counting.push_back(std::make_unique<worker::Worker>(worker_options(gpu->device.index)));
    job.counting.push_back(counting.back().get());
  }
  cuda::apply_compiled(job.loaded.catalogue.forms, compile_cuda(job.forms, job.toolchain, job.target));
  results::Store store(options.store);
  const Folder folder(options.tables, job.run.table);
  auto latencies = std::async(std::launch::async, find_latencies, folder.path());  // seconds, while the GPU is busy
  const auto made = run::make_opcodes(job, store, &heed_interrupts(), progress.calls());
  progress.finish();
  std::size_t failures = 0;
  for (const auto* records : {&made.throughput, &made.contention, &made.counters, &made.operand_costs, &made.in_flight})
    failures += failures_in(*records);
  warn_of_failures(failures);
  if (made.not_counted) {
    say(stderr, "no pipes by hardware counters: {}\n", made.not_counted->what());
    if (!made.not_counted->advice.empty()) say(stderr, "        {}\n", made.not_counted->advice);
  }
  tables::OpcodeFiles files{{},
                            made.throughput,
                            made.contention,
                            made.counters,
                            made.operand_costs,
                            made.in_flight,
                            store.runs(made.run.table),
                            made.spellings};
  const auto loss = options.replaces ? std::nullopt : run::loss_of_opcodes(folder.path(), files);
  if (loss && made.completed) throw Error(*loss);
  if (!loss && (made.completed || !made.throughput.empty()))
    write_opcodes(folder, job.loaded, latencies.get(), std::move(files), options.format);
  require_completed(made.completed, options.store);
}

}  // namespace

FoundLatencies find_latencies(const std::filesystem::path& folder) {
  FoundLatencies latencies{tables::read_latencies(folder), {}};
  latencies.appearances = tables::find_appearances(latencies.table, folder);
  return latencies;
}

void write_opcodes(const Folder& folder, const ptx::LoadedCatalogue& loaded, const FoundLatencies& latencies,
                   tables::OpcodeFiles files, const std::string& format) {
  if (!files.runs.empty())
    tables::note_published(files.throughput, files.runs.back().target, documented(), files.spellings);
  const auto opcodes = opcodes::opcodes_measured(loaded, files.throughput);
  std::vector<results::Record> latency;
  for (const auto& cell : latencies.table.cells) latency.push_back(cell.record);
  files.opcodes = opcodes::opcode_rows(
      opcodes, {files.throughput, files.contention, files.counters, files.operand_costs, files.in_flight, latency},
      tables::spelling_counts(files.spellings));
  auto pairs = tables::read_pairs(folder.path());
  if (!pairs.empty()) pairs::mark_patched(pairs, tables::read_pair_files(folder.path()).hazards);
  opcodes::add_pairs(files.opcodes, pairs);
  tables::note_appearances(files.opcodes, latencies.appearances);
  tables::write_opcode_files(folder, files);
  say(stderr, "{} opcodes of {} forms, which are {} distinct\n{}\n", files.opcodes.size(), files.spellings.size(),
      files.throughput.size(), folder.path().string());
  if (format == "text") tables::write_opcode_text(std::cout, files.opcodes);
}

void add_opcodes(CLI::App& program) {
  auto* command = program.add_subcommand(
      "opcodes",
      "Find the throughput and pipe of each SASS opcode and of each PTX form. Pipes have two witnesses: contention "
      "and, if `ptxlat doctor` finds them, hardware counters (docs/opcodes.md).");
  auto options = std::make_shared<OpcodeJobOptions>();
  add_opcode_job(*command, *options,
                 "Apply the current rules to the records in this table's folder again, without a GPU, and write the "
                 "results there.");
  command->callback([options] {
    if (!options->reread.empty()) return read_again(*options);
    for_each_job(*options, [&](run::OpcodeJob& job, const GpuKind& kind, StageProgress& progress) {
      measure(*options, job, kind, progress);
    });
  });
}

}  // namespace ptxlat::cli
