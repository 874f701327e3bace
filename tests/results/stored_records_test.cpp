// SPDX-License-Identifier: Apache-2.0
#include "results/stored_records.h"

#include <fmt/format.h>

#include <fstream>
#include <new>

#include "catch.h"
#include "child_process.h"
#include "results/store.h"
#include "test_folder.h"

using namespace ptxlat;
using namespace ptxlat::results;

namespace {

const std::string static_table = "sm_90/static/ptxas-13.0.88";

Record cell_named(const std::string& ptx) {
  Record cell;
  cell.ptx = ptx;
  cell.level = 3;
  return cell;
}

}  // namespace

TEST_CASE("stored records stay as they were, whatever is written meanwhile") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  const auto before = cell_named("a");
  store.save_records(static_table, {before});
  const StoredRecords stored(store.file(), static_table, RecordKind::latency);
  auto after = before;
  after.note = "again";
  store.save_records(static_table, {after, cell_named("b")});
  REQUIRE(stored.size() == 1);
  CHECK(stored.read(0) == before);
  CHECK(store.records(static_table, RecordKind::latency).size() == 2);
}

TEST_CASE("the runs of stored records are those that they name, as they were when the records were read") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  const auto begin_run = [&](const std::string& started_utc) {
    Run run;
    run.table = static_table;
    run.started_utc = started_utc;
    run.id = store.save_run(run);
    return run;
  };
  const auto save_cell = [&](const std::string& ptx, const Run& run) {
    auto cell = cell_named(ptx);
    cell.run = run.id;
    store.save_records(static_table, {cell});
  };
  begin_run("without a record");
  const auto first = begin_run("first");
  auto second = begin_run("second");
  save_cell("a", second);
  save_cell("b", first);
  const StoredRecords stored(store.file(), static_table, RecordKind::latency);
  second.finished_utc = "later";
  store.save_run(second);
  save_cell("c", begin_run("third"));
  const auto runs = stored.runs();
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].id == first.id);
  CHECK(runs[0].started_utc == "first");
  CHECK(runs[1].started_utc == "second");
  CHECK(runs[1].finished_utc.empty());
}

TEST_CASE("of a record's windows only those behind the headline are read with their code, if no more is wanted") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  auto cell = cell_named("a");
  for (const char* role : {"chain", "differential", "stream"}) {
    auto& window = cell.windows.emplace_back();
    window.role = role;
    window.sass = {{0, fmt::format("IADD3 {}", role), 4}};
  }
  cell.set(metric::issue, 2, {"stream"});
  const auto with_code = [&](Code code) {
    store.save_records(static_table, {cell});
    std::string roles;
    for (const auto& window : StoredRecords(store.file(), static_table, RecordKind::latency).read(0, code).windows) {
      if (!window.sass.empty()) roles += window.sass.front().text + ";";
    }
    return roles;
  };
  CHECK(with_code(Code::all) == "IADD3 chain;IADD3 differential;IADD3 stream;");
  CHECK(with_code(Code::of_headline) == "IADD3 stream;");
  cell.set(metric::cycles, 4, {"differential"});
  CHECK(with_code(Code::of_headline) == "IADD3 differential;");
}

TEST_CASE("a record for which there is not enough memory is not a damaged one") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip("sanitizers need more memory");
#endif
  const TestFolder folder;
  constexpr std::size_t instructions = 400'000, bytes_of_each = 50;
  // In a process of its own, which leaves this one no free memory.
  const pid_t writer = start_child([&] {
    auto cell = cell_named("a");
    auto& window = cell.windows.emplace_back();
    window.role = "chain";
    for (std::size_t i = 0; i < instructions; ++i)
      window.sass.push_back({static_cast<int>(16 * i), "IADD3 R0000000, R0000000, R0000000, R00000000", 4});
    Store(folder.path / "store.sqlite").save_records(static_table, {cell});
    return 0;
  });
  REQUIRE(exit_status_of(writer) == 0);
  const pid_t reader = start_child([&] {
    const StoredRecords stored(folder.path / "store.sqlite", static_table, RecordKind::latency);
    // SQLite and we have a copy of the text; what it says needs more.
    const rlimit small{bytes_now() + 3 * instructions * bytes_of_each, RLIM_INFINITY};
    ::setrlimit(RLIMIT_DATA, &small);
    try {
      stored.read(0);
    } catch (const std::bad_alloc&) {
      return 1;
    }
    return 0;
  });
  CHECK(exit_status_of(reader) == 1);
}
