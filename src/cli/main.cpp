// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/error.h"
#include "base/process.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/print.h"
#include "cli/screen.h"
#include "run/provenance.h"
#include "worker/worker.h"

namespace ptxlat::cli {

void add_worker(CLI::App& program) {
  program.add_subcommand("worker", "")->group("")->callback([] { throw CLI::RuntimeError(worker::worker_main()); });
}

namespace {

constexpr char footer[] =
    "Exit codes: 0 done, 1 failure, 2 command line, 3 malformed catalogue or skeleton, 4 unknown form, level, "
    "toolchain or table, 5 no assembler, disassembler or gnuplot, 6 no driver or GPU, 7 store, table or bundle cannot "
    "be read or written, 8 compare --fail-on-change found a change or replay a number that no longer holds, 9 merge "
    "lacks a shard, 130 interrupted (finished work is kept).";

std::atomic<bool> was_interrupted{false};

// The second request ends the program at once. But `timeout` sends its signal to the program and then to its process
// group: signals that come together are one request.
extern "C" void on_interrupt(int signal) {
  constexpr std::int64_t together_ns = 500'000'000;
  static std::atomic<std::int64_t> first_ns{0};
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const std::int64_t now_ns = now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
  std::int64_t first = 0;
  if (!first_ns.compare_exchange_strong(first, now_ns) && now_ns - first > together_ns) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  was_interrupted = true;
}

// Whether standard output is a pipe without a reader. The failed write may be long ago and its errno lost.
bool reader_is_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

// What was written to standard output is there, or its reader has read enough (`ptxlat … | head`).
int end_of_output() {
  std::cout.flush();
  if (!std::cout && !reader_is_gone())
    throw Error(ExitCode::storage, "cannot write to standard output", "is the disk full?");
  return static_cast<int>(ExitCode::success);
}

// `ptxlat help show` is `ptxlat show --help`. In CLI11's order, the last argument first.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments.front() == "help") {
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  std::reverse(arguments.begin(), arguments.end());
  return arguments;
}

// The options of every command, which may stand before or after its name.
void add_manner(CLI::App& program) {
  program.set_version_flag("-V,--version", fmt::format("ptxlat {} ({})", run::tool_version(), run::git_commit()),
                           "Print the version and its commit.");
  program.add_flag(
      "--full", manner().is_full,
      "On a terminal, print everything and not a screenful of it. Into a file or a pipe, or with --format, "
      "commands always do.");
  program.add_flag("-q,--quiet", manner().is_quiet, "No progress and no remarks: results, warnings and errors alone.");
  program.add_flag("-v,--verbose", manner().is_verbose, "Also print where the time went.");
  program
      .add_option(
          "--color", manner().color,
          "Whether to use colours: auto (on a terminal, unless NO_COLOR is set), always or never. Default: auto.")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  program.fallthrough();
}

int run_program(int argc, char** argv) {
  deadline_factor();  // a wrong one is said at once, by every command
  CLI::App program{
      "ptxlat measures the latency of every PTX instruction on an NVIDIA GPU and proves each number with the machine "
      "code that produced it."};
  program.footer(footer);
  program.formatter_fn([](const CLI::App* app, const std::string&, CLI::AppFormatMode) { return help_of(*app); });
  program.set_help_flag("-h,--help", "Print help, of a command if one is named, and exit.");
  program.require_subcommand(1);
  add_manner(program);
  add_run(program);
  add_static(program);
  add_probe(program);
  add_opcodes(program);
  add_pairs(program);
  add_assemble(program);
  add_merge(program);
  add_list(program);
  add_check(program);
  add_show(program);
  add_measure(program);
  add_compare(program);
  add_report(program);
  add_export(program);
  add_reproduce(program);
  add_replay(program);
  add_doctor(program);
  add_toolkits(program);
  add_worker(program);
  add_interface(program);
  if (argc == 1) {
    say(stderr, "{}", short_help_of(program));
    return static_cast<int>(ExitCode::usage);
  }
  const bool helps_with_command = argc > 2 && std::string_view(argv[1]) == "help" && argv[2][0] != '-';
  const auto is_wanted = [&](const CLI::App* command) { return command->get_name() == argv[2]; };
  if (helps_with_command && program.get_subcommands(is_wanted).empty()) throw no_such_command(argv[2]);
  std::optional<OneScreen> one_screen;
  program.parse_complete_callback([&] {
    const auto* command = program.get_subcommands().front();
    const auto* format = command->get_option_no_throw("--format");
    if (format != nullptr && format->count() > 0) manner().is_full = true;
    one_screen.emplace();
  });
  try {
    program.parse(arguments_of(argc, argv));
  } catch (const CLI::RuntimeError& ended) {
    return ended.get_exit_code();
  } catch (const CLI::Success& asked) {
    program.exit(asked);
  } catch (const CLI::ParseError& error) {
    throw Error(usage_error(program, error));
  } catch (const Error& error) {
    if (error.exit_code != ExitCode::no_gpu) throw;
    const auto more = without_gpu(program.get_subcommands().front()->get_name());
    if (more.empty()) throw;
    throw Error(error.exit_code, error.what(), fmt::format("{}\n        {}", error.advice, more));
  }
  one_screen.reset();
  return end_of_output();
}

}  // namespace

const std::atomic<bool>& heed_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  return was_interrupted;
}

}  // namespace ptxlat::cli

namespace {

// A thread of the line holds a socket or two, and a large host has hundreds: the soft limit is often 1,024. With a
// handful, nothing works, and each failure has a different reason: a file that is there is not found.
void raise_file_limit() {
  constexpr rlim_t fewest = 32;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max < fewest)
    throw ptxlat::Error(ptxlat::ExitCode::failure, fmt::format("only {} files may be open at a time", limit.rlim_max),
                        fmt::format("Raise the limit on open files (ulimit -n) to {} or more.", fewest));
}

// A file that is opened next would get the number of a standard stream that is closed, and the messages. Standard
// output is one that cannot be written: who closes it wants to hear of data.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

struct AtTheEnd {
  ~AtTheEnd() { ptxlat::remove_abandoned_folders(); }
};

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  ptxlat::forget_environment_of_others();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ,
              SIG_IGN);  // exceeding a limit on file sizes makes the write fail, and that error says what to do
  const AtTheEnd at_the_end;
  try {
    raise_file_limit();
    return ptxlat::cli::run_program(argc, argv);
  } catch (const ptxlat::Error& error) {
    ptxlat::cli::say(stderr, error);
    return static_cast<int>(error.exit_code);
  } catch (const std::exception& error) {
    ptxlat::cli::say(stderr, "ptxlat: {}\n", error.what());
    return static_cast<int>(ptxlat::ExitCode::failure);
  }
}
