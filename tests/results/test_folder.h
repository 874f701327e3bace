#pragma once

#include <stdlib.h>

#include <filesystem>

namespace ptxlat {

// A folder of its own for one test, removed with everything in it.
struct TemporaryFolder {
  std::filesystem::path path;

  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ptxlat-test-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;  // owns the folder
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
};

}  // namespace ptxlat
