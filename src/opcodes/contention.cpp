// SPDX-License-Identifier: Apache-2.0
#include "opcodes/contention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/hash.h"
#include "loops/loop.h"
#include "loops/saturated_kernel.h"
#include "opcodes/pipes.h"
#include "opcodes/throughput.h"
#include "results/access_pattern.h"
#include "sass/opcodes.h"

namespace ptxlat::opcodes {

namespace {

constexpr int warps_of_pair = 16, warps_of_sub_partition = 4;

// How many copies of each take equally long, and together fill the body.
struct Shares {
  int a = 0, b = 0;
};
Shares shares_of(const ContentionPlan& plan) {
  const double of_a = *plan.b.interval / (*plan.a.interval + *plan.b.interval);
  constexpr int fewest = 4;
  const int a =
      std::clamp(static_cast<int>(std::lround(of_a * loops::places_of_body)), fewest, loops::places_of_body - fewest);
  return {a, loops::places_of_body - a};
}

// Whether the place is a's: spread evenly.
std::vector<bool> places_of_a(const Shares& shares) {
  std::vector<bool> is_a;
  for (int i = 0; i < loops::places_of_body; ++i)
    is_a.push_back((i + 1) * shares.a / loops::places_of_body > i * shares.a / loops::places_of_body);
  return is_a;
}

// The words of a loop in which some of the two opcodes are there, and otherwise instructions that do nothing.
struct Loops {
  sass::InstructionWord a, b;
  std::vector<bool> is_a;
  std::vector<sass::InstructionWord> words(bool with_a, bool with_b) const {
    std::vector<sass::InstructionWord> filled;
    for (const bool mine : is_a)
      filled.push_back(mine ? (with_a ? a : loops::nothing()) : (with_b ? b : loops::nothing()));
    return filled;
  }
};

void measure(line::Bench& bench, const ContentionPlan& plan, const std::vector<std::size_t>& trials,
             results::Record& record) {
  const auto fillable =
      loops::first_fillable(bench.batch(), trials, {{plan.a.name}, {plan.b.name}}, loops::places_of_body);
  const auto& codes = fillable.found.codes;
  if (const auto& problem = fillable.found.problem; !problem.empty()) {
    record.set_flag(results::flag::retry, fillable.assembler_failed);
    return results::give_up(record, fillable.is_assembled ? sass::Verdict::fused : sass::Verdict::rejected, problem);
  }
  if (loops::opcodes_of(codes[0]).front() != plan.a.name || loops::opcodes_of(codes[1]).front() != plan.b.name)
    return results::give_up(record, sass::Verdict::fused, "one of them is another opcode beside the other");
  if (!bench.measures()) return;
  const auto shares = shares_of(plan);
  const Loops loops{loops::copy_without_registers(codes[0].front()), loops::copy_without_registers(codes[1].front()),
                    places_of_a(shares)};
  ContentionTimes times;
  struct Timed {
    bool with_a, with_b;
    double* cycles;
  };
  for (const auto& [with_a, with_b, cycles] : {Timed{false, false, &times.nothing}, Timed{true, false, &times.work_a},
                                               Timed{false, true, &times.work_b}, Timed{true, true, &times.together}}) {
    const auto time = loops::time_loop(bench, fillable, loops.words(with_a, with_b), {warps_of_pair});
    if (time.cycles.empty()) return results::give_up(record, time.verdict, time.message);
    *cycles = time.cycles.front().middle;
  }
  // Copies alone that take no longer than nothing only say that they could be issued: their pipe needs what it needs
  // when nothing else is issued, or less, because these have no registers.
  const auto needed = [&](double alone, int copies, double interval) {
    constexpr double longer = 1.01;
    const double on_pipe = copies * interval * warps_of_sub_partition * loops::default_rounds;
    return alone > longer * times.nothing ? alone : std::min(alone, on_pipe);
  };
  times.work_a = needed(times.work_a, shares.a, *plan.a.interval);
  times.work_b = needed(times.work_b, shares.b, *plan.b.interval);
  const auto score = contention_of(times);
  record.set(results::metric::floor, times.nothing / times.together);
  record.set(results::metric::contention, score);
  if (!score) record.note = "issuing them takes as long as one pipe would";
}

bool has_address_or_tile(const isa::Catalogue& catalogue, const isa::Variant& variant) {
  const auto& operands = variant.form->operands;
  return std::any_of(operands.begin(), operands.end(), [&](const isa::Operand& operand) {
    return operand.count > 0 || isa::object_of(catalogue, *variant.input, operand) != nullptr;
  });
}

}  // namespace

std::vector<Opcode> opcodes_measured(const ptx::LoadedCatalogue& loaded, const std::vector<results::Record>& records) {
  std::map<std::string, const isa::Form*> forms;
  for (const auto& form : loaded.catalogue.forms) forms.emplace(form.ptx, &form);
  std::map<std::string, Opcode> opcodes;
  for (const bool is_stable : {true, false}) {
    for (const auto& record : records) {
      const auto form = forms.find(record.ptx);
      const auto interval = record.number(results::metric::interval);
      const bool is_wanted = is_stable ? interval.has_value() : record.find(results::metric::throughput_low) != nullptr;
      if (record.sass.size() != 1 || results::access_pattern_of(record) || !is_wanted || form == forms.end()) continue;
      // From another SM's memory, an opcode has another rate.
      if (form->second->cluster > 1) continue;
      const auto& name = record.sass.front();
      auto variant = isa::variants_of(*form->second).front();
      // Pairs are compared with the opcodes that do nothing.
      const bool is_paired =
          interval && !sass::has(name, sass::Trait::fills) && !has_address_or_tile(loaded.catalogue, variant);
      Opcode opcode{name, std::move(variant), interval, is_paired};
      const auto [place, is_new] = opcodes.try_emplace(name, opcode);
      const bool is_core = record.is_core || place->second.is_core;
      if (!is_new && is_paired && !place->second.is_paired) place->second = std::move(opcode);
      place->second.is_core = is_core;
    }
  }
  std::vector<Opcode> measured;
  for (auto& [name, opcode] : opcodes) measured.push_back(std::move(opcode));
  return measured;
}

std::vector<std::size_t> representatives_of(const std::vector<Opcode>& opcodes) {
  const auto alike = [](const Opcode& x, const Opcode& y) {
    constexpr double as_fast = 0.03;
    return x.interval && y.interval && sass::family_of(x.name) == sass::family_of(y.name) &&
           sass::names_pipe(x.name) == sass::names_pipe(y.name) &&
           std::abs(*x.interval - *y.interval) <= as_fast * *x.interval;
  };
  std::vector<std::size_t> by_length(opcodes.size());
  for (std::size_t i = 0; i < opcodes.size(); ++i) by_length[i] = i;
  std::stable_sort(by_length.begin(), by_length.end(),
                   [&](auto x, auto y) { return opcodes[x].name.size() < opcodes[y].name.size(); });
  std::vector<std::size_t> chosen, of(opcodes.size());
  for (const auto i : by_length) {
    const auto found =
        std::find_if(chosen.begin(), chosen.end(), [&](auto other) { return alike(opcodes[other], opcodes[i]); });
    of[i] = found == chosen.end() ? chosen.emplace_back(i) : *found;
  }
  return of;
}

std::vector<Opcode> examined(const std::vector<Opcode>& opcodes) {
  const auto of = representatives_of(opcodes);
  std::vector<Opcode> chosen;
  for (std::size_t i = 0; i < opcodes.size(); ++i) {
    if (opcodes[i].is_core || of[i] == i) chosen.push_back(opcodes[i]);
  }
  return chosen;
}

results::CellKey key_of(const ContentionPlan& plan) {
  return {results::RecordKind::contention, plan.a.name, plan.b.name, {}, plan.level, plan.recipe};
}

std::vector<ContentionPlan> plan_contention(const ptx::LoadedCatalogue& loaded, const std::vector<Opcode>& opcodes,
                                            int level) {
  std::vector<std::size_t> chosen;
  const auto of = representatives_of(opcodes);
  for (std::size_t i = 0; i < opcodes.size(); ++i) {
    if (of[i] == i && opcodes[i].is_paired) chosen.push_back(i);
  }
  std::vector<ContentionPlan> plan;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t j = i + 1; j < chosen.size(); ++j)
      plan.push_back({opcodes[chosen[i]], opcodes[chosen[j]], level, {}});
  }
  for (auto& pair : plan) {
    Hash hash;
    hash.add(std::string_view(opcodes_version));
    hash.add(loaded.skeletons.saturated.text);
    hash.add(loaded.skeletons.frame.text);
    hash.add(pair.a.variant.form->ptx + " " + pair.b.variant.form->ptx);
    pair.recipe = hash.text();
  }
  return plan;
}

std::vector<results::Record> ContentionMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  const auto begin = [](const ContentionPlan& plan) { return begun_with(plan, {plan.a.name, plan.b.name}); };
  const auto add = [&](const ContentionPlan& plan, results::Record& record) {
    std::vector<std::size_t> trials;
    const std::array variants = {plan.a.variant, plan.b.variant};
    try {
      for (const auto sources : {loops::Sources::shared, loops::Sources::own})
        trials.push_back(bench.add(loops::saturated_trial(loaded_, variants, loops::places_of_body, sources),
                                   plan.a.name + " " + plan.b.name));
    } catch (const Error& error) {
      results::give_up(record, sass::Verdict::no_dependency, error.what());
    }
    return trials;
  };
  return make_each(bench, chunk, begin, add, [&](const auto& plan, const auto& trials, results::Record& record) {
    if (!trials.empty()) measure(bench, plan, trials, record);
  });
}

}  // namespace ptxlat::opcodes
