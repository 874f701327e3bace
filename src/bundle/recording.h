// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <semaphore>

#include "bundle/bytes.h"
#include "bundle/code.h"

namespace ptxlat::bundle {

// Limits how many assemblers work at the same time.
using AssemblerSlots = std::counting_semaphore<>;

// Assembles and records the answers in `configuration`. Each text only once: kernels that only differ in operand values
// are one. Throws Error{interrupted} when `interrupted` becomes true.
class RecordingAssembler : public line::KernelAssembler {
 public:
  RecordingAssembler(line::KernelAssembler& assembler, AssemblerSlots& slots, const std::atomic<bool>* interrupted,
                     ConfigurationCode& configuration)
      : assembler_(assembler), slots_(slots), interrupted_(interrupted), configuration_(configuration) {}

  assemble::BatchOutcome assemble(const std::vector<line::NamedKernel>& kernels, int level) override;

 private:
  assemble::BatchOutcome assemble_in_a_slot(const std::vector<line::NamedKernel>& kernels, int level);

  line::KernelAssembler& assembler_;
  AssemblerSlots& slots_;
  const std::atomic<bool>* interrupted_;
  ConfigurationCode& configuration_;
};

// Disassembles for the configurations of a chunk, one thread each, and records the words. It waits until all of them
// have a request, so that nvdisasm, which is slow to start, is started once per round instead of once per
// configuration.
class RecordingDisassembler : public sass::Disassembler {
 public:
  RecordingDisassembler(sass::Nvdisasm& nvdisasm, std::size_t configurations)
      : nvdisasm_(nvdisasm), configurations_(configurations) {}

  void disassemble(int sm, const std::vector<sass::Instruction*>& instructions) override;
  // One configuration fewer will make requests.
  void configuration_ends();

  // When all configurations have ended.
  Words take_words() { return std::move(words_); }

 private:
  void answer(int sm);

  sass::Nvdisasm& nvdisasm_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t configurations_;  // that have not ended
  std::size_t asking_ = 0;
  std::size_t round_ = 0;
  std::vector<sass::Instruction*> instructions_;  // of those that are asking
  std::exception_ptr failure_;
  Words words_;
};

}  // namespace ptxlat::bundle
