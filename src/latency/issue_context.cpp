#include "latency/issue_context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "results/record.h"
#include "sass/opcodes.h"
#include "sass/register_banks.h"

namespace ptxlat::latency {

namespace {

// "IADD3 and IMAD.IADD": ptxas spreads copies of one operation over pipes. Told only of an operation that the
// instruction has once, for then different opcodes are different copies'.
std::string opcodes_in_turns(const sass::Window& stream, const std::vector<std::string>& sass) {
  const auto opcodes = sass::opcodes(stream);
  std::string text;
  for (const auto& one : sass) {
    const auto is_same = [&](const std::string& opcode) {
      return sass::operation_of(opcode) == sass::operation_of(one);
    };
    if (std::count_if(sass.begin(), sass.end(), is_same) != 1) continue;
    std::set<std::string> names;
    std::copy_if(opcodes.begin(), opcodes.end(), std::inserter(names, names.end()), is_same);
    if (names.size() > 1) text += fmt::format("{}{}", text.empty() ? "" : ", ", fmt::join(names, " and "));
  }
  return text;
}

// How many registers the copies that the longer stream has more read from one bank, where these reads and not the
// schedule are what they take.
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
