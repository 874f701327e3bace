#include "measure/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "error.h"
#include "sass/cubin.h"
#include "sass/opcodes.h"

namespace ptxlat {

namespace {

std::string identifier(std::string label) {
  for (char& c : label) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return label;
}

// Loads that stand before the first clock. In a window they belong to the instruction or to what waits for it.
int operand_loads_of(const Kernel& kernel) {
  const auto end = std::min(kernel.text.find("mov.u32 %clock_1"), kernel.text.size());
  const auto before = std::string_view(kernel.text).substr(0, end);
  int loads = 0;
  for (auto at = before.find(" ld."); at != std::string_view::npos; at = before.find(" ld.", at + 1)) {
    const auto opcode = before.substr(at + 1, before.find(' ', at + 1) - at - 1);
    if (opcode.find(".global") != std::string_view::npos) ++loads;
  }
  return loads;
}

// Constants in other banks than the parameters' and functions that are called belong to the module: equal instructions
// may find other values and other code there (div.s64 calls one function at O1 and another at O2).
bool depends_on_the_module(const Window& window) {
  for (const auto* part : {&window.prologue, &window.instructions}) {
    for (const auto& instruction : *part) {
      if (has(opcode_of(instruction.text), Trait::calls)) return true;
      const auto at = instruction.text.find("c[0x");
      if (at != std::string::npos && instruction.text.substr(at, 6) != "c[0x0]") return true;
    }
  }
  return false;
}

// Registers in, registers out: nothing that reads memory, a special register or the state of a barrier.
bool is_arithmetic(const Variant& variant) {
  const Form& form = *variant.form;
  // Of CUDA C the compiler's PTX tells. Some functions read tables, keep arrays in local memory or call others that do;
  // and what makes the second of two results feeds nothing that is waited for.
  if (form.cuda) {
    const auto results = std::count_if(form.operands.begin(), form.operands.end(),
                                       [](const Operand& operand) { return operand.is_result; });
    return results == 1 && form.module.empty() && form.text.find(".local") == std::string::npos;
  }
  const Input& input = *variant.input;
  return form.audit == AuditRule::arithmetic && input.before.empty() && input.prepare.empty() &&
         input.completion.empty();
}

// What can be read of a cubin, which a broken assembler, too, may have written.
struct CubinContent {
  std::string problem;  // why nothing can
  std::map<std::string, KernelCode> kernels;
};

CubinContent content_of(const Bytes& bytes, int sm) {
  CubinContent content;
  try {
    auto cubin = read_cubin(bytes);
    if (cubin.sm != sm) throw Error(ExitCode::failure, fmt::format("its cubin is for sm_{}", cubin.sm));
    for (auto& kernel : cubin.kernels) content.kernels.emplace(kernel.name, std::move(kernel));
  } catch (const Error& error) {
    content.problem = error.what();
  }
  return content;
}

// The audit of a kernel that has no window to be looked at.
std::optional<Audit> missing(const std::vector<Specimen>& specimens, const std::optional<std::size_t>& index) {
  if (!index) return Audit{Verdict::no_dependency, "not part of this experiment", {}};
  const auto& specimen = specimens[*index];
  if (specimen.window) return std::nullopt;
  return Audit{specimen.cubin ? Verdict::elided : Verdict::rejected, specimen.log, {}};
}

}  // namespace

SpecimenIndices Batch::add(const Experiment& experiment, const std::string& label) {
  SpecimenIndices indices;
  for (const Role role : all_roles) indices[role] = add(experiment.kernels[role], to_string(role), label);
  return indices;
}

std::optional<std::size_t> Batch::add(const Kernel& kernel, const std::string& role, const std::string& label) {
  if (kernel.text.empty()) return std::nullopt;
  const auto hash = text_hash(kernel);
  const auto [first, last] = by_text_.equal_range(hash);
  const auto known = std::find_if(first, last, [&](const auto& entry) { return kernels_[entry.second] == kernel; });
  if (known != last) return known->second;
  by_text_.emplace(hash, kernels_.size());
  Specimen specimen;
  specimen.name = fmt::format("{}_{}_{}", identifier(role), identifier(label), kernels_.size());
  specimen.form = label;
  specimen.uses_memory = kernel.uses_memory;
  specimen.operand_loads = operand_loads_of(kernel);
  kernels_.push_back(kernel);
  specimens_.push_back(std::move(specimen));
  return kernels_.size() - 1;
}

void Batch::assemble(KernelAssembler& assembler, Disassembler& disassembler, int sm, int level) {
  std::vector<NamedKernel> added;
  for (std::size_t i = assembled_; i < kernels_.size(); ++i) added.push_back({specimens_[i].name, &kernels_[i]});
  if (added.empty()) return;
  auto outcome = assembler.assemble(added, level);
  const auto first_cubin = cubins_.size();
  for (std::size_t i = 0; i < added.size(); ++i) {
    auto& specimen = specimens_[assembled_ + i];
    auto& kernel = outcome.kernels[i];
    specimen.log = std::move(kernel.log);
    specimen.symbol = std::move(kernel.symbol);
    if (kernel.cubin) specimen.cubin = first_cubin + *kernel.cubin;
  }
  std::move(outcome.cubins.begin(), outcome.cubins.end(), std::back_inserter(cubins_));
  find_windows(disassembler, sm, first_cubin, assembled_);
  assembled_ = kernels_.size();
}

void Batch::find_windows(Disassembler& disassembler, int sm, std::size_t first_cubin, std::size_t first_specimen) {
  std::vector<CubinContent> cubins;
  for (std::size_t i = first_cubin; i < cubins_.size(); ++i) {
    cubins.push_back(content_of(cubins_[i], sm));
  }
  const auto code_of = [&](const Specimen& specimen) -> const KernelCode& {
    return cubins[*specimen.cubin - first_cubin].kernels.at(specimen.symbol);
  };
  for (std::size_t i = first_specimen; i < specimens_.size(); ++i) {
    auto& specimen = specimens_[i];
    if (!specimen.cubin) continue;
    const auto& [problem, kernels] = cubins[*specimen.cubin - first_cubin];
    if (kernels.contains(specimen.symbol)) continue;
    specimen.log = "the assembler made no machine code of it: " +
                   (problem.empty() ? "its cubin does not have this kernel" : problem);
    specimen.cubin.reset();
  }
  std::vector<Instruction*> to_disassemble;
  for (std::size_t i = first_specimen; i < specimens_.size(); ++i) {
    auto& specimen = specimens_[i];
    if (!specimen.cubin) continue;
    specimen.window = find_window(code_of(specimen), specimen.log);
    if (!specimen.window) continue;
    for (auto* part : {&specimen.window->prologue, &specimen.window->instructions, &specimen.window->epilogue}) {
      for (auto& instruction : *part) to_disassemble.push_back(&instruction);
    }
  }
  disassembler.disassemble(sm, to_disassemble);
  for (std::size_t i = first_specimen; i < specimens_.size(); ++i) {
    auto& specimen = specimens_[i];
    if (!specimen.window) continue;
    specimen.schedule = static_schedule(*specimen.window);
    if (!depends_on_the_module(*specimen.window)) specimen.code = code_key(code_of(specimen), kernels_[i]);
  }
}

void Batch::launch(Worker& worker, MeasuredCode& measured, const std::vector<bool>& wanted, int launches) {
  for (std::size_t cubin = 0; cubin < cubins_.size(); ++cubin) {
    LaunchBatch batch{cubins_[cubin], {}, launches};
    std::vector<std::size_t> sources;
    std::set<CodeKey> under_way;
    for (std::size_t i = 0; i < specimens_.size(); ++i) {
      const auto& specimen = specimens_[i];
      if (!wanted[i] || specimen.cubin != cubin || specimen.launch) continue;
      if (specimen.code && (measured.launched.contains(*specimen.code) || !under_way.insert(*specimen.code).second))
        continue;
      batch.kernels.push_back(launch_of(i));
      sources.push_back(i);
    }
    if (batch.kernels.empty()) continue;
    auto outcomes = worker.launch(batch);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      auto& specimen = specimens_[sources[i]];
      specimen.launch = std::move(outcomes[i]);
      if (specimen.code) measured.launched[*specimen.code] = {*specimen.launch, specimen.form};
    }
  }
  for (std::size_t i = 0; i < specimens_.size(); ++i) {
    auto& specimen = specimens_[i];
    if (!wanted[i] || specimen.launch || !specimen.code) continue;
    const auto known = measured.launched.find(*specimen.code);
    if (known == measured.launched.end()) continue;
    specimen.launch = known->second.outcome;
    specimen.measured_as = known->second.form;
  }
}

