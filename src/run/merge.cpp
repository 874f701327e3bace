// SPDX-License-Identifier: Apache-2.0
#include "run/merge.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "latency/samples.h"
#include "run/facts.h"
#include "run/opcode_table.h"
#include "run/pair_table.h"

namespace ptxlat::run {

std::optional<double> main_number(const results::Record& record) {
  for (const auto tag : {results::metric::cycles, results::metric::static_cycles, results::metric::issue}) {
    if (const auto number = record.number(tag)) return number;
  }
  return std::nullopt;
}

bool agree(const results::Record& a, const results::Record& b) {
  if (a.kind != results::RecordKind::latency) return true;
  const auto x = main_number(a), y = main_number(b);
  if (!x || !y) return x.has_value() == y.has_value();
  return std::abs(*x - *y) <= std::max(latency::tolerance_of(a), latency::tolerance_of(b));
}

std::size_t write_experiments(results::Store& store, const std::string& folder, const std::string& table, bool replaces,
                              const std::function<const ptx::LoadedCatalogue&()>& catalogue) {
  const auto require = [&](const std::optional<Error>& loss) {
    if (loss && !replaces) throw Error(*loss);
  };
  const Folder of_table(folder, table);
  if (auto pairs = stored_pairs(store, table)) {
    require(loss_of_pairs(of_table.path(), pairs->files));
    const auto schedules = schedules_in(of_table.path(), catalogue());
    const auto written = write_pair_table(of_table, schedules, std::move(pairs->files));
    save_release(store, table, pairs->level, written.pairs);
  }
  const auto probes = store.records(table, results::RecordKind::probe).size();
  if (probes > 0) write_facts(of_table, store, table);
  if (auto opcodes = stored_opcodes(store, table)) {
    require(loss_of_opcodes(of_table.path(), *opcodes));
    write_opcode_table(of_table, catalogue(), find_latencies(of_table.path()), std::move(*opcodes));
  }
  return probes;
}

}  // namespace ptxlat::run
