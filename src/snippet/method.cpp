// SPDX-License-Identifier: Apache-2.0
#include "snippet/method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

#include "latency/cells.h"
#include "latency/estimate.h"
#include "latency/operand_path.h"
#include "ptx/instruction.h"
#include "results/note.h"
#include "sass/audit.h"
#include "sass/opcodes.h"
#include "sass/path.h"
#include "snippet/write.h"

namespace ptxlat::snippet {

namespace {

using latency::CellWork;
using latency::Role;

// The path, and what makes its literals, which are a part of its code.
std::vector<std::size_t> with_constants(const Snippet& snippet, const std::vector<std::size_t>& path) {
  std::set<std::size_t> all(path.begin(), path.end());
  for (const auto i : path) {
    for (const auto needed : needed_for(snippet, snippet.flows[i].reads)) {
      if (makes_constant(snippet, needed)) all.insert(needed);
    }
  }
  return {all.begin(), all.end()};
}

// The path, and the instructions that make the values that join it, except loads: nothing is merged with a load.
std::vector<std::size_t> with_producers(const Snippet& snippet, const std::vector<std::size_t>& path) {
  std::set<std::size_t> wider(path.begin(), path.end());
  for (const auto i : path) {
    for (const auto value : snippet.flows[i].reads) {
      const auto& definition = snippet.values[value].definition;
      if (definition && !loads(snippet.instructions[*definition])) wider.insert(*definition);
    }
  }
  return {wider.begin(), wider.end()};
}

// Makes the forms of a snippet's pairs.
struct Planner {
  const Snippet& snippet;
  const isa::Catalogue& catalogue;
  Plan made = {};

  SnippetForm& add(SnippetForm form) {
    made.forms.push_back(std::make_unique<SnippetForm>(std::move(form)));
    return *made.forms.back();
  }

  Part part_of(SnippetForm form, std::size_t source) {
    form.form.is_streamed = false;
    form.form.not_streamable.clear();
    const auto operand = form.operand_of.at(source);
    return {&add(std::move(form)), operand};
  }

  void add_pair(std::size_t source, std::size_t result, const SnippetForm& whole, const std::vector<std::size_t>& all) {
    Pair pair{snippet.values[source].name, snippet.values[result].name};
    if (const auto between = with_constants(snippet, path(snippet, source, result)); !between.empty()) {
      pair.whole = {&whole, whole.operand_of.at(source)};
      auto widest = all;
      if (between.size() < all.size()) {
        pair.alone = part_of(form_of(snippet, between, result, catalogue), source);
        widest = with_producers(snippet, between);
        if (widest.size() > between.size() && widest.size() < all.size())
          pair.wider = part_of(form_of(snippet, widest, result, catalogue), source);
      }
      const auto& keeping = widest.size() == all.size() ? whole : *(pair.wider.form ? pair.wider : pair.alone).form;
      auto merged = form_of(snippet, widest, result, catalogue, false);
      if (merged.form.operands.size() < keeping.form.operands.size()) pair.merged = part_of(std::move(merged), source);
    }
    made.pairs.push_back(std::move(pair));
  }
};

}  // namespace

Plan plan(const Snippet& snippet, const isa::Catalogue& catalogue) {
  Planner planner{snippet, catalogue};
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < snippet.instructions.size(); ++i) {
    if (snippet.live[i]) all.push_back(i);
  }
  if (snippet.results.empty()) {
    const bool is_alone = snippet.instructions.size() == 1 && snippet.flows.front().ties.empty();
    const auto written = std::find_if(snippet.values.rbegin(), snippet.values.rend(),
                                      [](const Value& value) { return value.definition.has_value(); });
    if (!is_alone)
      fail(snippet.name, snippet.instructions.front().statement->place,
           "no register is a result: the snippet reads again or stores all that it writes",
           written == snippet.values.rend() ? std::string() : "name one: --result " + written->name);
    planner.made.forms.push_back(std::make_unique<SnippetForm>(form_without_result(snippet)));
    planner.made.pairs.push_back({{}, {}, {planner.made.forms.back().get(), {}}});
  }
  for (const auto result : snippet.results) {
    const auto& whole = planner.add(form_of(snippet, all, result, catalogue));
    // There are no sources, but the result takes time nevertheless.
    if (snippet.sources.empty()) planner.made.pairs.push_back({{}, snippet.values[result].name, {&whole, {}}});
    for (const auto source : snippet.sources) planner.add_pair(source, result, whole, all);
  }
  return std::move(planner.made);
}

