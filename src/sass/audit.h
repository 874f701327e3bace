#pragma once

#include <string>
#include <vector>

#include "sass/verdict.h"
#include "sass/window.h"

namespace ptxlat::sass {

// The proof about one window: is the instruction under test in there, as often as asked, and nothing else (method.md,
// section 1)?
struct Audit {
  Verdict verdict = Verdict::proven;
  std::string reason;             // empty if proven
  std::vector<std::string> sass;  // opcodes that the instruction under test became here, in program order
  bool is_proven() const { return verdict == Verdict::proven; }
};

// What is known of a window's kernel and of the instruction under test.
//   is_arithmetic  registers in, registers out: then everything in the window must feed the result, and memory, special
//                  registers and barriers belong to the skeleton
//   operand_loads  loads that the skeleton makes before the first clock: one that is missing there has drifted
//   edges          opcodes that stand once around the instructions of a chain: what comes before and what waits after
//   access_bytes   of a load or a store, what it moves for a lane; 0 for everything else
//   operands_are_prepared  what real kernels make of the operands once, before a loop, has no place in the window
struct Expectation {
  bool is_arithmetic = true;
  int operand_loads = 0;
  std::vector<std::string> edges = {};
  int access_bytes = 0;
  bool operands_are_prepared = false;
};

// `clock, clock`: nothing but copies of the clock may stand between.
Audit audit_overhead(const Window& window);

// `clock, consumer, clock`: the window that a differential is measured against.
Audit audit_base(const Window& base, const Expectation& expected = {});

// `clock, op, consumer, clock` against its base. What it has more than the base is the instruction under test; that
// must feed the consumer, read nothing but loaded operands and constants, and wait for nothing that the window did not
// start.
Audit audit_differential(const Window& window, const Window& base, const Expectation& expected = {});

// `clock, op, wait for its effect, clock` against the same without the instruction, which is what it has more.
Audit audit_waiting(const Window& window, const Window& without, const Expectation& expected = {});

// `clock, op, clock`: comparable with the tables of Arafa et al., and proven if the whole instruction is between the
// clocks.
//   sass  what the differential proved the instruction to be; empty if it proved nothing
Audit audit_bracket(const Window& window, const std::vector<std::string>& sass);

// `clock, bridge, op, clock`: like a bracket, with just what a step of the chain (`step`) has more than the
// instruction. ptxas may make another bridge of a loaded value than of a computed one; then its time is not to be taken
// from the chain's.
Audit audit_bridge(const Window& window, const std::vector<std::string>& sass, const std::vector<std::string>& step);

// `clock, op × n, clock` and the same with 2n steps. The n steps that the longer has more must be the same opcodes as
// the n of the shorter, but for the bridge behind the last of these, which nothing needs; and not fewer than the
// instruction alone has (`sass`, as above). Chains that change pipes
// half-way (HADD2, then HFMA2.MMA: method.md, trap 23) are `contaminated`: their difference is no instruction's
// latency. The audit's own `sass` is the last step's opcodes.
Audit audit_chain(const Window& shorter, const Window& longer, int steps, const std::vector<std::string>& sass,
                  const Expectation& expected = {});

// `clock, op × n, clock` and the same with 2n copies that do not depend on each other. Each of the n copies that the
// longer has more must be there, whole: a part that they share, or one that was left out, is no cost of the
// instruction.
// Where the end of one of them waits for its copies and that of the other does not, the difference holds that wait.
Audit audit_stream(const Window& shorter, const Window& longer, int copies, const std::vector<std::string>& sass,
                   const Expectation& expected = {});

// Why a load or a store, `sass` of which is `copies` times the instruction, is not as wide as the instruction: ptxas
// leaves out what nothing needs. Empty if it is; several narrower accesses may do together. Also empty where `sass` has
// no access to data memory: then something else is amiss.
std::string narrowed_access(const std::vector<std::string>& sass, int access_bytes, int copies = 1);

// The branch or the clock that ends a stream waits on a scoreboard that a copy has set: ptxas waits there for results
// if it has too few scoreboards to keep them apart in what follows. Unoptimised code, which waits everywhere, does not.
bool end_waits(const Window& stream);

// Opcodes between the clocks, copies of the clock left out.
std::vector<std::string> opcodes(const Window& window);

}  // namespace ptxlat::sass
