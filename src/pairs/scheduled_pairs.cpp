// SPDX-License-Identifier: Apache-2.0
#include "pairs/scheduled_pairs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/parallel.h"
#include "pairs/hazard_kernel.h"
#include "results/note.h"
#include "sass/dataflow.h"
#include "sass/instruction.h"
#include "sass/opcodes.h"
#include "sass/results.h"

namespace ptxlat::pairs {

namespace {

using results::SassRecord;

std::vector<sass::RegisterUse> uses_of(const std::vector<SassRecord>& code) {
  std::vector<sass::RegisterUse> uses;
  for (const auto& one : code) uses.push_back(sass::register_use(one.text));
  return uses;
}

bool has(const std::vector<sass::Register>& registers, const sass::Register& reg) {
  return std::find(registers.begin(), registers.end(), reg) != registers.end();
}

// The slots where an instruction reads any of the registers, which are then read: "a", "a+b".
std::string slots_of(const SassRecord& reader, const sass::RegisterUse& use, std::set<sass::Register>& left) {
  std::set<std::string> slots;
  for (const auto& written : std::set(left)) {
    if (!has(use.reads, written) && !has(use.may_read, written)) continue;
    const auto slot = sass::slot_of(reader.text, written);
    if (slot.empty()) continue;
    left.erase(written);
    slots.insert(slot);
  }
  return fmt::format("{}", fmt::join(slots, "+"));
}

// The readers of what `code[from]` writes, before `end` and up to the instruction that overwrites it.
void add_pairs_from(const std::vector<SassRecord>& code, const std::vector<sass::RegisterUse>& uses, std::size_t from,
                    std::size_t end, std::vector<ScheduledPair>& pairs) {
  const auto results = sass::results_of(code[from].text);
  std::set<sass::Register> left(results.begin(), results.end());
  const bool waits = code[from].write_scoreboard != sass::ControlWord::no_scoreboard;
  int distance = 0;
  for (std::size_t at = from + 1; at < end && !left.empty(); ++at) {
    distance += code[at - 1].stall_count;
    const auto slots = slots_of(code[at], uses[at], left);
    if (!slots.empty())
      pairs.push_back({std::string(sass::opcode_of(code[from].text)), std::string(sass::opcode_of(code[at].text)),
                       slots, distance, waits, std::nullopt});
    if (uses[at].is_predicated) continue;
    for (const auto& written : uses[at].writes) left.erase(written);
  }
}

bool is_straight(const std::vector<SassRecord>& code) {
  return std::none_of(code.begin(), code.end(), [](const auto& one) { return sass::changes_control_flow(one.text); });
}

}  // namespace

std::vector<ScheduledPair> pairs_of(const results::WindowRecord& window) {
  std::vector<ScheduledPair> pairs;
  if (window.sass.size() < 4 || !is_straight(window.sass)) return pairs;
  const auto end = window.sass.size() - 1;  // the second clock
  const auto uses = uses_of(window.sass);
  for (std::size_t i = 1; i + 1 < end; ++i) add_pairs_from(window.sass, uses, i, end, pairs);
  if (!window.cycles) return pairs;
  const double excess = *window.cycles - window.static_cycles;
  const auto waiting = std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.waits; });
  for (auto& pair : pairs) {
    const bool took_excess = pair.waits && waiting == 1;
    if (excess == 0 || took_excess) pair.measured = pair.distance + excess;
  }
  return pairs;
}

std::vector<ScheduledPair> pairs_in_code(const std::vector<SassRecord>& code) {
  std::vector<ScheduledPair> pairs;
  const auto uses = uses_of(code);
  for (std::size_t begin = 0; begin < code.size();) {
    auto end = begin;
    while (end < code.size() && !sass::changes_control_flow(code[end].text)) ++end;
    for (auto i = begin; i < end; ++i) add_pairs_from(code, uses, i, std::min(end + 1, code.size()), pairs);
    begin = end + 1;
  }
  return pairs;
}

std::vector<ScheduledPair> scheduled_pairs(const std::vector<results::Record>& latency) {
  std::vector<std::vector<ScheduledPair>> of_records(latency.size());
  in_parallel(latency.size(), [&](std::size_t i) {
    const auto& record = latency[i];
    if (record.kind != results::RecordKind::latency || record.level == 0) return;
    for (const auto& window : record.windows) {
      if (window.verdict != sass::Verdict::proven) continue;
      auto found = pairs_of(window);
      std::move(found.begin(), found.end(), std::back_inserter(of_records[i]));
    }
  });
  std::vector<ScheduledPair> pairs;
  for (auto& found : of_records) std::move(found.begin(), found.end(), std::back_inserter(pairs));
  return pairs;
}

namespace {

using results::Pair;

// The read hazards that are known of some opcodes.
class KnownHazards {
 public:
  explicit KnownHazards(const std::vector<Pair>& pairs) {
    for (const auto& pair : pairs) {
      if (!pair.hazard || is_overwriting(pair)) continue;
      of_producer_[pair.producer].push_back(&pair);
      of_family_[std::string(sass::family_of(pair.producer))].push_back(&pair);
    }
  }

