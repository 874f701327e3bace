// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mount.h>

#include <string>

#include "catch.h"
#include "test_folder.h"

namespace ptxlat {

// A file system of a few hundred kilobytes, to be filled.
struct SmallDisk {
  TestFolder folder;
  bool mounted;

  explicit SmallDisk(const std::string& size)
      : mounted(::mount("tmpfs", folder.path.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0) {}
  ~SmallDisk() {
    if (mounted) ::umount2(folder.path.c_str(), MNT_DETACH);
  }
  void require_mounted() const {
    if (!mounted) skip("mounting a small file system is not permitted here");
  }
  SmallDisk(const SmallDisk&) = delete;  // owns the mount
  SmallDisk& operator=(const SmallDisk&) = delete;
};

}  // namespace ptxlat
