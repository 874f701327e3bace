// SPDX-License-Identifier: Apache-2.0
#include "results/store.h"

#include <fstream>
#include <thread>

#include "base/error.h"
#include "catch.h"
#include "execute_sql.h"
#include "random_record.h"
#include "results/json.h"
#include "table_name.h"
#include "test_folder.h"
#include "text.h"

using namespace ptxlat;
using namespace ptxlat::results;

namespace {

Record cell_named(const std::string& ptx, int level = 3) {
  Record cell;
  cell.ptx = ptx;
  cell.level = level;
  cell.recipe = "r1";
  cell.set(results::metric::cycles, 4);
  return cell;
}

// The message of the Error{storage} that opening the store throws.
std::string rejection(const std::filesystem::path& file) {
  try {
    const Store store(file, std::chrono::milliseconds(100));
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::storage);
    CHECK_FALSE(error.advice.empty());
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a store that is opened again has everything that was saved") {
  const TestFolder folder;
  RandomRecords random(11);
  std::vector<Record> cells;
  for (int i = 0; i < 200; ++i) cells.push_back(random.cell());
  {
    Store store(folder.path / "store.sqlite");
    store.save_records(table, cells);
  }
  const Store store(folder.path / "store.sqlite");
  const auto key = [](const Record& cell) {
    return std::tie(cell.chapter, cell.ptx, cell.operand, cell.input, cell.level);
  };
  std::sort(cells.begin(), cells.end(), [&](const auto& left, const auto& right) { return key(left) < key(right); });
  CHECK(store.records(table, RecordKind::latency) == cells);
  const auto finished = store.finished(table);
  CHECK(finished.size() == cells.size());
  for (const Record& cell : cells) CHECK((finished.contains(key_of(cell).text()) || !is_final(cell)));
}

TEST_CASE("the order of a table does not depend on the order in which its cells were finished") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  store.save_records("forward", {cell_named("a"), cell_named("b", 0), cell_named("b", 3)});
  store.save_records("backward", {cell_named("b", 3), cell_named("b", 0)});
  store.save_records("backward", {cell_named("a")});
  CHECK(store.records("forward", RecordKind::latency) == store.records("backward", RecordKind::latency));
}

TEST_CASE("a cell measured again replaces its row, and a changed recipe is not finished") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  Record cell = cell_named("add.u32");
  store.save_records(table, {cell});
  Record changed = cell;
  changed.recipe = "r2";
  changed.set(results::metric::cycles, 5);
  CHECK_FALSE(store.finished(table).contains(key_of(changed).text()));
  store.save_records(table, {changed});
  CHECK(store.records(table, RecordKind::latency) == std::vector<Record>{changed});
  CHECK_FALSE(store.finished(table).contains(key_of(cell).text()));
}

TEST_CASE("a cell whose kernel failed, or whose assembler did, has a row and is not finished") {
  const TestFolder folder;
  Record faulted = cell_named("a"), hung = cell_named("b"), broken = cell_named("c"), rejected = cell_named("d");
  faulted.verdict = sass::Verdict::fault;
  hung.windows.emplace_back();
  hung.windows.back().verdict = sass::Verdict::timeout;
  broken.verdict = rejected.verdict = sass::Verdict::rejected;
  broken.note = "line 3: the assembler failed: ptxas died of signal 11 (Segmentation fault)";
  broken.add_flag(flag::retry);
  rejected.note = "line 3: error: unknown instruction";
  Store store(folder.path / "store.sqlite");
  store.save_records(table, {faulted, hung, broken, rejected});
  CHECK(store.finished(table).count(key_of(rejected).text()) == 1);
  for (const auto& cell : {faulted, hung, broken}) CHECK(store.finished(table).count(key_of(cell).text()) == 0);
  CHECK(store.records(table, RecordKind::latency) == std::vector{faulted, hung, broken, rejected});

  auto repaired = faulted;
  repaired.verdict = sass::Verdict::proven;
  store.save_records(table, {repaired});
  CHECK(store.finished(table).count(key_of(repaired).text()) == 1);
  CHECK(store.records(table, RecordKind::latency).size() == 4);
}

TEST_CASE("tables in one store do not mix") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  store.save_records("one", {cell_named("add.u32")});
  store.save_records("two", {});
  CHECK(store.records("one", RecordKind::latency).size() == 1);
  CHECK(store.records("two", RecordKind::latency).empty());
  CHECK(store.finished("two").empty());
}

TEST_CASE("keys of different cells are different") {
  const auto key = [](const char* ptx, const char* operand, const char* input, int level, const char* recipe) {
    return CellKey{RecordKind::latency, ptx, operand, input, level, recipe}.text();
  };
  const std::unordered_set<std::string> keys = {
      key("add.u32", "a", "", 3, "r"), key("add.u32", "", "a", 3, "r"),  key("add.u32a", "", "", 3, "r"),
      key("add.u32", "a", "", 0, "r"), key("add.u32", "a", "", 3, "r2"), key("add.u32", "a", "3", 3, "r"),
  };
  CHECK(keys.size() == 6);
  CHECK(keys.begin()->find('\n') == std::string::npos);
}

TEST_CASE("kinds of record in one table do not mix") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  Record probe = cell_named("add.u32");
  probe.kind = RecordKind::probe;
  probe.series = {{"curve", "cycles", {{"size", "B", {1024, 2048}}}, {33, std::nullopt}}};
  store.save_records(table, {cell_named("add.u32"), probe});
  CHECK(store.records(table, RecordKind::latency) == std::vector<Record>{cell_named("add.u32")});
  CHECK(store.records(table, RecordKind::probe) == std::vector<Record>{probe});
  const auto finished = store.finished(table);
  CHECK(finished.size() == 2);
  CHECK(finished.contains(key_of(probe).text()));
}

