// SPDX-License-Identifier: Apache-2.0
#include "loops/beside_loop.h"

#include <algorithm>
#include <map>

#include "latency/cells.h"
#include "loops/copy_loops.h"
#include "loops/patch.h"
#include "loops/saturated_kernel.h"
#include "sass/opcodes.h"

namespace ptxlat::loops {

namespace {

using Opcodes = std::vector<std::string>;

std::map<std::string, int> counts_of(const Opcodes& opcodes) {
  std::map<std::string, int> counts;
  for (const auto& opcode : opcodes) ++counts[opcode];
  return counts;
}

std::vector<Opcodes> proven_by_second(const Opcodes& one, const Opcodes& two) {
  const auto of_one = counts_of(one);
  auto more = counts_of(two);
  for (const auto& [opcode, count] : of_one) more[opcode] -= count;
  std::erase_if(more, [](const auto& entry) { return entry.second == 0; });
  if (more.empty() || std::any_of(more.begin(), more.end(), [](const auto& entry) { return entry.second < 0; }))
    return {};
  if (more.size() == 1 && more.begin()->second == 1) {
    const auto& opcode = more.begin()->first;
    if (const auto in_one = of_one.find(opcode); in_one != of_one.end() && in_one->second == 1) return {{opcode}};
    // In turn. The name alone says that: two comparisons of 16 bits can also become one, with a PRMT that packs them.
    const bool takes_turns = one.size() == 1 && sass::operation_of(one.front()) == sass::operation_of(opcode);
    return takes_turns ? std::vector<Opcodes>{one, {opcode}} : std::vector<Opcodes>{};
  }
  const auto is_move = [](const std::string& opcode) { return sass::has(opcode, sass::Trait::moves); };
  if (more != of_one || std::any_of(one.begin(), one.end(), is_move)) return {};
  return {one};
}

// How many of each opcode there are that does not only move, and how many moves.
struct Counts {
  std::map<std::string, int> of_others;
  int moves = 0;
};
Counts counts_without_moves(const Opcodes& opcodes) {
  Counts counts{counts_of(opcodes), 0};
  std::erase_if(counts.of_others, [&](const auto& entry) {
    const auto operation = sass::operation_of(entry.first);
    const bool is_move = operation == "MOV" || operation == "UMOV";
    counts.moves += is_move ? entry.second : 0;
    return is_move;
  });
  return counts;
}

// Whether a branch comes before the one that is never taken, after which the loop begins.
bool branches(const sass::Window& window) {
  const auto& code = window.instructions;
  const auto leaves = [](const auto& instruction) { return sass::changes_control_flow(instruction.text); };
  return std::count_if(code.begin(), std::find_if(code.begin(), code.end(), is_place), leaves) > 1;
}

}  // namespace

BesideLoopTrials add_beside_loop(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const isa::Variant& variant,
                                 const std::string& label) {
  BesideLoopTrials trials{latency::expand_differential(loaded, variant), {}, 0, 0};
  trials.of_differential = latency::add_trials(bench, trials.differential, label);
  const std::vector<isa::Variant> variants(2, variant);
  const auto add = [&](std::size_t count) {
    return bench.add(saturated_trial(loaded, std::span(variants).first(count), 1, Sources::own), label);
  };
  trials.one = add(1);
  trials.two = add(2);
  return trials;
}

Opcodes code_of_differential(const line::Bench& bench, const isa::Catalogue& catalogue, const isa::Variant& variant,
                             const BesideLoopTrials& trials) {
  const auto audits =
      latency::audit(catalogue, bench.batch(), trials.of_differential, variant, bench.level(), trials.differential);
  const auto& differential = audits[latency::Role::differential];
  return differential.is_proven() ? differential.sass : Opcodes{};
}

std::vector<Opcodes> code_beside_loop(const line::Bench& bench, const BesideLoopTrials& trials,
                                      const Opcodes& of_differential) {
  const auto& one = bench.batch().kernel_of(trials.one).window;
  const auto& two = bench.batch().kernel_of(trials.two).window;
  return one && two ? code_beside_loop(*one, *two, of_differential) : std::vector<Opcodes>{};
}

std::vector<Opcodes> code_beside_loop(const sass::Window& one, const sass::Window& two,
                                      const Opcodes& of_differential) {
  if (branches(one) || branches(two)) return {};
  const auto before_one = code_before_loop(one), before_two = code_before_loop(two);
  const auto opcodes = opcodes_of(before_one);
  const auto bare = opcodes_of(without_preparations(before_one));
  const bool is_of_differential = !opcodes.empty() && counts_of(opcodes) == counts_of(of_differential);
  // ptxas may pack what two instructions need into one (F2FP): then a second one adds only a part of the code.
  if (is_of_differential && bare.size() > 1) return {opcodes};
  if (auto proven = proven_by_second(opcodes, opcodes_of(before_two)); !proven.empty()) return proven;
  if (is_of_differential) return {opcodes};
  if (bare.empty() || bare.size() == opcodes.size()) return {};
  return proven_by_second(bare, opcodes_of(without_preparations(before_two)));
}

std::vector<Opcodes> code_with_moves(const line::Bench& bench, const BesideLoopTrials& trials) {
  const auto& one = bench.batch().kernel_of(trials.one).window;
  const auto& two = bench.batch().kernel_of(trials.two).window;
  return one && two ? code_with_moves(*one, *two) : std::vector<Opcodes>{};
}

std::vector<Opcodes> code_with_moves(const sass::Window& one, const sass::Window& two) {
  if (branches(one) || branches(two)) return {};
  const auto opcodes = opcodes_of(code_before_loop(one));
  auto of_one = counts_without_moves(opcodes);
  const auto of_two = counts_without_moves(opcodes_of(code_before_loop(two)));
  if (of_one.of_others.empty() || of_two.moves < of_one.moves) return {};
  for (auto& [opcode, count] : of_one.of_others) count *= 2;
  return of_one.of_others == of_two.of_others ? std::vector<Opcodes>{opcodes} : std::vector<Opcodes>{};
}

}  // namespace ptxlat::loops
