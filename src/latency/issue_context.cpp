// SPDX-License-Identifier: Apache-2.0
#include "latency/issue_context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "results/record.h"
#include "sass/opcodes.h"
#include "sass/register_banks.h"

namespace ptxlat::latency {

namespace {

// "IADD3 and IMAD.IADD": ptxas spreads copies of one operation over pipes. Only for an instruction that is one machine
// instruction, because then different opcodes are different copies, and nothing else contributes to the cost.
std::string opcodes_in_turns(const sass::Window& stream, const std::vector<std::string>& sass) {
  if (sass.size() != 1) return {};
  const auto operation = sass::operation_of(sass.front());
  std::set<std::string> names;
  for (const auto& opcode : sass::opcodes(stream)) {
    if (sass::operation_of(opcode) == operation) names.insert(opcode);
  }
  return names.size() > 1 ? fmt::format("{}", fmt::join(names, " and ")) : "";
}

// How many registers the additional copies of the longer stream read from one bank, if these reads, not the schedule,
// determine their time.
std::optional<int> limiting_reads(const Numbers& leading, const Numbers& schedule) {
  const auto issue = leading.issue(), scheduled_issue = schedule.issue();
  if (!issue || !scheduled_issue || *issue <= *scheduled_issue) return std::nullopt;
  const auto more = sass::reads_of_busiest_bank(*leading.kernel(Role::stream_twice)->window);
  const auto less = sass::reads_of_busiest_bank(*leading.kernel(Role::stream)->window);
  if (!more || !less || *more - *less != *issue * leading.experiment.copies) return std::nullopt;
  return *more - *less;
}

}  // namespace

std::vector<IssueRemark> issue_context(const Numbers& leading, const Numbers& schedule,
                                       const std::vector<std::string>& sass) {
  std::vector<IssueRemark> remarks;
  if (!leading.issue()) return remarks;
  if (const auto turns = opcodes_in_turns(*leading.kernel(Role::stream_twice)->window, sass); !turns.empty())
    remarks.push_back({results::flag::takes_turns, fmt::format("issue: {} take turns", turns)});
  if (const auto reads = limiting_reads(leading, schedule)) {
    remarks.push_back(
        {results::flag::register_banks, fmt::format("issue: {} copies read {} registers from one bank, one a cycle",
                                                    leading.experiment.copies, *reads)});
  }
  return remarks;
}

}  // namespace ptxlat::latency
