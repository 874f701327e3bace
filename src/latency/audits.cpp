// SPDX-License-Identifier: Apache-2.0
#include "latency/audits.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "latency/operand_path.h"
#include "line/window_record.h"
#include "sass/hidden_waits.h"

namespace ptxlat::latency {

namespace {

std::ptrdiff_t results_in(const isa::Form& form) {
  return std::count_if(form.operands.begin(), form.operands.end(),
                       [](const isa::Operand& operand) { return operand.is_result; });
}

// Registers in, registers out: the instruction does not read memory, a special register or the state of a barrier.
bool is_arithmetic(const isa::Variant& variant) {
  const isa::Form& form = *variant.form;
  // For CUDA C, the compiler's PTX tells. Some functions read tables, keep arrays in local memory or call functions
  // that do; and the code for the second of two results feeds nothing that is waited for.
  if (form.cuda) {
    return results_in(form) == 1 && form.module.empty() && form.text.find(".local") == std::string::npos;
  }
  const isa::Input& input = *variant.input;
  return form.audit == isa::AuditRule::arithmetic && input.before.empty() && input.prepare.empty() &&
         input.completion.empty();
}

// Loads and stores move a value between memory and registers and do nothing else: its width is known.
bool is_load_or_store(const isa::Form& form) {
  const auto name = std::string_view(form.opcode).substr(0, form.opcode.find('.'));
  return name == "ld" || name == "ldu" || name == "st";
}

int uniform_operands(const isa::Catalogue& catalogue, const isa::Form& form, const isa::Input& input) {
  return static_cast<int>(std::count_if(form.operands.begin(), form.operands.end(), [&](const isa::Operand& operand) {
    return is_source(operand) && isa::value_of(catalogue, form, input, operand).is_uniform;
  }));
}

// Real kernels prepare addresses, barriers, descriptors and handles once: the class has uniform operands, or objects
// that are prepared before the first clock. That is not possible if lanes may differ: such a class has fewer uniform
// operands than the default. Nor is it possible below -O2, where ptxas prepares operands separately for each
// instruction.
bool operands_are_prepared(const isa::Catalogue& catalogue, const isa::Variant& variant, int level) {
  constexpr int least_level = 2;
  if (level < least_level) return false;
  const isa::Form& form = *variant.form;
  const bool has_ready_object =
      std::any_of(form.operands.begin(), form.operands.end(), [&](const isa::Operand& operand) {
        const auto* object = is_source(operand) ? isa::object_of(catalogue, *variant.input, operand) : nullptr;
        return object != nullptr && !object->prepare.empty();
      });
  const int uniform = uniform_operands(catalogue, form, *variant.input);
  return (has_ready_object || uniform > 0) && uniform >= uniform_operands(catalogue, form, form.inputs.front());
}

// The audit of a kernel that has no window.
std::optional<sass::Audit> missing(const line::Batch& batch, const std::optional<std::size_t>& trial) {
  if (!trial) return sass::Audit{sass::Verdict::no_dependency, "not part of this experiment", {}};
  const auto& kernel = batch.kernel_of(*trial);
  if (kernel.window) return std::nullopt;
  return line::audit_without_window(kernel);
}

// The windows of one experiment and the audits that compare them.
struct AuditRun {
  const line::Batch& batch;
  const TrialNumbers& trials;
  bool arithmetic;
  bool is_consumed;
  int access_bytes;
  bool are_prepared;
  bool has_sources;
  bool has_several_results;
  Audits audits;

  const sass::Window& window(Role role) const { return *batch.kernel_of(*trials[role]).window; }

  sass::Expectation expected(Role role) const {
    sass::Expectation expectation{
        arithmetic, batch.kernel_of(*trials[role]).operand_loads, {}, access_bytes, are_prepared, has_sources, {}};
    if (has_several_results && trials[Role::bracket] && batch.kernel_of(*trials[Role::bracket]).window)
      expectation.alone = sass::opcodes(window(Role::bracket));
    const Role edges = trials[Role::completion] ? Role::completion : Role::differential_base;
    const bool has_edges =
        role == Role::chain && !is_consumed && trials[edges] && batch.kernel_of(*trials[edges]).window;
    if (has_edges) expectation.edges = sass::opcodes(window(edges));
    return expectation;
  }

  // Runs `audit_of_window` unless one of the roles has no window; that is the audit then.
  template <class AuditWindow>
  void run(Role role, std::initializer_list<Role> needed, AuditWindow audit_of_window) {
    for (const Role other : needed) {
      if (auto none = missing(batch, trials[other])) {
        audits[role] = std::move(*none);
        return;
      }
    }
    audits[role] = audit_of_window();
  }

