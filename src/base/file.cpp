// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/file_error.h"
#include "base/limits.h"
#include "base/write_all.h"

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

bool is_locked_now(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

// Files that are written under unique names, and locked until they are renamed or removed, however the writing ends. A
// killed process leaves the files, but not their locks.
class TemporaryFiles {
 public:
  TemporaryFiles() = default;
  ~TemporaryFiles() {
    std::error_code ignored;
    for (const auto& path : paths_) std::filesystem::remove(path, ignored);
    for (const int descriptor : descriptors_) ::close(descriptor);
  }
  TemporaryFiles(const TemporaryFiles&) = delete;  // owns the files
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;

  const std::filesystem::path& path(std::size_t index) const { return paths_[index]; }

  // A file that is to become folder/name.
  void write(const std::filesystem::path& folder, const std::string& name, const std::string& content) {
    const int descriptor = create(folder, name);
    descriptors_.push_back(descriptor);
    const auto& file = paths_.back();
    if (!write_all(descriptor, content) || !settle(descriptor)) throw file_error(file, "write", errno);
  }

 private:
  // Locked, and not yet removed by a process that found it without a lock. Each has a name of its own: a process that
  // found an earlier one may still remove what has that name. With the process id, two processes that export the same
  // table cannot publish each other's incomplete files.
  int create(const std::filesystem::path& folder, const std::string& name) {
    static std::atomic<unsigned> next = 0;
    for (;;) {
      const auto file = folder / fmt::format(".{}.{}{:06}", name, ::getpid(), next++ % 1'000'000);
      // A folder from somebody else may have a link of this name, which must not be followed.
      ::unlink(file.c_str());
      const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor < 0 && errno == EEXIST) continue;
      if (descriptor < 0) throw file_error(file, "create", errno);
      struct stat state {};
      // A file system without locks is no reason to write nothing.
      const bool is_taken = !is_locked_now(descriptor) && errno == EWOULDBLOCK;
      if (!is_taken && (::fstat(descriptor, &state) != 0 || state.st_nlink > 0)) {
        paths_.push_back(file);
        return descriptor;
      }
      ::close(descriptor);
    }
  }

  std::vector<std::filesystem::path> paths_;
  std::vector<int> descriptors_;
};

// Removes temporary files for `name` that a killed process left.
void remove_abandoned(const std::filesystem::path& folder, const std::string& name) {
  const std::string beginning = fmt::format(".{}.", name);
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string found = entry->path().filename().string();
    if (!found.starts_with(beginning) || found.find_first_not_of("0123456789", beginning.size()) != std::string::npos)
      continue;
    const int descriptor = ::open(entry->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    if (is_locked_now(descriptor)) ::unlink(entry->path().c_str());
    ::close(descriptor);
  }
}

}  // namespace

Error file_error(const std::filesystem::path& file, const char* doing, int error_number) {
  return Error(ExitCode::storage,
               fmt::format("cannot {} {}: {}", doing, file.string(), std::generic_category().message(error_number)),
               advice_for(error_number));
}

void replace_files(const std::filesystem::path& folder, const std::vector<NamedContent>& files) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw file_error(folder, "make the folder", error.value());

  TemporaryFiles temporary;
  for (const auto& [name, content] : files) {
    remove_abandoned(folder, name);
    temporary.write(folder, name, content);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::filesystem::rename(temporary.path(i), folder / files[i].first, error);
    if (error) throw file_error(folder / files[i].first, "replace", error.value());
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
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) throw file_error(file, "read", errno);
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    throw Error(ExitCode::storage, fmt::format("{} is a pipe or a device", file.string()),
                "Copy what it gives into a file.");
  }
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw file_error(file, "read", errno);
  int failure = std::cmp_greater(status.st_size, most_file_bytes) ? EFBIG : 0;
  std::string content;
  std::array<char, 1 << 16> buffer;
  ssize_t count = 0;
  while (failure == 0) {
    count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) content.append(buffer.data(), static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) failure = errno;
    if (content.size() > most_file_bytes) failure = EFBIG;
    if (count == 0) break;
  }
  ::close(descriptor);
  if (failure == EFBIG) {
    throw Error(ExitCode::storage, fmt::format("{} has more than {} bytes", file.string(), most_file_bytes),
                "No file that ptxlat writes is that large: is it the right one?");
  }
  if (failure != 0) throw file_error(file, "read", failure);
  return content;
}

std::string read_file(const std::filesystem::path& file, ExitCode code, const std::string& advice) {
  try {
    return read_file(file);
  } catch (const Error& error) {
    throw Error(code, error.what(), advice);
  }
}

}  // namespace ptxlat
