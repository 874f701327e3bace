// SPDX-License-Identifier: Apache-2.0
#include "worker/process.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "assemble/assembler.h"
#include "assemble/log_lines.h"
#include "base/error.h"
#include "base/process.h"
#include "worker/protocol.h"

namespace ptxlat::worker {

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

// posix_spawn instead of fork: the supervisor is multi-threaded and may be large.
pid_t spawn_worker(const std::filesystem::path& program, int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);

  // Ctrl-C reaches the whole foreground group. The supervisor decides what it means, so the worker never sees it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);

  std::string path = program.string();
  std::string subcommand = "worker";
  char* arguments[] = {path.data(), subcommand.data(), nullptr};
  pid_t pid = -1;
  const int error = posix_spawn(&pid, path.c_str(), &actions, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw Error(ExitCode::failure, fmt::format("cannot start the worker {}: {}", path, std::strerror(error)));
  return pid;
}

}  // namespace

bool WorkerExit::from_outside() const { return !deadline && comes_from_outside(signal); }

std::string WorkerExit::describe() const {
  if (deadline) {
    const auto ms = deadline->count();
    return ms % 1000 == 0 ? fmt::format("did not finish within {} s", ms / 1000)
                          : fmt::format("did not finish within {} ms", ms);
  }
  if (signal != 0) return fmt::format("died of signal {} ({})", signal, strsignal(signal));
  return fmt::format("ended with exit status {}", exit_status);
}

std::string ended_assembling(const assemble::Toolchain& toolchain, const WorkerExit& exit) {
  const char* assembler = toolchain.kind == assemble::ToolchainKind::driver  ? "the driver's JIT"
                          : toolchain.kind == assemble::ToolchainKind::nvrtc ? "NVRTC"
                                                                             : "nvJitLink";
  // Both libraries abort in some places when memory runs out, and say so on the terminal only.
  const bool may_lack_memory = exit.signal == SIGABRT && toolchain.kind != assemble::ToolchainKind::driver;
  return assemble::failure_words(
      fmt::format("{} {}{}", assembler, exit.describe(), may_lack_memory ? assemble::perhaps_lacked_memory() : ""));
}

WorkerProcess::WorkerProcess(const std::filesystem::path& program) {
  int other_end = -1;
  socket_.emplace(other_end);
  try {
    pid_ = spawn_worker(program, other_end);
  } catch (...) {
    close(other_end);
    throw;
  }
  close(other_end);
}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) end(std::nullopt);
}

void WorkerProcess::send(const Bytes& frame, Milliseconds deadline) {
  if (pid_ > 0 && !socket_->send(frame, deadline)) end(deadline);
}

std::optional<Message> WorkerProcess::receive(Milliseconds deadline) {
  if (pid_ < 0) return std::nullopt;
  bool missed_deadline = false;
  auto message = socket_->receive(deadline, missed_deadline);
  if (missed_deadline) {
    end(deadline);
  } else if (!message) {
    reap();
  }
  return message;
}

void WorkerProcess::end(std::optional<Milliseconds> missed_deadline) {
  kill(pid_, SIGKILL);
  reap();
  exit_.deadline = missed_deadline;
}

// A process whose kernel hangs is not gone until the driver has torn its context down, which takes seconds. A process
// that never goes away is abandoned.
void WorkerProcess::reap() {
  int status = 0;
  const auto until = steady_clock::now() + 30s;
  for (auto pause = 100us; waitpid(pid_, &status, WNOHANG) == 0 && steady_clock::now() < until;
       pause = std::min(2 * pause, 10000us))
    std::this_thread::sleep_for(pause);
  exit_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  exit_.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  pid_ = -1;
}

}  // namespace ptxlat::worker
