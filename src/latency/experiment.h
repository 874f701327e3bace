// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/form.h"
#include "latency/roles.h"
#include "ptx/kernel.h"
#include "ptx/kernel_builder.h"

namespace ptxlat::latency {

// Steps of the shorter chain; the longer has twice as many. Fewer with a wide result (ptx/kernel_builder.h): assembling
// one such instruction takes as long as ten ordinary ones.
int chain_steps(const isa::Form& form);

// How the end of an instruction is observed.
//   consumed    an instruction after it needs its result
//   waited_for  the catalogue says what waits for its effect, or after what its cost is measured
//   none        nothing can wait for it: it only has an issue cost
enum class Observation { consumed, waited_for, none };
Observation observation_of(const isa::Variant& variant);

// How the clocks are read in all windows except streams, which handle it themselves.
//   plain            as ptxas chooses
//   second_reserved  the second has a register that no instruction of the window can have
//   reserved         both have, and it is not a uniform register
enum class Clocks { plain, second_reserved, reserved };

// The trials that measure one variant with one consumer (nullptr if nothing is consumed). Trials that a variant does
// not use have an empty text.
//   steps   of the shorter chain; 0 if there is none
//   copies  that the longer stream has more; 0 if there is none. The shorter has as many, or three times as many if it
//           is to outlast a queue
//   crosses a step of the chains also reads the result before the last one (a, b = b, a + b). ptxas merges steps that
//           all read the same second source: four sums of b are one product
struct Experiment {
  const isa::Consumer* consumer = nullptr;
  int steps = 0;
  int copies = 0;
  Clocks clocks = Clocks::plain;
  ptx::Frame frame = ptx::Frame::loop;  // of all windows except streams
  bool crosses = false;
  bool prefers_chain = false;  // as its form
  ByRole<ptx::Trial> trials;
};

// The consumers that can be tried for a variant, best first: its form's own or those for its result's type. A single
// nullptr if nothing is consumed; empty if no consumer takes the result.
std::vector<const isa::Consumer*> consumers_for(const isa::Catalogue& catalogue, const isa::Variant& variant);

// The composition of a stream.
//   copies                of the instruction in the shorter one; the longer has twice as many. Fewer than 4 if they
//                         would need more registers than there are; 0 if the instruction cannot be repeated
//   has_own_sources       each copy has its own registers for all its source operands, so that ptxas does not prepare
//                         (for example, widen) any of them once for all copies; else only for one of them, which keeps
//                         the copies apart
//   has_own_accumulators  likewise for an accumulator in place; else the copies use the same one, one after another,
//                         because not even two fit
struct StreamShape {
  int copies = 0;
  bool has_own_sources = false;
  bool has_own_accumulators = false;
};
// Expands a variant of a form that can be measured.
Experiment expand(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, const isa::Consumer* consumer);

// Only the streams of `expand`.
Experiment expand_streams(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant);

// Only the differential of `expand`, and what it is compared with.
Experiment expand_differential(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant);

// Copies that do not depend on each other, in a loop of PTX, for a CTA of this many threads whose warps begin together:
// to measure throughput. What they read depends, for ptxas, on what they made in the round before (ptx/bridge.h).
//   copies     in the shorter loop; the longer has twice as many
//   fed_twice  the longer loop, in which everything is fed back twice: how much longer it takes is what feeding back
//              once costs. Empty if nothing is
struct StreamLoops {
  int copies = 0;
  ptx::Trial shorter, longer;
  std::optional<ptx::Trial> fed_twice;
};
// At most so many copies; nullopt if the instruction cannot be repeated.
std::optional<StreamLoops> expand_stream_loops(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant,
                                               int copies, int rounds, int threads);

// Dependent copies in a loop of PTX.
//   chains  side by side, independent of each other
//   steps   of each chain in the body
//   rounds  of the loop, unless a launch chooses a different number
//   mixes   a step also reads the last value of the next chain, if the form has a second source of that type: ptxas
//           merges steps that all read the same second source
struct ChainLoop {
  int chains = 1, steps = 1, rounds = 1;
  bool mixes = false;
};
// A dependence of the form whose result can be the next source as it is; nullopt if it has none.
std::optional<isa::Variant> chain_without_bridge(const ptx::LoadedCatalogue& loaded, const isa::Form& form);
// Those whose result can be the next source without a machine instruction, one for each type of source. None if the
// form uses memory or its latency depends on values, which steps would change.
std::vector<isa::Variant> chains_of_values(const ptx::LoadedCatalogue& loaded, const isa::Form& form);
// The loop for a CTA of this many threads, whose warps begin together.
ptx::Trial expand_chain_loop(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, const ChainLoop& loop,
                             int threads);

// Gives the experiment a different consumer, used in its differential and the base of that; the remaining windows,
// which a consumer does not change, are kept.
void change_consumer(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, const isa::Consumer* consumer,
                     Experiment& experiment);

// Rebuilds the windows with different clocks. ptxas generates different code with them, so do this only if necessary.
void change_clocks(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, Clocks clocks,
                   Experiment& experiment);

// Rebuilds the windows as subroutines, with a different consumer, and the streams if `with_streams`: for windows that
// ptxas empties in a loop. A kernel that uses memory cannot be a subroutine, and then has no windows.
void change_to_subroutine(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant,
                          const isa::Consumer* consumer, bool with_streams, Experiment& experiment);

// Gives the experiment chains that cross; false if the form has no second source of the result's type, or no chains.
bool cross_chains(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, Experiment& experiment);

// Gives the experiment streams of one and two copies: fewer results in flight at a time.
void shorten_stream(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, Experiment& experiment);

// Gives the experiment streams that show what a copy takes behind a queue, which would take in a short stream at the
// rate of issue: as long as there are registers for, of which the last quarter counts. False if that is not longer.
bool outlast_queue(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, Experiment& experiment);

// The instruction alone in a kernel, to see whether an assembler accepts it.
ptx::Trial plain_trial(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant);

}  // namespace ptxlat::latency
