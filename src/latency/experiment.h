#pragma once

#include <string>
#include <vector>

#include "isa/form.h"
#include "kernel/kernel.h"
#include "latency/roles.h"
#include "ptx/kernel_builder.h"

namespace ptxlat::latency {

// Steps of the shorter chain; the longer has twice as many. Fewer with a wide result (ptx/draft.h): assembling one such
// instruction takes as long as ten others.
int chain_steps(const isa::Form& form);

// How the end of an instruction is seen.
//   consumed    an instruction after it needs its result
//   waited_for  the catalogue says what waits for its effect, or what its cost is measured after
//   none        nothing can wait for it: there is an issue cost alone
enum class Observation { consumed, waited_for, none };
Observation observation_of(const isa::Variant& variant);

// How the clocks of all windows but streams, which see to it themselves, are read.
//   plain            as ptxas likes
//   second_reserved  the second has a register that no instruction of the window can have
//   reserved         both have, and it is no uniform register
enum class Clocks { plain, second_reserved, reserved };

// The trials that measure one variant with one consumer (nullptr where nothing is consumed). Those that a variant has
// no use for have an empty text.
//   steps   of the shorter chain; 0 where there is none
//   copies  of the instruction in the shorter stream; 0 where there is none
struct Experiment {
  const isa::Consumer* consumer = nullptr;
  int steps = 0;
  int copies = 0;
  Clocks clocks = Clocks::plain;
  ptx::Frame frame = ptx::Frame::loop;  // of all windows but streams
  ByRole<kernel::Trial> trials;
};

// The consumers that can be tried for a variant, best first: its form's own or those for its result's type. One nullptr
// where nothing is consumed; empty if no consumer takes the result.
std::vector<const isa::Consumer*> consumers_for(const isa::Catalogue& catalogue, const isa::Variant& variant);

// What a stream is made of.
//   copies                of the instruction in the shorter one; the longer has twice as many. Fewer than 4 where they
//                         would need more registers than there are; 0 where the instruction cannot be repeated
//   has_own_sources       each copy has registers of its own for all its source operands, so that ptxas prepares none
//                         of them (widens, say) once for all; else for one of them, which keeps the copies apart
//   has_own_accumulators  likewise for an accumulator in place; else the copies work one after the other on the same,
//                         because not even two have room
struct StreamShape {
  int copies = 0;
  bool has_own_sources = false;
  bool has_own_accumulators = false;
};
// Expands a variant of a form that can be measured.
Experiment expand(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, const isa::Consumer* consumer);

// Gives the experiment another consumer, which its differential and their base are made with; the other windows, which
// a consumer does not change, stay what they are.
void change_consumer(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, const isa::Consumer* consumer,
                     Experiment& experiment);

// Makes the windows again with other clocks. ptxas makes other code with them, so that it is done only where it must
// be.
void change_clocks(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, Clocks clocks,
                   Experiment& experiment);

// Makes the windows again as subroutines, with another consumer, and the streams where `with_streams`: what a loop
// leaves empty. A kernel that uses memory cannot be one, and has no windows then.
void change_to_subroutine(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant,
                          const isa::Consumer* consumer, bool with_streams, Experiment& experiment);

// Gives the experiment streams of one copy and of two: fewer results that are under way at a time.
void shorten_stream(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant, Experiment& experiment);

// The instruction alone in a kernel, to see whether an assembler takes it.
kernel::Trial plain_trial(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant);

}  // namespace ptxlat::latency