KernelLaunch Batch::launch_of(std::size_t specimen) const {
  const auto& kernel = kernels_[specimen];
  return {specimens_[specimen].symbol, kernel.lanes,      kernel.input, kernel.cluster,
          kernel.dynamic_shared,       kernel.uses_memory};
}

namespace {

// The windows of one experiment and the audits that compare them.
struct Examination {
  const std::vector<Specimen>& specimens;
  const SpecimenIndices& indices;
  bool arithmetic;
  bool is_consumed;
  Findings findings;

  const Window& window(Role role) const { return *specimens[*indices[role]].window; }

  Expectation expected(Role role) const {
    Expectation expectation{arithmetic, specimens[*indices[role]].operand_loads, {}};
    const Role edges = indices[Role::completion] ? Role::completion : Role::differential_base;
    const bool has_edges = role == Role::chain && !is_consumed && indices[edges] && specimens[*indices[edges]].window;
    if (has_edges) expectation.edges = opcodes(window(edges));
    return expectation;
  }

  // Runs `audit_of_window` unless one of the roles has no window; that is the finding then.
  template <class AuditWindow>
  void examine(Role role, std::initializer_list<Role> needed, AuditWindow audit_of_window) {
    for (const Role other : needed) {
      if (auto none = missing(specimens, indices[other])) {
        findings[role] = std::move(*none);
        return;
      }
    }
    findings[role] = audit_of_window();
  }

