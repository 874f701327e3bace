// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <optional>
#include <vector>

#include "worker/protocol.h"

namespace ptxlat::worker {

// A message of one byte that carries one descriptor (SCM_RIGHTS), to be sent or filled by receiving. Not copied: the
// header points into it.
class DescriptorMessage {
 public:
  DescriptorMessage();
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;

  void put(int descriptor);
  std::optional<int> take() const;  // empty if none arrived
  msghdr& header() { return header_; }

 private:
  char byte_ = 0;
  iovec data_{&byte_, 1};
  alignas(cmsghdr) char control_[CMSG_SPACE(sizeof(int))] = {};
  msghdr header_{};
};

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

  // Sends the process these descriptors, which stay open here: one per message, because the kernel accepts at most 253
  // in one (SCM_MAX_FD), and a host of 128 threads has 256 assemblers. False if the process does not receive them in
  // time.
  bool send_descriptors(const std::vector<int>& descriptors, Milliseconds deadline);

 private:
  bool wait_for(short events, std::chrono::steady_clock::time_point until) const;

  int socket_ = -1;
  Bytes received_;  // received, but not yet a whole message
};

}  // namespace ptxlat::worker
