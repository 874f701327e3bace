#include "snippet/method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "latency/cells.h"
#include "latency/estimate.h"
#include "sass/audit.h"
#include "sass/path.h"

namespace ptxlat::snippet {

namespace {

using latency::CellWork;
using latency::Role;

constexpr char issue_of_the_whole[] = "its issue cost is the whole snippet's";

}  // namespace

Plan plan(const Snippet& snippet, const isa::Catalogue& catalogue) {
  Plan made;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < snippet.instructions.size(); ++i) {
    if (snippet.live[i]) all.push_back(i);
  }
  if (snippet.results.empty()) {
    const bool is_alone = snippet.instructions.size() == 1 && snippet.flows.front().ties.empty();
    if (!is_alone)
      fail(snippet.name, snippet.instructions.front().statement->place,
           "no register is a result: nothing can wait for this");
    made.forms.push_back(std::make_unique<SnippetForm>(form_without_result(snippet)));
    made.pairs.push_back({{}, {}, made.forms.back().get(), {}, nullptr, {}});
    return made;
  }
  for (const auto result : snippet.results) {
    made.forms.push_back(std::make_unique<SnippetForm>(form_of(snippet, all, result, catalogue)));
    const auto* whole = made.forms.back().get();
    const auto& result_name = snippet.values[result].name;
    // Nothing goes in: what comes out takes its time all the same.
    if (snippet.sources.empty()) made.pairs.push_back({{}, result_name, whole, {}, nullptr, {}});
    for (const auto source : snippet.sources) {
      Pair pair{snippet.values[source].name, result_name, nullptr, {}, nullptr, {}};
      const auto between = path(snippet, source, result);
      if (!between.empty()) {
        pair.whole = whole;
        pair.operand = whole->operand_of.at(source);
        if (between.size() < all.size()) {
          auto alone = std::make_unique<SnippetForm>(form_of(snippet, between, result, catalogue));
          alone->form.not_streamable = issue_of_the_whole;
          pair.operand_alone = alone->operand_of.at(source);
          pair.alone = alone.get();
          made.forms.push_back(std::move(alone));
        }
      }
      made.pairs.push_back(std::move(pair));
    }
  }
  return made;
}

namespace {

// Which of the kernel's loads, before the first clock, bring the operand.
std::vector<int> loads_of(const std::string& kernel_text, const std::string& operand) {
  std::vector<int> loads;
  int load = 0;
  const auto end = kernel_text.find("mov.u32 %clock_1");
  for (auto at = kernel_text.find(" ld."); at < end; at = kernel_text.find(" ld.", at + 1)) {
    const auto line = kernel_text.substr(at + 1, kernel_text.find(';', at) - at - 1);
    if (line.substr(0, line.find(' ')).find(".global") == std::string::npos) continue;
    const auto name = line.substr(line.find(' ') + 1, line.find(',') - line.find(' ') - 1);
    for (const char* prefix : {"%v_", "%word_v_", "%lower_v_", "%upper_v_", "%sum_v_"}) {
      const auto stem = prefix + operand;
      if (name == stem || name == stem + "_offset" || name == "%word_" + operand) {
        loads.push_back(load);
        break;
      }
    }
    ++load;
  }
  return loads;
}

bool is_proven(const CellWork& work) { return work.record.verdict == sass::Verdict::proven; }

// A window with a consumer, and the consumer's alone.
//   loads  of an operand's registers, before the first clock; all of them if no operand is named
struct Windows {
  const line::AssembledKernel* with = nullptr;
  const line::AssembledKernel* without = nullptr;
  std::string kernel_text;

  bool are_there() const { return with != nullptr && without != nullptr && with->window && without->window; }

