// SPDX-License-Identifier: Apache-2.0
#include "latency/estimate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "latency/expected.h"
#include "latency/measure.h"
#include "latency/numbers.h"
#include "latency/samples.h"
#include "latency/witness_pairs.h"
#include "line/window_record.h"
#include "results/note.h"
#include "sass/hidden_waits.h"

namespace ptxlat::latency {

namespace {

results::WindowRecord to_record(Role role, const Numbers& numbers) {
  const auto& made = *numbers.trial(role);
  auto record = line::window_record(to_string(role), *numbers.kernel(role), numbers.audits[role]);
  record.measured_as = made.measured_as;
  if (!made.outcome) return record;
  if (made.outcome->status != ptx::LaunchStatus::ok) {
    record.verdict = made.outcome->status == ptx::LaunchStatus::fault ? sass::Verdict::fault : sass::Verdict::timeout;
    record.reason = made.outcome->message;
    return record;
  }
  record.samples = elapsed_cycles(made.outcome->readout);
  if (const auto mode = mode_of(record.samples)) {
    record.cycles = elapsed_of(record.samples, made.launch.uses_memory);
    record.mode_share = mode->share;
    if (!record.cycles && record.verdict == sass::Verdict::proven) {
      record.verdict = sass::Verdict::unstable;
      record.reason = fmt::format("the most frequent value has {:.0f} % of the launches, and they spread widely",
                                  100 * mode->share);
    }
  }
  return record;
}

// The cell's verdict if no latency is proven: the GPU's result comes before the audit's, the differential before the
// chain. If nothing can wait for the instruction, only its stream has to be proven.
void explain_missing(results::Record& record, const Audits& audits, Observation observation,
                     const std::string& why_no_issue) {
  if (observation == Observation::none && record.number(results::metric::issue)) {
    record.verdict = sass::Verdict::proven;
    record.measure = results::Measure::issue_only;
    results::add_note(record.note, "nothing can depend on it");
    return;
  }
  for (const sass::Verdict verdict : {sass::Verdict::fault, sass::Verdict::timeout, sass::Verdict::unstable}) {
    for (const auto& window : record.windows) {
      if (window.verdict == verdict) {
        record.verdict = verdict;
        results::add_note(record.note, window.role + ": " + window.reason);
        return;
      }
    }
  }
  if (observation == Observation::none) {
    const auto& stream = audits[Role::stream];
    record.verdict = stream.is_proven() ? sass::Verdict::unstable : stream.verdict;
    results::add_note(record.note, stream.is_proven() ? why_no_issue : stream.reason);
    return;
  }
  const auto& differential = audits[Role::differential];
  if (differential.is_proven() && audits[Role::chain].verdict == sass::Verdict::no_dependency) {
    record.verdict = sass::Verdict::contaminated;
    results::add_note(record.note, "the window is shorter with the instruction than without it");
    return;
  }
  record.verdict = differential.is_proven() ? audits[Role::chain].verdict : differential.verdict;
  results::add_note(record.note, differential.reason);
  const auto& chain = audits[Role::chain];
  const bool has_chain = chain.verdict != sass::Verdict::no_dependency;
  if (has_chain && !chain.reason.empty() && chain.reason != differential.reason)
    results::add_note(record.note, "chain: " + chain.reason);
}

// The windows are correct, and only the stall counts are missing.
bool is_proven_without_schedule(const Numbers& numbers) {
  const bool has_schedule = std::all_of(all_roles.begin(), all_roles.end(), [&](Role role) {
    const auto* kernel = numbers.kernel(role);
    return kernel == nullptr || !kernel->window || scheduled(kernel->schedule);
  });
  const auto& audits = numbers.audits;
  return !has_schedule && (audits[Role::differential].is_proven() || audits[Role::chain].is_proven() ||
                           audits[Role::stream].is_proven());
}

// The instruction's machine code, from the best witness that has it. A differential from which a part was hoisted does
// not have all of it, a chain does; but its steps may have a bridge.
std::vector<std::string> sass_of(const Audits& audits, bool has_bridge) {
  const auto& differential = audits[Role::differential];
  const bool chain_has_more =
      differential.verdict == sass::Verdict::elided && audits[Role::chain].is_proven() && !has_bridge;
  if (!differential.sass.empty() && !chain_has_more) return differential.sass;
  for (const Role role : {Role::chain, Role::stream}) {
    if (audits[role].is_proven()) return audits[role].sass;
  }
  return audits[Role::bracket].sass;
}

std::vector<std::string> names_of(const std::vector<Role>& roles) {
  std::vector<std::string> names;
  for (const Role role : roles) names.emplace_back(to_string(role));
  return names;
}

std::optional<double> number_of(Headline headline, const Numbers& numbers) {
  if (headline == Headline::none) return std::nullopt;
  return headline == Headline::chain ? numbers.chain() : numbers.differential();
}

// Whether the schedules of the windows behind the headline say so.
bool any_schedule(Headline headline, const Numbers& numbers, bool sass::StaticSchedule::*property) {
  std::vector<Role> used{Role::differential};
  if (headline == Headline::chain) used = {Role::chain, Role::chain_twice};
  return std::any_of(used.begin(), used.end(), [&](Role role) {
    const auto* kernel = numbers.kernel(role);
    return kernel != nullptr && kernel->schedule.*property;
  });
}

// Why the headline is not a latency, although all its windows are proven: hardware does not run ahead of a schedule,
// which is the minimum for code without branches. The subtracted window must contain time that the other one does not.
// Empty if it is a latency.
std::string below_schedule(Headline headline, const Numbers& measured, const Numbers& schedule) {
  const auto cycles = number_of(headline, measured), least = number_of(headline, schedule);
  if (!cycles || !least || *cycles >= *least) return {};
  if (any_schedule(headline, measured, &sass::StaticSchedule::branches)) return {};
  return fmt::format("{} cycles are measured, and the schedule alone takes {}", *cycles, *least);
}

// Such a window gives no number; the cell says so even if its headline comes from a different one.
void add_bank_conflicts(results::Record& record, const Numbers& numbers) {
  std::vector<std::string> roles;
  for (const Role role : timed_roles) {
    const auto* kernel = numbers.kernel(role);
    if (kernel != nullptr && kernel->window && !sass::bank_conflict(*kernel->window).empty())
      roles.emplace_back(to_string(role));
  }
  if (roles.empty()) return;
  record.add_flag(results::flag::bank_conflict);
  results::add_note(record.note, fmt::format("register-bank conflict: {}", fmt::join(roles, ", ")));
}

void set_metrics(results::Record& record, Headline headline, const Numbers& leading, const Numbers& measured,
                 const Numbers& schedule) {
  record.set(results::metric::overhead, measured.overhead());
  record.set(results::metric::bracket, measured.bracket());
  record.set(results::metric::differential, measured.differential());
  record.set(results::metric::chain, measured.chain());
  record.set(results::metric::issue, leading.issue(), names_of({Role::stream, Role::stream_twice}));
  if (headline == Headline::none) return;
  const auto from = names_of(roles_behind(headline, leading));
  record.set(results::metric::cycles, number_of(headline, measured), from);
  record.set(results::metric::static_cycles, number_of(headline, schedule), from);
}

// What the nearest measured card tells of a number that the schedule alone does not know.
void set_estimate(results::Record& record, const isa::Variant& variant, Headline headline, const Numbers& schedule,
                  const line::NearestCard& card) {
  if (headline == Headline::none) return;
  const bool is_held = has_interlock(headline, schedule, card.arrivals);
  if (is_held) record.add_flag(results::flag::static_is_lower_bound);
  // Arrivals are those of usual values.
  if (variant.input->name != variant.form->inputs.front().name) return;
  const auto expected = expected_headline(headline, schedule, card.arrivals);
  if (!expected) return;
  record.set(results::metric::estimate, expected);
  record.set(results::metric::estimate_error, std::ceil(*expected * (is_held ? card.interlock_error : card.error)));
}

void set_measure(results::Record& record, Observed headline, const Experiment& experiment) {
  record.measure = headline.measure;
  record.consumer = std::move(headline.consumer);
  if (experiment.consumer != nullptr && experiment.consumer->name != record.consumer)
    record.differential_consumer = experiment.consumer->name;
}

// The opcodes that each witness timed, where the machine code shows both: " (FADD → LOP3.LUT, FADD → FADD)".
std::string witness_pairs(const results::Record& record, const Audits& audits) {
  const auto window_of = [&](Role role) {
    return std::find_if(record.windows.begin(), record.windows.end(),
                        [&](const auto& window) { return window.role == to_string(role); });
  };
  const auto differential = window_of(Role::differential), chain = window_of(Role::chain);
  const auto step = audits[Role::chain].sass.size();
  if (differential == record.windows.end() || chain == record.windows.end() || step == 0) return {};
  const auto to_consumer = pair_at_end(*differential), to_itself = pair_between_steps(*chain, step);
  if (to_consumer.empty() || to_itself.empty()) return {};
  return fmt::format(" ({}, {})", to_consumer, to_itself);
}

// What the flags say of the schedule's numbers.
void note_lower_bounds(results::Record& record) {
  const bool is_static =
      record.has_flag(results::flag::static_is_lower_bound) && !record.has_flag(results::flag::branches);
  const bool is_issue = record.has_flag(results::flag::issue_is_lower_bound);
  if (is_static || is_issue)
    results::add_note(record.note, is_static && is_issue ? "static and issue are lower bounds"
                                   : is_static           ? "static is a lower bound"
                                                         : "issue is a lower bound");
}

// Warns a reader of the headline: a flag for programs and a note for people.
void add_remarks(results::Record& record, Headline headline, const Experiment& experiment, const Numbers& leading) {
  const auto remark = [&](const char* flag, const std::string& words) {
    record.add_flag(flag);
    results::add_note(record.note, words);
  };
  if (experiment.frame == ptx::Frame::subroutine)
    remark(results::flag::subroutine, "in a subroutine: in a loop it is not proven");
  if (const auto why = leading.why_no_issue(); !why.empty()) remark(results::flag::no_issue, "no issue: " + why);
  const auto differential = record.number(results::metric::differential), chain = record.number(results::metric::chain);
  if (differential && chain && *differential != *chain) {
    const auto to = experiment.consumer == nullptr ? "its completion" : experiment.consumer->name;
    remark(results::flag::witnesses_differ,
           fmt::format("{} to {}, {} in a chain{}", *differential, to, *chain, witness_pairs(record, leading.audits)));
  }
  std::vector<Role> used{Role::differential};
  if (headline == Headline::chain) used = {Role::chain, Role::chain_twice};
  const auto any = [&](auto property) {
    return std::any_of(used.begin(), used.end(), [&](Role role) { return property(role); });
  };
  if (record.has_flag(results::flag::survey)) {
    results::add_note(record.note,
                      experiment.trials[Role::differential].launch.ctas > 1
                          ? fmt::format("median of {} launches on up to {} clusters", surveyed_lines, surveyed_clusters)
                          : fmt::format("median over {} lines from {} SMs", surveyed_lines, surveyed_sms));
  } else if (const double spread = spread_of(record); spread > 0) {
    remark(results::flag::spread, fmt::format("launches spread over {} cycles", spread));
  }
  // Lanes of a warp that see different clocks have diverged between the clocks (method.md, trap 15).
  if (any([&](Role role) {
        const auto* made = leading.trial(role);
        return made != nullptr && made->outcome && made->outcome->status == ptx::LaunchStatus::ok &&
               !made->outcome->readout.threads_agree;
      }))
    remark(results::flag::diverged, "the lanes took different paths");
  if (leading.leaves_something_out()) record.add_flag(results::flag::own_path);
  if (const auto beside = beside_in(headline, leading); !beside.empty())
    remark(results::flag::beside_path,
           fmt::format("with what is not on the path from {}: {}", record.operand, fmt::join(beside, ";")));
  const auto cycles = record.number(results::metric::cycles),
             by_schedule = record.number(results::metric::static_cycles);
  if (!cycles && by_schedule && *by_schedule != std::round(*by_schedule))
    results::add_note(record.note, "static is an average over steps that differ");
  if (any_schedule(headline, leading, &sass::StaticSchedule::branches)) {
    remark(results::flag::branches, "it branches: static is the sum of the straight line");
  } else if (any_schedule(headline, leading, &sass::StaticSchedule::is_lower_bound) ||
             record.has_flag(results::flag::static_is_lower_bound)) {
    record.add_flag(results::flag::static_is_lower_bound);
  } else if (cycles && by_schedule && *cycles != *by_schedule) {
    remark(results::flag::schedule_differs, fmt::format("the schedule says {}", *by_schedule));
  }
}

}  // namespace

results::Record record_without_experiment(const CellPlan& cell, sass::Verdict verdict, const std::string& note) {
  auto record = results::record_of(key_of(cell));
  record.chapter = cell.variant.form->chapter;
  record.is_core = cell.variant.form->core == cell.variant.form->ptx;
  results::give_up(record, verdict, note);
  return record;
}

results::Record estimate(const CellPlan& cell, const Experiment& experiment, const line::Batch& batch,
                         const TrialNumbers& trials, const Audits& audits, bool measures, const TrialNumbers& survey,
                         const line::NearestCard* card) {
  auto record = record_without_experiment(cell, sass::Verdict::proven, {});
  const auto path = path_of(cell.variant, cell.level, experiment, batch, trials);
  Numbers measured{experiment, batch, trials, audits, Source::measured, path};
  const bool is_surveyed =
      std::any_of(survey.values.begin(), survey.values.end(), [](const auto& one) { return !!one; });
  measured.leaves_out_beside = measures && !is_surveyed && took_its_schedule_beside(measured);
  const Numbers schedule{
      experiment, batch, trials, audits, Source::schedule, path, !measures || measured.leaves_out_beside};
  for (const Role role : all_roles) {
    if (!trials[role]) continue;
    record.windows.push_back(to_record(role, measured));
    if (audits[role].assembler_failed) record.add_flag(results::flag::retry);
  }

  const Numbers& leading = measures ? measured : schedule;
  const auto below = below_schedule(headline_of(leading), measured, schedule);
  const auto headline = below.empty() ? headline_of(leading) : Headline::none;
  set_metrics(record, headline, leading, measured, schedule);
  if (!measures && card != nullptr) set_estimate(record, cell.variant, headline, schedule, *card);
  if (headline != Headline::none && measures) put_survey(record, headline, surveyed_cycles(measured, headline, survey));
  set_measure(record, observed(cell.variant, headline, leading), experiment);
  record.sass = sass_of(audits, trials[Role::bridge].has_value());
  record.sass_count = static_cast<int>(record.sass.size());
  if (!cell.variant.form->not_streamable.empty())
    results::add_note(record.note, "no stream: " + cell.variant.form->not_streamable);
  for (const auto& [flag, words] : issue_context(leading, schedule, record.sass)) {
    record.add_flag(flag);
    if (!words.empty()) results::add_note(record.note, words);
  }
  add_bank_conflicts(record, leading);
  if (!below.empty()) {
    record.verdict = sass::Verdict::contaminated;
    results::add_note(record.note, below);
    return record;
  }
  if (headline == Headline::none && !measures && is_proven_without_schedule(schedule)) {
    record.add_flag(results::flag::no_schedule);
    results::add_note(record.note, "no schedule: the assembler leaves every wait to the hardware");
    return record;
  }
  if (headline == Headline::none) {
    explain_missing(record, audits, observation_of(cell.variant), leading.why_no_issue());
    note_lower_bounds(record);
    return record;
  }
  for (const auto& window : record.windows) {
    const bool ended_badly = window.verdict == sass::Verdict::fault || window.verdict == sass::Verdict::timeout;
    if (ended_badly) results::add_note(record.note, window.role + ": " + window.reason);
  }
  add_remarks(record, headline, experiment, leading);
  note_lower_bounds(record);
  return record;
}

}  // namespace ptxlat::latency
