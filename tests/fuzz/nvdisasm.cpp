// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "base/error.h"
#include "fuzz.h"
#include "sass/audit.h"
#include "sass/dataflow.h"
#include "sass/disassembler.h"
#include "sass/opcodes.h"
#include "sass/window.h"

namespace ptxlat::fuzz {

// The output of nvdisasm, and the audit of its instructions: their texts may also come from a bundle.
void nvdisasm(std::string_view input) {
  const auto lines = static_cast<std::size_t>(std::count(input.begin(), input.end(), '\n')) + 1;
  if (lines > 200) return;
  sass::Window window;
  int offset = 0;
  std::uint64_t high = 1;
  for (std::size_t begin = 0; begin <= input.size();) {
    const auto end = std::min(input.find('\n', begin), input.size());
    const auto line = input.substr(begin, end - begin);
    begin = end + 1;
    for (const auto layout : {sass::CodeLayout::volta, sass::CodeLayout::maxwell})
      sass::words_in_listing(std::string(line), layout, 1);
    const std::string text(line.substr(std::min(line.size(), line.find("*/") + 2)));
    high = high * 6364136223846793005ULL + line.size() + 1442695040888963407ULL;
    const sass::InstructionWord word{0, high};
    sass::register_use(text);
    sass::canonical_opcode(sass::opcode_of(text));
    sass::access_bytes(sass::opcode_of(text));
    auto& part = offset < 80 ? window.prologue : offset < 160 ? window.instructions : window.epilogue;
    part.push_back({offset, word, sass::control_word(word), text});
    offset += 16;
  }
  for (const auto layout : {sass::CodeLayout::volta, sass::CodeLayout::maxwell}) {
    try {
      sass::words_in_listing(std::string(input), layout, lines);
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it does not have a text for each word
    }
  }
  if (window.instructions.size() < 2) return;
  sass::static_schedule(window);
  sass::pending_scoreboards(window);
  sass::unawaited_results(window);
  sass::live_results(window);
  sass::clock_copies(window);
  sass::backward_slice(window, std::vector<bool>(window.instructions.size(), true));
}

}  // namespace ptxlat::fuzz
