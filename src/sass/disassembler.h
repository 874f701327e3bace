// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sass/instruction.h"
#include "sass/word_cache.h"

namespace ptxlat::sass {

// The text at an offset of a kernel, including a target.
std::string text_at(const WordText& text, int offset);

// The texts in what nvdisasm wrote of this many words in a row. It leaves out what it does not know, such as the LDSM
// of ldmatrix.m8n16.s8.s4 (13.5): that is an unknown_instruction (instruction.h). Error{failure} if one cannot be read,
// or if one is missing and the text is not a listing.
std::vector<WordText> words_in_listing(const std::string& listing, CodeLayout layout, std::size_t count);

// Which text belongs to an instruction word? Implementations are thread-safe: nvdisasm, or the words in a bundle
// (bundle/bundle.h).
class Disassembler {
 public:
  virtual ~Disassembler() = default;
  // Fills in `text` of every instruction. sm as in Cubin; the same in all calls.
  virtual void disassemble(int sm, const std::vector<Instruction*>& instructions) = 0;
  // A thread that will ask begins, or ends.
  virtual void begin_thread() {}
  virtual void end_thread() {}
};

// While this exists, its thread will ask.
class AskingThread {
 public:
  explicit AskingThread(Disassembler& disassembler) : disassembler_(disassembler) { disassembler_.begin_thread(); }
  ~AskingThread() { disassembler_.end_thread(); }
  AskingThread(const AskingThread&) = delete;
  AskingThread& operator=(const AskingThread&) = delete;

 private:
  Disassembler& disassembler_;
};

// When nvdisasm is started for threads that assemble in the meantime. Starting it costs as much as assembling a hundred
// kernels, so a few starts, each for many threads, leave more of the cores to the assemblers.
//   processes      how many may run at a time
//   batch_threads  one is started when this many threads wait for an answer, or half of those that will ask,
//   max_wait       or when the first of them has waited this long
struct NvdisasmPace {
  int processes = 1;
  int batch_threads = 1;
  std::chrono::milliseconds max_wait{500};
};
NvdisasmPace nvdisasm_pace(int threads);

// Asks nvdisasm once per distinct word and remembers the answer, because windows of thousands of kernels share most of
// their words. nvdisasm needs a quarter of a second before it reads its first byte, so the requests of several
// threads go into one call.
class Nvdisasm : public Disassembler {
 public:
  // nvdisasm: the program. Error{missing_tool} from disassemble if it cannot be run or does not know the architecture.
  // cache: the folder where its answers are kept for later runs; empty: none.
  explicit Nvdisasm(std::filesystem::path nvdisasm, const NvdisasmPace& pace = {}, std::filesystem::path cache = {});

  void disassemble(int sm, const std::vector<Instruction*>& instructions) override;
  void begin_thread() override;
  void end_thread() override;

  // The text of a word, which must have been disassembled or learned.
  WordText known(const InstructionWord& key);
  // Adopts an answer that nvdisasm gave before.
  void learn(const InstructionWord& key, WordText text);

 private:
  std::vector<WordText> ask(int sm, const std::vector<InstructionWord>& words) const;
  void ask_for_wanted(int sm, std::unique_lock<std::mutex>& lock);
  bool are_enough_waiting() const;

  std::filesystem::path nvdisasm_;
  NvdisasmPace pace_;
  std::filesystem::path cache_folder_;
  std::optional<WordCache> cache_;  // once the architecture is known
  int running_ = 0;
  int threads_ = 0;  // that will ask; 0 if nobody says so
  std::mutex mutex_;
  std::condition_variable answered_;
  std::exception_ptr failure_;
  std::unordered_map<InstructionWord, WordText, DisassemblyKeyHash> texts_;  // empty while wanted or asked for
  std::vector<InstructionWord> wanted_;                                      // words not yet given to a process,
  int asking_threads_ = 0;                                                   // from this many threads,
  std::chrono::steady_clock::time_point first_wanted_;                       // since then
};

}  // namespace ptxlat::sass
