#include "measure/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ptxlat {

namespace {

constexpr double majority = 0.5;

// Where the elapsed time of a window comes from: the GPU or the schedule.
enum class Witness { measured, schedule };

// One experiment's numbers, from one source.
struct Numbers {
  const std::vector<Specimen>& specimens;
  const SpecimenIndices& indices;
  const Findings& findings;
  Witness witness;

  const Specimen* specimen(int index) const {
    return index < 0 ? nullptr : &specimens[static_cast<std::size_t>(index)];
  }

  std::optional<double> elapsed(int index) const {
    const auto* kernel = specimen(index);
    if (kernel == nullptr || !kernel->window) return std::nullopt;
    if (witness == Witness::schedule) return kernel->schedule.cycles;
    if (!kernel->launch || kernel->launch->status != LaunchStatus::ok) return std::nullopt;
    const auto mode = mode_of(kernel->launch->samples);
    if (!mode || mode->share <= majority) return std::nullopt;
    return mode->cycles;
  }

  // Elapsed cycles less what the schedule gave the first clock read and the last instruction, which differ from kernel
  // to kernel and belong to neither side of a difference (method.md, trap 2).
  std::optional<double> inner(int index) const {
    const auto cycles = elapsed(index);
    if (!cycles) return std::nullopt;
    return *cycles - specimen(index)->schedule.edge_cycles;
  }

  std::optional<double> difference(int more, int less) const {
    const auto a = inner(more), b = inner(less);
    if (!a || !b) return std::nullopt;
    return *a - *b;
  }

  std::optional<double> differential() const {
    if (!findings.differential.is_proven()) return std::nullopt;
    return difference(indices.differential, indices.differential_base);
  }

  // A step of the chain has instructions beside the one under test.
  bool chain_has_bridge() const {
    return indices.bridge >= 0 && findings.chain.sass.size() > findings.differential.sass.size();
  }

  std::optional<double> chain() const {
    if (!findings.chain.is_proven()) return std::nullopt;
    auto step = difference(indices.chain_twice, indices.chain);
    if (!step) return std::nullopt;
    *step /= chain_steps;
    if (indices.bridge < 0) return step;
    // Without knowing the instruction alone, a bridge cannot be told from it.
    if (!findings.differential.is_proven()) return std::nullopt;
    if (!chain_has_bridge()) return step;
    if (!findings.bridge.is_proven()) return std::nullopt;
    const auto bridge = difference(indices.bridge, indices.bracket);
    if (!bridge) return std::nullopt;
    return *step - *bridge;
  }

  std::optional<double> overhead() const {
    return findings.overhead.is_proven() ? elapsed(indices.overhead) : std::nullopt;
  }

  std::optional<double> bracket() const {
    const auto with = elapsed(indices.bracket), without = overhead();
    if (!findings.bracket.is_proven() || !with || !without) return std::nullopt;
    return *with - *without;
  }
};

// How often each operation occurs, whichever pipe ptxas gave it: in a chain HFMA2 and HFMA2.MMA take turns.
std::map<std::string, int> operation_counts(const std::vector<std::string>& opcodes) {
  constexpr std::string_view other_pipe = ".MMA";
  std::map<std::string, int> counts;
  for (const auto& opcode : opcodes) {
    auto operation = canonical_opcode(opcode);
    if (const auto at = operation.find(other_pipe); at != std::string::npos) operation.erase(at, other_pipe.size());
    ++counts[operation];
  }
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
  if (numbers.specimen(numbers.indices.chain)->schedule.branches) return Headline::differential;
  const bool same_code = numbers.chain_has_bridge() ||
                         operation_counts(findings.chain.sass) == operation_counts(findings.differential.sass);
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
  if (!specimen.launch) return record;
  if (specimen.launch->status != LaunchStatus::ok) {
    record.verdict = specimen.launch->status == LaunchStatus::fault ? Verdict::fault : Verdict::timeout;
    record.reason = specimen.launch->message;
    return record;
  }
  for (const auto& sample : specimen.launch->samples) record.samples.push_back(sample.elapsed_cycles);
  if (const auto mode = mode_of(specimen.launch->samples)) {
    record.cycles = mode->cycles;
    record.mode_share = mode->share;
    if (mode->share <= majority && record.verdict == Verdict::proven) {
      record.verdict = Verdict::unstable;
      record.reason = fmt::format("the most frequent value has {:.0f} % of the launches", 100 * mode->share);
    }
  }
  return record;
}

// The cell's own verdict where no witness is proven: what the GPU said comes before what the audit said, the
// differential before the chain.
void explain_missing(CellRecord& record, const Findings& findings) {
  for (const Verdict verdict : {Verdict::fault, Verdict::timeout, Verdict::unstable}) {
    for (const auto& window : record.windows) {
      if (window.verdict == verdict) {
        record.verdict = verdict;
        add_note(record, window.role + ": " + window.reason);
        return;
      }
    }
  }
  record.verdict = findings.differential.is_proven() ? findings.chain.verdict : findings.differential.verdict;
  add_note(record, findings.differential.reason);
  if (findings.chain.reason != findings.differential.reason)
    add_note(record, findings.chain.reason.empty() ? "" : "chain: " + findings.chain.reason);
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
  record.consumer = experiment.consumer->name;
  const Numbers measured{specimens, indices, findings, Witness::measured},
      schedule{specimens, indices, findings, Witness::schedule};
  for (const auto& [role, index, audit] :
       {std::tuple{"overhead", indices.overhead, &findings.overhead},
        std::tuple{"bracket", indices.bracket, &findings.bracket},
        std::tuple{"differential", indices.differential, &findings.differential},
        std::tuple{"differential base", indices.differential_base, &findings.differential_base},
        std::tuple{"chain", indices.chain, &findings.chain},
        std::tuple{"chain twice", indices.chain_twice, &findings.chain},
        std::tuple{"bridge", indices.bridge, &findings.bridge}}) {
    if (const auto* specimen = measured.specimen(index)) record.windows.push_back(to_record(role, *specimen, *audit));
  }

  const bool was_launched =
      std::any_of(specimens.begin(), specimens.end(), [](const Specimen& s) { return s.launch.has_value(); });
  const Numbers& leading = was_launched ? measured : schedule;
  const auto headline = choose(leading, leading.differential(), leading.chain());
  record.overhead = measured.overhead();
  record.bracket = measured.bracket();
  record.differential = measured.differential();
  record.chain = measured.chain();
  if (headline == Headline::chain) record.cycles = record.chain, record.static_cycles = schedule.chain();
  if (headline == Headline::differential)
    record.cycles = record.differential, record.static_cycles = schedule.differential();

  record.sass = !findings.differential.sass.empty() ? findings.differential.sass
                : findings.chain.is_proven()        ? findings.chain.sass
                                                    : findings.bracket.sass;
  record.sass_count = static_cast<int>(record.sass.size());
  if (headline == Headline::none) {
    explain_missing(record, findings);
    return record;
  }
  for (const auto& window : record.windows) {
    const bool ended_badly = window.verdict == Verdict::fault || window.verdict == Verdict::timeout;
    if (ended_badly) add_note(record, window.role + ": " + window.reason);
  }
  if (record.differential && record.chain && *record.differential != *record.chain) {
    add_note(record,
             fmt::format("{} to {}, {} in a chain", *record.differential, experiment.consumer->name, *record.chain));
  }
  const std::vector<const Specimen*> used =
      headline == Headline::chain
          ? std::vector{schedule.specimen(indices.chain), schedule.specimen(indices.chain_twice)}
          : std::vector{schedule.specimen(indices.differential)};
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
