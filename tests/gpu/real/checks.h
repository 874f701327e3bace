// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include "worker/worker.h"

// What the programs that need a real GPU share.
inline constexpr int skipped = 77;
inline int failures = 0;

inline void check(bool holds, const std::string& what) {
  std::printf("%s %s\n", holds ? "ok    " : "FAILED", what.c_str());
  failures += !holds;
}

// Where the kernels of these programs store their result: a word of their thread's slot next to the two clocks.
inline constexpr int result_word = 4;

// 32 threads with the operands 3 + thread and 5. The third word that comes back is the result.
inline ptxlat::worker::KernelLaunch launch_of(const std::string& name) {
  using namespace ptxlat;
  ptxlat::worker::KernelLaunch kernel{name, {}, 9};
  kernel.launch.input.resize(32 * ptx::operands_per_slot);
  for (std::size_t thread = 0; thread < 32; ++thread) {
    kernel.launch.input[thread * ptx::operands_per_slot] = 3 + thread;
    kernel.launch.input[thread * ptx::operands_per_slot + 1] = 5;
  }
  kernel.launch.output_words = {0, 1, result_word};
  return kernel;
}

inline std::uint32_t result_of(const ptxlat::ptx::Readout& readout, std::size_t launch = 0) {
  return readout.word(launch, 0, 2);
}
