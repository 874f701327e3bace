// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "assemble/assembler.h"

namespace ptxlat {

// A stand-in for ptxas whose judgement is known beforehand: a module is rejected if it holds one of the kernels `bad`.
// A cubin is the list of its kernels, one name a line.
//   reported    how many of the bad kernels its log names by line; the others go unmentioned, as in ptxas
//   crashes     reject with the message of a crash instead of a log with lines
class ScriptedAssembler : public assemble::Assembler {
 public:
  std::set<std::string> bad;
  std::size_t reported = 1000;
  bool crashes = false;
  bool rejects_everything = false;
  int calls = 0;

  assemble::ModuleOutcome assemble(const std::string& ptx, const isa::Target&, int) override {
    ++calls;
    if (rejects_everything)
      return {std::nullopt, "ptxas fatal   : Value 'sm_999' is not defined for option 'gpu-name'\n"};
    std::string names;
    std::string log;
    std::size_t found = 0;
    std::size_t line = 1;
    for (std::size_t begin = 0; begin < ptx.size(); ++line) {
      const std::size_t end = ptx.find('\n', begin);
      const std::string text = ptx.substr(begin, end - begin);
      begin = end + 1;
      constexpr std::string_view entry = ".entry ";
      const std::size_t at = text.find(entry);
      if (at == std::string::npos) continue;
      const std::string name = text.substr(at + entry.size(), text.find('(', at) - at - entry.size());
      names += name + "\n";
      if (!bad.contains(name)) continue;
      if (found++ < reported) {
        log += "ptxas module.ptx, line " + std::to_string(line + 1) + "; error   : " + name + " is bad\n";
      }
    }
    if (found == 0) return {Bytes(names.begin(), names.end()), {}};
    if (crashes) return {std::nullopt, "ptxas died of signal 11 (Segmentation fault)\n", true};
    return {std::nullopt, log + "ptxas fatal   : Ptx assembly aborted due to errors\n"};
  }
};

inline std::vector<assemble::KernelText> numbered_kernels(std::size_t count) {
  std::vector<assemble::KernelText> kernels;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "k" + std::to_string(i);
    kernels.push_back({name, ".visible .entry " + name + "()\n{\n  ret;\n}"});
  }
  return kernels;
}

}  // namespace ptxlat
