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
#include <thread>

#include "base/error.h"

namespace ptxlat::worker {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

DescriptorMessage::DescriptorMessage() {
  header_.msg_iov = &data_;
  header_.msg_iovlen = 1;
  header_.msg_control = control_;
  header_.msg_controllen = sizeof control_;
}

void DescriptorMessage::put(int descriptor) {
  cmsghdr* part = CMSG_FIRSTHDR(&header_);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
}

std::optional<int> DescriptorMessage::take() const {
  const cmsghdr* part = CMSG_FIRSTHDR(&header_);
  if (part == nullptr || part->cmsg_len != CMSG_LEN(sizeof(int))) return std::nullopt;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(part), sizeof descriptor);
  return descriptor;
}

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

bool WorkerSocket::send_descriptors(const std::vector<int>& descriptors, Milliseconds deadline) {
  const auto until = Clock::now() + deadline;
  for (const int descriptor : descriptors) {
    DescriptorMessage message;
    message.put(descriptor);
    while (sendmsg(socket_, &message.header(), MSG_NOSIGNAL) < 0) {
      // ETOOMANYREFS: more descriptors are in flight than the process may have open; it receives them one by one.
      const bool is_temporary = errno == EINTR || errno == EAGAIN || errno == ETOOMANYREFS;
      if (!is_temporary || Clock::now() >= until) return false;
      if (errno == ETOOMANYREFS) std::this_thread::sleep_for(1ms);
      if (errno == EAGAIN && !wait_for(POLLOUT, until)) return false;
    }
  }
  return true;
}

}  // namespace ptxlat::worker