namespace {

bool is_proven(const CellWork& work) { return work.record.verdict == sass::Verdict::proven; }

// A window with a consumer, and the consumer's alone.
//   operand_loads  of the kernel with a consumer
struct Windows {
  const line::AssembledKernel* with = nullptr;
  const line::AssembledKernel* without = nullptr;
  std::vector<std::string> operand_loads;

  bool are_there() const { return with != nullptr && without != nullptr && with->window && without->window; }

  // The opcodes between the operand and the consumer. Empty if the registers do not show them.
  std::optional<std::vector<std::string>> path(const std::string& operand) const {
    if (!are_there()) return std::nullopt;
    const auto loads = latency::loads_of(operand_loads, {operand, {}});
    return sass::path_opcodes(*with->window, *without->window, with->operand_loads, loads);
  }
  // All that the consumer needs: the path, and what joins it.
  std::vector<std::string> needed(const std::string& operand) const {
    if (!are_there()) return {};
    const auto loads = latency::loads_of(operand_loads, {operand, {}});
    const auto path = sass::operand_path(*with->window, *without->window, with->operand_loads, loads);
    if (!path) return {};
    auto all = path->opcodes;
    for (const auto* beside : {&path->before, &path->among}) all.insert(all.end(), beside->begin(), beside->end());
    return all;
  }
  std::vector<std::string> sass() const {
    return are_there() ? sass::added_opcodes(*with->window, *without->window) : std::vector<std::string>{};
  }
};

// The windows of the differential. Empty if the assembler leaves nothing in them in a loop.
Windows windows_of(const line::Bench& bench, const CellWork& work) {
  if (!work.experiment || work.experiment->frame != ptx::Frame::loop || !work.trials[Role::differential]) return {};
  const auto& batch = bench.batch();
  return {&batch.kernel_of(*work.trials[Role::differential]), &batch.kernel_of(*work.trials[Role::differential_base]),
          work.experiment->trials[Role::differential].kernel.operand_loads};
}

// The whole snippet's window with a different consumer: the one with which the path alone was proven.
struct Reference {
  std::size_t with = 0, without = 0;
  std::vector<std::string> operand_loads;

  Windows windows(const line::Bench& bench) const {
    return {&bench.batch().kernel_of(with), &bench.batch().kernel_of(without), operand_loads};
  }
};
Reference add_reference(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const CellWork& whole,
                        const isa::Consumer* consumer) {
  auto experiment = latency::expand(loaded, whole.plan->variant, consumer);
  const auto& label = whole.plan->variant.form->ptx;
  return {bench.add(experiment.trials[Role::differential], label),
          bench.add(experiment.trials[Role::differential_base], label),
          experiment.trials[Role::differential].kernel.operand_loads};
}

// An experiment that was made for a pair; without `work` if there is none.
struct Candidate {
  const Part* part = nullptr;
  const CellWork* work = nullptr;
  Windows windows = {};

  std::optional<std::vector<std::string>> path() const { return windows.path(part->operand); }
  // It is proven, and everything in its window is on the path.
  bool is_all_path() const {
    const auto on_path = path();
    return on_path && is_proven(*work) && sass::same_operations(*on_path, work->audits[Role::differential].sass);
  }
  // Its number is that of the path, and what else is in its window only joins that.
  bool measures_path() const {
    return is_proven(*work) && work->record.measure == results::Measure::dependent &&
           sass::same_operations(windows.needed(part->operand), work->audits[Role::differential].sass);
  }
};

// The experiments of a pair. If its path is the whole snippet, there is no `alone`.
//   reference  the whole's windows, with the consumer of `alone` if that is proven
struct Candidates {
  const Pair& pair;
  Candidate whole, alone, wider, merged;
  Windows reference;

  // The opcodes that the snippet has between source and result.
  std::optional<std::vector<std::string>> path() const { return reference.path(pair.whole.operand); }

  // If the registers do not show the path, it is enough that the snippet contains all of it.
  bool has_its_code() const {
    const auto on_path = path(), itself = alone.path();
    const bool is_the_same = !on_path || !itself || sass::same_operations(*on_path, *itself);
    return is_the_same && sass::has_operations(reference.sass(), alone.work->record.sass);
  }

  // The whole, or the path alone, if its windows have the path as the snippet has it, and nothing else.
  const Candidate* plain() const {
    if (whole.is_all_path()) return &whole;
    return alone.work != nullptr && is_proven(*alone.work) && has_its_code() ? &alone : nullptr;
  }

