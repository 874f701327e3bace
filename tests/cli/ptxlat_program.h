// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "../results/test_folder.h"
#include "assemble/toolchain.h"
#include "catch.h"
#include "tables/folder.h"
#include "text.h"

namespace ptxlat {

inline std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The records of the table in a folder, with everything that it knows of them.
inline std::vector<results::Record> records_in(const std::filesystem::path& folder) {
  const auto table = tables::read_table(folder);
  std::vector<const tables::Cell*> cells;
  for (const auto& cell : table.cells) cells.push_back(&cell);
  return tables::whole_records(table, cells);
}

// How `ptxlat` ended: its exit status, or 128 + the signal that killed it, the most memory that it had, and the
// processor time of it and of the processes that it waited for.
struct Ended {
  int status = 0;
  std::string out, err;
  std::size_t peak_bytes = 0;
  std::chrono::microseconds processor_time{};
};

// Whether the messages on standard error have this text.
inline bool says(const Ended& ended, const std::string& text) { return has(ended.err, text); }

// The processes that `parent` started as `ptxlat worker`.
inline std::vector<pid_t> workers_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const auto stat = content_of(entry.path() / "stat");
    const auto name_end = stat.rfind(')');
    if (name_end == std::string::npos || stat.size() < name_end + 4) continue;
    const auto command = content_of(entry.path() / "cmdline");
    if (std::atoi(stat.c_str() + name_end + 4) == parent && command.ends_with(std::string("worker\0", 7)))
      found.push_back(pid);
  }
  return found;
}

// The catalogue and skeletons as they were when the tests began, so that editing them meanwhile does not affect
// comparisons.
inline const std::filesystem::path& templates_snapshot() {
  static const TestFolder folder;
  static const std::filesystem::path templates = [] {
    const auto copy = folder.path / "ptx_templates";
    std::filesystem::copy(std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates", copy,
                          std::filesystem::copy_options::recursive);
    return copy;
  }();
  return templates;
}

// The program itself, with the stand-in driver, in its own folder with store, tables and launch log.
class PtxlatProgram {
 public:
  PtxlatProgram() {
    environment_["PTXLAT_LIBCUDA"] = PTXLAT_TEST_LIBCUDA;
    environment_["PTXLAT_LIBNVML"] = PTXLAT_TEST_LIBCUDA;
    environment_["PTXLAT_LIBCUPTI"] = "/nonexistent/libcupti.so.13";  // not this machine's
    environment_["PTXLAT_TOOLKITS"] = (std::filesystem::path(PTXLAT_SOURCE_DIR) / "toolkits").string();
    environment_["PTXLAT_TEMPLATES"] = templates_snapshot().string();
    environment_["PTXLAT_STANDIN_LAUNCH_LOG"] = launch_log().string();
    static const TestFolder kept;  // what nvdisasm answered in one case serves the others
    environment_["PTXLAT_CACHE"] = (kept.path / "cache").string();
  }

  // Skips the case if there is no ptxas or no nvdisasm, which every table needs.
  void require_tools() {
    auto folders = assemble::toolkit_folders();
    const std::filesystem::path own = std::filesystem::path(PTXLAT_SOURCE_DIR) / "toolkits";
    if (std::filesystem::is_directory(own)) {
      for (const auto& entry : std::filesystem::directory_iterator(own)) folders.push_back(entry.path());
    }
    for (const auto& toolchain : assemble::find_toolchains(folders)) {
      if (toolchain.kind != assemble::ToolchainKind::ptxas || assemble::find_nvdisasm(folders).empty()) continue;
      environment_["PTXLAT_STANDIN_PTXAS"] = toolchain.path.string();
      return;
    }
    skip("no ptxas or no nvdisasm on this machine (tools/toolkits.sh brings both)");
  }

  const std::filesystem::path& folder() const { return folder_.path; }
  std::filesystem::path launch_log() const { return folder() / "launches"; }
  std::filesystem::path store() const { return folder() / "ptxlat.sqlite"; }
  std::filesystem::path table() const { return folder() / "ptxlat-tables/sm_90/stand-in-h200/driver-0.0.standin"; }
  std::string csv() const { return content_of(table() / "latency.csv"); }