  // What is between the operand and the consumer. Empty where the registers do not tell.
  std::optional<std::vector<std::string>> path(const std::optional<std::string>& operand,
                                               sass::Moves moves = sass::Moves::without) const {
    if (!are_there()) return std::nullopt;
    std::vector<int> loads(static_cast<std::size_t>(with->operand_loads));
    std::iota(loads.begin(), loads.end(), 0);
    if (operand) loads = loads_of(kernel_text, *operand);
    return sass::path_opcodes(*with->window, *without->window, with->operand_loads, loads, moves);
  }
  std::vector<std::string> sass() const {
    return are_there() ? sass::added_opcodes(*with->window, *without->window) : std::vector<std::string>{};
  }
};

// Those of the differential. None where a loop leaves them empty.
Windows windows_of(const line::Bench& bench, const CellWork& work) {
  if (!work.experiment || work.experiment->frame != ptx::Frame::loop || !work.trials[Role::differential]) return {};
  const auto& batch = bench.batch();
  return {&batch.kernel_of(*work.trials[Role::differential]), &batch.kernel_of(*work.trials[Role::differential_base]),
          work.experiment->trials[Role::differential].kernel.text};
}

// The whole snippet's window with another consumer: that which the path by itself was proven with.
struct Reference {
  std::size_t with = 0, without = 0;
  std::string kernel_text;

  Windows windows(const line::Bench& bench) const {
    return {&bench.batch().kernel_of(with), &bench.batch().kernel_of(without), kernel_text};
  }
};
Reference add_reference(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const CellWork& whole,
                        const isa::Consumer* consumer) {
  auto experiment = latency::expand(loaded, whole.plan->variant, consumer);
  const auto& label = whole.plan->variant.form->ptx;
  return {bench.add(experiment.trials[Role::differential], label),
          bench.add(experiment.trials[Role::differential_base], label),
          experiment.trials[Role::differential].kernel.text};
}

// A snippet and the part of it that is on a path, both made.
struct Made {
  const CellWork& whole;
  const CellWork& alone;
  const Pair& pair;
  Windows own;        // of the whole
  Windows reference;  // of the whole with the consumer of `alone`
  Windows by_itself;

  std::optional<std::vector<std::string>> path_in_the_snippet() const { return reference.path(pair.operand); }
  std::optional<std::vector<std::string>> path_alone() const { return by_itself.path(pair.operand_alone); }

  // Which of both has the path in its windows and nothing else; empty, with the reason, if neither has.
  const CellWork* chosen(std::string& why) const {
    const auto all_of_it = own.path(pair.operand);
    if (all_of_it && is_proven(whole) && sass::same_operations(*all_of_it, whole.audits[Role::differential].sass))
      return &whole;
    if (!is_proven(alone)) return &alone;
    const auto path = path_in_the_snippet(), itself = path_alone();
    const bool is_the_same = !path || !itself || sass::same_operations(*path, *itself);
    if (is_the_same && sass::has_operations(reference.sass(), alone.record.sass)) return &alone;
    const auto words = [](const std::vector<std::string>& opcodes) {
      return opcodes.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(opcodes, ";"));
    };
    why = fmt::format("in the snippet {} to {} is {}, by itself it would be {}: no window holds just that", pair.source,
                      pair.result, words(path ? *path : reference.sass()),
                      words(is_the_same || !itself ? alone.record.sass : *itself));
    return nullptr;
  }
};

void remove_note(results::Record& record, const std::string& note) {
  for (const auto& text : {"; " + note, note + "; ", note}) {
    if (const auto at = record.note.find(text); at != std::string::npos) {
      record.note.erase(at, text.size());
      return;
    }
  }
}

// The streams of another record, and what they say.
void take_issue_of(results::Record& record, const results::Record& whole) {
  remove_note(record, fmt::format("no stream: {}", issue_of_the_whole));
  std::erase_if(record.windows, [](const auto& window) { return window.role.starts_with("stream"); });
  for (const auto& window : whole.windows) {
    if (window.role.starts_with("stream")) record.windows.push_back(window);
  }
  const auto* issue = whole.find(results::metric::issue);
  record.set(results::metric::issue, whole.number(results::metric::issue),
             issue == nullptr ? std::vector<std::string>{} : issue->from);
}

// A window may hold less of an access than the snippet asks for: of what nothing needs ptxas loads less.
void check_accesses(results::Record& record, int bytes) {
  if (record.verdict != sass::Verdict::proven || bytes == 0) return;
  const auto reason = sass::narrowed_access(record.sass, bytes);
  if (reason.empty()) return;
  record.verdict = sass::Verdict::elided;
  record.note = reason;
  record.metrics.clear();
  record.measure.reset();
}