  // The one whose windows have the path as the snippet has it. If none has, null, or one that has the reason.
  const Candidate* chosen() const {
    if (const auto* found = plain()) return found;
    const auto on_path = path();
    const auto has_it = [&](const Candidate& other) {
      const auto itself = other.path();
      return other.work != nullptr && on_path && !on_path->empty() && itself &&
             sass::same_operations(*on_path, *itself);
    };
    for (const auto* other : {&wider, &merged}) {
      if (has_it(*other) && other->is_all_path()) return other;
    }
    if (alone.work == nullptr) return &whole;
    for (const auto* other : {&wider, &merged, &whole}) {
      if (has_it(*other) && other->measures_path()) return other;
    }
    // The assembler has put other code among the path: the number is that of both, the less of it the better.
    for (const auto* other : {&wider, &merged, &whole}) {
      if (has_it(*other) && is_proven(*other->work)) return other;
    }
    return is_proven(*alone.work) ? nullptr : &alone;
  }

  std::string why_none() const {
    const auto words = [](const std::vector<std::string>& opcodes) {
      return opcodes.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(opcodes, ";"));
    };
    return fmt::format("in the snippet {} to {} is {}, by itself it would be {}: no window contains exactly that",
                       pair.source, pair.result, words(path().value_or(reference.sass())),
                       words(alone.path().value_or(alone.work->record.sass)));
  }
};

// Copies of a snippet without a proven window (several results) are compared with the opcodes between its clocks: with
// many sources, the copies share registers, and the assembler makes shared parts only once.
bool shares_work(const CellWork& work) {
  const auto& all = work.audits[Role::differential].sass;
  const auto count = std::count_if(all.begin(), all.end(), [](const std::string& opcode) {
    return sass::canonical_opcode(opcode) != "MOV" && !sass::has(opcode, sass::Trait::bookkeeping);
  });
  return std::ssize(work.audits[Role::stream].sass) < count;
}

// The streams of a different record, and their numbers.
void take_issue_of(results::Record& record, const CellWork& work) {
  const auto& whole = work.record;
  if (whole.has_flag(results::flag::retry)) record.add_flag(results::flag::retry);
  std::erase_if(record.windows, [](const auto& window) { return latency::is_stream(window.role); });
  for (const auto& window : whole.windows) {
    if (latency::is_stream(window.role)) record.windows.push_back(window);
  }
  if (shares_work(work)) {
    record.set(results::metric::issue, std::nullopt);
    record.add_flag(results::flag::no_issue);
    results::add_note(record.note, "no issue: too long for copies that share nothing");
    return;
  }
  const auto* issue = whole.find(results::metric::issue);
  record.set(results::metric::issue, whole.number(results::metric::issue),
             issue == nullptr ? std::vector<std::string>{} : issue->from);
}

// A window may have a narrower access than the snippet: ptxas does not load what nothing needs.
void check_accesses(results::Record& record, int bytes) {
  if (record.verdict != sass::Verdict::proven || bytes == 0) return;
  const auto reason = sass::narrowed_access(record.sass, bytes);
  if (reason.empty()) return;
  results::give_up(record, sass::Verdict::elided, reason);
  record.metrics.clear();
  record.measure.reset();
}

results::Record record_of(const Candidates& candidates) {
  const auto* chosen = candidates.chosen();
  const auto& whole = candidates.whole.work->record;
  if (befalls_the_whole(whole.verdict)) return whole;
  if (chosen == nullptr) {
    auto record =
        latency::record_without_experiment(*candidates.alone.work->plan, sass::Verdict::fused, candidates.why_none());
    record.windows = whole.windows;
    take_issue_of(record, *candidates.whole.work);
    return record;
  }
  auto record = chosen->work->record;
  check_accesses(record, chosen->part->form->bytes);
  const auto on_path = candidates.path(), itself = chosen->path();
  const bool has_more = candidates.alone.work != nullptr && chosen != &candidates.alone && !chosen->is_all_path();
  if (has_more && itself) {
    record.sass = *itself;  // the rest of its windows is not measured
    record.sass_count = static_cast<int>(record.sass.size());
  }
  if (chosen != &candidates.whole) {
    take_issue_of(record, *candidates.whole.work);
    if (is_proven(*chosen->work) && on_path && itself && !sass::same_opcodes(*on_path, *itself))
      results::add_note(record.note, fmt::format("on different pipes in the snippet: {}", fmt::join(*on_path, ";")));
  }
  return record;
}

