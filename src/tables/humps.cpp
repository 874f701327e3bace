// SPDX-License-Identifier: Apache-2.0
#include "tables/humps.h"

#include <array>
#include <utility>

namespace ptxlat::tables {

namespace {

namespace metric = results::metric;

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> of_far = {{{metric::median, metric::far_cycles},
                                                                                  {metric::least, metric::far_least},
                                                                                  {metric::p95, metric::far_p95},
                                                                                  {metric::most, metric::far_most}}};

results::Record without_far(results::Record record) {
  for (const auto& [tag, far] : of_far) record.set(far, std::nullopt);
  record.set(metric::far_share, std::nullopt);
  return record;
}

results::Record far_of(const results::Record& record) {
  auto row = without_far(record);
  for (const auto& [tag, far] : of_far) row.set(tag, record.number(far));
  const double near_cycles = *record.number(metric::cycles), far_cycles = *record.number(metric::far_cycles);
  // The leading witness has the headline's number.
  for (const auto witness : {metric::chain, metric::differential}) {
    if (record.number(witness) == near_cycles) row.set(witness, far_cycles);
  }
  row.set(metric::cycles, far_cycles, record.find(metric::cycles)->from);
  if (const auto elapsed = record.number(metric::elapsed_ns))
    row.set(metric::elapsed_ns, *elapsed * far_cycles / near_cycles);
  return row;
}

std::string with_word(const std::string& input, const char* word) { return input.empty() ? word : input + ", " + word; }

}  // namespace

std::vector<results::Record> humps_apart(results::Record record) {
  std::vector<results::Record> rows;
  if (!record.number(metric::far_cycles) || !record.number(metric::cycles)) {
    rows.push_back(std::move(record));
    return rows;
  }
  rows = {without_far(record), far_of(record)};
  rows[0].input = with_word(record.input, "near");
  rows[1].input = with_word(record.input, "far");
  return rows;
}

}  // namespace ptxlat::tables
