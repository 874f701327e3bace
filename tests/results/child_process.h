// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

#include "base/error.h"

namespace ptxlat {

// Starts a process that does `work` and ends with its exit code, that of the Error it threw, or 99.
inline pid_t start_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int status = 99;
  try {
    status = work();
  } catch (const Error& error) {
    status = static_cast<int>(error.exit_code);
  } catch (...) {
  }
  ::_exit(status);  // not exit: the test framework's own clean-up belongs to the parent
}

// -1 if it was killed.
inline int exit_status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Of its own memory that this process has now; RLIMIT_DATA bounds them.
inline std::size_t bytes_now() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kilobytes = 0;
    if (word == "VmData:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

// For this process, writing a file beyond this size fails from now on, as on a full disk.
inline void limit_file_size(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace ptxlat
