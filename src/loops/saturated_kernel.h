// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "isa/form.h"
#include "ptx/kernel.h"
#include "ptx/skeleton.h"

namespace ptxlat::loops {

inline constexpr int lanes_of_a_warp = 32;
// Places of a body of one instruction: 1.8 KB of machine code.
inline constexpr int places_of_body = 112;
// How often a loop is run, unless its launch chooses a different number.
inline constexpr int default_rounds = 8;
// The maximum number of warps in one CTA, on one SM.
inline constexpr int most_warps = 32;

// Which registers the instructions read.
//   own     each operand has its own
//   shared  with three or more sources of one type, the third uses the register of the first. A register file has two
//           banks, each of which delivers one register per cycle: reading three would dominate the time, and real code
//           finds some of them in the operand cache. Not coordinates: each has its own range
enum class Sources { own, shared };

// The variants' instructions once each, followed by a loop of `places`, which copies of their machine code can
// overwrite (skeletons/saturated.ptx, loops/patch.h). Its launch has most_warps warps; a launch with fewer uses the
// beginning of its input.
ptx::Trial saturated_trial(const ptx::LoadedCatalogue& loaded, std::span<const isa::Variant> variants, int places,
                           Sources sources);

// Whether each thread has an address of its own in the launch's scratch memory, so that the kernel can run on every SM
// at once and each warp can have its own lines (ptx_templates/skeletons/every_sm.ptx). What ptxas takes from a uniform
// register would be other code then.
bool can_run_on_every_sm(const isa::Catalogue& catalogue, const isa::Variant& variant);

// Threads of a CTA that have room for the form's operands. Of an SM's 65,536 registers, 512 threads have 128 each,
// which is enough if the operands take at most so many; else it is 256 with 255 each.
int threads_with_room(const isa::Form& form, int most_registers);

// The same launch of a kernel with a loop, with a different number of rounds.
ptx::Launch with_rounds(ptx::Launch launch, int rounds);

// The same launch with fewer threads.
ptx::Launch with_warps(ptx::Launch launch, int warps);

// A description of why the variant cannot be repeated by several warps at once; empty if it can.
std::string why_not_saturated(const isa::Variant& variant);

}  // namespace ptxlat::loops
