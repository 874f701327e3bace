#include "measure/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sass/opcodes.h"

namespace ptxlat {

namespace {

constexpr double majority = 0.5;

// Where the elapsed time of a window comes from: the GPU or the schedule.
enum class Witness { measured, schedule };

// Nothing where the assembler has put no stall counts and leaves every wait to the hardware.
std::optional<double> scheduled(const StaticSchedule& schedule) {
  return schedule.cycles > 0 ? std::optional<double>(schedule.cycles) : std::nullopt;
}

// One experiment's numbers, from one source.
struct Numbers {
  const Experiment& experiment;
  const std::vector<Specimen>& specimens;
  const SpecimenIndices& indices;
  const Findings& findings;
  Witness witness;

  const Specimen* specimen(Role role) const { return indices[role] ? &specimens[*indices[role]] : nullptr; }

  std::optional<double> elapsed(Role role) const {
    const auto* kernel = specimen(role);
    if (kernel == nullptr || !kernel->window) return std::nullopt;
    if (witness == Witness::schedule) return scheduled(kernel->schedule);
    if (!kernel->launch || kernel->launch->status != LaunchStatus::ok) return std::nullopt;
    return elapsed_of(kernel->launch->samples, kernel->uses_memory);
  }

  // Elapsed cycles less what the schedule gave the first clock read and the last instruction, which differ from kernel
  // to kernel and belong to neither side of a difference (method.md, trap 2).
  std::optional<double> inner(Role role) const {
    const auto cycles = elapsed(role);
    if (!cycles) return std::nullopt;
    return *cycles - specimen(role)->schedule.edge_cycles;
  }

  std::optional<double> difference(Role more, Role less) const {
    const auto a = inner(more), b = inner(less);
    if (!a || !b) return std::nullopt;
    return *a - *b;
  }

  std::optional<double> differential() const {
    if (!findings[Role::differential].is_proven()) return std::nullopt;
    const auto more = difference(Role::differential, Role::differential_base);
    // The instruction gave what stands before it another schedule: that is no time of its own.
    return more && *more < 0 ? std::nullopt : more;
  }

  // A step of the chain has instructions beside the one under test.
  bool chain_has_bridge() const {
    return indices[Role::bridge] && findings[Role::chain].sass.size() > findings[Role::differential].sass.size();
  }

  std::optional<double> chain() const {
    if (!findings[Role::chain].is_proven()) return std::nullopt;
    auto step = difference(Role::chain_twice, Role::chain);
    if (!step) return std::nullopt;
    *step /= experiment.steps;
    if (!indices[Role::bridge]) return step;
    // Without knowing the instruction alone, a bridge cannot be told from it.
    if (!findings[Role::differential].is_proven()) return std::nullopt;
    if (!chain_has_bridge()) return step;
    if (!findings[Role::bridge].is_proven()) return std::nullopt;
    const auto bridge = difference(Role::bridge, Role::bracket);
    if (!bridge) return std::nullopt;
    return *step - *bridge;
  }

  // Cycles that one more copy of the instruction takes in a stream of them.
  std::optional<double> issue() const {
    if (experiment.copies == 0 || !findings[Role::stream].is_proven()) return std::nullopt;
    auto more = difference(Role::stream_twice, Role::stream);
    if (more) *more /= experiment.copies;
    // A warp issues one instruction a cycle, Maxwell's pairs aside. Less is not the copies' time: loops that contend
    // for one address take as long as they like, and a copy that is a move may be left out.
    const double least = witness == Witness::measured ? 1 : 0.5;
    return more && *more < least ? std::nullopt : more;
  }

  // Why there is no number of issue(); empty where there is one, or no stream.
  std::string why_no_issue() const {
    if (experiment.copies == 0 || !indices[Role::stream] || issue()) return {};
    const auto& finding = findings[Role::stream];
    if (!finding.is_proven()) return fmt::format("{}, {}", to_string(finding.verdict), finding.reason);
    return difference(Role::stream_twice, Role::stream) ? "twice the copies take no longer"
                                                        : "the launches of the stream have no value in common";
  }

