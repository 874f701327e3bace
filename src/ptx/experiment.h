#pragma once

#include <array>
#include <string>
#include <vector>

#include "isa/form.h"
#include "ptx/kernel.h"
#include "ptx/skeleton.h"

namespace ptxlat {

// Steps of the shorter chain; the longer has twice as many. Fewer with a wide result (ptx/draft.h): assembling one such
// instruction takes as long as ten others.
int chain_steps(const Form& form);

// What a kernel of an experiment is there for; docs/method.md describes each.
//   completion  the wait for the instruction's effect without the instruction: assembled to tell the two apart, never
//               run, because it may wait for ever
//   stream      independent copies of the instruction
enum class Role {
  overhead,
  bracket,
  differential,
  differential_base,
  chain,
  chain_twice,
  bridge,
  completion,
  stream,
  stream_twice,
};
inline constexpr std::array all_roles = {Role::overhead, Role::bracket,     Role::differential, Role::differential_base,
                                         Role::chain,    Role::chain_twice, Role::bridge,       Role::completion,
                                         Role::stream,   Role::stream_twice};
const char* to_string(Role role);

// Something for each role.
template <class T>
struct ByRole {
  std::array<T, all_roles.size()> values{};
  T& operator[](Role role) { return values[static_cast<std::size_t>(role)]; }
  const T& operator[](Role role) const { return values[static_cast<std::size_t>(role)]; }
};

// How the end of an instruction is seen.
//   consumed    an instruction behind it needs its result
//   waited_for  the catalogue says what waits for its effect, or what its cost is measured behind
//   none        nothing can wait for it: there is an issue cost alone
enum class Observation { consumed, waited_for, none };
Observation observation_of(const Variant& variant);

// What is run to measure one variant with one consumer (nullptr where nothing is consumed). The kernels that a variant
// has no use for have an empty text.
//   steps   of the shorter chain; 0 where there is none
//   copies  of the instruction in the shorter stream; 0 where there is none
struct Experiment {
  const Consumer* consumer = nullptr;
  int steps = 0;
  int copies = 0;
  ByRole<Kernel> kernels;
};

// The consumers that can be tried for a variant, best first: its form's own or those for its result's type. One nullptr
// where nothing is consumed; empty if no consumer takes the result.
std::vector<const Consumer*> consumers_for(const Catalogue& catalogue, const Variant& variant);

// What a stream is made of.
//   copies                of the instruction in the shorter one; the longer has twice as many. Fewer than 4 where they
//                         would need more registers than there are; 0 where the instruction cannot be repeated
//   has_own_sources       each copy has registers of its own for all its source operands, so that ptxas prepares none
//                         of them (widens, say) once for all; else for one of them, which keeps the copies apart
//   has_own_accumulators  likewise for an accumulator in place; else the copies work one behind the other on the same,
//                         because not even two have room
struct StreamShape {
  int copies = 0;
  bool has_own_sources = false;
  bool has_own_accumulators = false;
};
StreamShape stream_shape(const Catalogue& catalogue, const Variant& variant);

// Expands a variant of a form that can be measured.
Experiment expand(const Catalogue& catalogue, const Skeletons& skeletons, const Variant& variant,
                  const Consumer* consumer);

// Gives the experiment another consumer, which its differential and their base are made with; the other windows, which
// a consumer does not change, stay what they are.
void change_consumer(const Catalogue& catalogue, const Skeletons& skeletons, const Variant& variant,
                     const Consumer* consumer, Experiment& experiment);

// Gives the experiment streams of one copy and of two: fewer results that are under way at a time.
void shorten_stream(const Catalogue& catalogue, const Skeletons& skeletons, const Variant& variant,
                    Experiment& experiment);

// The instruction alone in a kernel, to see whether an assembler takes it.
Kernel plain_kernel(const Catalogue& catalogue, const Skeletons& skeletons, const Variant& variant);

}  // namespace ptxlat