  void set(const std::string& name, const std::string& value) { environment_[name] = value; }
  void unset(const std::string& name) { environment_.erase(name); }
  void set_program(const std::filesystem::path& program) { program_ = program; }

  // A catalogue folder of the user's own.
  std::filesystem::path write_catalogue(const std::string& text) const {
    std::filesystem::create_directories(folder() / "mine");
    std::ofstream(folder() / "mine/mine.toml") << text;
    return folder() / "mine";
  }

  pid_t start(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), program_.string());
    return start_line(std::move(arguments));
  }

  // A line for the shell, in which $P is the program.
  Ended run_in_shell(const std::string& line) const {
    return wait_for(start_line({"/bin/sh", "-c", "P=" + program_.string() + "; " + line}));
  }

  //   line  program and arguments
  pid_t start_line(std::vector<std::string> line) const {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child != 0) return child;
    enter_folder();
    write_to("out", STDOUT_FILENO);
    write_to("err", STDERR_FILENO);
    become(std::move(line));
  }

  // With a terminal of this size as standard output.
  Ended run_on_terminal(std::vector<std::string> arguments, unsigned short columns = 80,
                        unsigned short rows = 24) const {
    winsize size{};
    size.ws_col = columns;
    size.ws_row = rows;
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    REQUIRE(child >= 0);
    if (child == 0) {
      enter_folder();
      write_to("err", STDERR_FILENO);
      setenv("TERM", "xterm", 1);
      arguments.insert(arguments.begin(), program_.string());
      become(std::move(arguments));
    }
    std::string shown;
    char part[4096];
    for (ssize_t size_of_part = 0; (size_of_part = read(terminal, part, sizeof part)) > 0;)
      shown.append(part, static_cast<std::size_t>(size_of_part));
    close(terminal);
    auto ended = wait_for(child);
    std::erase(shown, '\r');
    ended.out = std::move(shown);
    UNSCOPED_INFO("ptxlat ended with " << ended.status << ": " << ended.err);
    return ended;
  }

  Ended wait_for(pid_t child) const {
    int status = 0;
    rusage used{};
    while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
    }
    const auto time = [](const timeval& spent) {
      return std::chrono::seconds(spent.tv_sec) + std::chrono::microseconds(spent.tv_usec);
    };
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content_of(folder() / "out"),
            content_of(folder() / "err"), static_cast<std::size_t>(used.ru_maxrss) << 10,
            time(used.ru_utime) + time(used.ru_stime)};
  }

  Ended run(const std::vector<std::string>& arguments) const {
    auto ended = wait_for(start(arguments));
    UNSCOPED_INFO("ptxlat " << (arguments.empty() ? "" : arguments.front()) << " ended with " << ended.status << ": "
                            << ended.err);
    return ended;
  }

 private:
  // In the child: its environment and folder, a standard stream that is a file, and the program.
  void enter_folder() const {
    for (const char* name : {"CUDA_HOME", "PTXLAT_TEMPLATES", "PTXLAT_LIBCUDA", "PTXLAT_TOOLKITS"}) unsetenv(name);
    for (const auto& [name, value] : environment_) setenv(name.c_str(), value.c_str(), 1);
    if (chdir(folder().c_str()) != 0) _exit(97);
  }
  static void write_to(const char* file, int stream) {
    if (dup2(open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644), stream) < 0) _exit(98);
  }
  [[noreturn]] static void become(std::vector<std::string> line) {
    std::vector<char*> argv;
    for (auto& argument : line) argv.push_back(argument.data());
    argv.push_back(nullptr);
    execv(argv.front(), argv.data());
    _exit(99);
  }

  TestFolder folder_;
  std::filesystem::path program_ = PTXLAT_TEST_PROGRAM;
  std::map<std::string, std::string> environment_;
};

inline bool has_ended(pid_t child) {
  siginfo_t state{};
  return waitid(P_PID, static_cast<id_t>(child), &state, WEXITED | WNOHANG | WNOWAIT) != 0 || state.si_pid == child;
}

// Sends `signal` once kernels have run for a while, so that the process is hit in the middle of its work.
inline void signal_in_mid_run(const PtxlatProgram& program, pid_t child, int signal) {
  constexpr std::size_t enough_launches = 300;
  while (!has_ended(child) && lines_of(program.launch_log()).size() < enough_launches) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(child, signal);
}

}  // namespace ptxlat
