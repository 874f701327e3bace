#include "measure/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sass/cubin.h"

namespace ptxlat {

namespace {

std::string identifier(std::string label) {
  for (char& c : label) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return label;
}

// The audit of a kernel that has no window to be looked at.
std::optional<Audit> missing(const std::vector<Specimen>& specimens, int index) {
  if (index < 0) return Audit{Verdict::no_dependency, "not part of this experiment", {}};
  const auto& specimen = specimens[static_cast<std::size_t>(index)];
  if (specimen.window) return std::nullopt;
  return Audit{specimen.cubin ? Verdict::elided : Verdict::rejected, specimen.log, {}};
}

}  // namespace

SpecimenIndices Batch::add(const Experiment& experiment, const std::string& label) {
  SpecimenIndices indices;
  indices.overhead = add(experiment.overhead, "overhead", label);
  indices.bracket = add(experiment.bracket, "bracket", label);
  indices.differential = add(experiment.differential, "differential", label);
  indices.differential_base = add(experiment.differential_base, "base", label);
  indices.chain = add(experiment.chain, "chain", label);
  indices.chain_twice = add(experiment.chain_twice, "chain_twice", label);
  indices.bridge = add(experiment.bridge, "bridge", label);
  return indices;
}

int Batch::add(const Kernel& kernel, const std::string& role, const std::string& label) {
  if (kernel.text.empty()) return -1;
  const auto known = std::find(kernels_.begin(), kernels_.end(), kernel);
  if (known != kernels_.end()) return static_cast<int>(known - kernels_.begin());
  Specimen specimen;
  specimen.name = fmt::format("{}_{}_{}", role, identifier(label), kernels_.size());
  kernels_.push_back(kernel);
  specimens_.push_back(std::move(specimen));
  return static_cast<int>(kernels_.size()) - 1;
}

void Batch::assemble(Assembler& assembler, Disassembler& disassembler, const std::string& header, const Target& target,
                     int level) {
  std::vector<KernelText> texts;
  for (std::size_t i = assembled_; i < kernels_.size(); ++i) {
    texts.push_back({specimens_[i].name, fill({"frame.ptx", kernels_[i].text}, {{"name", specimens_[i].name}})});
  }
  if (texts.empty()) return;
  auto outcome = assemble_batch(assembler, header, texts, target, level);
  const auto first_cubin = cubins_.size();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto& specimen = specimens_[assembled_ + i];
    specimen.log = std::move(outcome.kernels[i].log);
    if (outcome.kernels[i].cubin) specimen.cubin = first_cubin + *outcome.kernels[i].cubin;
  }
  std::move(outcome.cubins.begin(), outcome.cubins.end(), std::back_inserter(cubins_));
  find_windows(disassembler, first_cubin, assembled_);
  assembled_ = kernels_.size();
}

void Batch::find_windows(Disassembler& disassembler, std::size_t first_cubin, std::size_t first_specimen) {
  int sm = 0;
  std::map<std::string, KernelCode> code;
  for (std::size_t i = first_cubin; i < cubins_.size(); ++i) {
    auto cubin = read_cubin(cubins_[i]);
    sm = cubin.sm;
    for (auto& kernel : cubin.kernels) code.emplace(kernel.name, std::move(kernel));
  }
  std::vector<Instruction*> to_disassemble;
  for (std::size_t i = first_specimen; i < specimens_.size(); ++i) {
    auto& specimen = specimens_[i];
    if (!specimen.cubin) continue;
    specimen.window = find_window(code.at(specimen.name), specimen.log);
    if (!specimen.window) continue;
    for (auto* part : {&specimen.window->prologue, &specimen.window->instructions}) {
      for (auto& instruction : *part) to_disassemble.push_back(&instruction);
    }
  }
  disassembler.disassemble(sm, to_disassemble);
  for (std::size_t i = first_specimen; i < specimens_.size(); ++i) {
    if (specimens_[i].window) specimens_[i].schedule = static_schedule(*specimens_[i].window);
  }
}

void Batch::launch(Worker& worker, const std::vector<bool>& wanted, int launches) {
  for (std::size_t cubin = 0; cubin < cubins_.size(); ++cubin) {
    LaunchBatch batch{cubins_[cubin], {}, launches};
    std::vector<std::size_t> sources;
    for (std::size_t i = 0; i < specimens_.size(); ++i) {
      if (!wanted[i] || specimens_[i].cubin != cubin || specimens_[i].launch) continue;
      batch.kernels.push_back({specimens_[i].name, kernels_[i].lanes, kernels_[i].input});
      sources.push_back(i);
    }
    if (batch.kernels.empty()) continue;
    auto outcomes = worker.launch(batch);
    for (std::size_t i = 0; i < sources.size(); ++i) specimens_[sources[i]].launch = std::move(outcomes[i]);
  }
}

Findings audit(const std::vector<Specimen>& specimens, const SpecimenIndices& indices, int steps) {
  const auto window = [&](int index) -> const Window& { return *specimens[static_cast<std::size_t>(index)].window; };
  Findings findings;
  const auto no_overhead = missing(specimens, indices.overhead);
  findings.overhead = no_overhead ? *no_overhead : audit_overhead(window(indices.overhead));
  const auto no_base = missing(specimens, indices.differential_base);
  findings.differential_base = no_base ? *no_base : audit_base(window(indices.differential_base));
  if (const auto none = missing(specimens, indices.differential)) {
    findings.differential = *none;
  } else if (const auto& base = findings.differential_base; !base.is_proven()) {
    findings.differential = {base.verdict, "the window without the instruction: " + base.reason, {}};
  } else {
    findings.differential = audit_differential(window(indices.differential), window(indices.differential_base));
  }
  const std::vector<std::string> nothing;
  const auto& sass = findings.differential.is_proven() ? findings.differential.sass : nothing;
  if (const auto none = missing(specimens, indices.bracket)) {
    findings.bracket = *none;
  } else {
    findings.bracket = audit_bracket(window(indices.bracket), sass);
  }
  if (const auto none = missing(specimens, indices.chain)) {
    findings.chain = *none;
  } else if (const auto none_twice = missing(specimens, indices.chain_twice)) {
    findings.chain = *none_twice;
  } else {
    findings.chain = audit_chain(window(indices.chain), window(indices.chain_twice), steps, sass);
  }
  if (const auto none = missing(specimens, indices.bridge)) {
    findings.bridge = *none;
  } else {
    findings.bridge = audit_bridge(window(indices.bridge), sass, findings.chain.sass);
  }
  return findings;
}

}  // namespace ptxlat
