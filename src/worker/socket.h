// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "worker/protocol.h"

namespace ptxlat::worker {

// The supervisor's end of a socket to a worker process.
class WorkerSocket {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // Makes a connected pair, keeps one end and returns the other in `other_end`. Both are close-on-exec, so that no
  // child inherits the supervisor's end and keeps it open.
  explicit WorkerSocket(int& other_end);
  ~WorkerSocket();
  WorkerSocket(const WorkerSocket&) = delete;  // owns a file descriptor
  WorkerSocket& operator=(const WorkerSocket&) = delete;

  // False if the deadline passed before everything was sent. If the process is gone, the next receive says so.
  bool send(const Bytes& frame, Milliseconds deadline);

  // The next message; empty if the process hung up or, then `missed_deadline` is true, has not answered in time. An
  // `error` message is thrown as the Error that it carries.
  std::optional<Message> receive(Milliseconds deadline, bool& missed_deadline);

 private:
  bool wait_for(short events, std::chrono::steady_clock::time_point until) const;

  int socket_ = -1;
  Bytes received_;  // received, but not yet a whole message
};

}  // namespace ptxlat::worker
