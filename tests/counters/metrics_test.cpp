// SPDX-License-Identifier: Apache-2.0

// Which of a chip's counters are those of pipes. The lists are shortened from what CUPTI offers for the chips.
#include "catch.h"
#include "counters/find.h"

using namespace ptxlat::counters;

namespace {

std::vector<std::string> pipes(const std::vector<std::string>& names) {
  std::vector<std::string> counters{"sm__inst_executed", "smsp__inst_executed_pipe_alu",
                                    "sm__thread_inst_executed_pipe_alu_pred_on"};
  for (const auto& name : names) counters.push_back("sm__inst_executed_pipe_" + name);
  return pipes_among(counters);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a part of a pipe's instructions and the sum of two pipes are not pipes") {
  CHECK(pipes({"xu", "xu_realtime", "cbu", "cbu_pred_on_any", "fma", "fma_type_fp16", "fmalite", "fmaheavy", "tensor",
               "tensor_op_hmma", "tensor_op_hmma_type_hfma2"}) == Names{"cbu", "fmaheavy", "fmalite", "tensor", "xu"});
}

TEST_CASE("a chip of one kind of multiplier, or whose parts have no whole, keeps what it has") {
  CHECK(pipes({"fma", "fma_type_fp16", "fp16", "fp64"}) == Names{"fma", "fp16", "fp64"});
  CHECK(pipes({"tensor_op_hmma", "tensor_op_imma"}) == Names{"tensor_op_hmma", "tensor_op_imma"});
  CHECK(pipes({"alu", "aluheavy"}) == Names{"alu", "aluheavy"});
}

TEST_CASE("a chip without counters of pipes has none") { CHECK(pipes({}).empty()); }
