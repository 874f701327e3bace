// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <future>
#include <iostream>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/opcode_job.h"
#include "cli/print.h"
#include "cli/screen.h"
#include "cli/tables.h"
#include "cli/toolchains.h"
#include "opcodes/throughput.h"
#include "pages/findings.h"
#include "results/store.h"
#include "run/facts.h"
#include "run/opcode_table.h"
#include "tables/opcode_columns.h"
#include "tables/opcode_files.h"

namespace ptxlat::cli {

namespace {

void print(const Folder& folder, const tables::OpcodeFiles& files, const std::string& format) {
  remark("{} opcodes of {} forms, which are {} distinct\n", files.opcodes.size(), files.spellings.size(),
         files.throughput.size());
  say(stderr, "{}\n", folder.path().string());
  print_rows(tables::opcode_columns(), files.opcodes, "opcodes", folder.path(), format, [&](std::ostream& out) {
    if (is_brief()) return pages::write_opcode_findings(out, files.opcodes);
    tables::write_opcode_text(out, files.opcodes);
  });
}

void measure(const OpcodeJobOptions& options, run::OpcodeJob& job, const GpuKind& kind, StageProgress& progress) {
  constexpr double seconds_of_form = 0.4;  // on a core: 5,896 forms take 16 cores and an H200 150 s
  if (options.is_dry)
    return print_plan(options, job, keys_of(opcodes::plan_throughput(job.loaded, job.forms, job.level)),
                      seconds_of_form);
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
  auto latencies =
      std::async(std::launch::async, run::find_latencies, folder.path());  // seconds, while the GPU is busy
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
  tables::OpcodeFiles files{.opcodes = {},
                            .throughput = made.throughput,
                            .contention = made.contention,
                            .counters = made.counters,
                            .operand_costs = made.operand_costs,
                            .in_flight = made.in_flight,
                            .runs = store.runs(made.run.table),
                            .spellings = made.spellings};
  const auto loss = options.replaces ? std::nullopt : run::loss_of_opcodes(folder.path(), files);
  if (loss && made.completed) throw Error(*loss);
  if (!loss && (made.completed || !made.throughput.empty()))
    print(folder, run::write_opcode_table(folder, job.loaded, latencies.get(), std::move(files)), options.format);
  require_completed(made.completed, options.store);
}

}  // namespace

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
    if (!options->reread.empty()) {
      const Folder folder(options->reread);
      return print(folder, run::reread_opcodes(options->reread, load_catalogue_for(options->selection)),
                   options->format);
    }
    for_each_job(*options, [&](run::OpcodeJob& job, const GpuKind& kind, StageProgress& progress) {
      measure(*options, job, kind, progress);
    });
  });
}

}  // namespace ptxlat::cli
