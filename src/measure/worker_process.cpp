#include "measure/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "error.h"

extern char** environ;

namespace ptxlat {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// posix_spawn and not fork: the supervisor is multi-threaded and may be large.
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

bool WorkerDeath::from_outside() const {
  return !deadline && (signal == SIGKILL || signal == SIGTERM || signal == SIGHUP);
}

std::string WorkerDeath::describe() const {
  if (deadline) {
    const auto ms = deadline->count();
    return ms % 1000 == 0 ? fmt::format("did not finish within {} s", ms / 1000)
                          : fmt::format("did not finish within {} ms", ms);
  }
  if (signal != 0) return fmt::format("died of signal {} ({})", signal, strsignal(signal));
  return fmt::format("ended with exit status {}", exit_status);
}

WorkerProcess::WorkerProcess(const std::filesystem::path& program) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error(ExitCode::failure, fmt::format("cannot talk to a worker: {}", std::strerror(errno)),
                "`ulimit -n` limits the open files of a process.");
  socket_ = ends[0];
  fcntl(socket_, F_SETFL, O_NONBLOCK);
  try {
    pid_ = spawn_worker(program, ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) end(std::nullopt);
}

bool WorkerProcess::wait_for(short events, Clock::time_point until) const {
  for (;;) {
    const auto left = std::chrono::ceil<Milliseconds>(until - Clock::now());
    if (left <= 0ms) return false;
    pollfd socket{socket_, events, 0};
    const int ready = poll(&socket, 1, static_cast<int>(std::min<Milliseconds>(left, 1h).count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return true;  // the transfer will say what is wrong
  }
}

void WorkerProcess::send(const Bytes& frame, Milliseconds deadline) {
  const auto until = Clock::now() + deadline;
  std::size_t sent = 0;
  while (sent < frame.size() && pid_ > 0) {
    const ssize_t size = ::send(socket_, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (size >= 0) {
      sent += static_cast<std::size_t>(size);
    } else if (errno == EAGAIN || errno == EINTR) {
      if (!wait_for(POLLOUT, until)) return end(deadline);
    } else {
      return;  // it died; receive finds out of what, after what it may still have said
    }
  }
}

std::optional<worker::Reader> WorkerProcess::receive(Milliseconds deadline) {
  const auto until = Clock::now() + deadline;
  while (pid_ > 0) {
    std::uint32_t payload = 0;
    if (received_.size() >= sizeof payload) std::memcpy(&payload, received_.data(), sizeof payload);
    const std::size_t whole = sizeof payload + payload;
    if (payload > 0 && received_.size() >= whole) {
      worker::Reader message(Bytes(received_.begin() + sizeof payload, received_.begin() + whole));
      received_.erase(received_.begin(), received_.begin() + whole);
      if (message.kind() != worker::Kind::error) return message;
      const auto code = message.get<ExitCode>();
      const std::string text = message.get_text();
      throw Error(code, text, message.get_text());
    }
    std::uint8_t chunk[65536];
    const ssize_t size = recv(socket_, chunk, sizeof chunk, 0);
    if (size > 0) {
      received_.insert(received_.end(), chunk, chunk + size);
    } else if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (!wait_for(POLLIN, until)) end(deadline);
    } else {
      reap();
    }
  }
  return std::nullopt;
}

void WorkerProcess::end(std::optional<Milliseconds> missed_deadline) {
  kill(pid_, SIGKILL);
  reap();
  death_.deadline = missed_deadline;
}

// A process whose kernel hangs is not gone until the driver has torn its context down, which takes seconds. One that
// never goes is left behind rather than waited for.
void WorkerProcess::reap() {
  close(socket_);
  int status = 0;
  const auto until = Clock::now() + 30s;
  for (auto pause = 100us; waitpid(pid_, &status, WNOHANG) == 0 && Clock::now() < until;
       pause = std::min(2 * pause, 10000us))
    std::this_thread::sleep_for(pause);
  death_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  death_.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  pid_ = -1;
}

}  // namespace ptxlat
