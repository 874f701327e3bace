// SPDX-License-Identifier: Apache-2.0
#include "opcodes/opcode_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "loops/saturated_kernel.h"
#include "opcodes/counting.h"
#include "opcodes/in_flight.h"
#include "opcodes/pipes.h"
#include "pairs/pair_rows.h"
#include "results/access_pattern.h"
#include "results/metric.h"
#include "results/note.h"
#include "sass/dataflow.h"
#include "sass/opcodes.h"

namespace ptxlat::opcodes {

namespace {

// The vendor profiler's names for the pipes of these opcodes, which run on only one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 20> known_pipes = {
    {{"FFMA", "fma"},   {"IMAD", "fma"},    {"LOP3", "alu"},       {"MUFU", "xu"},          {"DFMA", "fp64"},
     {"HFMA2", "half"}, {"HMMA", "tensor"}, {"IMMA", "tensor"},    {"DMMA", "tensor fp64"}, {"LDS", "lsu"},
     {"LDG", "lsu"},    {"TEX", "tex"},     {"UIADD3", "uniform"}, {"ULOP3", "uniform"},    {"SHFL", "lsu"},
     {"MOVM", "lsu"},   {"QSPC", "lsu"},    {"MATCH", "adu"},      {"REDUX", "adu"},        {"BAR", "adu"}}};

// The pipe of each opcode; empty if its representative is not paired or has no conclusive pair.
std::vector<std::string> pipe_names(const std::vector<Opcode>& opcodes, const std::vector<std::size_t>& standing,
                                    std::span<const results::Record> contention) {
  // Only representatives are in pairs.
  std::vector<std::size_t> paired;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < opcodes.size(); ++i) {
    if (standing[i] != i || !opcodes[i].is_paired) continue;
    places[opcodes[i].name] = paired.size();
    paired.push_back(i);
  }
  std::vector<Contention> pairs;
  std::set<std::size_t> has_answer;
  for (const auto& record : contention) {
    const auto a = places.find(record.ptx), b = places.find(record.operand);
    if (a == places.end() || b == places.end()) continue;
    const auto score = record.number(results::metric::contention);
    pairs.push_back({a->second, b->second, score});
    if (score) has_answer.insert({a->second, b->second});
  }
  const auto pipes = pipes_of(paired.size(), pairs);
  std::map<int, std::vector<std::string>> members;
  for (std::size_t place = 0; place < paired.size(); ++place)
    members[pipes[place]].push_back(opcodes[paired[place]].name);
  std::vector<std::string> names(opcodes.size());
  for (std::size_t i = 0; i < opcodes.size(); ++i) {
    const auto place = places.find(opcodes[standing[i]].name);
    if (place != places.end() && has_answer.contains(place->second))
      names[i] = name_of_pipe(members[pipes[place->second]]);
  }
  return names;
}

// Of the opcode in the loop that was measured. What several warps execute as one sets no scoreboard of an instruction:
// its result is awaited in a group (wgmma.wait_group), and copies that add to one accumulator need not wait for it.
results::Arrival arrival_of(const results::Record& record) {
  for (const auto& window : record.windows) {
    for (const auto& instruction : window.sass) {
      if (sass::opcode_of(instruction.text) != record.sass.front()) continue;
      if (instruction.write_scoreboard != sass::ControlWord::no_scoreboard) return results::Arrival::scoreboard;
      if (sass::register_use(instruction.text).writes.empty()) return results::Arrival::none;
      const bool is_of_a_warp = results::work_unit_of(record.ptx).threads <= loops::lanes_of_a_warp;
      return is_of_a_warp ? results::Arrival::fixed : results::Arrival::scoreboard;
    }
  }
  return results::Arrival::none;
}

// Where contention says nothing, the pipes that count most of an opcode: "lsu", or "fmaheavy+fmalite" if it takes turns
// or is on both.
void name_pipe_by_counters(results::Opcode& row) {
  if (!row.pipe.empty() || row.counters.empty()) return;
  constexpr double as_much = 0.9;
  std::vector<std::string> names;
  for (const auto& [pipe, share] : row.counters) {
    if (share >= as_much * row.counters.front().share) names.push_back(pipe);
  }
  row.pipe = fmt::format("{}", fmt::join(names, "+"));
  results::add_note(row.note, "pipe by counters alone");
}

// That of the opcode that represents this one, if its counters name it.
void take_pipe(const results::Opcode& representative, results::Opcode& row) {
  if (!row.pipe.empty() || representative.pipe.empty()) return;
  row.pipe = representative.pipe;
  results::add_note(row.note, fmt::format("pipe by counters of {} alone", representative.name));
}

// How far the consumer is behind the producer, as measured, or as scheduled. What was measured to be nearer than any
// schedule was in a window in which the consumer does not wait for it.
std::optional<double> latency_of(const results::Pair& pair) {
  const bool is_behind = pair.measured && (!pair.schedule || *pair.measured >= *pair.schedule);
  return is_behind ? pair.measured : pair.schedule;
}

}  // namespace

