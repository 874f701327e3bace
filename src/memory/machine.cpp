// SPDX-License-Identifier: Apache-2.0
#include "memory/machine.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/hash.h"
#include "memory/l2_talk.h"

namespace ptxlat::memory {

namespace {

// An inference stops at 18 million accesses.
constexpr std::size_t most_answer_bytes = std::size_t{512} << 20;

}  // namespace

OracleProcess::OracleProcess(const std::string& command) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(ExitCode::failure, fmt::format("cannot talk to an oracle: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::string shell = "/bin/sh", option = "-c", text = "exec " + command;
  char* arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  // Its own process group, so that its children can be killed with it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error = posix_spawn(&pid, shell.c_str(), &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  socket = ends[0];
  if (error == 0) return;
  close(socket);
  throw Error(ExitCode::missing_tool, fmt::format("cannot start {}: {}", command, std::strerror(error)));
}

OracleProcess::~OracleProcess() {
  constexpr std::string_view end = "{\"end\": true}\n";
  (void)!send(socket, end.data(), end.size(), MSG_NOSIGNAL);
  close(socket);
  // It has nothing to save.
  kill(-pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Oracle::Oracle(const std::string& command, std::chrono::milliseconds deadline)
    : command_(command), deadline_(deadline), process_(command) {
  // A program that does not read must not block us.
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(deadline);
  const timeval longest{seconds.count(), 0};
  setsockopt(process_.socket, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
  const std::string line = read_line();
  try {
    info_ = info_in(line);
  } catch (const std::exception& error) {
    fail(fmt::format("does not say what it is ({}): {:.200}", error.what(), line));
  }
}

void Oracle::fail(const std::string& what) const {
  throw Error(ExitCode::missing_tool, fmt::format("the oracle {} {}", command_, what),
              "docs/inference.md says what it must answer.");
}

std::string Oracle::read_line() {
  const auto until = std::chrono::steady_clock::now() + deadline_;
  std::size_t searched = 0;
  for (;;) {
    if (const auto end = received_.find('\n', searched); end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return line;
    }
    searched = received_.size();
    if (searched > most_answer_bytes) fail("answers with a line that does not end");
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd socket{process_.socket, POLLIN, 0};
    if (left.count() <= 0 || poll(&socket, 1, static_cast<int>(left.count())) == 0)
      fail(fmt::format("has not answered for {} s", std::chrono::duration<double>(deadline_).count()));
    char bytes[65536];
    const ssize_t size = recv(process_.socket, bytes, sizeof bytes, 0);
    if (size > 0) {
      received_.append(bytes, static_cast<std::size_t>(size));
    } else if (size == 0 || errno != EINTR) {
      fail("has ended");
    }
  }
}

std::string Oracle::answer_to(std::string request) {
  request += '\n';
  for (std::size_t sent = 0; sent < request.size();) {
    const ssize_t size = send(process_.socket, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (size > 0) {
      sent += static_cast<std::size_t>(size);
    } else if (errno == EAGAIN) {
      fail("does not read what it is asked");
    } else if (errno != EINTR) {
      fail("has ended");
    }
  }
  return read_line();
}

void Oracle::prepare() { answer_to(std::string(prepare_request)); }

std::vector<double> Oracle::access(const std::vector<Addresses>& list, const std::string& with, int sm) {
  const std::string answer = answer_to(access_request(list, with, sm));
  if (auto cycles = cycles_for(list, answer)) return *std::move(cycles);
  fail(fmt::format("answers an access with {:.200}", answer));
}

namespace {

std::string next_line(std::istream& log) {
  std::string line;
  if (!std::getline(log, line)) throw OtherDialogue(ExitCode::storage, "the log ends before the inference does");
  return line;
}

// Stores a long request as its hash: a replay generates it again and only needs to know that it is the same. Otherwise
// a GPU's log would mostly consist of addresses.
std::string in_log(const std::string& request) {
  constexpr std::size_t longest = 400;
  if (request.size() <= longest) return request;
  Hash hash;
  hash.add(std::string_view(request));
  return fmt::format("{{\"request\": \"{}\", \"bytes\": {}}}", hash.text(), request.size());
}

void expect(std::istream& log, const std::string& request) {
  const std::string line = next_line(log);
  if (line != in_log(request))
    throw OtherDialogue(ExitCode::storage,
                        fmt::format("the inference asks {:.80}, but the log has {:.80}", request, line),
                        "Replay a log with the seed and the version of ptxlat that it was made with.");
}

}  // namespace

LoggedMachine::LoggedMachine(Machine& machine, std::ostream& log) : machine_(machine), log_(log) {
  log_ << info_line(machine.info()) << '\n';
}

void LoggedMachine::prepare() {
  machine_.prepare();
  log_ << prepare_request << '\n';
}

std::vector<double> LoggedMachine::access(const std::vector<Addresses>& list, const std::string& with, int sm) {
  auto cycles = machine_.access(list, with, sm);
  log_ << in_log(access_request(list, with, sm)) << '\n' << cycles_line(cycles) << '\n';
  return cycles;
}

void LoggedMachine::touch(const std::vector<Addresses>& list, const std::string& with, int sm) {
  machine_.touch(list, with, sm);
  log_ << in_log(touch_request(list, with, sm)) << '\n';
}

ReplayedMachine::ReplayedMachine(std::istream& log) : log_(log) {
  const std::string line = next_line(log);
  try {
    info_ = info_in(line);
  } catch (const std::exception& error) {
    throw Error(ExitCode::storage, fmt::format("not a log of a machine ({}): {:.80}", error.what(), line));
  }
}

void ReplayedMachine::prepare() { expect(log_, std::string(prepare_request)); }

void ReplayedMachine::touch(const std::vector<Addresses>& list, const std::string& with, int sm) {
  expect(log_, touch_request(list, with, sm));
}

std::vector<double> ReplayedMachine::access(const std::vector<Addresses>& list, const std::string& with, int sm) {
  expect(log_, access_request(list, with, sm));
  const std::string answer = next_line(log_);
  if (auto cycles = cycles_for(list, answer)) return *std::move(cycles);
  throw Error(ExitCode::storage, fmt::format("the log has no answer to an access but {:.80}", answer));
}

}  // namespace ptxlat::memory
