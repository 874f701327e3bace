// SPDX-License-Identifier: Apache-2.0
#include "latency/measure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "results/record.h"
#include "sass/opcodes.h"
#include "sass/register_banks.h"

namespace ptxlat::latency {

namespace {

using results::Measure;

// "cp.async.wait_all" of "@%p0 L_1: cp.async.wait_all;": the first word that is neither a guard nor a label.
std::string_view opcode_of_statement(std::string_view statement) {
  constexpr std::string_view space = " \t\n";
  for (;;) {
    statement.remove_prefix(std::min(statement.find_first_not_of(space), statement.size()));
    const auto word = statement.substr(0, statement.find_first_of(space));
    if (!word.starts_with('@') && !word.ends_with(':')) return word;
    statement.remove_prefix(word.size());
  }
}

// The instruction of a completion that waits: the last one that is not a branch back to it, or the load or conversion
// that begins the completion.
std::string waiting_opcode(const isa::Input& input) {
  std::string_view text = input.completion, waiting;
  while (!text.empty()) {
    const auto end = std::min(text.find(';'), text.size());
    const auto opcode = opcode_of_statement(text.substr(0, end));
    if (!opcode.empty() && !opcode.starts_with("bra")) waiting = opcode;
    if (input.completion_is != isa::Completion::wait && !waiting.empty()) break;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::string(waiting);
}

Measure measure_of(isa::Completion completion) {
  switch (completion) {
    case isa::Completion::wait:
      return Measure::completion;
    case isa::Completion::read_back:
      return Measure::round_trip;
    case isa::Completion::use:
      return Measure::dependent;
  }
  return Measure::completion;
}

// One instruction may become several whose results arrive one by one, and the consumer need not wait for all of them.
// If the code branches, the waiting instruction may be elsewhere.
bool leaves_results_unawaited(const Numbers& numbers) {
  const auto* with = numbers.kernel(Role::differential);
  const auto* without = numbers.kernel(Role::differential_base);
  if (with->schedule.branches) return false;
  return sass::unawaited_results(*with->window) > sass::unawaited_results(*without->window);
}

}  // namespace

Observed observed(const isa::Variant& variant, Headline headline, const Numbers& numbers) {
  if (headline == Headline::none) return {};
  const auto measure = beside_in(headline, numbers).empty() ? Measure::dependent : Measure::whole_sequence;
  if (headline == Headline::chain) return {measure, results::itself};
  if (const auto* consumer = numbers.experiment.consumer)
    return {leaves_results_unawaited(numbers) ? Measure::first_of_several : measure, consumer->name};
  const isa::Input& input = *variant.input;
  if (!input.completion.empty()) return {measure_of(input.completion_is), waiting_opcode(input)};
  // A fence waits for what the catalogue puts before it; a branch does not.
  const auto& sass = numbers.audits[Role::differential].sass;
  const bool waits =
      std::any_of(sass.begin(), sass.end(), [](const auto& opcode) { return has(opcode, sass::Trait::waits); });
  if (waits) return {Measure::completion, results::itself};
  return {Measure::added_time, {}};
}

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

// The copies do not begin when the schedule says so: they or what they wait for take as long as the hardware needs.
bool waits_in_streams(const Numbers& numbers) {
  const auto& stream = *numbers.kernel(Role::stream_twice);
  const auto& code = stream.window->instructions;
  bool waits = stream.schedule.is_lower_bound;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) waits = waits || sass::writes_scoreboard(code[i].control);
  const auto* alone = numbers.kernel(Role::differential);
  return waits || (alone != nullptr && alone->schedule.branches);
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
  if (leading.source == Source::schedule && waits_in_streams(leading))
    remarks.push_back({results::flag::issue_is_lower_bound, {}});
  if (const int moves = leading.moves_of_copies(); moves > 0 && !leading.spacing_of_copies()) {
    remarks.push_back({results::flag::issue_is_upper_bound,
                       fmt::format("issue: {} copies come with {} moves", leading.experiment.copies, moves)});
  }
  return remarks;
}

}  // namespace ptxlat::latency
