// SPDX-License-Identifier: Apache-2.0
#include "opcodes/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/curve.h"
#include "results/note.h"

namespace ptxlat::opcodes {

namespace {

// Counts are exact, but a kernel's own instructions may be issued more or less often: warps wait for each other.
constexpr double not_a_copy = 0.02;
// A kernel's own instructions are less than a tenth of the copies, unless it fills local memory. A wrong number of
// passes would show, or else, if there are more of them than this, make a pipe count more than one instruction for each
// copy.
constexpr double greatest_own_part = 0.4;

// The share on the pipe that counts most of both; 0 if none counts both.
double common_share(const results::Opcode& x, const results::Opcode& y) {
  double greatest = 0;
  for (const auto& mine : x.counters) {
    for (const auto& other : y.counters) {
      if (mine.pipe == other.pipe) greatest = std::max(greatest, std::min(mine.share, other.share));
    }
  }
  return greatest;
}

std::string first_and_more(const std::vector<std::string>& names) {
  return names.size() == 1 ? names.front() : fmt::format("{} and {} more", names.front(), names.size() - 1);
}

}  // namespace

CountedCopy counted_copy(const counters::Counts& copies, const counters::Counts& nothing, double executed_copies,
                         const std::vector<std::string>& pipes) {
  CountedCopy wrong_number{
      {},
      fmt::format("{} instructions were executed, of which the copies should be {}", copies.executed, executed_copies)};
  if (copies.executed < executed_copies) return wrong_number;
  // Instructions that do nothing may or may not count as executed.
  const double more = (copies.executed - nothing.executed) / executed_copies;
  if (std::abs(more) > not_a_copy && std::abs(more - 1) > not_a_copy)
    return {{},
            fmt::format("{} instructions were executed with copies and {} with as many that do nothing",
                        copies.executed, nothing.executed)};
  CountedCopy counted;
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    // If a pipe counts instructions that do nothing, that is most of its count: the kernel's own part is small.
    const double of_nothing = std::round(nothing.on_pipes.at(i) / executed_copies);
    const double of_copy = (copies.on_pipes.at(i) - nothing.on_pipes.at(i)) / executed_copies + of_nothing;
    if (of_copy < -not_a_copy) return {{}, fmt::format("{} counted more without copies", pipes[i])};
    counted.on_pipes.push_back(std::max(0.0, of_copy));
  }
  const bool is_much = copies.executed > (1 + greatest_own_part) * executed_copies;
  const bool is_once = std::any_of(counted.on_pipes.begin(), counted.on_pipes.end(),
                                   [](double share) { return std::abs(share - 1) <= not_a_copy; }) &&
                       *std::max_element(counted.on_pipes.begin(), counted.on_pipes.end()) <= 1 + not_a_copy;
  if (is_much && !is_once) return wrong_number;
  return counted;
}

CountedCopy counted_difference(const counters::Counts& longer, const counters::Counts& shorter, double more_copies) {
  const double executed = longer.executed - shorter.executed;
  if (std::abs(executed / more_copies - 1) > not_a_copy)
    return {{}, fmt::format("{} more instructions were executed, and {} more copies should be", executed, more_copies)};
  CountedCopy counted;
  for (std::size_t i = 0; i < longer.on_pipes.size(); ++i)
    counted.on_pipes.push_back(std::max(0.0, (longer.on_pipes[i] - shorter.on_pipes.at(i)) / more_copies));
  return counted;
}

std::vector<results::PipeShare> shares_of(const results::Record& record) {
  std::vector<results::PipeShare> shares;
  if (record.series.empty() || !results::is_named_curve(record.series.front())) return shares;
  const auto& series = record.series.front();
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double share = series.values[i].value_or(0);
    if (share > not_a_copy) shares.push_back({series.axes.front().names[i], share});
  }
  // Pipes that take turns differ by chance.
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& x, const auto& y) { return x.share > y.share + not_a_copy; });
  return shares;
}

void note_disagreements(std::vector<results::Opcode>& rows) {
  constexpr double in_full = 0.75;
  std::vector<std::string> notes(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> not_in_common, not_apart;
    for (const auto& other : rows) {
      const auto& row = rows[i];
      const bool are_known =
          !row.pipe.empty() && !other.pipe.empty() && !row.counters.empty() && !other.counters.empty();
      if (&other == &row || !are_known) continue;
      const double share = common_share(row, other);
      if (row.pipe == other.pipe && share == 0) not_in_common.push_back(other.name);
      if (row.pipe != other.pipe && share >= in_full) not_apart.push_back(other.name);
    }
    if (!not_in_common.empty())
      results::add_note(notes[i],
                        fmt::format("counters share no pipe with {}, contention does", first_and_more(not_in_common)));
    if (!not_apart.empty())
      results::add_note(notes[i],
                        fmt::format("counters share a pipe with {}, contention does not", first_and_more(not_apart)));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    results::add_note(rows[i].note, notes[i]);
  }
}

}  // namespace ptxlat::opcodes
