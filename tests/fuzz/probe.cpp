// SPDX-License-Identifier: Apache-2.0
#include "probe/probe.h"

#include "fuzz.h"
#include "probe/points.h"

namespace ptxlat::fuzz {

// A user's probe: its TOML, then its kernel.
void probe(std::string_view input) {
  const auto parts = parts_of(input, 2);
  const auto folder = scratch_file("probes/fuzz.toml", parts[0]).parent_path();
  scratch_file("probes/fuzz.ptx", parts[1]);
  gpu::DeviceInfo device;
  device.sm_count = 132;
  device.l2_bytes = 52428800;
  for (const auto& one : probe::load_probes({folder})) {
    // Many points are slow and show no more than a few.
    constexpr std::size_t enough = 100;
    if (probe::roles_of(one).size() <= enough) probe::points_of(one, probe::names_of(device));
  }
}

}  // namespace ptxlat::fuzz
