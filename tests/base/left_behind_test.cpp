// SPDX-License-Identifier: Apache-2.0

// Files that a killed process left are removed by the next one; files that a running process uses are not.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "../results/child_process.h"
#include "../results/test_folder.h"
#include "base/file.h"
#include "base/process.h"
#include "catch.h"
#include "wait_until.h"

using namespace ptxlat;

namespace {

std::size_t entries_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

// A process that makes a temporary folder with a file in it and then waits to be killed.
pid_t start_user_of_a_folder(const std::filesystem::path& parent) {
  const auto child = start_child([&] {
    setenv("TMPDIR", parent.c_str(), 1);
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "module.ptx") << "a";
    for (;;) pause();
    return 0;
  });
  const auto has_file = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(parent)) {
      if (std::filesystem::exists(entry.path() / "module.ptx")) return true;
    }
    return false;
  };
  wait_until(has_file);
  return child;
}

void kill_and_wait(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

// How many entries `parent` has while a new process uses a temporary folder there.
std::size_t entries_seen_by_a_new_process(const std::filesystem::path& parent) {
  const auto child = start_child([&] {
    setenv("TMPDIR", parent.c_str(), 1);
    const TemporaryFolder folder;
    return static_cast<int>(entries_in(parent));
  });
  return static_cast<std::size_t>(exit_status_of(child));
}

}  // namespace

TEST_CASE("temporary folders of killed processes are removed by the next process, those in use are not") {
  const TestFolder parent;
  kill_and_wait(start_user_of_a_folder(parent.path));
  REQUIRE(entries_in(parent.path) == 1);
  CHECK(entries_seen_by_a_new_process(parent.path) == 1);
  CHECK(entries_in(parent.path) == 0);

  const auto user = start_user_of_a_folder(parent.path);
  CHECK(entries_seen_by_a_new_process(parent.path) == 2);
  CHECK(entries_in(parent.path) == 1);
  kill_and_wait(user);
}

TEST_CASE("folders of processes that die while the next one works are removed at its end") {
  const TestFolder parent;
  const auto child = start_child([&] {
    setenv("TMPDIR", parent.path.c_str(), 1);
    const auto dying = start_user_of_a_folder(parent.path);
    { const TemporaryFolder folder; }
    const auto before = entries_in(parent.path);
    kill_and_wait(dying);
    remove_abandoned_folders();
    return static_cast<int>(10 * before + entries_in(parent.path));
  });
  CHECK(exit_status_of(child) == 10);
}

TEST_CASE("a folder that is not one of ours stays, whatever its name begins with") {
  const TestFolder parent;
  std::filesystem::create_directory(parent.path / "ptxlat-tables");
  std::filesystem::create_directory(parent.path / "ptxlat-temporary-files-of-mine");
  std::ofstream(parent.path / "ptxlat-temporary-123456") << "a file";
  std::filesystem::create_directory_symlink("/", parent.path / "ptxlat-temporary-654321");
  CHECK(entries_seen_by_a_new_process(parent.path) == 5);
  CHECK(entries_in(parent.path) == 4);
}

TEST_CASE("a temporary folder is private") {
  const TemporaryFolder folder;
  CHECK(std::filesystem::status(folder.path()).permissions() == std::filesystem::perms::owner_all);
}

TEST_CASE("half a file that a killed process left is removed when the file is written again") {
  const TestFolder folder;
  std::ofstream(folder.path / ".latency.csv.4711") << "half";
  std::ofstream(folder.path / ".latency.csv.mine") << "not ours";
  std::ofstream(folder.path / ".run.json.4711") << "of a file that is not written";
  replace_file(folder.path / "latency.csv", "whole");
  CHECK(read_file(folder.path / "latency.csv") == "whole");
  CHECK(entries_in(folder.path) == 3);
}

TEST_CASE("files that a running process is writing are left alone") {
  const TestFolder folder;
  // Two writers of one file: neither may remove what the other is about to rename.
  const auto writer = start_child([&] {
    for (int i = 0; i < 200; ++i) replace_file(folder.path / "latency.csv", std::string(200'000, 'a'));
    return 0;
  });
  for (int i = 0; i < 200; ++i) replace_file(folder.path / "latency.csv", std::string(200'000, 'b'));
  CHECK(exit_status_of(writer) == 0);
  CHECK(entries_in(folder.path) == 1);
}