void add_note(results::Record& record, const std::string& note) {
  record.note += (record.note.empty() ? "" : "; ") + note;
}

// The window begins when all sources are ready. What comes from others alone and is on no path from this one may make
// the result late.
void note_other_sources(results::Record& record, const Windows& windows, const std::string& operand) {
  if (operand.empty() || record.level == 0 || record.consumer == results::itself) return;
  const auto own = windows.path(operand, sass::Moves::with), all = windows.path(std::nullopt, sass::Moves::with);
  if (!own || !all || own->size() == all->size()) return;
  auto others = *all;
  for (const auto& opcode : *own) {
    if (const auto found = std::find(others.begin(), others.end(), opcode); found != others.end()) others.erase(found);
  }
  add_note(record, fmt::format("with what comes from other sources alone: {}", fmt::join(others, ";")));
}

// What is known of a pair whose path is a part of the snippet.
results::Record record_of_path(const Made& made) {
  std::string why;
  const auto* chosen = made.chosen(why);
  if (chosen == nullptr) {
    auto record = latency::record_without_experiment(*made.alone.plan, sass::Verdict::fused, why);
    record.windows = made.whole.record.windows;
    take_issue_of(record, made.whole.record);
    return record;
  }
  auto record = chosen->record;
  if (chosen == &made.alone) {
    const auto path = made.path_in_the_snippet(), itself = made.path_alone();
    if (path && itself && !sass::same_opcodes(*path, *itself)) {
      add_note(record, fmt::format("on different pipes in the snippet: {}", fmt::join(*path, ";")));
    }
  }
  const auto& form = chosen == &made.whole ? *made.pair.whole : *made.pair.alone;
  check_accesses(record, form.bytes);
  if (chosen != &made.whole) take_issue_of(record, made.whole.record);
  if (chosen == &made.whole) {
    note_other_sources(record, made.own, made.pair.operand);
  } else {
    note_other_sources(record, made.by_itself, made.pair.operand_alone);
  }
  return record;
}

}  // namespace

std::vector<results::Record> SnippetMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  std::vector<latency::CellPlan> plans;
  const auto add_plan = [&](const SnippetForm& form, const std::string& operand, int level) {
    plans.push_back({{&form.form, operand, &form.form.inputs.front()}, level, {}, 0});
  };
  for (const auto& cell : chunk) {
    const auto& [pair, level] = pairs_[cell.number];
    add_plan(*pair->whole, pair->operand, level);
    if (pair->alone != nullptr) add_plan(*pair->alone, pair->operand_alone, level);
  }
  std::vector<const latency::CellPlan*> cells;
  for (const auto& plan : plans) cells.push_back(&plan);
  const auto works = latency::make_cells(loaded_, bench, cells);
  // What a path by itself is compared with.
  std::map<std::size_t, Reference> references;
  for (std::size_t i = 0, next = 0; i < chunk.size(); ++i) {
    const auto& whole = works[next++];
    if (pairs_[chunk[i].number].pair->alone == nullptr) continue;
    const auto& alone = works[next++];
    if (is_proven(alone) && alone.experiment)
      references[i] = add_reference(loaded_, bench, whole, alone.experiment->consumer);
  }
  if (!references.empty()) bench.assemble();
  std::vector<results::Record> records;
  for (std::size_t i = 0, next = 0; i < chunk.size(); ++i) {
    const auto& pair = *pairs_[chunk[i].number].pair;
    const auto& whole = works[next++];
    auto record = whole.record;
    if (pair.alone == nullptr) {
      check_accesses(record, pair.whole->bytes);
      if (pair.whole->form.is_block) note_other_sources(record, windows_of(bench, whole), pair.operand);
    } else {
      const auto& alone = works[next++];
      const auto reference = references.find(i);
      record = record_of_path({whole, alone, pair, windows_of(bench, whole),
                               reference == references.end() ? Windows{} : reference->second.windows(bench),
                               windows_of(bench, alone)});
    }
    record.operand = pair.source;
    record.input = pair.result;
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace ptxlat::snippet
