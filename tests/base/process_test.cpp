// SPDX-License-Identifier: Apache-2.0
#include "base/process.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "../results/child_process.h"
#include "../results/test_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "catch.h"
#include "wait_until.h"

using namespace ptxlat;
using namespace std::chrono_literals;

namespace {

constexpr auto no_hang = 10min;

std::filesystem::path write_script(const std::filesystem::path& folder, const std::string& commands) {
  const auto program = folder / "program";
  std::ofstream(program) << "#!/bin/bash\n" << commands << "\n";
  ::chmod(program.c_str(), 0755);
  return program;
}

ProcessOutcome run_script(const TestFolder& folder, const std::string& commands) {
  return run_program(write_script(folder.path, commands), {"a b", "c"}, folder.path, no_hang);
}

}  // namespace

TEST_CASE("a program runs in its folder with its arguments, both of its outputs are kept, and it has no input") {
  const TestFolder folder;
  const auto outcome = run_script(folder, "pwd; echo \"$1,$2\"; echo error >&2; cat; exit 3");
  CHECK(outcome.exit_status == 3);
  CHECK(outcome.output == std::filesystem::canonical(folder.path).string() + "\na b,c\nerror\n");
}

TEST_CASE("a program that is killed from outside runs once more, one that crashes does not") {
  const TestFolder folder;
  CHECK(run_script(folder, "test -e second && { echo done; exit 0; }; touch second; kill -KILL $$").output == "done\n");
  CHECK(run_script(folder, "echo call >> killed; kill -TERM $$").signal == SIGTERM);
  CHECK(read_file(folder.path / "killed") == "call\ncall\n");
  CHECK(run_script(folder, "echo call >> crashed; kill -SEGV $$").signal == SIGSEGV);
  CHECK(read_file(folder.path / "crashed") == "call\n");
}

TEST_CASE("a program and its children have the limits that it is given, unless they have lower ones") {
  const TestFolder folder;
  const auto script = write_script(folder.path, "ulimit -v; ulimit -f; sh -c 'ulimit -v'; ulimit -v unlimited || true");
  const ProcessLimits limits{std::uint64_t{3} << 30, std::uint64_t{5} << 20};
  const auto outcome = run_program(script, {}, folder.path, 10s, limits);
  CHECK(outcome.output.starts_with("3145728\n5120\n3145728\n"));
  CHECK(outcome.output.find("cannot modify limit") != std::string::npos);
  const pid_t child = start_child([&] {
    limit_file_size(1 << 20);
    return run_program(script, {}, folder.path, 10s, limits).output.starts_with("3145728\n1024\n") ? 0 : 1;
  });
  CHECK(exit_status_of(child) == 0);
}

TEST_CASE("a program that writes a file without end, or prints without end, is ended") {
  const TestFolder folder;
  const auto run = [&](const std::string& commands) {
    return run_program(write_script(folder.path, commands), {}, folder.path, 100s, {0, 1 << 20});
  };
  CHECK(run("exec cat /dev/zero > written").wrote_without_end);
  CHECK(std::filesystem::file_size(folder.path / "written") == 1 << 20);
  const auto printing = run("exec cat /dev/zero");
  CHECK(printing.wrote_without_end);
  CHECK(printing.output.empty());
  CHECK(std::filesystem::file_size(folder.path / "output") == 1 << 20);
  // Its child is ended, and it says so itself.
  const auto in_child = run("cat /dev/zero > written; echo $? > status; exit 3");
  CHECK(in_child.exit_status == 3);
  CHECK(std::filesystem::file_size(folder.path / "written") == 1 << 20);
}

TEST_CASE("a program that cannot be started is an error with its reason") {
  const TestFolder folder;
  std::ofstream(folder.path / "text") << "not a program";
  for (const auto& [name, reason] : {std::pair("text", "Permission denied"), std::pair("none", "No such file")}) {
    try {
      run_program(folder.path / name, {}, folder.path, no_hang);
      FAIL("it ran");
    } catch (const Error& error) {
      CHECK(error.exit_code == ExitCode::missing_tool);
      CHECK(std::string(error.what()).find(reason) != std::string::npos);
    }
  }
}

// ThreadSanitizer once reported it of the child that could not become the program.
TEST_CASE("a program that cannot be started leaves no thread of this process behind") {
  const TestFolder folder;
  std::thread ended([] {});
  std::this_thread::sleep_for(50ms);
  CHECK_THROWS_AS(run_program("/nonexistent/program", {}, folder.path, no_hang), Error);
  ended.join();
}

TEST_CASE("a program dies with the process that waits for it") {
  const TestFolder folder;
  const auto child = start_child([&] {
    run_script(folder, "echo $$ > pid; mv pid written; exec sleep 1000");
    return 0;
  });
  wait_until([&] { return std::filesystem::exists(folder.path / "written"); });
  const auto program = std::stoi(read_file(folder.path / "written"));
  CHECK(::kill(program, 0) == 0);
  ::kill(child, SIGKILL);
  CHECK(exit_status_of(child) == -1);
  const auto is_alive = [&] {
    std::ifstream stat("/proc/" + std::to_string(program) + "/stat");
    std::string text;
    std::getline(stat, text);
    return !text.empty() && text.find(") Z ") == std::string::npos;
  };
  wait_until([&] { return !is_alive(); });
}
