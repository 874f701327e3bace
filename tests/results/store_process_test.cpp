// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>
#include <sys/stat.h>

#include <random>
#include <thread>

#include "catch.h"
#include "child_process.h"
#include "results/store.h"
#include "small_disk.h"
#include "table_name.h"

using namespace ptxlat;
using namespace ptxlat::results;

namespace {

Record numbered_cell(int number) {
  Record cell;
  cell.ptx = "op" + std::to_string(number);
  cell.note = std::string(1000, 'n');
  return cell;
}

// Saves cells 0, 1, 2, … and writes each number to `pipe` when it is safe.
int save_and_tell(const std::filesystem::path& file, int pipe, int count) {
  Store store(file);
  for (int number = 0; number < count; ++number) {
    store.save_records(table, {numbered_cell(number)});
    if (::write(pipe, &number, sizeof number) != sizeof number) return 1;
  }
  return 0;
}

// How many cells a child saved before it ended, from its messages.
struct Teller {
  int ends[2];
  Teller() { REQUIRE(::pipe(ends) == 0); }
  int told() {
    ::close(ends[1]);
    int count = 0;
    for (int number = 0; ::read(ends[0], &number, sizeof number) == sizeof number;) count = number + 1;
    ::close(ends[0]);
    return count;
  }
};

// Runs a child that fills the file system of `folder`, and checks that it fails as documented and loses nothing.
void check_full_disk(const std::filesystem::path& folder, const std::function<void()>& prepare_child) {
  Teller teller;
  const pid_t child = start_child([&] {
    prepare_child();
    return save_and_tell(folder / "store.sqlite", teller.ends[1], 100'000);
  });
  const int saved = teller.told();
  CHECK(exit_status_of(child) == static_cast<int>(ExitCode::storage));
  CHECK(saved > 10);
  const Store store(folder / "store.sqlite");
  CHECK(store.records(table, RecordKind::latency).size() == static_cast<std::size_t>(saved));
}

}  // namespace

TEST_CASE("kill -9 at any moment loses no cell that was saved") {
  std::mt19937 random(1);
  for (int round = 0; round < 15; ++round) {
    const TestFolder folder;
    const auto file = folder.path / "store.sqlite";
    Teller teller;
    const pid_t child = start_child([&] { return save_and_tell(file, teller.ends[1], 1'000'000); });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
    ::kill(child, SIGKILL);
    CHECK(exit_status_of(child) == -1);
    const int told = teller.told();
    Store store(file);
    const std::size_t saved = store.records(table, RecordKind::latency).size();
    // One more may be safe than the child came to tell.
    CHECK(saved >= static_cast<std::size_t>(told));
    CHECK(saved <= static_cast<std::size_t>(told) + 1);
    store.save_records(table, {numbered_cell(0)});
  }
}

TEST_CASE("two processes that create and fill one store at the same moment both succeed") {
  for (int round = 0; round < 10; ++round) {
    const TestFolder folder;
    const auto file = folder.path / "store.sqlite";
    std::vector<pid_t> children;
    for (int process = 0; process < 2; ++process) {
      children.push_back(start_child([&] {
        Store store(file);
        for (int i = 0; i < 50; ++i) store.save_records(table, {numbered_cell(process * 1000 + i)});
        return 0;
      }));
    }
    for (const pid_t child : children) CHECK(exit_status_of(child) == 0);
    CHECK(Store(file).records(table, RecordKind::latency).size() == 100);
  }
}

TEST_CASE("a store that a different process keeps locked is reported as in use") {
  const TestFolder folder;
  const auto file = folder.path / "store.sqlite";
  Store store(file, std::chrono::milliseconds(50));
  sqlite3* other = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &other) == SQLITE_OK);
  REQUIRE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
  try {
    store.save_records(table, {numbered_cell(1)});
    FAIL("saved in spite of the lock");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::storage);
    CHECK(error.advice.find("Another ptxlat run") != std::string::npos);
  }
  CHECK(store.records(table, RecordKind::latency).empty());  // reading continues meanwhile
  sqlite3_close(other);
  store.save_records(table, {numbered_cell(1)});
  CHECK(store.records(table, RecordKind::latency).size() == 1);
}

TEST_CASE("a limit on file sizes ends a run with the storage code and loses no cell that was saved") {
  const TestFolder folder;
  check_full_disk(folder.path, [] { limit_file_size(300'000); });
}

TEST_CASE("a full disk ends a run with the storage code and loses no cell that was saved") {
  const SmallDisk disk("1m");
  disk.require_mounted();
  check_full_disk(disk.folder.path, [] {});
}

TEST_CASE("a store without write permission ends with the storage code") {
  const TestFolder folder;
  const auto file = folder.path / "store.sqlite";
  { Store store(file); }
  ::chmod(folder.path.c_str(), 0555);
  ::chmod(file.c_str(), 0444);
  const pid_t child = start_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 0;  // root may write everywhere
    Store store(file);
    store.save_records(table, {numbered_cell(1)});
    return 0;
  });
  CHECK(exit_status_of(child) == static_cast<int>(ExitCode::storage));
  ::chmod(folder.path.c_str(), 0755);
}
