// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/text.h"

namespace ptxlat::gpu {

// The driver's own cache of what its JIT made, in a private folder: each module that is loaded leaves a file there that
// contains its cubin. The format around the cubin is undocumented and differs between drivers; the cubin is an ELF, and
// whole if all that its header speaks of is there.
class JitCache {
 public:
  // Tells the driver of the folder, which must exist and be empty; before the driver starts.
  explicit JitCache(std::filesystem::path folder);

  // The cubin in the only file that has one; empty if there is none or several. Removes the files: a module that is
  // loaded again is made again.
  Bytes take();

 private:
  std::filesystem::path folder_;
};

// The ELF within these bytes, if it is whole; else empty.
Bytes elf_within(const Bytes& bytes);

}  // namespace ptxlat::gpu
