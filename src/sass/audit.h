// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sass/verdict.h"
#include "sass/window.h"

namespace ptxlat::sass {

// The proof about one window: does it contain the instruction under test, as often as requested, and nothing else
// (method.md, section 1)?
//   assembler_failed  there is no window because the assembler failed: another attempt may be proven
struct Audit {
  Verdict verdict = Verdict::proven;
  std::string reason;             // empty if proven
  std::vector<std::string> sass;  // opcodes that the instruction under test became here, in program order
  bool assembler_failed = false;
  bool is_proven() const { return verdict == Verdict::proven; }
};

// A window's kernel and the instruction under test.
//   is_arithmetic  registers in, registers out: then everything in the window must feed the result, and memory, special
//                  registers and barriers belong to the skeleton
//   operand_loads  loads that the skeleton has before the first clock: if one is missing there, it has drifted
//   edges          opcodes that appear once around the instructions of a chain: what comes before and what waits after
//   access_bytes   what a load or a store moves for a lane; 0 for everything else
//   operands_are_prepared  preparations that real kernels make once, before a loop, must not be in the window
//   has_sources    the instruction has source operands: without any it reads nothing that was made before the window
//   alone          opcodes between the clocks with the instruction alone, if it has several results: the code for the
//                  others (a carry that nothing reads) may feed nothing here; else empty
struct Expectation {
  bool is_arithmetic = true;
  int operand_loads = 0;
  std::vector<std::string> edges = {};
  int access_bytes = 0;
  bool operands_are_prepared = false;
  bool has_sources = true;
  std::vector<std::string> alone = {};
};

// `clock, clock`: only copies of the clock may be between them.
Audit audit_overhead(const Window& window);

// `clock, consumer, clock`: the window that a differential is measured against.
Audit audit_base(const Window& base, const Expectation& expected = {});

// `clock, op, consumer, clock` against its base. What it has in addition to the base is the instruction under test,
// which must feed the consumer, read nothing but loaded operands and constants, and wait for nothing that the window
// did not start.
Audit audit_differential(const Window& window, const Window& base, const Expectation& expected = {});

// `clock, op, wait for its effect, clock` against the same without the instruction: the difference is the instruction.
Audit audit_waiting(const Window& window, const Window& without, const Expectation& expected = {});

// `clock, op, clock`: comparable with the tables of Arafa et al., and proven if the whole instruction is between the
// clocks.
//   sass  what the differential proved the instruction to be; empty if it proved nothing
Audit audit_bracket(const Window& window, const std::vector<std::string>& sass);

// `clock, bridge, op, clock`: like a bracket, with exactly what a step of the chain (`step`) has in addition to the
// instruction. ptxas may build a different bridge for a loaded value than for a computed one; then its time must not be
// subtracted from the chain's.
Audit audit_bridge(const Window& window, const std::vector<std::string>& sass, const std::vector<std::string>& step);

// `clock, op × n, clock` and the same with 2n steps. The n additional steps of the longer must be the same opcodes as
// the n of the shorter, except for the bridge after the last of these, which nothing needs, and must not be fewer than
// the instruction alone has (`sass`, as above). Chains that change pipes half-way (HADD2, then HFMA2.MMA: method.md,
// trap 23) are `contaminated`: their difference is not the latency of any instruction. The audit's own `sass` is the
// last step's opcodes.
Audit audit_chain(const Window& shorter, const Window& longer, int steps, const std::vector<std::string>& sass,
                  const Expectation& expected = {});

// `clock, op × n, clock` and the same with 2n copies that do not depend on each other. Each of the n additional copies
// of the longer must be complete: if they share a part, or one was left out, the difference is not the cost of the
// instruction. If only one of the two streams waits for its copies at the end, the difference includes that wait.
Audit audit_stream(const Window& shorter, const Window& longer, int copies, const std::vector<std::string>& sass,
                   const Expectation& expected = {});

// Why a load or a store, whose `sass` is `copies` times the instruction, is not as wide as the instruction: ptxas
// leaves out what nothing needs. Empty if it is wide enough; several narrower accesses together are fine. Also empty if
// `sass` has no access to data memory: then something else is wrong.
std::string narrowed_access(const std::vector<std::string>& sass, int access_bytes, int copies = 1);

// The branch or the clock that ends a stream waits on a scoreboard that a copy has set: ptxas waits there for results
// if it has too few scoreboards to tell them apart in the code that follows. Unoptimised code, which waits everywhere,
// does not.
bool end_waits(const Window& stream);

// Opcodes between the clocks, copies of the clock left out.
std::vector<std::string> opcodes(const Window& window);

}  // namespace ptxlat::sass
