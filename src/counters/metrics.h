#pragma once

#include <string>
#include <vector>

namespace ptxlat::counters {

// The counter of all instructions that the SMs have executed, one for each warp.
inline constexpr char executed_counter[] = "sm__inst_executed";

// The pipes of which a chip counts the executed instructions, by the names of its counters: "fmaheavy" of
// "sm__inst_executed_pipe_fmaheavy", in alphabetical order. Left out are counters of a part of a pipe's instructions
// ("tensor_op_hmma" where there is "tensor") and the sum of several pipes ("fma" where there are "fmaheavy" and
// "fmalite").
std::vector<std::string> pipes_among(const std::vector<std::string>& counters);

std::string counter_of_pipe(const std::string& pipe);

}  // namespace ptxlat::counters
