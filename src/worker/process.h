// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "worker/socket.h"

namespace ptxlat::worker {

// How a worker process ended before it answered.
struct WorkerExit {
  std::optional<std::chrono::milliseconds> deadline;  // it was killed for missing this one
  int signal = 0;                                     // the signal that ended it, or 0
  int exit_status = 0;

  // Killed from outside (by an administrator, the out-of-memory killer): its request is not the cause.
  bool from_outside() const;
  // "died of signal 11 (Segmentation fault)", "did not finish within 5 s": to follow the name of the process.
  std::string describe() const;
};

// "the assembler failed: the driver's JIT died of signal 11": the log of a module that ended its assembler.
std::string ended_assembling(const assemble::Toolchain& toolchain, const WorkerExit& exit);

// One worker process and the socket to it. Its standard input is the socket, its standard output goes to standard
// error.
//
// The process ends when the supervisor does, even by SIGKILL: it watches the socket for a hang-up. PR_SET_PDEATHSIG is
// not used, because it fires when the thread that started the process ends, not only when the supervisor does. For the
// same reason the supervisor's end must not leak into other children: it is opened close-on-exec.
class WorkerProcess {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // Starts `PROGRAM worker`. Error{failure} if it cannot be started.
  explicit WorkerProcess(const std::filesystem::path& program);
  // Kills the process: it has nothing to save.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;  // owns a process
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Sends a request. If the process is gone or misses the deadline, the next receive says so.
  void send(const Bytes& frame, Milliseconds deadline);

  // The next message; empty if the process died or was killed for missing the deadline (see exit). An `error` message
  // is thrown as the Error that it carries.
  std::optional<Message> receive(Milliseconds deadline);

  const WorkerExit& exit() const { return exit_; }
  pid_t pid() const { return pid_; }

 private:
  void end(std::optional<Milliseconds> missed_deadline);
  void reap();

  pid_t pid_ = -1;
  std::optional<WorkerSocket> socket_;
  WorkerExit exit_;
};

}  // namespace ptxlat::worker
