#pragma once

#include <sys/mount.h>

#include <string>

#include "test_folder.h"

namespace ptxlat {

// A file system of a few hundred kilobytes, to be filled. Not `mounted` where this user may not mount.
struct SmallDisk {
  TestFolder folder;
  bool mounted;

  explicit SmallDisk(const std::string& size)
      : mounted(::mount("tmpfs", folder.path.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0) {}
  ~SmallDisk() {
    if (mounted) ::umount2(folder.path.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;  // owns the mount
  SmallDisk& operator=(const SmallDisk&) = delete;
};

}  // namespace ptxlat