  void differential() {
    examine(Role::differential_base, {Role::differential_base},
            [&] { return audit_base(window(Role::differential_base), expected(Role::differential_base)); });
    examine(Role::differential, {Role::differential, Role::differential_base}, [&]() -> Audit {
      if (const auto& base = findings[Role::differential_base]; !base.is_proven()) {
        return {base.verdict, "the window without the instruction: " + base.reason, {}};
      }
      return audit_differential(window(Role::differential), window(Role::differential_base),
                                expected(Role::differential));
    });
  }

  void waiting() {
    const Role without = indices[Role::completion] ? Role::completion : Role::differential_base;
    examine(Role::differential_base, {Role::differential_base}, [] { return Audit{}; });
    examine(Role::completion, {Role::completion}, [] { return Audit{}; });
    examine(Role::differential, {Role::differential, without},
            [&] { return audit_waiting(window(Role::differential), window(without), expected(Role::differential)); });
  }
};

}  // namespace

Findings audit(const std::vector<Specimen>& specimens, const SpecimenIndices& indices, const Variant& variant,
               const Experiment& experiment) {
  Examination it{specimens, indices, is_arithmetic(variant), observation_of(variant) == Observation::consumed, {}};
  if (it.is_consumed) it.differential();
  if (observation_of(variant) == Observation::waited_for) it.waiting();
  const auto& differential = it.findings[Role::differential];
  const auto sass = differential.is_proven() ? differential.sass : std::vector<std::string>{};
  it.examine(Role::overhead, {Role::overhead}, [&] { return audit_overhead(it.window(Role::overhead)); });
  it.examine(Role::bracket, {Role::bracket}, [&] { return audit_bracket(it.window(Role::bracket), sass); });
  it.examine(Role::chain, {Role::chain, Role::chain_twice}, [&] {
    return audit_chain(it.window(Role::chain), it.window(Role::chain_twice), experiment.steps, sass,
                       it.expected(Role::chain));
  });
  it.findings[Role::chain_twice] = it.findings[Role::chain];
  it.examine(Role::bridge, {Role::bridge},
             [&] { return audit_bridge(it.window(Role::bridge), sass, it.findings[Role::chain].sass); });
  it.examine(Role::stream, {Role::stream, Role::stream_twice}, [&] {
    return audit_stream(it.window(Role::stream), it.window(Role::stream_twice), experiment.copies, sass,
                        it.expected(Role::stream));
  });
  it.findings[Role::stream_twice] = it.findings[Role::stream];
  return it.findings;
}

}  // namespace ptxlat
