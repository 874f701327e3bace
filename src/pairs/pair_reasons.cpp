// SPDX-License-Identifier: Apache-2.0
#include "pairs/pair_reasons.h"

#include <fmt/format.h>

#include <algorithm>

#include "pairs/hazard_kernel.h"
#include "results/note.h"
#include "sass/opcodes.h"

namespace ptxlat::pairs {

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

// What a patched pair showed says more than why a different one was not patched.
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
