// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

#include "base/descriptor.h"
#include "base/error.h"

namespace ptxlat {
namespace {

using std::chrono::steady_clock;

// The text of a hundred thousand instructions is a tenth of that.
constexpr std::uintmax_t most_output_bytes = 100'000'000;

// Signals are blocked until the end of the scope: a handler of the parent must not run in a child that still shares its
// memory.
struct BlockedSignals {
  sigset_t before;
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;  // once is enough
  BlockedSignals& operator=(const BlockedSignals&) = delete;
};

// Not _exit: with ThreadSanitizer, which makes vfork a fork, that would report the parent's threads as the child's.
[[noreturn]] void end_child(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

// Lowers a limit of this process; one that is lower stays.
void lower(decltype(RLIMIT_AS) resource, std::uint64_t most) {
  rlimit now{};
  if (most == 0 || getrlimit(resource, &now) != 0 || now.rlim_cur <= most) return;  // RLIM_INFINITY is the largest
  now.rlim_cur = most;
  now.rlim_max = std::min<rlim_t>(now.rlim_max, most);
  setrlimit(resource, &now);
}

// Whether the system ends a program for these limits, and not for stricter ones of the user's (ulimit -f).
bool decides_file_size(const ProcessLimits& limits) {
  rlimit now{};
  return limits.file_bytes > 0 && getrlimit(RLIMIT_FSIZE, &now) == 0 && now.rlim_cur > limits.file_bytes;
}

// The child's code between vfork and the program: only calls that are safe in a signal handler, and no return. What
// goes wrong is written to `failure`, which the program's start closes. Memory would not do: ThreadSanitizer makes
// vfork a fork.
[[noreturn]] void become(char* const* argv, const char* folder, int input, int output, int failure, pid_t parent,
                         const ProcessLimits& limits) {
  setpgid(0, 0);
  // A hung assembler must not outlive a supervisor that is killed. The signal is tied to the end of the thread that
  // started it, which waits for it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) end_child(127);
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGHUP, SIGCHLD, SIGXFSZ})
    sigaction(number, &by_default, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  lower(RLIMIT_AS, limits.memory_bytes);
  lower(RLIMIT_FSIZE, limits.file_bytes);
  if (chdir(folder) == 0 && dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
      dup2(output, STDERR_FILENO) >= 0)
    execve(argv[0], argv, environ);
  const int error = errno;
  end_child(write(failure, &error, sizeof error) < 0 ? 126 : 127);
}

// vfork instead of posix_spawn, which cannot ask for a signal at the parent's death, and instead of fork, which copies
// the page tables of a supervisor with gigabytes of records.
pid_t start(const std::filesystem::path& program, const std::vector<std::string>& arguments,
            const std::filesystem::path& folder, const ProcessLimits& limits) {
  // Relative to here, not to the folder that the child changes to.
  std::string absolute = std::filesystem::absolute(program).string();
  std::vector<std::string> words{absolute};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string output_file = (folder / "output").string();
  const Descriptor input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor output(open(output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
  if (input.number() < 0 || output.number() < 0)
    throw Error(ExitCode::storage, "cannot write " + output_file + ": " + strerror(errno),
                "set TMPDIR to a writable folder with free space");

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(ExitCode::failure, "cannot start " + absolute + ": " + strerror(errno));
  const Descriptor told(ends[0]);
  std::optional<Descriptor> tells(ends[1]);
  const pid_t parent = getpid();
  const BlockedSignals blocked;
  const pid_t pid = vfork();  // NOLINT(bugprone-unsafe-functions): the parent waits for an exec, no longer
  if (pid == 0) become(argv.data(), folder.c_str(), input.number(), output.number(), tells->number(), parent, limits);
  int error = pid < 0 ? errno : 0;
  tells.reset();
  if (pid > 0 && read(told.number(), &error, sizeof error) != sizeof error) error = 0;
  if (error != 0) {
    while (pid > 0 && waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw Error(ExitCode::missing_tool, "cannot start " + absolute + ": " + strerror(error),
                "check that the file is there, may be executed, and is for this processor");
  }
  return pid;
}

bool writes_without_end(const std::filesystem::path& output) {
  std::error_code none_yet;
  const auto size = std::filesystem::file_size(output, none_yet);
  return !none_yet && size > most_output_bytes;
}

// Waits for the child, at most until the deadline and until it has written too much; true if it has ended. Polls,
// because a wait with a time-out needs either a signal handler, which a library must not install, or pidfd_open, which
// some containers forbid.
bool wait_until(pid_t pid, steady_clock::time_point deadline, const std::filesystem::path& output, int& status) {
  const auto begin = steady_clock::now();
  while (true) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) return true;
    // It was reaped elsewhere (SIGCHLD ignored by the parent process): it has ended, but how is unknown.
    if (ended < 0 && errno != EINTR) {
      status = 0;
      return true;
    }
    const auto now = steady_clock::now();
    if (now >= deadline || writes_without_end(output)) return false;
    // At most 2 % of its run time is spent asleep after its end.
    const auto pause = std::clamp<steady_clock::duration>((now - begin) / 50, std::chrono::microseconds(100),
                                                          std::chrono::milliseconds(20));
    std::this_thread::sleep_for(std::min<steady_clock::duration>(pause, deadline - now));
  }
}

}  // namespace

namespace {

ProcessOutcome run_once(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                        const std::filesystem::path& folder, std::chrono::milliseconds deadline,
                        const ProcessLimits& limits) {
  const pid_t pid = start(program, arguments, folder, limits);
  ProcessOutcome outcome;
  int status = 0;
  const std::filesystem::path output = folder / "output";
  if (!wait_until(pid, steady_clock::now() + deadline, output, status)) {
    outcome.timed_out = !writes_without_end(output);
    outcome.wrote_without_end = !outcome.timed_out;
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  } else if (WIFSIGNALED(status)) {
    outcome.signal = WTERMSIG(status);
    outcome.wrote_without_end = outcome.signal == SIGXFSZ && decides_file_size(limits);
  } else {
    outcome.exit_status = WEXITSTATUS(status);
  }
  // It may have been faster than the last look.
  outcome.wrote_without_end = outcome.wrote_without_end || writes_without_end(output);
  if (outcome.wrote_without_end) return outcome;
  std::ifstream written(output, std::ios::binary);
  outcome.output.assign(std::istreambuf_iterator<char>(written), {});
  return outcome;
}

}  // namespace

std::filesystem::path program_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    auto program = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(program, ignored) && access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

bool comes_from_outside(int signal) { return signal == SIGKILL || signal == SIGTERM || signal == SIGHUP; }

ProcessOutcome run_program(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                           const std::filesystem::path& folder, std::chrono::milliseconds deadline,
                           const ProcessLimits& limits) {
  auto outcome = run_once(program, arguments, folder, deadline, limits);
  // By an operator, or because memory ran out: that says nothing about the program's input.
  if (comes_from_outside(outcome.signal)) outcome = run_once(program, arguments, folder, deadline, limits);
  return outcome;
}

std::string describe(const ProcessOutcome& outcome, std::chrono::milliseconds deadline) {
  if (outcome.timed_out) {
    const auto seconds = std::chrono::duration<double>(deadline).count();
    std::string text = std::to_string(seconds);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return "did not end within " + text + " s";
  }
  if (outcome.wrote_without_end) return "wrote more output than expected";
  if (outcome.signal != 0) {
    return "died of signal " + std::to_string(outcome.signal) + " (" + strsignal(outcome.signal) + ")";
  }
  return "ended with status " + std::to_string(outcome.exit_status);
}

namespace {

// A name that nobody would give to a folder that should be kept.
constexpr char folder_prefix[] = "ptxlat-temporary-";

std::filesystem::path temporary_parent() {
  const char* const parent = getenv("TMPDIR");
  return parent != nullptr && *parent != '\0' ? parent : "/tmp";
}

enum class Lock { held, taken, impossible };

// Locks a folder of this user; `descriptor` then owns the lock. Taken if a different process has locked or removed it.
// Impossible on a file system without locks, and if it is not such a folder.
Lock lock_folder(const std::filesystem::path& folder, int& descriptor) {
  descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return errno == ENOENT ? Lock::taken : Lock::impossible;
  struct stat state {};
  auto lock = Lock::impossible;
  if (fstat(descriptor, &state) == 0 && state.st_uid == geteuid()) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
      lock = access(folder.c_str(), F_OK) == 0 ? Lock::held : Lock::taken;
    } else if (errno == EWOULDBLOCK) {
      lock = Lock::taken;
    }
  }
  if (lock == Lock::held) return lock;
  close(descriptor);
  descriptor = -1;
  return lock;
}

void remove_abandoned_in(const std::filesystem::path& parent) {
  const std::size_t length = sizeof folder_prefix - 1 + 6;  // the length after mkdtemp
  std::error_code error;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (!name.starts_with(folder_prefix) || name.size() != length) continue;
    int lock = -1;
    if (lock_folder(entry->path(), lock) != Lock::held) continue;
    std::error_code ignored;  // a leftover folder is harmless
    std::filesystem::remove_all(entry->path(), ignored);
    close(lock);
  }
}

