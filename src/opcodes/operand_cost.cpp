// SPDX-License-Identifier: Apache-2.0
#include "opcodes/operand_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "base/error.h"
#include "base/hash.h"
#include "base/named_values.h"
#include "line/window_record.h"
#include "loops/loop.h"
#include "loops/rates.h"
#include "loops/saturated_kernel.h"
#include "opcodes/throughput.h"

namespace ptxlat::opcodes {

namespace {

constexpr NamedValues<OperandKind, 4> kind_names = {{
    {OperandKind::constant, "constant"},
    {OperandKind::immediate, "immediate"},
    {OperandKind::uniform, "uniform"},
    {OperandKind::predicate, "predicate"},
}};

// The last source that is a value in its own register; nullptr if there is none.
const isa::Operand* last_source(const isa::Catalogue& catalogue, const isa::Variant& variant) {
  const isa::Operand* last = nullptr;
  for (const auto& operand : variant.form->operands) {
    const bool is_value = isa::is_source(operand) && !operand.is_inout && operand.count == 0 &&
                          isa::register_bits(operand.type) >= 16 &&  // not a predicate or a literal
                          isa::object_of(catalogue, *variant.input, operand) == nullptr &&
                          !isa::value_of(catalogue, *variant.form, *variant.input, operand).is_known_to_compiler;
    if (is_value) last = &operand;
  }
  return last;
}

bool has_such_an_operand(const isa::Catalogue& catalogue, const isa::Variant& variant, OperandKind kind) {
  if (kind == OperandKind::predicate) return !variant.form->is_block && variant.input->around.empty();
  const auto* last = last_source(catalogue, variant);
  if (last == nullptr || variant.form->is_block || isa::register_bits(last->type) > 64) return false;
  // Beside a parameter, an H100 ran every reduction (REDG) with a misaligned address, and each fault costs a process.
  const bool has_object = std::any_of(
      variant.form->operands.begin(), variant.form->operands.end(),
      [&](const isa::Operand& operand) { return isa::object_of(catalogue, *variant.input, operand) != nullptr; });
  if (kind == OperandKind::constant && has_object) return false;
  // PTX has no literals of half precision.
  return kind != OperandKind::immediate || last->type.find("f16") == std::string::npos;
}

// The form and its class of values with a different kind of operand.
struct Changed {
  isa::Form form;
  isa::Input input;
  isa::Variant variant() const { return {&form, {}, &input}; }
};

// Its last source is a kernel parameter, which is in the constant bank.
Changed with_parameter(const isa::Operand& last, Changed made) {
  // The catalogue's scratch registers declare themselves.
  const int bits = isa::register_bits(last.type);
  const std::string hole = "{" + last.name + "}", scratch = bits == 64 ? "%u3" : bits == 32 ? "%t3" : "%constant";
  constexpr int offset = 512;  // after what the launch passes
  const auto at = made.form.text.find(hole);
  if (at == std::string::npos) throw Error(ExitCode::catalogue, "the text of " + made.form.ptx + " lacks " + hole);
  made.form.text.replace(at, hole.size(), scratch);
  made.form.text = fmt::format("{}ld.param.b{} {}, [parameters+{}]; {};", bits == 16 ? ".reg .b16 %constant; " : "",
                               bits, scratch, offset, made.form.text);
  made.form.is_block = true;
  std::erase_if(made.form.operands, [&](const isa::Operand& operand) { return operand.name == last.name; });
  return made;
}

// The ways to ask ptxas for this kind, best first. It may keep a parameter in a uniform register.
std::vector<Changed> changed(const isa::Catalogue& catalogue, const isa::Variant& variant, OperandKind kind) {
  Changed made{*variant.form, *variant.input};
  if (kind == OperandKind::predicate) {
    // Without an old value, ptxas would leave the predicate out.
    for (auto& operand : made.form.operands) operand.is_inout = operand.is_result;
    made.form.operands.push_back({"guard", "pred"});
    made.form.text = "@{guard} " + made.form.text;
    made.input.values["guard"] = {"1", "1"};
    return {made};
  }
  const auto& last = *last_source(catalogue, variant);
  if (kind == OperandKind::constant) return {with_parameter(last, std::move(made))};
  auto value = isa::value_of(catalogue, made.form, made.input, last);
  value.last = value.first;
  value.is_known_to_compiler = kind == OperandKind::immediate;
  value.is_uniform = kind == OperandKind::uniform;
  made.input.values[last.name] = value;
  if (kind == OperandKind::immediate) return {made};
  return {made, with_parameter(last, {*variant.form, *variant.input})};
}

struct OperandTrials {
  std::vector<std::size_t> shorter, longer;  // best first
};

constexpr int shorter_copies = loops::places_of_body * 3 / 7;

// The trial with places for the opcode with this kind of operand, or why there are none.
loops::Fillable with_operand(const line::Bench& bench, std::size_t trial, const OperandPlan& plan, int copies) {
  auto fillable = loops::first_fillable(bench.batch(), {trial}, {{plan.opcode.name}}, copies);
  auto& problem = fillable.found.problem;
  if (!problem.empty()) return fillable;
  const auto& code = fillable.found.codes.front();
  if (loops::opcodes_of(code).front() != plan.opcode.name) {
    problem = fmt::format("ptxas uses {} for it", loops::opcodes_of(code).front());
  } else if (!has_operand(code.front().text, plan.kind)) {
    problem = fmt::format("ptxas does not use such an operand: {}", code.front().text);
  }
  return fillable;
}

void measure(line::Bench& bench, const OperandPlan& plan, const OperandTrials& trials, results::Record& record) {
  loops::Fillable shorter, longer;
  std::string problem;
  bool assembler_failed = false;
  for (std::size_t i = 0; i < trials.longer.size(); ++i) {
    shorter = with_operand(bench, trials.shorter[i], plan, shorter_copies);
    longer = with_operand(bench, trials.longer[i], plan, loops::places_of_body);
    const auto& worse = shorter.found.problem.empty() ? longer : shorter;
    problem = worse.found.problem;
    assembler_failed = worse.assembler_failed;
    if (problem.empty()) break;
  }
  if (!problem.empty()) {
    record.set_flag(results::flag::retry, assembler_failed);
    return results::give_up(record, longer.is_assembled ? sass::Verdict::fused : sass::Verdict::rejected, problem);
  }
  line::AssembledKernel shown;
  shown.window =
      loops::with_first_copy(*bench.batch().kernel_of(longer.trial).window, longer.found, longer.found.codes);
  record.windows = {line::window_record(fmt::format("loop of {}", loops::places_of_body), shown, {})};
  if (!bench.measures()) return;
  const auto copies = [](const loops::Fillable& loop, int count) {
    return std::vector(static_cast<std::size_t>(count), loops::copy_of(loop.found.codes.front()).front());
  };
  const std::vector warps = {8, 16, 32};
  const auto fewer = copies(shorter, shorter_copies), more = copies(longer, loops::places_of_body);
  const auto times =
      loops::time_both({loops::timer_of(bench, shorter, fewer), loops::timer_of(bench, longer, more)}, warps);
  if (times.shorter.empty()) return results::give_up(record, times.verdict, times.message);
  std::vector<double> rates;
  for (std::size_t i = 0; i < warps.size(); ++i) {
    const auto cycles = loops::cycles_of_copy(loops::timing_of(times, warps, i), shorter_copies, loops::places_of_body);
    if (cycles <= 0) return results::give_up(record, sass::Verdict::unstable, "more copies did not take longer");
    rates.push_back(loops::lanes_of_a_warp * warps[i] / cycles);
  }
  const double interval = loops::saturation_of(warps, rates).interval;
  record.set(results::metric::interval, interval, {record.windows.front().role});
  record.set(results::metric::operand_cost, interval - *plan.opcode.interval);
  read_cost_again(record);
}

}  // namespace

void read_cost_again(results::Record& record) {
  constexpr double largest_error = 0.03;
  const auto interval = record.number(results::metric::interval), cost = record.number(results::metric::operand_cost);
  if (!interval || !cost || *cost >= -largest_error * (*interval - *cost)) return;
  record.set(results::metric::operand_cost, {});
  results::give_up(record, sass::Verdict::fused, "with such an operand it takes less time: it accesses something else");
}

const char* to_string(OperandKind kind) { return name_in(kind_names, kind); }

bool has_operand(const std::string& instruction, OperandKind kind) {
  static const std::regex immediate(", *-?(0x[0-9a-f]+|[0-9.]+(e[-+]?[0-9]+)?|[+-]?(INF|QNAN))( *,| *;?$)");
  static const std::regex uniform("\\bUR[0-9]+");
  switch (kind) {
    case OperandKind::constant:
      return instruction.find("c[") != std::string::npos;
    case OperandKind::immediate:
      return std::regex_search(instruction, immediate);
    case OperandKind::uniform:
      return std::regex_search(instruction, uniform);
    case OperandKind::predicate:
      break;
  }
  return instruction.starts_with('@');
}

results::CellKey key_of(const OperandPlan& plan) {
  return {results::RecordKind::operand_cost, plan.opcode.name, to_string(plan.kind), {}, plan.level, plan.recipe};
}

std::vector<OperandPlan> plan_operands(const ptx::LoadedCatalogue& loaded, const std::vector<Opcode>& opcodes,
                                       int level) {
  std::vector<OperandPlan> plan;
  for (const auto& opcode : examined(opcodes)) {
    if (!opcode.interval || !loops::why_not_saturated(opcode.variant).empty()) continue;
    for (const auto& [kind, name] : kind_names) {
      if (!has_such_an_operand(loaded.catalogue, opcode.variant, kind)) continue;
      Hash hash;
      hash.add(std::string_view(opcodes_version));
      for (const auto& made : changed(loaded.catalogue, opcode.variant, kind))
        ptx::add(hash, loops::saturated_trial(loaded, std::array{made.variant()}, loops::places_of_body,
                                              loops::Sources::shared));
      plan.push_back({opcode, kind, level, hash.text()});
    }
  }
  return plan;
}

std::vector<results::Record> OperandCostMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  const auto begin = [](const OperandPlan& plan) { return begun_with(plan, {plan.opcode.name}); };
  const auto add = [&](const OperandPlan& plan, const results::Record&) {
    OperandTrials trials;
    for (const auto& made : changed(loaded_.catalogue, plan.opcode.variant, plan.kind)) {
      for (const auto sources : {loops::Sources::shared, loops::Sources::own}) {
        const auto added = [&](int copies) {
          return bench.add(loops::saturated_trial(loaded_, std::array{made.variant()}, copies, sources),
                           plan.opcode.name);
        };
        trials.shorter.push_back(added(shorter_copies));
        trials.longer.push_back(added(loops::places_of_body));
      }
    }
    return trials;
  };
  return make_each(bench, chunk, begin, add,
                   [&](const auto& plan, const auto& trials, auto& record) { measure(bench, plan, trials, record); });
}

}  // namespace ptxlat::opcodes
