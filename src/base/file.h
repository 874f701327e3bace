// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/beneath.h"
#include "base/error.h"

namespace ptxlat {

enum class ExitCode : int;

// Name and content of a file.
using NamedContent = std::pair<std::string, std::string>;

// Writes files below `folder` (created if missing) under temporary names, and renames them in the given order only when
// every byte is on the disk. Names may have folders in them. No link below the folder that the user named is followed
// (base/beneath.h). Error{storage} with what to do if that fails; then none of the old files has changed. Temporary
// files that a killed process left for the same names are removed.
void replace_files(const Folder& folder, const std::vector<NamedContent>& files);

// The same for one file, anywhere.
void replace_file(const std::filesystem::path& file, const std::string& content);

// Writes files that do not exist yet, in a folder that this process has for itself: not under temporary names, and
// without waiting for the disk. Otherwise as replace_files.
void create_files(const Folder& folder, const std::vector<NamedContent>& files);

// Removes the file, if it is there, and nothing that is only reached through a link: of a name that cannot be one below
// the folder, that is a folder's, or that leads through a link, nothing is removed.
void remove_file(const Folder& folder, const std::string& name);

// The paths of what is in a folder, sorted. Error{code} if the folder cannot be read: a list that ends early would pass
// for whole.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, ExitCode code);
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);  // Error{storage}

// Error{storage} if it cannot be read, is larger than any file of ours (base/limits.h), or is a pipe or a device: these
// may never end, and opening them may wait.
std::string read_file(const std::filesystem::path& file);

// The same for a file that is no part of a store, table or bundle: Error{code} with this advice.
std::string read_file(const std::filesystem::path& file, ExitCode code, const std::string& advice);

// Error{storage}: "cannot write /tables/latency.csv: No space left on device", with what to do.
Error file_error(const std::filesystem::path& file, const char* doing, int error_number);

// Writes the text to a descriptor, however many calls that takes. False if one fails; errno says why.
bool write_all(int descriptor, std::string_view text);

// Puts everything that was written to the file on the disk. False if some of it was not kept, which network file
// systems say only now; errno says why. The descriptor stays open, with its lock.
bool settle(int descriptor);

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