// The folders in which this process has made temporary folders.
struct Parents {
  std::mutex mutex;
  std::set<std::filesystem::path> used;
};
Parents& parents() {
  static Parents of_this_process;
  return of_this_process;
}

bool is_first_use(const std::filesystem::path& parent) {
  const std::scoped_lock lock(parents().mutex);
  return parents().used.insert(parent).second;
}

}  // namespace

void remove_abandoned_folders() {
  const std::scoped_lock lock(parents().mutex);
  for (const auto& parent : parents().used) remove_abandoned_in(parent);
}

TemporaryFolder::TemporaryFolder() {
  const auto parent = temporary_parent();
  if (is_first_use(parent)) remove_abandoned_in(parent);
  for (;;) {
    std::string pattern = parent / (std::string(folder_prefix) + "XXXXXX");
    if (mkdtemp(pattern.data()) == nullptr) {
      throw Error(ExitCode::storage, "cannot make a temporary folder " + pattern + ": " + strerror(errno),
                  "set TMPDIR to a writable folder with free space");
    }
    path_ = pattern;
    // A process that is just starting may have considered it abandoned.
    if (lock_folder(path_, lock_) != Lock::taken) return;
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // a destructor must not throw, and a left-over temporary file is harmless
  std::filesystem::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
}

}  // namespace ptxlat
