// SPDX-License-Identifier: Apache-2.0
#include "reproduce/replay.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>

#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/gpus.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/selection.h"
#include "cli/table_names.h"
#include "cli/toolchains.h"
#include "latency/method.h"
#include "tables/folder.h"

namespace ptxlat::cli {

namespace {

struct ReplayOptions {
  Selection selection;
  std::string table;
  std::size_t sample = 100;
  std::uint64_t seed = 1;
  int device = 0;
  int threads = 0;  // 0: two per core
  std::string format = "text";
};

assemble::Toolchain toolchain_for(const ReplayOptions& options, const tables::Table& table,
                                  const gpu::DeviceInfo& device) {
  const auto& wanted = options.selection.toolchain;
  const auto chosen = chosen_toolchains(wanted.empty() ? table.run.toolchain : wanted, driver_toolchain(device));
  if (chosen.size() > 1)
    throw Error(ExitCode::usage, "a table is replayed by a single assembler", "name one with --toolchain");
  return chosen.front();
}

isa::Target target_for(const tables::Table& table, const gpu::DeviceInfo& device) {
  auto target = target_from(table.run.target.empty() ? "sm_" + std::to_string(device.sm) : table.run.target);
  if (target.sm != device.sm)
    throw Error(ExitCode::no_gpu, fmt::format("the table is for {}, but this GPU is sm_{}", target.name(), device.sm),
                "choose another GPU with --device");
  return target;
}

std::vector<results::Record> measured_again(const ReplayOptions& options, const tables::Table& table,
                                            const std::vector<reproduce::StoredRow>& rows, ptx::LoadedCatalogue& loaded,
                                            worker::Worker& worker, const gpu::DeviceInfo& device) {
  const auto toolchain = toolchain_for(options, table, device);
  const auto target = target_of(toolchain, target_for(table, device));
  std::vector<const isa::Form*> forms;
  for (const auto& cell : reproduce::plan_again(loaded, rows)) forms.push_back(cell.variant.form);
  cuda::apply_compiled(loaded.catalogue.forms, compile_cuda(forms, toolchain, target));
  const auto plan = reproduce::plan_again(loaded, rows);

  const int threads = assembling_threads(options.threads);
  sass::Nvdisasm disassembler(assemble::nvdisasm_for(target), sass::nvdisasm_pace(threads), cache_folder());
  line::Line line{.toolchain = toolchain, .target = target, .disassembler = disassembler, .workers = {&worker}};
  if (table.run.launches > 0) line.launches = table.run.launches;
  line.interrupted = &heed_interrupts();
  const auto assemblers = make_kernel_assemblers(toolchain, target, worker_options(options.device), threads);
  auto records = line::made_records(line, latency::LatencyMethod(loaded, plan), assemblers, latency::line_cells(plan));
  say(stderr, "{} on {}, driver {}\n", toolchain.name, device.name, device.driver_version);
  return records;
}

const results::Record* record_of(const std::vector<results::Record>& records, const reproduce::StoredRow& row) {
  const auto found = std::find_if(records.begin(), records.end(), [&](const results::Record& record) {
    return record.ptx == row.record.ptx && record.operand == row.operand && record.input == row.input &&
           record.level == row.record.level;
  });
  return found == records.end() ? nullptr : &*found;
}

void replay(const ReplayOptions& options) {
  const auto folder = table_or_usual(options.table);
  const auto table = tables::read_table(folder);
  if (tables::is_static(table))
    throw Error(ExitCode::unknown_name, folder + " is a static table: nothing in it was measured",
                "`ptxlat static` makes it again");
  const auto rows = reproduce::sample_of(table, options.sample, options.seed);
  if (rows.empty()) throw Error(ExitCode::unknown_name, folder + " has no number that could be measured again");
  auto loaded = load_catalogue_for(options.selection);
  worker::Worker worker(worker_options(options.device));
  const auto device = worker.device_info();
  printed(GpuWatch(worker_options(options.device), device, worker).at_start());
  const auto records = measured_again(options, table, rows, loaded, worker, device);

  std::map<reproduce::Outcome, std::size_t> counts;
  constexpr const char* words[] = {"holds", "DIFFERS", "new code", "gone"};
  auto exceptions = results::Json::array();
  const bool is_json = options.format == "json";
  for (const auto& row : rows) {
    const auto [outcome, what] = reproduce::compare(row, record_of(records, row));
    ++counts[outcome];
    if (outcome == reproduce::Outcome::holds) continue;
    exceptions.push_back({{"outcome", words[static_cast<int>(outcome)]},
                          {"ptx", row.record.ptx},
                          {"operand", row.record.operand},
                          {"input", row.record.input},
                          {"opt", row.record.level},
                          {"what", what}});
    if (!is_json)
      say("{:<10}  {} {}{}{} -O{}: {}\n", words[static_cast<int>(outcome)], row.record.ptx, row.record.operand,
          row.record.input.empty() ? "" : ", ", row.record.input, row.record.level, what);
  }
  using enum reproduce::Outcome;
  if (is_json) {
    auto document = json_head(folder);
    document["rows"] = rows.size();
    document["holds"] = counts[holds];
    document["differs"] = counts[differs];
    document["new_code"] = counts[other_code];
    document["gone"] = counts[gone];
    document["exceptions"] = std::move(exceptions);
    print_json(document);
  } else {
    say("{} of {} rows hold, {} differ, {} have different machine code here, {} are gone\n", counts[holds], rows.size(),
        counts[differs], counts[other_code], counts[gone]);
  }
  if (counts[differs] + counts[gone] > 0) throw CLI::RuntimeError(static_cast<int>(ExitCode::changed));
  if (counts[holds] == 0)
    throw Error(ExitCode::failure, "no row has the table's machine code here, so nothing was compared",
                "replay with the table's own toolchain, " + table.run.toolchain);
}

}  // namespace

void add_replay(CLI::App& program) {
  auto* command = program.add_subcommand(
      "replay",
      "Measure a sample of a table's rows again on this driver and card, and say which numbers no longer hold. A table "
      "keeps the text of its machine code but no cubins: the rows are assembled again, and a row whose machine code is "
      "no longer the stored one is counted separately. The exit code is 8 if a number does not hold.");
  auto options = std::make_shared<ReplayOptions>();
  command
      ->add_option(
          "table", options->table,
          fmt::format("A measured table: {}. Default: that of this GPU, else of the newest GPU that was measured.",
                      table_name_help))
      ->type_name("TABLE");
  command->add_option("--sample", options->sample, "How many rows, chosen at random. Default: 100.")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command->add_option("--seed", options->seed, "Random seed for the sample. Default: 1.");
  add_toolchain(*command, options->selection.toolchain, Toolchains::one, "the table's");
  add_device(*command, options->device);
  add_threads(*command, options->threads, "two");
  add_catalogue(*command, options->selection);
  add_format(*command, options->format, {"text", "json"});
  command->callback([options] { replay(*options); });
}

}  // namespace ptxlat::cli
