// SPDX-License-Identifier: Apache-2.0
#include "pairs/scheduled_pairs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/parallel.h"
#include "sass/dataflow.h"
#include "sass/instruction.h"
#include "sass/opcodes.h"
#include "sass/results.h"

namespace ptxlat::pairs {

namespace {

using results::SassRecord;

std::vector<sass::RegisterUse> uses_of(const std::vector<SassRecord>& code) {
  std::vector<sass::RegisterUse> uses;
  for (const auto& one : code) uses.push_back(sass::register_use(one.text));
  return uses;
}

bool has(const std::vector<sass::Register>& registers, const sass::Register& reg) {
  return std::find(registers.begin(), registers.end(), reg) != registers.end();
}

// The slots where an instruction reads any of the registers, which are then read: "a", "a+b".
std::string slots_of(const SassRecord& reader, const sass::RegisterUse& use, std::set<sass::Register>& left) {
  std::set<std::string> slots;
  for (const auto& written : std::set(left)) {
    if (!has(use.reads, written) && !has(use.may_read, written)) continue;
    const auto slot = sass::slot_of(reader.text, written);
    if (slot.empty()) continue;
    left.erase(written);
    slots.insert(slot);
  }
  return fmt::format("{}", fmt::join(slots, "+"));
}

// The readers of what `code[from]` writes, before `end` and up to the instruction that overwrites it.
void add_pairs_from(const std::vector<SassRecord>& code, const std::vector<sass::RegisterUse>& uses, std::size_t from,
                    std::size_t end, std::vector<ScheduledPair>& pairs) {
  const auto results = sass::results_of(code[from].text);
  std::set<sass::Register> left(results.begin(), results.end());
  const bool waits = code[from].write_scoreboard != sass::ControlWord::no_scoreboard;
  int distance = 0;
  for (std::size_t at = from + 1; at < end && !left.empty(); ++at) {
    distance += code[at - 1].stall_count;
    const auto slots = slots_of(code[at], uses[at], left);
    if (!slots.empty())
      pairs.push_back({std::string(sass::opcode_of(code[from].text)), std::string(sass::opcode_of(code[at].text)),
                       slots, distance, waits, std::nullopt});
    if (uses[at].is_predicated) continue;
    for (const auto& written : uses[at].writes) left.erase(written);
  }
}

bool is_straight(const std::vector<SassRecord>& code) {
  return std::none_of(code.begin(), code.end(), [](const auto& one) { return sass::changes_control_flow(one.text); });
}

}  // namespace

std::vector<ScheduledPair> pairs_of(const results::WindowRecord& window) {
  std::vector<ScheduledPair> pairs;
  if (window.sass.size() < 4 || !is_straight(window.sass)) return pairs;
  const auto end = window.sass.size() - 1;  // the second clock
  const auto uses = uses_of(window.sass);
  for (std::size_t i = 1; i + 1 < end; ++i) add_pairs_from(window.sass, uses, i, end, pairs);
  if (!window.cycles) return pairs;
  const double excess = *window.cycles - window.static_cycles;
  const auto waiting = std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.waits; });
  for (auto& pair : pairs) {
    const bool took_excess = pair.waits && waiting == 1;
    if (excess == 0 || took_excess) pair.measured = pair.distance + excess;
  }
  return pairs;
}

std::vector<ScheduledPair> pairs_in_code(const std::vector<SassRecord>& code) {
  std::vector<ScheduledPair> pairs;
  const auto uses = uses_of(code);
  for (std::size_t begin = 0; begin < code.size();) {
    auto end = begin;
    while (end < code.size() && !sass::changes_control_flow(code[end].text)) ++end;
    for (auto i = begin; i < end; ++i) add_pairs_from(code, uses, i, std::min(end + 1, code.size()), pairs);
    begin = end + 1;
  }
  return pairs;
}

std::vector<ScheduledPair> scheduled_pairs(const std::vector<results::Record>& latency) {
  std::vector<std::vector<ScheduledPair>> of_records(latency.size());
  in_parallel(latency.size(), [&](std::size_t i) {
    const auto& record = latency[i];
    if (record.kind != results::RecordKind::latency || record.level == 0) return;
    for (const auto& window : record.windows) {
      if (window.verdict != sass::Verdict::proven) continue;
      auto found = pairs_of(window);
      std::move(found.begin(), found.end(), std::back_inserter(of_records[i]));
    }
  });
  std::vector<ScheduledPair> pairs;
  for (auto& found : of_records) std::move(found.begin(), found.end(), std::back_inserter(pairs));
  return pairs;
}

}  // namespace ptxlat::pairs
