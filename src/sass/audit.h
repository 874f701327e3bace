#pragma once

#include <string>
#include <vector>

#include "sass/verdict.h"
#include "sass/window.h"

namespace ptxlat {

// The proof about one window: is the instruction under test in there, as often as asked, and nothing else (method.md,
// section 1)?
struct Audit {
  Verdict verdict = Verdict::proven;
  std::string reason;             // empty if proven
  std::vector<std::string> sass;  // opcodes that the instruction under test became here, in program order
  bool is_proven() const { return verdict == Verdict::proven; }
};

// `clock, clock`: nothing but copies of the clock may stand between.
Audit audit_overhead(const Window& window);

// `clock, consumer, clock`: the window that a differential is measured against.
Audit audit_base(const Window& base);

// `clock, op, consumer, clock` against its base. What it has more than the base is the instruction under test; that
// must feed the consumer, read nothing but loaded operands and constants, and wait for nothing that the window did not
// start.
Audit audit_differential(const Window& window, const Window& base);

// `clock, op, clock`: comparable with the tables of Arafa et al., and proven if the whole instruction is between the
// clocks.
//   sass  what the differential proved the instruction to be; empty if it proved nothing
Audit audit_bracket(const Window& window, const std::vector<std::string>& sass);

// `clock, bridge, op, clock`: like a bracket, with just what a step of the chain (`step`) has more than the
// instruction. ptxas may make another bridge of a loaded value than of a computed one; then its time is not to be taken
// from the chain's.
Audit audit_bridge(const Window& window, const std::vector<std::string>& sass, const std::vector<std::string>& step);

// `clock, op × n, clock` and the same with 2n steps. The n steps that the longer has more must be the same opcodes as
// the n of the shorter, and not fewer than the instruction alone has (`sass`, as above). Chains that change pipes
// half-way (HADD2, then HFMA2.MMA: method.md, trap 23) are `contaminated`: their difference is no instruction's
// latency. The audit's own `sass` is the last step's opcodes.
Audit audit_chain(const Window& shorter, const Window& longer, int steps, const std::vector<std::string>& sass);

// Opcodes that do the same on different pipes, as ptxas sees fit, have one canonical name: IMAD.IADD and VIADD are
// IADD3.
std::string canonical_opcode(std::string_view opcode);

}  // namespace ptxlat
