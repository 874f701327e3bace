// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ptxlat {

// A program's limits: its own and those of each program that it starts. 0: as much as this one.
//   memory_bytes  of address space
//   file_bytes    of each file that it writes, its output among them
struct ProcessLimits {
  std::uint64_t memory_bytes = 0;
  std::uint64_t file_bytes = 0;
};

// How a program ended.
//   exit_status   its exit status; meaningless if it was killed
//   signal        the signal that killed it, 0 if none did
//   timed_out, wrote_without_end  why we killed it, or the system at its limit for files
//   output        its standard output and error together; empty if it wrote without end
struct ProcessOutcome {
  int exit_status = 0;
  int signal = 0;
  bool timed_out = false;
  bool wrote_without_end = false;
  std::string output;
  bool ended() const { return signal == 0 && !timed_out && !wrote_without_end; }
  bool ok() const { return ended() && exit_status == 0; }
};

// Runs a program in `folder`, without a shell, and waits for it. It gets its own process group: Ctrl-C on the terminal
// does not reach it (otherwise a cell would be recorded as rejected because the user pressed Ctrl-C), and a time-out
// also kills its children. Its output goes through the file `folder`/output. Error{missing_tool} if the program cannot
// be started. A program that is killed from outside is run again once.
ProcessOutcome run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                           const std::filesystem::path& folder, std::chrono::milliseconds deadline,
                           const ProcessLimits& limits = {});

// The first executable file of this name in the folders of $PATH; empty if there is none.
std::filesystem::path program_on_path(const std::string& name);

// Whether an operator, or the system for lack of memory, sends a signal, rather than a program's own mistake. 0 is
// none.
bool comes_from_outside(int signal);

// "died of signal 11 (Segmentation fault)", "did not end within 120 s", "ended with status 3"; for reports.
std::string describe(const ProcessOutcome& outcome, std::chrono::milliseconds deadline);

// A private folder under $TMPDIR or /tmp that is removed, with its contents, at the end of the scope. The first one
// that a process creates also removes those that killed processes of the same user left.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;  // owns the folder
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // held while the folder is in use: the kernel frees it if the process is killed
};

// Removes abandoned folders again where this process has made temporary folders: when it began, children of a process
// that was killed just before may still have been dying.
void remove_abandoned_folders();

}  // namespace ptxlat
