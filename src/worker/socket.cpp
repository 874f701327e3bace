// SPDX-License-Identifier: Apache-2.0
#include "worker/socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace ptxlat::worker {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

WorkerSocket::WorkerSocket(int& other_end) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(ExitCode::failure, fmt::format("cannot talk to a worker: {}", std::strerror(errno)),
                "`ulimit -n` limits the open files of a process.");
  socket_ = ends[0];
  other_end = ends[1];
  fcntl(socket_, F_SETFL, O_NONBLOCK);
}

WorkerSocket::~WorkerSocket() { close(socket_); }

bool WorkerSocket::wait_for(short events, Clock::time_point until) const {
  for (;;) {
    const auto left = std::chrono::ceil<Milliseconds>(until - Clock::now());
    if (left <= 0ms) return false;
    pollfd socket{socket_, events, 0};
    const int ready = poll(&socket, 1, static_cast<int>(std::min<Milliseconds>(left, 1h).count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // the transfer will say what is wrong
  }
}

bool WorkerSocket::send(const Bytes& frame, Milliseconds deadline) {
  const auto until = Clock::now() + deadline;
  std::size_t sent = 0;
  while (sent < frame.size()) {
    const ssize_t size = ::send(socket_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (size >= 0) {
      sent += static_cast<std::size_t>(size);
    } else if (errno == EAGAIN || errno == EINTR) {
      if (!wait_for(POLLOUT, until)) return false;
    } else {
      return true;  // it died; receive notices, after any last messages
    }
  }
  return true;
}

std::optional<Message> WorkerSocket::receive(Milliseconds deadline, bool& missed_deadline) {
  const auto until = Clock::now() + deadline;
  missed_deadline = false;
  for (;;) {
    if (auto message = take_message(received_)) {
      if (message->kind() != Kind::error) return message;
      const auto error = message->as<ErrorReply>();
      throw Error(static_cast<ExitCode>(error.exit_code), error.message, error.advice);
    }
    std::uint8_t chunk[65536];
    const ssize_t size = recv(socket_, chunk, sizeof chunk, 0);
    if (size > 0) {
      received_.insert(received_.end(), chunk, chunk + size);
    } else if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
      missed_deadline = !wait_for(POLLIN, until);
      if (missed_deadline) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
}

}  // namespace ptxlat::worker