// What the assembler says about the first kernel that it rejected, of those that prove something; empty if none.
std::string log_of_rejected(const line::Bench& bench, const CellWork& work) {
  for (const Role role : {Role::differential, Role::differential_base, Role::chain, Role::chain_twice, Role::stream}) {
    if (!work.trials[role]) continue;
    const auto& kernel = bench.batch().kernel_of(*work.trials[role]);
    if (!kernel.cubin) return kernel.log;
  }
  return {};
}

// The pairs of a chunk in progress.
class Pairs {
 public:
  Pairs(const ptx::LoadedCatalogue& loaded, const Snippet& snippet, line::Bench& bench, std::vector<PairAtLevel> pairs)
      : loaded_(loaded), snippet_(snippet), bench_(bench), pairs_(std::move(pairs)) {}

  std::vector<results::Record> make() {
    const auto every = [](std::size_t) { return true; };
    make_cells({{&Pair::whole, &whole_}, {&Pair::alone, &alone_}}, every);
    add_references();
    // Only few paths are merged with the values that join them.
    make_cells({{&Pair::wider, &wider_}, {&Pair::merged, &merged_}},
               [&](std::size_t i) { return candidates(i).plain() == nullptr; });
    std::vector<results::Record> records;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const auto& pair = *pairs_[i].pair;
      const auto all = candidates(i);
      const auto* chosen = all.chosen();
      records.push_back(record_of(all));
      auto log = log_of_rejected(bench_, whole_.at(i));
      if (log.empty() && chosen != nullptr) log = log_of_rejected(bench_, *chosen->work);
      name_place(records.back(), snippet_, log);
      records.back().operand = pair.source;
      records.back().input = pair.result;
    }
    return records;
  }

 private:
  using Works = std::map<std::size_t, CellWork>;  // by pair

  // A part of pairs, and the destination of its experiments.
  struct Wanted {
    Part Pair::*part;
    Works* works;
  };

  // Makes the experiments of these parts together, for each pair that has and needs them.
  template <class IsNeeded>
  void make_cells(const std::vector<Wanted>& wanted, const IsNeeded& is_needed) {
    std::vector<std::pair<Works*, std::size_t>> made;
    std::vector<const latency::CellPlan*> cells;
    for (const auto& [part, works] : wanted) {
      for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const auto& [form, operand] = pairs_[i].pair->*part;
        if (form == nullptr || !is_needed(i)) continue;
        plans_.push_back({{&form->form, operand, &form->form.inputs.front()}, pairs_[i].level, {}, 0});
        cells.push_back(&plans_.back());
        made.emplace_back(works, i);
      }
    }
    if (cells.empty()) return;
    auto cell_works = latency::make_cells(loaded_, bench_, cells);
    for (std::size_t i = 0; i < made.size(); ++i) made[i].first->emplace(made[i].second, std::move(cell_works[i]));
  }

  void add_references() {
    for (const auto& [i, alone] : alone_) {
      if (is_proven(alone) && alone.experiment)
        references_[i] = add_reference(loaded_, bench_, whole_.at(i), alone.experiment->consumer);
    }
    if (!references_.empty()) bench_.assemble();
  }

  Candidate candidate(const Part& part, const Works& works, std::size_t i) const {
    const auto found = works.find(i);
    if (found == works.end()) return {&part};
    return {&part, &found->second, windows_of(bench_, found->second)};
  }
  Candidates candidates(std::size_t i) const {
    const auto& pair = *pairs_[i].pair;
    const auto reference = references_.find(i);
    const auto whole = candidate(pair.whole, whole_, i);
    return {pair,
            whole,
            candidate(pair.alone, alone_, i),
            candidate(pair.wider, wider_, i),
            candidate(pair.merged, merged_, i),
            reference == references_.end() ? whole.windows : reference->second.windows(bench_)};
  }

  const ptx::LoadedCatalogue& loaded_;
  const Snippet& snippet_;
  line::Bench& bench_;
  std::vector<PairAtLevel> pairs_;
  std::deque<latency::CellPlan> plans_;  // works point to them
  Works whole_, alone_, wider_, merged_;
  std::map<std::size_t, Reference> references_;
};

}  // namespace

bool befalls_the_whole(sass::Verdict verdict) {
  constexpr std::array ends = {sass::Verdict::rejected, sass::Verdict::unsupported, sass::Verdict::fault,
                               sass::Verdict::timeout};
  return std::find(ends.begin(), ends.end(), verdict) != ends.end();
}

std::vector<results::Record> SnippetMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  std::vector<PairAtLevel> pairs;
  for (const auto& cell : chunk) pairs.push_back(pairs_[cell.number]);
  return Pairs(loaded_, snippet_, bench, std::move(pairs)).make();
}

}  // namespace ptxlat::snippet
