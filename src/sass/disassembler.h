#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "sass/instruction.h"

namespace ptxlat {

// Which text belongs to an instruction word? Asks nvdisasm once per distinct word (control bits aside) and remembers the answer, because
// windows of thousands of kernels share a few thousand words and nvdisasm is as slow as ptxas. Thread-safe.
class Disassembler {
 public:
  // nvdisasm: the program. Error{missing_tool} from disassemble if it cannot be run or does not know the architecture.
  explicit Disassembler(std::filesystem::path nvdisasm);

  // Fills in `text` of every instruction. sm as in Cubin.
  void disassemble(int sm, const std::vector<Instruction*>& instructions);

 private:
  struct Key {
    std::uint64_t low, high;
    int sm;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  // A branch target is relative to its instruction.
  struct Text {
    std::string text;
    bool has_target = false;
    int target_distance = 0;
  };
  static Key key_of(int sm, const InstructionWord& word);
  std::vector<Text> ask(int sm, const std::vector<InstructionWord>& words) const;

  std::filesystem::path nvdisasm_;
  std::mutex mutex_;
  std::unordered_map<Key, Text, KeyHash> known_;
};

}  // namespace ptxlat
