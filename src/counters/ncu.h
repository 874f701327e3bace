// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "counters/pipe_counters.h"

namespace ptxlat::counters {

// Nsight Compute's command line (`ncu`) reads the same counters as libcupti, of a program that it starts. It is the
// second witness where there is no libcupti.

// What `ncu` can count on this machine. Unavailable if it cannot be run, or knows no counters of pipes.
Offer offer_of_ncu(const std::filesystem::path& program);

// Runs `command` below `ncu`, and returns what each kernel that it launched executed, in order; fewer if a kernel
// failed. `folder` is for its files. Unavailable if `ncu` cannot be run, or counted nothing, with its reason: the
// permission, most of all.
std::vector<Counts> count_with_ncu(const Offer& offer, const std::vector<std::string>& command,
                                   const std::filesystem::path& folder, std::chrono::milliseconds deadline);

// The counts in what `ncu --csv --page raw` writes: after its own messages a line of column names, one of units, and
// one for each kernel. Empty if there is no such line. Unavailable if a column is missing or has no number.
std::vector<Counts> counts_in(const std::string& output, const std::vector<std::string>& pipes);

}  // namespace ptxlat::counters