  bool has(const std::string& producer) const { return of_producer_.contains(producer); }

  // "before its slot b the hazard is 4"; empty if no hazard is known of the family.
  std::string beside(const Pair& pair) const {
    const auto own = of_producer_.find(pair.producer);
    if (own == of_producer_.end()) {
      const auto family = of_family_.find(std::string(sass::family_of(pair.producer)));
      if (family == of_family_.end()) return {};
      return fmt::format("of its family {} has the hazard {}", family->second.front()->producer,
                         range_of(family->second, family->second.front()->producer));
    }
    for (const auto* one : own->second) {
      if (one->consumer == pair.consumer) return fmt::format("in slot {} the hazard is {}", one->slot, *one->hazard);
    }
    for (const auto* one : own->second) {
      if (sass::family_of(one->consumer) == sass::family_of(pair.consumer))
        return fmt::format("before {} the hazard is {}", one->consumer, *one->hazard);
    }
    return fmt::format("before {} the hazard is {}", own->second.size() == 1 ? own->second.front()->consumer : "others",
                       range_of(own->second, pair.producer));
  }

 private:
  static std::string range_of(const std::vector<const Pair*>& pairs, const std::string& producer) {
    double least = *pairs.front()->hazard, most = least;
    for (const auto* pair : pairs) {
      if (pair->producer != producer) continue;
      least = std::min(least, *pair->hazard);
      most = std::max(most, *pair->hazard);
    }
    return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  }

  std::map<std::string, std::vector<const Pair*>> of_producer_, of_family_;
};

}  // namespace

Refusals refusals_of(const ptx::LoadedCatalogue& loaded) {
  Refusals refusals;
  for (const auto& form : loaded.catalogue.forms) {
    if (form.cuda) {
      refusals.emplace(form.ptx, "functions of CUDA C are not patched");
      continue;
    }
    const auto variants = isa::variants_of(form);
    if (variants.empty()) continue;
    if (auto reason = why_no_hazard(variants.front()); !reason.empty()) refusals.emplace(form.ptx, std::move(reason));
  }
  return refusals;
}

std::map<std::string, std::string> forms_of_opcodes(const std::vector<results::Record>& latency,
                                                    const Refusals& refusals) {
  std::map<std::string, std::string> forms;
  const auto rank = [&](const std::string& form) { return std::pair(refusals.contains(form), form.size()); };
  for (const auto& record : latency) {
    if (record.kind != results::RecordKind::latency || record.sass.size() != 1) continue;
    auto& form = forms[record.sass.front()];
    if (form.empty() || rank(record.ptx) < rank(form)) form = record.ptx;
  }
  return forms;
}

void explain_missing_hazards(std::vector<Pair>& pairs, const std::map<std::string, std::string>& forms,
                             const Refusals& refusals) {
  const KnownHazards known(pairs);
  const auto why = [&](const Pair& pair) -> std::string {
    if (known.has(pair.producer)) return "no patched window has this consumer and slot first";
    const auto form = forms.find(pair.producer);
    if (form == forms.end()) return "no form becomes it alone, and of longer code only the first pair is patched";
    const auto refused = refusals.find(form->second);
    if (refused != refusals.end()) return fmt::format("{}: {}", form->second, refused->second);
    return fmt::format("{} was not patched", form->second);
  };
  for (auto& pair : pairs) {
    const bool is_read = pair.verdict == "scheduled" || pair.verdict == "waits";
    if (!is_read || pair.hazard || !pair.note.empty()) continue;
    pair.note = fmt::format("no hazard: {}", why(pair));
    results::add_note(pair.note, known.beside(pair));
  }
}

namespace {

// A patched pair's measurement says more than the reason why a different one was not patched.
bool says_more(const Pair& pair) { return pair.measured && pair.is_patched; }

}  // namespace

std::string hazard_note(const std::string& opcode, std::optional<double> latency, const std::vector<Pair>& pairs) {
  const Pair* nearest = nullptr;
  const Pair* unknown = nullptr;
  for (const auto& pair : pairs) {
    if (pair.producer != opcode || is_overwriting(pair)) continue;
    if (pair.hazard && (nearest == nullptr || *pair.hazard < *nearest->hazard)) nearest = &pair;
    if (!pair.hazard && (unknown == nullptr || (says_more(pair) && !says_more(*unknown)))) unknown = &pair;
  }
  if (nearest == nullptr) return unknown == nullptr ? "" : unknown->note;
  if (!latency || *latency == *nearest->hazard) return {};
  if (nearest->verdict == "waits")
    return fmt::format("the value is there after {} cycles; {} with the wait for its scoreboard", *nearest->hazard,
                       *latency);
  return fmt::format("the hazard is before {} in slot {}, the latency of {} to another consumer", nearest->consumer,
                     nearest->slot, *latency);
}

}  // namespace ptxlat::pairs
