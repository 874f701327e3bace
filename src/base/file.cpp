// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/limits.h"

namespace ptxlat {

namespace {

const char* advice_for(const char* doing, int error_number) {
  const bool reads = std::string_view(doing).starts_with("read") || std::string_view(doing).starts_with("open");
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
      return reads ? "Check the name. A file of a table comes back when it is exported again from its store."
                   : "Nothing can be made there: name another folder.";
    default:
      return "";
  }
}

constexpr int new_file = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

bool is_locked_now(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

// Files below a folder that are written under unique names, and locked until they are renamed or removed, however the
// writing ends. A killed process leaves the files, but not their locks.
class TemporaryFiles {
 public:
  TemporaryFiles() = default;
  ~TemporaryFiles() {
    for (const auto& file : files_) ::unlinkat(file.folder, file.name.c_str(), 0);
  }
  TemporaryFiles(const TemporaryFiles&) = delete;  // owns the files
  TemporaryFiles& operator=(const TemporaryFiles&) = delete;

  // A file that is to become `place`, in its open folder.
  void write(int folder, const Place& place, const std::string& content) {
    create(folder, place);
    const int descriptor = files_.back().descriptor.number();
    if (!write_all(descriptor, content) || !settle(descriptor))
      throw file_error(path_of(files_.back()), "write", errno);
  }

  void rename() const {
    for (const auto& file : files_) {
      if (::renameat(file.folder, file.name.c_str(), file.folder, file.place.file.c_str()) != 0)
        throw file_error(file.place.folder.path() / file.place.file, "replace", errno);
    }
  }

 private:
  struct File {
    int folder;
    Place place;
    std::string name;
    Descriptor descriptor;
  };

  static std::filesystem::path path_of(const File& file) { return file.place.folder.path() / file.name; }

  // Locked, and not yet removed by a process that found it without a lock. Each has a name of its own: a process that
  // found an earlier one may still remove what has that name. With the process id, two processes that export the same
  // table cannot publish each other's incomplete files.
  void create(int folder, const Place& place) {
    static std::atomic<unsigned> next = 0;
    for (;;) {
      auto name = fmt::format(".{}.{}{:06}", place.file, ::getpid(), next++ % 1'000'000);
      // A folder from somebody else may have a link of this name, which must not be followed.
      ::unlinkat(folder, name.c_str(), 0);
      Descriptor descriptor(::openat(folder, name.c_str(), new_file, 0666));
      if (descriptor.number() < 0 && errno == EEXIST) continue;
      if (descriptor.number() < 0) throw file_error(place.folder.path() / name, "create", errno);
      struct stat state {};
      // A file system without locks is no reason to write nothing.
      const bool is_taken = !is_locked_now(descriptor.number()) && errno == EWOULDBLOCK;
      if (is_taken || (::fstat(descriptor.number(), &state) == 0 && state.st_nlink == 0)) continue;
      files_.push_back({folder, place, std::move(name), std::move(descriptor)});
      return;
    }
  }

  std::vector<File> files_;
};

// Removes temporary files that a killed process left for these files of a folder.
void remove_abandoned(const Folder& folder, int descriptor, const std::set<std::string>& files) {
  std::error_code error;
  // Only names are taken from here; what is removed is below the open folder.
  for (std::filesystem::directory_iterator entry(folder.path(), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string found = entry->path().filename().string();
    const auto end_of_name = found.find_last_not_of("0123456789");
    if (found[0] != '.' || end_of_name == std::string::npos || end_of_name < 2 || found[end_of_name] != '.') continue;
    if (!files.contains(found.substr(1, end_of_name - 1))) continue;
    const Descriptor opened(::openat(descriptor, found.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (opened.number() >= 0 && is_locked_now(opened.number())) ::unlinkat(descriptor, found.c_str(), 0);
  }
}

}  // namespace

Error file_error(const std::filesystem::path& file, const char* doing, int error_number) {
  return Error(ExitCode::storage,
               fmt::format("cannot {} {}: {}", doing, file.string(), std::generic_category().message(error_number)),
               advice_for(doing, error_number));
}

void replace_files(const Folder& folder, const std::vector<NamedContent>& files) {
  struct Opened {
    Descriptor descriptor{-1};
    std::set<std::string> files;
  };
  std::map<std::string, Opened> folders;  // by their names below the one that the user named
  open_folder(folder, Missing::make);
  std::vector<Place> places;
  for (const auto& [name, content] : files) {
    const auto& place = places.emplace_back(place_of(folder, name));
    auto& opened = folders[place.folder.below];
    if (opened.files.empty()) opened.descriptor = open_folder(place.folder, Missing::make);
    opened.files.insert(place.file);
  }
  for (const auto& [below, opened] : folders)
    remove_abandoned({folder.named, below}, opened.descriptor.number(), opened.files);
  TemporaryFiles temporary;
  for (std::size_t i = 0; i < files.size(); ++i)
    temporary.write(folders[places[i].folder.below].descriptor.number(), places[i], files[i].second);
  temporary.rename();
}

void replace_file(const std::filesystem::path& file, const std::string& content) {
  replace_files(file.has_parent_path() ? file.parent_path() : ".", {{file.filename().string(), content}});
}

void create_files(const Folder& folder, const std::vector<NamedContent>& files) {
  for (const auto& [name, content] : files) {
    const auto place = place_of(folder, name);
    const auto path = place.folder.path() / place.file;
    const auto parent = open_folder(place.folder, Missing::make);
    const Descriptor file(::openat(parent.number(), place.file.c_str(), new_file, 0666));
    if (file.number() < 0) throw file_error(path, "create", errno);
    if (!write_all(file.number(), content)) throw file_error(path, "write", errno);
  }
}

void remove_file(const Folder& folder, const std::string& name) {
  try {
    const auto place = place_of(folder, name);
    const auto parent = open_folder(place.folder, Missing::is_none);
    if (parent.number() >= 0) ::unlinkat(parent.number(), place.file.c_str(), 0);
  } catch (const Error&) {
    return;  // such a file is not ours to remove
  }
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder, ExitCode code) {
  std::vector<std::filesystem::path> entries;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (const std::filesystem::directory_iterator end; !error && entry != end; entry.increment(error))
    entries.push_back(entry->path());
  if (error) throw Error(code, file_error(folder, "read", error.value()).what(), "Check its permissions.");
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  return entries_of(folder, ExitCode::storage);
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
  if (failure == 0) content.reserve(static_cast<std::size_t>(status.st_size));  // growing needs three times its size
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

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool settle(int descriptor) {
  // Not every file system can do this.
  if (::fsync(descriptor) != 0 && errno != EINVAL) return false;
  // Some send a file only when a descriptor of it is closed.
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  return copy >= 0 && ::close(copy) == 0;
}

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
