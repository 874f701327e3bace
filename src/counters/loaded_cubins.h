// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/text.h"

namespace ptxlat::counters {

// The machine code of modules that the driver loads: CUPTI calls back after each load and shows the cubin that it made
// (CUPTI_CBID_RESOURCE_MODULE_LOADED). Unlike counters this needs no privilege, and any version of CUPTI can do it. At
// most one in a process, made before the driver starts, and never undone.
class LoadedCubins {
 public:
  // Unavailable if the library cannot be opened, or lets nobody subscribe: a profiler of the user's may have done so.
  explicit LoadedCubins(const std::filesystem::path& libcupti);
  LoadedCubins(const LoadedCubins&) = delete;  // CUPTI holds its address
  LoadedCubins& operator=(const LoadedCubins&) = delete;

  // That of the last module loaded since the last call; empty if there is none.
  Bytes take();

 private:
  Bytes last_;
};

}  // namespace ptxlat::counters
