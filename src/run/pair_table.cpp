// SPDX-License-Identifier: Apache-2.0
#include "run/pair_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "assemble/toolchain.h"
#include "base/error.h"
#include "base/file.h"
#include "line/window_record.h"
#include "pairs/hazards.h"
#include "pairs/register_cases.h"
#include "pairs/scheduled_pairs.h"
#include "run/facts.h"
#include "run/opcode_table.h"
#include "tables/folder.h"

namespace ptxlat::run {

namespace {

// The records of a latency table; none if there is no table. Cells that share a row have the same windows, which only
// the first of them gets here.
std::vector<results::Record> windows_of(const std::filesystem::path& folder) {
  const auto table = tables::read_latencies(folder);
  std::vector<const tables::Cell*> leading;
  for (const auto& cell : table.cells) {
    if (cell.leads) leading.push_back(&cell);
  }
  auto whole = tables::whole_records(table, leading);
  std::vector<results::Record> records;
  records.reserve(table.cells.size());
  auto next = whole.begin();
  for (const auto& cell : table.cells) {
    if (cell.leads) {
      records.push_back(std::move(*next++));
    } else {
      records.push_back(cell.record);
    }
  }
  return records;
}

sass::Cubin cubin_in(const std::filesystem::path& file) {
  const auto content = read_file(file);
  try {
    return sass::read_cubin({content.begin(), content.end()});
  } catch (const Error& error) {
    throw Error(ExitCode::storage, fmt::format("{}: {}", file.string(), error.what()),
                "--count takes cubins, as ptxas writes them.");
  }
}

}  // namespace

pairs::Schedules schedules_in(const std::filesystem::path& folder, const ptx::LoadedCatalogue& loaded) {
  return pairs::schedules_of(windows_of(folder), pairs::refusals_of(loaded));
}

tables::PairFiles write_pair_table(const Folder& folder, const pairs::Schedules& schedules, tables::PairFiles files) {
  files.pairs = pairs::pair_rows(schedules, files.hazards);
  files.arrivals = schedules.arrivals;
  tables::write_pair_files(folder, files);
  return files;
}

tables::PairFiles reread_pairs(const std::filesystem::path& folder, const ptx::LoadedCatalogue& loaded) {
  auto table = tables::read_table(folder, {tables::Part::hazards, tables::Part::probes});
  auto files = std::move(table.pairs);
  require_rules(folder, files.runs, std::array<std::string_view, 1>{pairs::hazard_version});
  const auto schedules = schedules_in(folder, loaded);
  if (files.hazards.empty() && schedules.pairs.empty())
    throw Error(ExitCode::storage, fmt::format("there are neither pairs nor windows in {}", folder.string()),
                "Name the folder of a measured table: it has latency.jsonl.zst or pairs.jsonl.zst.");
  files = write_pair_table(folder, schedules, std::move(files));
  for (auto& record : table.probes) {
    if (record.ptx != pairs::registers_name) continue;
    pairs::read_registers_again(record);
    note_release(record, files.pairs);
  }
  if (!table.probes.empty()) tables::rewrite_facts(folder, table.probes);
  return files;
}

std::optional<StoredPairs> stored_pairs(const results::Store& store, const std::string& table) {
  auto hazards = store.records(table, results::RecordKind::hazard);
  if (hazards.empty()) return std::nullopt;
  const int level = highest_level(hazards);
  return StoredPairs{{{}, {}, at_level(std::move(hazards), level), store.runs(table)}, level};
}

const tables::Columns<CountedPair>& counted_pair_columns() {
  using tables::column;
  using Row = CountedPair;
  static const tables::Columns<Row> columns = {
      column<&Row::producer>("producer", "", "The opcode that makes a value."),
      column<&Row::consumer>("consumer", "", "The opcode that needs it."),
      column<&Row::slot>("slot", "", "Where it reads it."),
      column<&Row::count>("count", "", "How often the pair is there."),
      column<&Row::least>("least", "cycles", "The lowest distance."),
      column<&Row::hazard>("hazard", "cycles", "The lowest distance at which all values are right."),
      column<&Row::below>("below", "", "How often the distance is below that."),
      column<&Row::at>("at", "", "How often it is that."),
      column<&Row::above>("above", "", "How often it is above that.")};
  return columns;
}

std::vector<CountedPair> count_pairs(const std::vector<std::string>& cubins,
                                     const std::vector<results::Pair>& hazards) {
  using Key = std::tuple<std::string, std::string, std::string>;
  std::map<Key, double> known;
  for (const auto& row : hazards) {
    if (row.hazard) known[{row.producer, row.consumer, row.slot}] = *row.hazard;
  }
  std::map<Key, CountedPair> found;
  for (const auto& file : cubins) {
    const auto cubin = cubin_in(file);
    std::vector<line::AssembledKernel> kernels(cubin.kernels.size());
    std::vector<sass::Instruction*> wanted;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      kernels[i].window = sass::whole_window(cubin.kernels[i]);
      for (auto& one : kernels[i].window->instructions) wanted.push_back(&one);
    }
    sass::Nvdisasm(assemble::nvdisasm_for({cubin.sm, ""})).disassemble(cubin.sm, wanted);
    for (const auto& kernel : kernels) {
      for (const auto& pair : pairs::pairs_in_code(line::window_record("kernel", kernel, {}).sass)) {
        if (pair.waits) continue;
        auto& one = found[{pair.producer, pair.consumer, pair.slot}];
        const auto distance = static_cast<std::size_t>(pair.distance);
        one.least = one.count == 0 ? distance : std::min(one.least, distance);
        ++one.count;
        const auto hazard = known.find({pair.producer, pair.consumer, pair.slot});
        if (hazard == known.end()) continue;
        ++(pair.distance < hazard->second ? one.below : pair.distance > hazard->second ? one.above : one.at);
      }
    }
  }
  std::vector<CountedPair> rows;
  for (auto& [key, one] : found) {
    std::tie(one.producer, one.consumer, one.slot) = key;
    if (const auto hazard = known.find(key); hazard != known.end()) one.hazard = hazard->second;
    rows.push_back(std::move(one));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto& x, const auto& y) { return x.count > y.count; });
  return rows;
}

}  // namespace ptxlat::run