  void differential() {
    run(Role::differential_base, {Role::differential_base},
        [&] { return sass::audit_base(window(Role::differential_base), expected(Role::differential_base)); });
    run(Role::differential, {Role::differential, Role::differential_base}, [&]() -> sass::Audit {
      if (const auto& base = audits[Role::differential_base]; !base.is_proven()) {
        return {base.verdict, "the window without the instruction: " + base.reason, {}, base.assembler_failed};
      }
      return sass::audit_differential(window(Role::differential), window(Role::differential_base),
                                      expected(Role::differential));
    });
  }

  void waiting() {
    const Role without = trials[Role::completion] ? Role::completion : Role::differential_base;
    run(Role::differential_base, {Role::differential_base}, [] { return sass::Audit{}; });
    run(Role::completion, {Role::completion}, [] { return sass::Audit{}; });
    run(Role::differential, {Role::differential, without},
        [&] { return sass::audit_waiting(window(Role::differential), window(without), expected(Role::differential)); });
  }

  // A window may contain the right code and still take extra cycles. Both windows of a pair share the finding.
  void hidden_waits() {
    for (const Role role : timed_roles) {
      auto& audit = audits[role];
      if (!audit.is_proven() || missing(batch, trials[role])) continue;
      auto reason = sass::bank_conflict(window(role));
      if (reason.empty()) reason = sass::clock_is_late(window(role));
      if (!reason.empty()) audit = {sass::Verdict::contaminated, std::move(reason), std::move(audit.sass)};
    }
    take_over(Role::differential, Role::differential_base, "the window without the instruction: ");
    take_over(Role::chain, Role::chain_twice, "");
    take_over(Role::chain_twice, Role::chain, "");
  }

  void take_over(Role role, Role other, const std::string& prefix) {
    if (audits[role].is_proven() && audits[other].verdict == sass::Verdict::contaminated)
      audits[role] = {sass::Verdict::contaminated, prefix + audits[other].reason, std::move(audits[role].sass)};
  }
};

}  // namespace

bool any_clock_waits(const line::Batch& batch, const TrialNumbers& trials) {
  return std::any_of(timed_roles.begin(), timed_roles.end(), [&](Role role) {
    return !missing(batch, trials[role]) && !sass::clock_waits(*batch.kernel_of(*trials[role]).window).empty();
  });
}

bool any_window_is_missing(const line::Batch& batch, const TrialNumbers& trials) {
  return std::any_of(timed_roles.begin(), timed_roles.end(), [&](Role role) {
    return missing(batch, trials[role]) && trials[role] && batch.kernel_of(*trials[role]).cubin;
  });
}

Audits audit(const isa::Catalogue& catalogue, const line::Batch& batch, const TrialNumbers& trials,
             const isa::Variant& variant, int level, const Experiment& experiment) {
  const isa::Form& form = *variant.form;
  AuditRun it{batch,
              trials,
              is_arithmetic(variant),
              observation_of(variant) == Observation::consumed,
              is_load_or_store(form) ? isa::access_bytes(form) : 0,
              operands_are_prepared(catalogue, variant, level),
              std::any_of(form.operands.begin(), form.operands.end(), isa::is_source),
              results_in(form) > 1,
              {}};
  if (it.is_consumed) it.differential();
  auto& fused = it.audits[Role::differential];
  if (fused.verdict == sass::Verdict::fused && result_is_constant(variant, experiment, batch, trials))
    fused = {sass::Verdict::elided, "the result is a constant: no operand reaches it", std::move(fused.sass)};
  if (observation_of(variant) == Observation::waited_for) it.waiting();
  const auto& differential = it.audits[Role::differential];
  const auto sass = differential.is_proven() ? differential.sass : std::vector<std::string>{};
  it.run(Role::overhead, {Role::overhead}, [&] { return sass::audit_overhead(it.window(Role::overhead)); });
  it.run(Role::bracket, {Role::bracket}, [&] { return sass::audit_bracket(it.window(Role::bracket), sass); });
  // What does not depend on the operand need not be in each step.
  const auto path = path_of(variant, level, experiment, batch, trials);
  const auto& step = path && differential.is_proven() && !path->is_alone() ? path->opcodes : sass;
  it.run(Role::chain, {Role::chain, Role::chain_twice}, [&] {
    return sass::audit_chain(it.window(Role::chain), it.window(Role::chain_twice), experiment.steps, step,
                             it.expected(Role::chain));
  });
  it.audits[Role::chain_twice] = it.audits[Role::chain];
  it.run(Role::bridge, {Role::bridge},
         [&] { return sass::audit_bridge(it.window(Role::bridge), sass, it.audits[Role::chain].sass); });
  it.run(Role::stream, {Role::stream, Role::stream_twice}, [&] {
    return sass::audit_stream(it.window(Role::stream), it.window(Role::stream_twice), experiment.copies, sass,
                              it.expected(Role::stream));
  });
  it.audits[Role::stream_twice] = it.audits[Role::stream];
  it.hidden_waits();
  return it.audits;
}

}  // namespace ptxlat::latency
