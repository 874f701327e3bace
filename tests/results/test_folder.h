// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <filesystem>

namespace ptxlat {

// A separate folder for one test, removed with everything in it. (The program has a TemporaryFolder.)
struct TestFolder {
  std::filesystem::path path;

  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ptxlat-test-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TestFolder(const TestFolder&) = delete;  // owns the folder
  TestFolder& operator=(const TestFolder&) = delete;
};

}  // namespace ptxlat
