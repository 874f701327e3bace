// SPDX-License-Identifier: Apache-2.0
#include "base/scratch_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <string>
#include <system_error>

#include "base/file_error.h"
#include "base/write_all.h"

namespace ptxlat {

namespace {

int open_nameless(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) return descriptor;
  // Network file systems have no such files.
  std::string name = folder / ".scratch.XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

ScratchFile::ScratchFile(const std::filesystem::path& folder) : folder_(folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw file_error(folder, "make the folder", error.value());
  descriptor_ = open_nameless(folder);
  if (descriptor_ < 0) throw file_error(folder, "create a file in", errno);
}

ScratchFile::~ScratchFile() {
  if (mapped_ != nullptr) ::munmap(mapped_, size_);
  ::close(descriptor_);
}

std::size_t ScratchFile::append(std::string_view text) {
  assert(mapped_ == nullptr);
  const std::size_t begin = size_;
  if (!write_all(descriptor_, text)) throw file_error(folder_, "write a temporary file in", errno);
  size_ += text.size();
  return begin;
}

std::string_view ScratchFile::text() {
  if (size_ == 0) return {};
  if (mapped_ == nullptr) {
    // Pages that could not be kept would be read as if they had been.
    if (!settle(descriptor_)) throw file_error(folder_, "write a temporary file in", errno);
    void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
    if (mapped == MAP_FAILED) throw file_error(folder_, "read a temporary file in", errno);
    mapped_ = mapped;
  }
  return {static_cast<const char*>(mapped_), size_};
}

}  // namespace ptxlat