TEST_CASE("a table's runs have ids, and what is saved at a run's end replaces what was saved at its start") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  Run first;
  first.table = table;
  first.kind = "measured";
  first.started_utc = "2026-01-01T00:00:00Z";
  first.id = store.save_run(first);
  CHECK(first.id > 0);
  Run elsewhere = first;
  elsewhere.id = 0;
  elsewhere.table = "another";
  elsewhere.id = store.save_run(elsewhere);
  Run second = first;  // in the same second
  second.id = 0;
  second.id = store.save_run(second);
  CHECK(second.id > first.id);
  first.finished_utc = "2026-01-01T00:01:00Z";
  CHECK(store.save_run(first) == first.id);

  const std::vector<Run> runs = store.runs(table);
  REQUIRE(runs.size() == 2);
  CHECK(to_json(runs[0]) == to_json(first));
  CHECK(to_json(runs[1]) == to_json(second));
  const std::vector<Run> newest = store.newest_runs();
  REQUIRE(newest.size() == 2);
  CHECK(to_json(newest[0]) == to_json(elsewhere));
  CHECK(to_json(newest[1]) == to_json(second));
}

TEST_CASE("a record names the run that made it, which must be there") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  Run run;
  run.table = table;
  Record record = cell_named("add.u32");
  record.run = store.save_run(run);
  store.save_records(table, {record});
  CHECK(store.records(table, RecordKind::latency) == std::vector<Record>{record});
  record.run += 1;
  CHECK_THROWS_AS(store.save_records(table, {record}), Error);
}

TEST_CASE("many threads can save at once") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&store, thread] {
      for (int i = 0; i < 25; ++i) store.save_records(table, {cell_named(std::to_string(thread * 1000 + i))});
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(store.records(table, RecordKind::latency).size() == 200);
}

TEST_CASE("a file that is not a store is rejected and stays as it is") {
  const TestFolder folder;
  const auto file = folder.path / "file";
  SECTION("text, short and long") {
    for (const std::size_t size : {1u, 10u, 100u, 5000u}) {
      const std::string content(size, 'x');
      std::ofstream(file, std::ios::binary) << content;
      CHECK(rejection(file).find(file.string()) != std::string::npos);
      CHECK(content_of(file) == content);
    }
  }
  SECTION("the database of a different program") {
    execute(file, "CREATE TABLE bookmarks (url TEXT)");
    const std::string content = content_of(file);
    CHECK(rejection(file).find("a different program") != std::string::npos);
    CHECK(content_of(file) == content);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
  }
  SECTION("a store of a later version") {
    { const Store store(file); }
    execute(file, "PRAGMA user_version = 3");
    const std::string content = content_of(file);
    CHECK(rejection(file).find("version 3") != std::string::npos);
    CHECK(content_of(file) == content);
  }
  SECTION("an empty database with a version, which an untouched file does not have") {
    execute(file, "PRAGMA user_version = 1000");
    const std::string content = content_of(file);
    CHECK(rejection(file).find("a different program") != std::string::npos);
    CHECK(content_of(file) == content);
  }
  SECTION("a store of an earlier version") {
    execute(file, "CREATE TABLE cells (ptx TEXT); PRAGMA application_id = 0x7078746c; PRAGMA user_version = 1");
    const std::string content = content_of(file);
    CHECK(rejection(file).find("has version 1, this ptxlat reads version 2") != std::string::npos);
    CHECK(content_of(file) == content);
  }
  SECTION("a folder") {
    std::filesystem::create_directory(file);
    CHECK_FALSE(rejection(file).empty());
  }
  SECTION("in a folder that does not exist") { CHECK_FALSE(rejection(folder.path / "no" / "store").empty()); }
}

TEST_CASE("a name that SQLite does not take for a file's is rejected before anything is kept there") {
  const TestFolder folder;
  const auto in_folder = folder.path / "store.sqlite";
  for (const std::string& name : {std::string(), std::string(":memory:"), "file:" + in_folder.string(),
                                  "file:" + in_folder.string() + "?mode=memory"}) {
    INFO(name);
    CHECK(rejection(name).find("is not the name of a file") != std::string::npos);
  }
  CHECK(std::filesystem::is_empty(folder.path));
}

TEST_CASE("an empty file becomes a store") {
  const TestFolder folder;
  std::ofstream(folder.path / "store.sqlite") << "";
  Store store(folder.path / "store.sqlite");
  store.save_records(table, {cell_named("add.u32")});
  CHECK(store.records(table, RecordKind::latency).size() == 1);
}

TEST_CASE("a damaged store says so") {
  const TestFolder folder;
  const auto file = folder.path / "store.sqlite";
  {
    Store store(file);
    std::vector<Record> cells;
    for (int i = 0; i < 2000; ++i) cells.push_back(cell_named("op" + std::to_string(i)));
    store.save_records(table, cells);
  }
  const auto exit_code_of_reading = [&] {
    try {
      Store(file).records(table, RecordKind::latency);
    } catch (const Error& error) {
      CHECK_FALSE(error.advice.empty());
      return error.exit_code;
    }
    return ExitCode::success;
  };
  SECTION("a record that is not JSON") { execute(file, "UPDATE records SET record = '{\"ptx\":' WHERE ptx = 'op7'"); }
  SECTION("a record of another shape") { execute(file, "UPDATE records SET record = '[1]' WHERE ptx = 'op7'"); }
  SECTION("truncated") { std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2); }
  SECTION("overwritten inside") {
    std::fstream damaged(file, std::ios::binary | std::ios::in | std::ios::out);
    damaged.seekp(4096);
    damaged << std::string(std::filesystem::file_size(file) - 4096, '\xaa');
  }
  CHECK(exit_code_of_reading() == ExitCode::storage);
}
