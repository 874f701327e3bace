// SPDX-License-Identifier: Apache-2.0
#include "bundle/recording.h"

#include <set>

#include "base/error.h"

namespace ptxlat::bundle {

namespace {

class Slot {
 public:
  explicit Slot(AssemblerSlots& slots) : slots_(slots) { slots_.acquire(); }
  ~Slot() { slots_.release(); }
  Slot(const Slot&) = delete;  // its destructor does the work
  Slot& operator=(const Slot&) = delete;

 private:
  AssemblerSlots& slots_;
};

}  // namespace

assemble::BatchOutcome RecordingAssembler::assemble(const std::vector<line::NamedKernel>& kernels, int level) {
  std::vector<line::NamedKernel> unknown;
  std::vector<std::uint64_t> hashes;
  std::set<std::uint64_t> seen;
  for (const auto& [name, kernel] : kernels) {
    const auto hash = line::text_hash(*kernel);
    if (configuration_.answers.contains(hash) || !seen.insert(hash).second) continue;
    unknown.push_back({symbol_of(hash), kernel});
    hashes.push_back(hash);
  }
  if (!unknown.empty()) {
    auto outcome = assemble_in_a_slot(unknown, level);
    const auto first_cubin = static_cast<std::uint32_t>(configuration_.cubins.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      auto& kernel = outcome.kernels[i];
      auto& answer = configuration_.answers[hashes[i]];
      if (kernel.cubin) {
        answer.cubin = first_cubin + static_cast<std::uint32_t>(*kernel.cubin);
      } else {
        if (kernel.assembler_failed) configuration_.failed.insert(hashes[i]);
        answer.rejection = static_cast<std::uint32_t>(configuration_.rejections.size());
        configuration_.rejections.push_back(without_name(std::move(kernel.log), unknown[i].name));
      }
    }
    std::move(outcome.cubins.begin(), outcome.cubins.end(), std::back_inserter(configuration_.cubins));
  }
  return outcome_from({&configuration_}, kernels);
}

assemble::BatchOutcome RecordingAssembler::assemble_in_a_slot(const std::vector<line::NamedKernel>& kernels,
                                                              int level) {
  const Slot slot(slots_);
  if (interrupted_ != nullptr && *interrupted_) throw Error(ExitCode::interrupted, "interrupted");
  return assembler_.assemble(kernels, level);
}

void RecordingDisassembler::disassemble(int sm, const std::vector<sass::Instruction*>& instructions) {
  if (instructions.empty()) return;
  std::unique_lock lock(mutex_);
  instructions_.insert(instructions_.end(), instructions.begin(), instructions.end());
  ++asking_;
  const auto round = round_;
  changed_.wait(lock, [&] { return round_ != round || asking_ == configurations_; });
  if (round_ == round) answer(sm);
  if (failure_) std::rethrow_exception(failure_);
}

void RecordingDisassembler::configuration_ends() {
  const std::scoped_lock lock(mutex_);
  --configurations_;
  changed_.notify_all();
}

// For all waiting threads, with the lock held: none of them has anything else to do.
void RecordingDisassembler::answer(int sm) {
  try {
    nvdisasm_.disassemble(sm, instructions_);
    for (const auto* instruction : instructions_) {
      const auto key = sass::disassembly_key(instruction->word);
      if (!words_.contains(key)) words_.emplace(key, nvdisasm_.known(key));
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  instructions_.clear();
  asking_ = 0;
  ++round_;
  changed_.notify_all();
}

}  // namespace ptxlat::bundle