  std::optional<double> overhead() const {
    return findings[Role::overhead].is_proven() ? elapsed(Role::overhead) : std::nullopt;
  }

  std::optional<double> bracket() const {
    const auto with = elapsed(Role::bracket), without = overhead();
    if (!findings[Role::bracket].is_proven() || !with || !without) return std::nullopt;
    return *with - *without;
  }
};

// How often each operation occurs, whichever pipe ptxas gave it.
std::map<std::string, int> operation_counts(const std::vector<std::string>& opcodes) {
  std::map<std::string, int> counts;
  for (const auto& opcode : opcodes) ++counts[operation_of(opcode)];
  return counts;
}

enum class Headline { none, differential, chain };

// Optimisation for throughput may give a chain other instructions than one alone (HFMA2.MMA for HADD2): then it
// is another experiment. So is a chain of code that branches on its values: only its first step has those of the input
// class, and a denormal's reciprocal is none.
Headline choose(const Numbers& numbers, const std::optional<double>& differential, const std::optional<double>& chain) {
  if (!differential && !chain) return Headline::none;
  if (!differential) return Headline::chain;
  if (!chain) return Headline::differential;
  const auto& findings = numbers.findings;
  if (numbers.specimen(Role::chain)->schedule.branches) return Headline::differential;
  const bool same_code = numbers.chain_has_bridge() || operation_counts(findings[Role::chain].sass) ==
                                                           operation_counts(findings[Role::differential].sass);
  return same_code ? Headline::chain : Headline::differential;
}

void add_note(CellRecord& record, const std::string& text) {
  if (text.empty()) return;
  if (!record.note.empty()) record.note += "; ";
  record.note += text;
}

SassRecord to_record(const Instruction& instruction) {
  const auto& control = instruction.control;
  return {instruction.offset,       instruction.text,        control.stall_count, control.yields,
          control.write_scoreboard, control.read_scoreboard, control.wait_mask,   control.reuse};
}

WindowRecord to_record(const std::string& role, const Specimen& specimen, const Audit& audit) {
  WindowRecord record;
  record.role = role;
  record.verdict = audit.verdict;
  record.reason = audit.reason;
  if (specimen.window) {
    for (const auto& instruction : specimen.window->instructions) record.sass.push_back(to_record(instruction));
    record.static_cycles = specimen.schedule.cycles;
    record.static_is_lower_bound = specimen.schedule.is_lower_bound || specimen.schedule.branches;
  }
  record.measured_as = specimen.measured_as;
  if (!specimen.launch) return record;
  if (specimen.launch->status != LaunchStatus::ok) {
    record.verdict = specimen.launch->status == LaunchStatus::fault ? Verdict::fault : Verdict::timeout;
    record.reason = specimen.launch->message;
    return record;
  }
  for (const auto& sample : specimen.launch->samples) record.samples.push_back(sample.elapsed_cycles);
  if (const auto mode = mode_of(specimen.launch->samples)) {
    record.cycles = elapsed_of(specimen.launch->samples, specimen.uses_memory);
    record.mode_share = mode->share;
    if (!record.cycles && record.verdict == Verdict::proven) {
      record.verdict = Verdict::unstable;
      record.reason = fmt::format("the most frequent value has {:.0f} % of the launches, and they spread widely",
                                  100 * mode->share);
    }
  }
  return record;
}

// The cell's own verdict where no latency is proven: what the GPU said comes before what the audit said, the
// differential before the chain. Where nothing can wait for the instruction, its stream is all there is to prove.
void explain_missing(CellRecord& record, const Findings& findings, Observation observation,
                     const std::string& why_no_issue) {
  if (observation == Observation::none && record.issue) {
    record.verdict = Verdict::proven;
    add_note(record, "nothing can depend on it");
    return;
  }
  for (const Verdict verdict : {Verdict::fault, Verdict::timeout, Verdict::unstable}) {
    for (const auto& window : record.windows) {
      if (window.verdict == verdict) {
        record.verdict = verdict;
        add_note(record, window.role + ": " + window.reason);
        return;
      }
    }
  }
  if (observation == Observation::none) {
    const auto& stream = findings[Role::stream];
    record.verdict = stream.is_proven() ? Verdict::unstable : stream.verdict;
    add_note(record, stream.is_proven() ? why_no_issue : stream.reason);
    return;
  }
  const auto& differential = findings[Role::differential];
  if (differential.is_proven() && findings[Role::chain].verdict == Verdict::no_dependency) {
    record.verdict = Verdict::contaminated;
    add_note(record, "the window is shorter with the instruction than without it");
    return;
  }
  record.verdict = differential.is_proven() ? findings[Role::chain].verdict : differential.verdict;
  add_note(record, differential.reason);
  if (findings[Role::chain].reason != differential.reason)
    add_note(record, findings[Role::chain].reason.empty() ? "" : "chain: " + findings[Role::chain].reason);
}

// The windows hold what they should, and only the stall counts are not there.
bool is_proven_without_schedule(const Numbers& numbers) {
  const bool has_schedule = std::all_of(all_roles.begin(), all_roles.end(), [&](Role role) {
    const auto* specimen = numbers.specimen(role);
    return specimen == nullptr || !specimen->window || scheduled(specimen->schedule);
  });
  const auto& findings = numbers.findings;
  return !has_schedule && (findings[Role::differential].is_proven() || findings[Role::chain].is_proven() ||
                           findings[Role::stream].is_proven());
}

// What the instruction became, from the best witness that says so.
std::vector<std::string> sass_of(const Findings& findings) {
  if (!findings[Role::differential].sass.empty()) return findings[Role::differential].sass;
  for (const Role role : {Role::chain, Role::stream}) {
    if (findings[role].is_proven()) return findings[role].sass;
  }
  return findings[Role::bracket].sass;
}

bool any_schedule(const std::vector<const Specimen*>& used, bool StaticSchedule::*property) {
  return std::any_of(used.begin(), used.end(),
                     [&](const Specimen* s) { return s != nullptr && s->schedule.*property; });
}

// Lanes of a warp that see different clocks have left each other between the clocks (method.md, trap 15).
bool any_divergence(const std::vector<const Specimen*>& used) {
  return std::any_of(used.begin(), used.end(), [](const Specimen* s) {
    return s != nullptr && s->launch &&
           std::any_of(s->launch->samples.begin(), s->launch->samples.end(),
                       [](const Sample& sample) { return !sample.lanes_agree; });
  });
}

}  // namespace

std::optional<Mode> mode_of(const std::vector<Sample>& samples) {
  if (samples.empty()) return std::nullopt;
  std::map<std::uint32_t, int> counts;
  for (const auto& sample : samples) ++counts[sample.elapsed_cycles];
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return Mode{most->first, static_cast<double>(most->second) / static_cast<double>(samples.size())};
}

namespace {

// All but the slowest, in order.
std::vector<std::uint32_t> usual(std::vector<std::uint32_t> cycles) {
  std::sort(cycles.begin(), cycles.end());
  if (cycles.size() > 2) cycles.pop_back();
  return cycles;
}

}  // namespace

std::optional<double> elapsed_of(const std::vector<Sample>& samples, bool uses_memory) {
  constexpr double widest_spread = 0.1;
  const auto mode = mode_of(samples);
  if (!mode) return std::nullopt;
  if (mode->share > majority) return mode->cycles;
  std::vector<std::uint32_t> all;
  for (const auto& sample : samples) all.push_back(sample.elapsed_cycles);
  const auto cycles = usual(std::move(all));
  if (uses_memory) return cycles.front();
  const double median = cycles[cycles.size() / 2];
  if (cycles.back() - cycles.front() > widest_spread * median) return std::nullopt;
  return median;
}

double spread_of(const CellRecord& record) {
  double widest = 0;
  for (const auto& window : record.windows) {
    if (window.mode_share > majority || window.samples.empty()) continue;
    const auto cycles = usual(window.samples);
    widest = std::max(widest, static_cast<double>(cycles.back() - cycles.front()));
  }
  return widest;
}

CellRecord record_without_experiment(const CellPlan& cell, Verdict verdict, const std::string& note) {
  CellRecord record;
  record.ptx = cell.variant.form->ptx;
  record.chapter = cell.variant.form->chapter;
  record.operand = cell.variant.operand;
  record.input = cell.variant.input->name;
  record.level = cell.level;
  record.recipe = cell.recipe;
  record.verdict = verdict;
  record.note = note;
  return record;
}

CellRecord estimate(const CellPlan& cell, const Experiment& experiment, const std::vector<Specimen>& specimens,
                    const SpecimenIndices& indices, const Findings& findings) {
  auto record = record_without_experiment(cell, Verdict::proven, {});
  if (experiment.consumer != nullptr) record.consumer = experiment.consumer->name;
  const Numbers measured{experiment, specimens, indices, findings, Witness::measured},
      schedule{experiment, specimens, indices, findings, Witness::schedule};
  for (const Role role : all_roles) {
    if (const auto* specimen = measured.specimen(role)) {
      record.windows.push_back(to_record(to_string(role), *specimen, findings[role]));
    }
  }

  const bool was_launched =
      std::any_of(specimens.begin(), specimens.end(), [](const Specimen& s) { return s.launch.has_value(); });
  const Numbers& leading = was_launched ? measured : schedule;
  const auto headline = choose(leading, leading.differential(), leading.chain());
  record.overhead = measured.overhead();
  record.bracket = measured.bracket();
  record.differential = measured.differential();
  record.chain = measured.chain();
  record.issue = leading.issue();
  if (headline == Headline::chain) record.cycles = record.chain, record.static_cycles = schedule.chain();
  if (headline == Headline::differential)
    record.cycles = record.differential, record.static_cycles = schedule.differential();

  record.sass = sass_of(findings);
  record.sass_count = static_cast<int>(record.sass.size());
  if (!cell.variant.form->stream.empty()) add_note(record, "no stream: " + cell.variant.form->stream);
  if (headline == Headline::none && !was_launched && is_proven_without_schedule(schedule)) {
    add_note(record, "no schedule: the assembler leaves every wait to the hardware");
    return record;
  }
  if (headline == Headline::none) {
    explain_missing(record, findings, observation_of(cell.variant), leading.why_no_issue());
    return record;
  }
  for (const auto& window : record.windows) {
    const bool ended_badly = window.verdict == Verdict::fault || window.verdict == Verdict::timeout;
    if (ended_badly) add_note(record, window.role + ": " + window.reason);
  }
  if (const auto why = leading.why_no_issue(); !why.empty()) add_note(record, "no issue: " + why);
  if (record.differential && record.chain && *record.differential != *record.chain) {
    const auto to = experiment.consumer == nullptr ? "its completion" : experiment.consumer->name;
    add_note(record, fmt::format("{} to {}, {} in a chain", *record.differential, to, *record.chain));
  }
  const std::vector<const Specimen*> used =
      headline == Headline::chain ? std::vector{schedule.specimen(Role::chain), schedule.specimen(Role::chain_twice)}
                                  : std::vector{schedule.specimen(Role::differential)};
  if (const double spread = spread_of(record); spread > 0)
    add_note(record, fmt::format("launches spread over {} cycles", spread));
  if (any_divergence(used)) add_note(record, "the lanes took different paths");
  if (any_schedule(used, &StaticSchedule::branches)) {
    add_note(record, "it branches: static is the sum of the straight line");
  } else if (any_schedule(used, &StaticSchedule::is_lower_bound)) {
    add_note(record, "static is a lower bound");
  } else if (record.cycles && record.static_cycles && *record.cycles != *record.static_cycles) {
    add_note(record, fmt::format("the schedule says {}", *record.static_cycles));
  }
  return record;
}

}  // namespace ptxlat
