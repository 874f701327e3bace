// SPDX-License-Identifier: Apache-2.0

// Preloaded into every process of a run: a disk that fills up and a calendar clock that is set back.
//   PTXLAT_FAULTY_DISK    "FOLDER BYTES": in files below FOLDER, all processes together can write this many bytes
//   PTXLAT_FAULTY_DISK_COUNTER  a file in which they count them
//   PTXLAT_FAULTY_CLOCK   "FROM SECONDS": from this reading on, counted from 0 in each process, CLOCK_REALTIME is this
//                         many seconds earlier
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

template <typename Function>
Function* real(Function&, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Disk {
  char folder[PATH_MAX] = "";
  long bytes = 0;
  std::atomic<long>* written = nullptr;
};

const Disk& disk() {
  static const Disk made = [] {
    Disk wanted;
    const char* text = getenv("PTXLAT_FAULTY_DISK");
    const char* counter = getenv("PTXLAT_FAULTY_DISK_COUNTER");
    if (!text || !counter || sscanf(text, "%4095s %ld", wanted.folder, &wanted.bytes) != 2) return Disk{};
    const int file = open(counter, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ftruncate(file, sizeof(long)) != 0) abort();
    void* shared = mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared == MAP_FAILED) abort();
    wanted.written = static_cast<std::atomic<long>*>(shared);
    return wanted;
  }();
  return made;
}

// How many of the bytes fit; -1 with ENOSPC if none does.
ssize_t fitting(int file, std::size_t bytes) {
  const Disk& limited = disk();
  if (!limited.written || bytes == 0) return static_cast<ssize_t>(bytes);
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  const std::size_t prefix = strlen(limited.folder);
  if (length < static_cast<ssize_t>(prefix) || strncmp(path, limited.folder, prefix) != 0)
    return static_cast<ssize_t>(bytes);
  const long before = limited.written->fetch_add(static_cast<long>(bytes));
  if (before + static_cast<long>(bytes) <= limited.bytes) return static_cast<ssize_t>(bytes);
  if (before < limited.bytes) return limited.bytes - before;
  errno = ENOSPC;
  return -1;
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* data, size_t size) {
  static const auto next = real(write, "write");
  const ssize_t fits = fitting(file, size);
  return fits < 0 ? fits : next(file, data, static_cast<size_t>(fits));
}

ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
  static const auto next = real(pwrite, "pwrite");
  const ssize_t fits = fitting(file, size);
  return fits < 0 ? fits : next(file, data, static_cast<size_t>(fits), offset);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t offset) {
  static const auto next = real(pwrite64, "pwrite64");
  const ssize_t fits = fitting(file, size);
  return fits < 0 ? fits : next(file, data, static_cast<size_t>(fits), offset);
}

ssize_t writev(int file, const iovec* parts, int count) {
  static const auto next = real(writev, "writev");
  std::size_t size = 0;
  for (int i = 0; i < count; ++i) size += parts[i].iov_len;
  const ssize_t fits = fitting(file, size);
  if (fits < 0 || static_cast<std::size_t>(fits) == size) return fits < 0 ? fits : next(file, parts, count);
  // Part of it: the caller comes again with the rest.
  for (int i = 0; i < count; ++i) {
    if (parts[i].iov_len == 0) continue;
    static const auto one = real(write, "write");
    return one(file, parts[i].iov_base, std::min(parts[i].iov_len, static_cast<std::size_t>(fits)));
  }
  return 0;
}

int clock_gettime(clockid_t clock, timespec* time) {
  static const auto next = real(clock_gettime, "clock_gettime");
  static const char* const text = getenv("PTXLAT_FAULTY_CLOCK");
  const int result = next(clock, time);
  if (!text || clock != CLOCK_REALTIME || result != 0) return result;
  static std::atomic<long> reading = 0;
  long from = 0, seconds = 0;
  if (sscanf(text, "%ld %ld", &from, &seconds) == 2 && reading++ >= from) time->tv_sec -= seconds;
  return result;
}

}  // extern "C"
