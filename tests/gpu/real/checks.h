#pragma once

#include <cstdio>
#include <string>

#include "measure/worker.h"

// What the programs that need a real GPU share.
inline constexpr int skipped = 77;
inline int failures = 0;

inline void check(bool holds, const std::string& what) {
  std::printf("%s %s\n", holds ? "ok    " : "FAILED", what.c_str());
  failures += !holds;
}

// 32 lanes with the operands 3 + lane and 5.
inline ptxlat::KernelLaunch launch_of(const std::string& name) {
  using ptxlat::operands_per_slot;
  ptxlat::KernelLaunch launch{name, 32, std::vector<std::uint64_t>(32 * operands_per_slot)};
  for (std::size_t lane = 0; lane < 32; ++lane) {
    launch.input[lane * operands_per_slot] = 3 + lane;
    launch.input[lane * operands_per_slot + 1] = 5;
  }
  return launch;
}
