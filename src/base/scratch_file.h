// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace ptxlat {

// Text that may be too large for memory, in a file without a name: the system drops its pages where memory is short,
// and the file goes with the process, however that ends. Failures of the disk are Error{storage}.
class ScratchFile {
 public:
  // Created if it is missing. Not the folder for temporary files, which may itself be in memory.
  explicit ScratchFile(const std::filesystem::path& folder);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;  // owns the file
  ScratchFile& operator=(const ScratchFile&) = delete;

  // Returns where the text begins.
  std::size_t append(std::string_view text);
  // Everything that was appended, valid as long as the file. Nothing can be appended afterwards.
  std::string_view text();

 private:
  std::filesystem::path folder_;
  int descriptor_ = -1;
  std::size_t size_ = 0;
  void* mapped_ = nullptr;
};

}  // namespace ptxlat