std::string name_of_pipe(const std::vector<std::string>& members) {
  std::vector<std::string_view> names;
  for (const auto& entry : known_pipes) {
    const auto is_named = [&](const std::string& member) { return sass::family_of(member) == entry.first; };
    const bool is_here = std::any_of(members.begin(), members.end(), is_named);
    if (is_here && std::find(names.begin(), names.end(), entry.second) == names.end()) names.push_back(entry.second);
  }
  if (names.empty()) return std::string(sass::family_of(members.front()));
  return fmt::format("{}", fmt::join(names, "+"));
}

void add_pairs(std::vector<results::Opcode>& rows, const std::vector<results::Pair>& pairs) {
  std::map<std::string, std::string> pipes;
  for (const auto& row : rows) pipes.emplace(row.name, row.pipe);
  std::map<std::string, std::map<std::string, double>> cycles;  // by producer and pipe
  for (const auto& pair : pairs) {
    const auto pipe = pipes.find(pair.consumer);
    const auto latency = latency_of(pair);
    if (pipe == pipes.end() || pipe->second.empty() || !latency || is_overwriting(pair)) continue;
    auto& least = cycles[pair.producer].emplace(pipe->second, *latency).first->second;
    least = std::min(least, *latency);
  }
  const auto hazards = pairs::hazard_of_opcodes(pairs);
  for (auto& row : rows) {
    for (const auto& [pipe, least] : cycles[row.name]) row.latencies.push_back({pipe, least});
    std::stable_partition(row.latencies.begin(), row.latencies.end(),
                          [&](const auto& latency) { return latency.pipe == row.pipe; });
    if (const auto found = hazards.find(row.name); found != hazards.end()) row.hazard = found->second;
    results::add_note(row.note, pairs::hazard_note(row.name, row.latency, pairs));
  }
}

std::vector<results::Opcode> opcode_rows(const std::vector<Opcode>& opcodes, const OpcodeRecords& records,
                                         const SpellingCounts& spellings) {
  const auto standing = representatives_of(opcodes);
  const auto pipes = pipe_names(opcodes, standing, records.contention);
  namespace metric = results::metric;
  std::vector<results::Opcode> rows(opcodes.size());
  std::map<std::string, std::size_t> numbers;
  std::map<std::string, double> results;  // per cycle, by opcode
  for (std::size_t i = 0; i < opcodes.size(); ++i) {
    rows[i].name = opcodes[i].name;
    rows[i].pipe = pipes[i];
    rows[i].stands_for_it = opcodes[standing[i]].name;
    numbers[opcodes[i].name] = i;
  }
  const auto number_of = [&](const results::Record& record) {
    const bool is_of_opcode = record.sass.size() == 1 && !results::access_pattern_of(record);
    return is_of_opcode ? numbers.find(record.sass.front()) : numbers.end();
  };
  for (const auto& record : records.throughput) {
    const auto number = number_of(record);
    if (number == numbers.end()) continue;
    auto& row = rows[number->second];
    const auto count = spellings.find(record.ptx);
    row.forms += count == spellings.end() ? 1 : count->second;
    if (row.example.empty() || record.ptx.size() < row.example.size()) row.example = record.ptx;
    if (record.ptx != opcodes[number->second].variant.form->ptx) continue;
    row.arrival = arrival_of(record);
    if (const auto found = record.number(metric::throughput)) results[row.name] = *found;
    row.interval = record.number(metric::interval);
    row.saturates_at = record.number(metric::saturates_at);
    row.note = record.note;
  }
  for (const auto& record : records.counters) {
    const auto number = number_of(record);
    if (number == numbers.end()) continue;
    auto& row = rows[number->second];
    row.counters = shares_of(record);
    if (!record.note.empty()) results::add_note(row.note, "not counted: " + record.note);
  }
  note_disagreements(rows);
  for (auto& row : rows) name_pipe_by_counters(row);
  // Only some opcodes are counted.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].counters.empty()) take_pipe(rows[standing[i]], rows[i]);
  }
  for (const auto& record : records.operand_costs) {
    const auto number = number_of(record);
    const auto cost = record.number(metric::operand_cost);
    if (number != numbers.end() && cost) rows[number->second].operand_costs.push_back({record.operand, *cost});
  }
  for (const auto& record : records.in_flight) {
    const auto number = number_of(record);
    if (number == numbers.end() || !results.contains(number->first)) continue;
    rows[number->second].in_flight = fewest_in_flight(record, results[number->first]);
  }
  for (const auto& record : records.latency) {
    const auto number = number_of(record);
    const auto cycles = record.number(metric::cycles);
    if (number == numbers.end() || !cycles || record.measure != results::Measure::dependent) continue;
    auto& row = rows[number->second];
    row.latency = std::min(row.latency.value_or(*cycles), *cycles);
  }
  for (auto& row : rows) {
    const auto found = results.find(row.name);
    const auto made =
        results::in_unit_of(row.example, found == results.end() ? std::nullopt : std::optional(found->second));
    row.unit = made.unit;
    row.throughput = made.value;
    row.multiply_adds = made.multiply_adds;
    row.bytes = made.bytes;
    std::sort(row.operand_costs.begin(), row.operand_costs.end(),
              [](const auto& x, const auto& y) { return x.operand < y.operand; });
  }
  return rows;
}

}  // namespace ptxlat::opcodes
