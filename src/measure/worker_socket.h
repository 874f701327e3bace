#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "measure/worker_protocol.h"

namespace ptxlat {

// The supervisor's end of a socket to a worker process.
class WorkerSocket {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // Makes a connected pair, keeps one end and hands the other out in `other_end`. Both are close-on-exec, so that no
  // child inherits the supervisor's end and keeps it open.
  explicit WorkerSocket(int& other_end);
  ~WorkerSocket();
  WorkerSocket(const WorkerSocket&) = delete;  // owns a file descriptor
  WorkerSocket& operator=(const WorkerSocket&) = delete;

  // False if the deadline passed before all was sent. If the process is gone, the next receive says so.
  bool send(const Bytes& frame, Milliseconds deadline);

  // The next message; empty if the process hung up or, then `missed_deadline` is true, has not answered in time. An
  // `error` message is thrown as the Error that it carries.
  std::optional<worker::Reader> receive(Milliseconds deadline, bool& missed_deadline);

  // Gives the process the worker's ends of further sockets, which stay open here.
  void send_sockets(const std::vector<int>& sockets);

 private:
  std::optional<worker::Reader> take_message();
  bool wait_for(short events, std::chrono::steady_clock::time_point until) const;

  int socket_ = -1;
  Bytes received_;  // what has arrived and is not yet a whole message
};

}  // namespace ptxlat
