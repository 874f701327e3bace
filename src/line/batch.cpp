// SPDX-License-Identifier: Apache-2.0
#include "line/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/error.h"
#include "sass/cubin.h"
#include "sass/opcodes.h"

namespace ptxlat::line {

namespace {

std::string identifier(std::string label) {
  for (char& c : label) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return label;
}

// How often PTX reads a clock: `mov.u32 %r1, %clock;`, as the frame writes it, likewise %clock64 and %clock_hi.
int clock_reads_in(std::string_view text) {
  constexpr std::string_view clock = ", %clock";
  int reads = 0;
  for (auto at = text.find(clock); at != std::string_view::npos; at = text.find(clock, at + 1)) {
    auto rest = text.substr(at + clock.size());
    for (const std::string_view width : {"64", "_hi"}) {
      if (rest.starts_with(width)) rest.remove_prefix(width.size());
    }
    if (rest.starts_with(';')) ++reads;
  }
  return reads;
}

// Constants in banks other than that of the parameters, and called functions, belong to the module: equal instructions
// may find different values and different code there (div.s64 calls one function at O1 and a different one at O2).
bool depends_on_the_module(const sass::Window& window) {
  for (const auto* part : {&window.prologue, &window.instructions}) {
    for (const auto& instruction : *part) {
      if (sass::has(sass::opcode_of(instruction.text), sass::Trait::calls)) return true;
      const auto at = instruction.text.find("c[0x");
      if (at != std::string::npos && instruction.text.substr(at, 6) != "c[0x0]") return true;
    }
  }
  return false;
}

// The readable parts of a cubin, which a broken assembler may have written.
struct CubinContent {
  std::string problem;  // why nothing can be read
  std::map<std::string, sass::KernelCode> kernels;
};

CubinContent content_of(const Bytes& bytes, int sm) {
  CubinContent content;
  try {
    auto cubin = sass::read_cubin(bytes);
    if (cubin.sm != sm) throw Error(ExitCode::failure, fmt::format("its cubin is for sm_{}", cubin.sm));
    for (auto& kernel : cubin.kernels) content.kernels.emplace(kernel.name, std::move(kernel));
  } catch (const Error& error) {
    content.problem = error.what();
  }
  return content;
}

// Reports a kernel that is not in its cubin.
void take_code(AssembledKernel& kernel, const CubinContent& cubin) {
  const auto found = cubin.kernels.find(kernel.symbol);
  if (found != cubin.kernels.end()) {
    kernel.code = found->second;
    return;
  }
  kernel.assembler_failed = true;
  kernel.log = assemble::failure_words(cubin.problem.empty() ? "its cubin does not have this kernel" : cubin.problem);
  kernel.cubin.reset();
}

// Each launch of a kernel that uses memory uses different cache lines, so more launches are needed to see the nearest.
constexpr int memory_launches = 3;

}  // namespace

int launches_of(const MadeTrial& trial, int by_default) {
  if (trial.launches > 0) return trial.launches;
  return trial.launch.uses_memory ? memory_launches * by_default : by_default;
}

std::size_t Batch::add(const ptx::Kernel& kernel, const std::string& role, const std::string& label) {
  const auto hash = text_hash(kernel);
  const auto [first, last] = by_text_.equal_range(hash);
  const auto known = std::find_if(first, last, [&](const auto& entry) { return texts_[entry.second] == kernel; });
  if (known != last) return known->second;
  by_text_.emplace(hash, texts_.size());
  AssembledKernel assembled;
  assembled.operand_loads = static_cast<int>(kernel.operand_loads.size());
  assembled.whole = kernel.whole;
  assembled.name = fmt::format("{}_{}_{}", identifier(role), identifier(label), texts_.size());
  texts_.push_back(kernel);
  kernels_.push_back(std::move(assembled));
  return kernels_.size() - 1;
}

std::size_t Batch::add(const ptx::Trial& trial, const std::string& label) {
  const auto kernel = add(trial.kernel, trial.role, label);
  const auto [first, last] = by_kernel_.equal_range(kernel);
  const auto known = std::find_if(first, last, [&](const auto& entry) {
    const auto& other = trials_[entry.second];
    return other.launch == trial.launch && other.launches == trial.launches;
  });
  if (known != last) return known->second;
  by_kernel_.emplace(kernel, trials_.size());
  trials_.push_back({trial.launch, trial.launches, label, kernel, {}, {}, {}});
  return trials_.size() - 1;
}

void Batch::assemble(KernelAssembler& assembler, sass::Disassembler& disassembler, int sm, int level,
                     std::size_t kernels_per_module) {
  if (assembled_ == kernels_.size()) return;
  const auto first_cubin = cubins_.size();
  for (auto first = assembled_; first < kernels_.size();) {
    const auto count = std::min(kernels_per_module, kernels_.size() - first);
    assemble_module(assembler, level, first, count);
    first += count;
  }
  find_windows(disassembler, sm, first_cubin);
  assembled_ = kernels_.size();
}

void Batch::assemble_module(KernelAssembler& assembler, int level, std::size_t first, std::size_t count) {
  std::vector<NamedKernel> added;
  for (auto i = first; i < first + count; ++i) added.push_back({kernels_[i].name, &texts_[i]});
  auto outcome = assembler.assemble(added, level);
  const auto first_cubin = cubins_.size();
  for (std::size_t i = 0; i < count; ++i) {
    auto& kernel = kernels_[first + i];
    auto& made = outcome.kernels[i];
    kernel.log = std::move(made.log);
    kernel.assembler_failed = made.assembler_failed;
    kernel.symbol = std::move(made.symbol);
    if (made.cubin) kernel.cubin = first_cubin + *made.cubin;
  }
  std::move(outcome.cubins.begin(), outcome.cubins.end(), std::back_inserter(cubins_));
}

void Batch::find_windows(sass::Disassembler& disassembler, int sm, std::size_t first_cubin) {
  std::vector<CubinContent> cubins;
  for (std::size_t i = first_cubin; i < cubins_.size(); ++i) cubins.push_back(content_of(cubins_[i], sm));
  std::vector<sass::Instruction*> to_disassemble;
  for (std::size_t i = assembled_; i < kernels_.size(); ++i) {
    auto& kernel = kernels_[i];
    if (!kernel.cubin) continue;
    take_code(kernel, cubins[*kernel.cubin - first_cubin]);
    if (!kernel.code) continue;
    kernel.window = kernel.whole ? sass::whole_window(*kernel.code)
                                 : sass::find_window(*kernel.code, kernel.log, clock_reads_in(texts_[i].text));
    if (!kernel.window) continue;
    for (auto* part : {&kernel.window->prologue, &kernel.window->instructions, &kernel.window->epilogue}) {
      for (auto& instruction : *part) to_disassemble.push_back(&instruction);
    }
  }
  disassembler.disassemble(sm, to_disassemble);
  for (std::size_t i = assembled_; i < kernels_.size(); ++i) {
    auto& kernel = kernels_[i];
    if (kernel.window && !kernel.whole) kernel.schedule = sass::static_schedule(*kernel.window);
    if (!kernel.window || depends_on_the_module(*kernel.window)) kernel.code.reset();
  }
}

void Batch::launch(worker::Worker& worker, MeasuredCode& measured, const std::vector<bool>& wanted, int launches) {
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    auto& made = trials_[i];
    const auto& code = kernel_of(i).code;
    if (wanted[i] && code && !made.code) made.code = code_key(*code, made.launch, launches_of(made, launches));
  }
  for (std::size_t cubin = 0; cubin < cubins_.size(); ++cubin) {
    worker::LaunchBatch batch{cubins_[cubin], {}};
    std::vector<std::size_t> sources;
    std::set<CodeKey> under_way;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      const auto& made = trials_[i];
      if (!wanted[i] || kernel_of(i).cubin != cubin || made.outcome) continue;
      if (made.code && (measured.launched.contains(*made.code) || !under_way.insert(*made.code).second)) continue;
      batch.kernels.push_back({kernel_of(i).symbol, made.launch, launches_of(made, launches)});
      sources.push_back(i);
    }
    if (batch.kernels.empty()) continue;
    auto outcomes = worker.launch(batch);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      auto& made = trials_[sources[i]];
      made.outcome = std::move(outcomes[i]);
      if (made.code) measured.launched[*made.code] = {*made.outcome, made.form};
    }
  }
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    auto& made = trials_[i];
    if (!wanted[i] || made.outcome || !made.code) continue;
    const auto known = measured.launched.find(*made.code);
    if (known == measured.launched.end()) continue;
    made.outcome = known->second.outcome;
    made.measured_as = known->second.form;
  }
}

void Batch::forget_outcomes() {
  for (auto& trial : trials_) {
    trial.outcome.reset();
    trial.measured_as.clear();
  }
}

}  // namespace ptxlat::line
