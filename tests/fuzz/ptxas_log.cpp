// SPDX-License-Identifier: Apache-2.0
#include "assemble/assembler.h"
#include "assemble/log_lines.h"
#include "fuzz.h"

namespace ptxlat::fuzz {

namespace {

// Rejects every module of several kernels with the same words.
class Rejecting : public assemble::Assembler {
 public:
  explicit Rejecting(std::string_view log) : log_(log) {}
  assemble::ModuleOutcome assemble(const std::string& ptx, const isa::Target&, int) override {
    if (ptx.find("k1") == std::string::npos && ptx.find("k0") != std::string::npos) return {Bytes{}, {}};
    return {std::nullopt, log_};
  }

 private:
  std::string log_;
};

}  // namespace

void ptxas_log(std::string_view input) {
  assemble::diagnostics_in(input);
  Rejecting assembler(input);
  std::vector<assemble::KernelText> kernels;
  for (int i = 0; i < 5; ++i) kernels.push_back({"k" + std::to_string(i), "k" + std::to_string(i) + "\nret;\n"});
  assemble::assemble_batch(assembler, ".version 8.0", kernels, {90, "a"}, 3);
}

}  // namespace ptxlat::fuzz
