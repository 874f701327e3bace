#pragma once

#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sass/instruction.h"

namespace ptxlat {

// Which text belongs to an instruction word? Asks nvdisasm once per distinct word (control bits aside) and remembers
// the answer, because windows of thousands of kernels share a few thousand words. nvdisasm needs half a second before
// it reads its first byte, so that what several threads want to know goes into one call. Thread-safe.
class Disassembler {
 public:
  // nvdisasm: the program. Error{missing_tool} from disassemble if it cannot be run or does not know the architecture.
  // processes: how many may run at a time.
  explicit Disassembler(std::filesystem::path nvdisasm, int processes = 1);

  // Fills in `text` of every instruction. sm as in Cubin; the same in all calls.
  void disassemble(int sm, const std::vector<Instruction*>& instructions);

 private:
  struct WordHash {
    std::size_t operator()(const InstructionWord& word) const;
  };
  // A branch target is relative to its instruction.
  struct Text {
    std::string text;
    bool has_target = false;
    int target_distance = 0;
  };
  static InstructionWord key_of(const InstructionWord& word);
  std::vector<Text> ask(int sm, const std::vector<InstructionWord>& words) const;
  void ask_for_wanted(int sm, std::unique_lock<std::mutex>& lock);

  std::filesystem::path nvdisasm_;
  int idle_processes_;
  std::mutex mutex_;
  std::condition_variable answered_;
  std::exception_ptr failure_;
  std::unordered_set<InstructionWord, WordHash> asked_;  // keys that are known, wanted or being asked for
  std::vector<InstructionWord> wanted_;                  // words that no process has been given yet
  std::unordered_map<InstructionWord, Text, WordHash> known_;
};

}  // namespace ptxlat
