// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "ptxlat_program.h"

namespace ptxlat {

// Runs `ptxlat` until it launches a kernel with this in its name, which never ends, and then presses Ctrl-C: so that
// the stage of these kernels is not whole.
inline Ended interrupted_at(PtxlatProgram& program, const std::string& kernel,
                            const std::vector<std::string>& arguments) {
  program.set("PTXLAT_STANDIN_HANG", kernel);
  program.set("PTXLAT_DEADLINE_FACTOR", "2");  // or kernels that hang are waited for longer
  const auto child = program.start(arguments);
  const auto is_there = [&] {
    const auto launches = lines_of(program.launch_log());
    return std::any_of(launches.begin(), launches.end(),
                       [&](const std::string& name) { return name.find(kernel) != std::string::npos; });
  };
  while (!has_ended(child) && !is_there()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(child, SIGINT);
  auto ended = program.wait_for(child);
  program.unset("PTXLAT_DEADLINE_FACTOR");
  program.unset("PTXLAT_STANDIN_HANG");
  return ended;
}

}  // namespace ptxlat
