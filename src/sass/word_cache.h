// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sass/instruction.h"

namespace ptxlat::sass {

// The text of an instruction word, wherever it is.
//   text             without a branch target at its end
//   target_distance  from the instruction to the target, in bytes
struct WordText {
  std::string text;
  bool has_target = false;
  int target_distance = 0;
  bool operator==(const WordText&) const = default;
};

// A word without the fields that its text does not show: stall count, yield, scoreboards, wait mask.
InstructionWord disassembly_key(const InstructionWord& word);
struct DisassemblyKeyHash {
  std::size_t operator()(const InstructionWord& key) const noexcept;
};

// What a disassembler answered in earlier runs of the program, in a file that all of them share: starting nvdisasm
// takes a quarter of a second, and the words of most kernels are known. The file has blocks with a checksum each;
// what is damaged, and all that follows it, is not read and is written anew. It never has more than 32 MiB. A cache
// that cannot be read or written is none: nothing is reported, and nothing depends on it.
class WordCache {
 public:
  // folder        of all caches; it is made if it is not there. Empty: no cache
  // disassembler  the program, whose contents belong to the file's name
  WordCache(const std::filesystem::path& folder, const std::filesystem::path& disassembler, int sm);

  std::optional<WordText> find(const InstructionWord& key) const;
  void add(const std::vector<std::pair<InstructionWord, WordText>>& answers) const;

 private:
  void read();

  std::filesystem::path file_;
  std::string content_;
  std::size_t whole_ = 0;                                                             // bytes that are not damaged
  std::unordered_map<InstructionWord, std::size_t, DisassemblyKeyHash> places_ = {};  // of entries in the content
};

}  // namespace ptxlat::sass
