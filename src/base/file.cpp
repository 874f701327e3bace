// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "base/limits.h"

namespace ptxlat {

namespace {

const char* advice_for(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "The disk is full: free some space and export again. The old table is still there.";
    case EFBIG:
      return "A limit on file sizes is set (ulimit -f): raise it and export again.";
    case EACCES:
    case EPERM:
    case EROFS:
      return "Check the permissions, or name another folder.";
    case ENOTDIR:
    case EEXIST:
      return "Something that is not a folder is in the way: remove it, or name another folder.";
    case ENOENT:
      return "A file of the table is missing: export the table again from its store.";
    default:
      return "";
  }
}

Error storage_error(const std::filesystem::path& file, const char* doing, int error_number) {
  return Error(ExitCode::storage,
               fmt::format("cannot {} {}: {}", doing, file.string(), std::generic_category().message(error_number)),
               advice_for(error_number));
}

void write_durably(const std::filesystem::path& file, const std::string& content) {
  // A folder from somebody else may have a link of this name, which must not be followed.
  ::unlink(file.c_str());
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) throw storage_error(file, "create", errno);
  int failure = 0;
  for (std::size_t written = 0; written < content.size() && failure == 0;) {
    const ssize_t count = ::write(descriptor, content.data() + written, content.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      failure = errno;
    }
  }
  // Some file systems report a full disk only here.
  if (failure == 0 && ::fsync(descriptor) != 0 && errno != EINVAL) failure = errno;
  if (::close(descriptor) != 0 && failure == 0) failure = errno;
  if (failure != 0) throw storage_error(file, "write", failure);
}

// Removes files that were not renamed, however the writing ends.
struct TemporaryFiles {
  std::vector<std::filesystem::path> paths;
  ~TemporaryFiles() {
    std::error_code ignored;
    for (const auto& path : paths) std::filesystem::remove(path, ignored);
  }
};

}  // namespace

void replace_files(const std::filesystem::path& folder, const std::vector<NamedContent>& files) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw storage_error(folder, "make the folder", error.value());

  TemporaryFiles temporary;
  for (const auto& [name, content] : files) {
    // The name contains the process id, so that two processes exporting the same table cannot publish each other's
    // incomplete files.
    temporary.paths.push_back(folder / fmt::format(".{}.{}", name, ::getpid()));
    write_durably(temporary.paths.back(), content);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::filesystem::rename(temporary.paths[i], folder / files[i].first, error);
    if (error) throw storage_error(folder / files[i].first, "replace", error.value());
  }
}

void replace_file(const std::filesystem::path& file, const std::string& content) {
  replace_files(file.has_parent_path() ? file.parent_path() : ".", {{file.filename().string(), content}});
}

bool stays_inside(const std::filesystem::path& path) {
  return !path.is_absolute() && path.native().find('\0') == std::string::npos &&
         std::find(path.begin(), path.end(), "..") == path.end();
}

std::string read_file(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw storage_error(file, "read", errno);
  std::string content;
  std::array<char, 1 << 16> buffer;
  ssize_t count = 0;
  int failure = 0;
  do {
    count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) content.append(buffer.data(), static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) failure = errno;
    if (content.size() > most_file_bytes) failure = EFBIG;
  } while (count != 0 && failure == 0);
  ::close(descriptor);
  if (failure == EFBIG) {
    throw Error(ExitCode::storage, fmt::format("{} has more than {} bytes", file.string(), most_file_bytes),
                "No file that ptxlat writes is so large: is it the right one?");
  }
  if (failure != 0) throw storage_error(file, "read", failure);
  return content;
}

}  // namespace ptxlat
