// SPDX-License-Identifier: Apache-2.0
#include "probe/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/hash.h"
#include "line/window_record.h"
#include "memory/infer.h"
#include "memory/machine.h"
#include "probe/machines.h"
#include "probe/readers.h"
#include "results/note.h"
#include "series/series_groups.h"

namespace ptxlat::probe {

namespace {

// One probe on its way down the line.
struct ProbeWork {
  const ProbePlan* plan = nullptr;
  std::vector<std::size_t> trials;  // of each point, in each round
};

results::Record empty_record(const ProbePlan& plan) {
  auto record = results::record_of(key_of(plan));
  record.chapter = "probe";
  return record;
}

std::string unsupported(const line::Bench& bench, const Probe& probe) {
  const auto& needs = probe.requirement;
  if (std::pair(needs.ptx_major, needs.ptx_minor) > std::pair(bench.toolchain().ptx_major, bench.toolchain().ptx_minor))
    return fmt::format("needs PTX {}.{}", needs.ptx_major, needs.ptx_minor);
  return isa::has_target(needs, bench.target()) ? std::string{} : "needs " + isa::targets_text(needs);
}

const Point& point_of(const ProbeWork& work, std::size_t trial) {
  return work.plan->points[trial % work.plan->points.size()];
}

sass::Audit audit_of(const ProbeWork& work, std::size_t trial, const line::Batch& batch) {
  const auto& kernel = batch.kernel_of(work.trials[trial]);
  if (kernel.window) return audit(*work.plan->probe, point_of(work, trial), *kernel.window);
  return line::audit_without_window(kernel);
}

// The first failed point gives the record its verdict; the others keep their values.
void note_failure(results::Record& record, const std::string& role, sass::Verdict verdict, const std::string& reason) {
  if (record.verdict != sass::Verdict::proven) return;
  results::give_up(record, verdict, fmt::format("{}: {}", role, reason));
}

// The same again, with other random contents of its buffers.
ptx::Trial of_round(ptx::Trial trial, int round) {
  trial.launch.round = round;
  for (auto& buffer : trial.launch.buffers) {
    if (buffer.contents == ptx::Buffer::Contents::random || buffer.contents == ptx::Buffer::Contents::permutation)
      buffer.seed += static_cast<std::uint64_t>(round);
  }
  return trial;
}

// Runs the proven trials, each round in its process.
void run_rounds(const std::vector<ProbeWork>& work, line::Bench& bench) {
  std::map<int, std::vector<bool>> wanted;  // of each process
  for (const auto& one : work) {
    const auto& probe = *one.plan->probe;
    for (std::size_t i = 0; i < one.trials.size() && !probe.infer; ++i) {
      const auto round = static_cast<int>(i / one.plan->points.size());
      auto& of_process = wanted[round * probe.processes / probe.rounds];
      of_process.resize(bench.batch().size(), false);
      of_process[one.trials[i]] = audit_of(one, i, bench.batch()).is_proven();
    }
  }
  for (const auto& [process, trials] : wanted) {
    if (process > 0 && bench.measures()) bench.begin_process();
    bench.run(trials);
  }
}

sass::Verdict verdict_of(ptx::LaunchStatus failed) {
  return failed == ptx::LaunchStatus::fault ? sass::Verdict::fault : sass::Verdict::timeout;
}

// The facts that the probe's file requests from a series, if there is one, and from the GPU's description, by `given`.
template <class Given>
std::vector<results::Fact> facts_of(const Probe& probe, const results::Series* series, const Given& given) {
  std::vector<results::Fact> facts;
  for (const auto& rule : probe.facts) {
    std::vector<results::Fact> of_rule;
    if (rule.model == "given") {
      of_rule = given(rule);
    } else if (series != nullptr) {
      of_rule = series::facts_of(rule, *series);
    }
    std::move(of_rule.begin(), of_rule.end(), std::back_inserter(facts));
  }
  return facts;
}

// A fact from the driver's report about the GPU.
results::Fact given_fact(const ProbePlan& plan, const series::FactRule& rule) {
  const auto value = value_given(*plan.probe, rule, plan.device);
  const auto known = static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
  auto fact = series::inferred(rule.quantity, known, rule.unit, rule.how, rule.how + "; the driver does not report it");
  if (known != 0) fact.verdict = results::FactVerdict::measured;
  fact.scope = rule.scope;
  return fact;
}

results::Record record_of(const ProbeWork& work, const line::Bench& bench) {
  const auto& probe = *work.plan->probe;
  const auto& batch = bench.batch();
  auto record = empty_record(*work.plan);
  std::vector<std::vector<std::optional<double>>> values(work.trials.size());
  std::map<std::size_t, bool> is_recorded;  // a kernel's machine code is shown once
  for (std::size_t i = 0; i < work.trials.size(); ++i) {
    const bool is_first_round = i < work.plan->points.size();
    const auto& point = point_of(work, i);
    const auto& role = point.trial.role;
    const auto& made = batch.trial(work.trials[i]);
    const auto audit = audit_of(work, i, batch);
    if (!audit.is_proven()) note_failure(record, role, audit.verdict, audit.reason);
    if (audit.assembler_failed) record.add_flag(results::flag::retry);
    if (is_first_round && (!is_recorded[made.kernel] || !audit.is_proven()))
      record.windows.push_back(line::window_record(role, batch.kernel_of(work.trials[i]), audit));
    is_recorded[made.kernel] = true;
    if (!audit.is_proven() || !made.outcome) continue;
    if (made.outcome->status != ptx::LaunchStatus::ok) {
      if (probe.may_fail) continue;
      if (probe.may_hang && (made.outcome->status == ptx::LaunchStatus::timeout || made.outcome->may_be_trap)) {
        values[i] = {hung};
        if (is_first_round) results::add_note(record.note, fmt::format("{}: {}", role, made.outcome->message));
        continue;
      }
      note_failure(record, role, verdict_of(made.outcome->status), made.outcome->message);
      continue;
    }
    if (const auto of_code = find_reader(probe.reader)->of_code)
      values[i] = {static_cast<double>(of_code(*batch.kernel_of(work.trials[i]).window))};
    else
      values[i] = values_of(probe, point, made.outcome->readout);
  }
  if (bench.measures() && !probe.infer) record.series.push_back(series_of(probe, values, work.plan->points));
  record.facts = facts_of(probe, record.series.empty() ? nullptr : &record.series.front(),
                          [&](const series::FactRule& rule) { return std::vector{given_fact(*work.plan, rule)}; });
  return record;
}

// The GPU as the machine that a point infers. `launches` are those of earlier points.
std::unique_ptr<memory::Machine> machine_of(const Probe& probe, const Point& point, const Launcher& launcher,
                                            std::uint64_t& launches) {
  memory::MachineInfo info{.kind = probe.infer->kind,
                           .space = probe.infer->space,
                           .bytes = point.inferred_bytes,
                           .operators = probe.infer->operators,
                           .sms = point.trial.launch.ctas,
                           .page_bytes = point.page_bytes};
  if (point.flush_bytes == 0) return std::make_unique<TracedMachine>(std::move(info), point.trial.launch, launcher);
  const memory::Addresses flush{point.inferred_bytes, static_cast<std::int64_t>(point.flush_stride),
                                point.flush_bytes / point.flush_stride};
  return std::make_unique<CommandedMachine>(std::move(info), flush, point.trial.launch, launcher, launches);
}

// A quantity that depends on the axes holds under the point's condition. The points must agree on all others.
void add_fact(const Probe& probe, const std::string& role, results::Fact fact, results::Record& record) {
  const auto name = fact.quantity.substr(fact.quantity.find('.') + 1);
  const auto is_among = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  if (is_among(probe.infer->leaves_out)) return;
  if (!probe.axes.empty() && is_among(probe.infer->conditional)) {
    fact.condition = role + (fact.condition.empty() ? "" : " ") + fact.condition;
    record.facts.push_back(std::move(fact));
    return;
  }
  const auto same = std::find_if(record.facts.begin(), record.facts.end(), [&](const results::Fact& other) {
    return other.quantity == fact.quantity && other.condition == fact.condition;
  });
  if (same == record.facts.end()) {
    record.facts.push_back(std::move(fact));
  } else if (same->value.empty()) {
    *same = std::move(fact);
  } else if (!fact.value.empty() && fact.value != same->value) {
    same->verdict = results::FactVerdict::contradicted;
    same->how += fmt::format("; but {} at {}", fact.value, role);
  }
}

constexpr std::uint64_t seed = 1;  // for what inferences try at random

// The facts inferred from the GPU's answers, at each point; none if the kernel is not as required. A point is the
// condition under which its facts hold.
void infer_facts(const ProbeWork& work, line::Bench& bench, const OnLog& on_log, results::Record& record) {
  const auto& probe = *work.plan->probe;
  if (record.verdict != sass::Verdict::proven || !bench.measures()) return;
  std::uint64_t launches = 0;
  for (std::size_t i = 0; i < work.trials.size(); ++i) {
    const auto& point = work.plan->points[i];
    const auto launcher = [&](const ptx::Launch& launch) { return bench.launch(work.trials[i], launch, 1); };
    const auto machine = machine_of(probe, point, launcher, launches);
    std::ostringstream log;
    memory::LoggedMachine logged(*machine, log);
    std::vector<results::Fact> facts;
    try {
      facts = memory::infer(logged, seed);
    } catch (const LaunchFailed& failure) {
      note_failure(record, point.trial.role, verdict_of(failure.status), failure.what());
      continue;
    }
    if (on_log) on_log(probe.axes.empty() ? probe.name : probe.name + " " + point.trial.role, std::move(log).str());
    for (auto& fact : facts) add_fact(probe, point.trial.role, std::move(fact), record);
  }
}

}  // namespace

results::CellKey key_of(const ProbePlan& plan) {
  return {results::RecordKind::probe, plan.probe->name, "", "", plan.level, plan.recipe};
}

bool read_facts_again(const Probe& probe, results::Record& record) {
  if (probe.infer || record.series.empty()) return true;
  const auto part = part_of(probe, record.series.front());
  if (!part) return false;
  record.facts = facts_of(probe, &*part, [&](const series::FactRule& rule) {
    std::vector<results::Fact> known;
    std::copy_if(record.facts.begin(), record.facts.end(), std::back_inserter(known),
                 [&](const results::Fact& fact) { return fact.quantity == rule.quantity; });
    return known;
  });
  return true;
}

bool infer_facts_again(const Probe& probe, const std::vector<std::pair<std::string, std::string>>& logs,
                       results::Record& record) {
  results::Record again = record;
  again.facts.clear();
  try {
    for (const auto& [role, text] : logs) {
      std::istringstream log(text);
      memory::ReplayedMachine machine(log);
      for (auto& fact : memory::infer(machine, seed)) add_fact(probe, role, std::move(fact), again);
    }
  } catch (const memory::OtherDialogue&) {
    return false;
  }
  record.facts = std::move(again.facts);
  return true;
}

std::vector<ProbePlan> plan_probes(const std::vector<const Probe*>& probes, int level, const Names& device) {
  std::vector<ProbePlan> plans;
  for (const auto* probe : probes) {
    ProbePlan plan{probe, device, points_of(*probe, device), level, {}, 0};
    Hash hash;
    hash.add(std::string_view(probe_version));
    hash.add(probe->text);
    for (const auto& point : plan.points) {
      ptx::add(hash, point.trial);
      plan.ptx_bytes += point.trial.kernel.text.size();
    }
    plan.recipe = hash.text();
    plans.push_back(std::move(plan));
  }
  return plans;
}

std::vector<results::Record> ProbeMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  std::vector<results::Record> records;
  std::vector<ProbeWork> work;
  for (const auto& cell : chunk) {
    const auto& plan = plan_[cell.number];
    if (const auto reason = unsupported(bench, *plan.probe); !reason.empty()) {
      auto& record = records.emplace_back(empty_record(plan));
      results::give_up(record, sass::Verdict::unsupported, reason);
      continue;
    }
    auto& one = work.emplace_back(ProbeWork{&plan, {}});
    for (int round = 0; round < plan.probe->rounds; ++round) {
      for (const auto& point : plan.points)
        one.trials.push_back(bench.add(of_round(point.trial, round), plan.probe->name));
    }
  }
  bench.assemble();
  run_rounds(work, bench);
  for (const auto& one : work) {
    records.push_back(record_of(one, bench));
    if (one.plan->probe->infer) infer_facts(one, bench, on_log_, records.back());
  }
  return records;
}

}  // namespace ptxlat::probe
