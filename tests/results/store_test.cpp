#include "results/store.h"

#include <sqlite3.h>

#include <fstream>
#include <thread>

#include "catch.h"
#include "error.h"
#include "random_record.h"
#include "results/json.h"
#include "test_folder.h"

using namespace ptxlat;

namespace {

const std::string table = "sm_90/nvidia-h200/driver-580.159.04";

CellRecord cell_named(const std::string& ptx, int level = 3) {
  CellRecord cell;
  cell.ptx = ptx;
  cell.level = level;
  cell.recipe = "r1";
  cell.cycles = 4;
  return cell;
}

void execute(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
  CHECK(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The message of the Error{storage} that opening the store throws.
std::string refusal(const std::filesystem::path& file) {
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
  std::vector<CellRecord> cells;
  for (int i = 0; i < 200; ++i) cells.push_back(random.cell());
  {
    Store store(folder.path / "store.sqlite");
    store.save_cells(table, cells);
  }
  const Store store(folder.path / "store.sqlite");
  const auto key = [](const CellRecord& cell) {
    return std::tie(cell.chapter, cell.ptx, cell.operand, cell.input, cell.level);
  };
  std::sort(cells.begin(), cells.end(), [&](const auto& left, const auto& right) { return key(left) < key(right); });
  CHECK(store.cells(table) == cells);
  CHECK(store.finished(table).size() == cells.size());
  CHECK(store.finished(table).contains(key_of(cells[0]).text()));
}

TEST_CASE("the order of a table does not depend on the order in which its cells were finished") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  store.save_cells("forward", {cell_named("a"), cell_named("b", 0), cell_named("b", 3)});
  store.save_cells("backward", {cell_named("b", 3), cell_named("b", 0)});
  store.save_cells("backward", {cell_named("a")});
  CHECK(store.cells("forward") == store.cells("backward"));
}

TEST_CASE("a cell measured again replaces its row, and a changed recipe is not finished") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  CellRecord cell = cell_named("add.u32");
  store.save_cells(table, {cell});
  CellRecord changed = cell;
  changed.recipe = "r2";
  changed.cycles = 5;
  CHECK_FALSE(store.finished(table).contains(key_of(changed).text()));
  store.save_cells(table, {changed});
  CHECK(store.cells(table) == std::vector<CellRecord>{changed});
  CHECK_FALSE(store.finished(table).contains(key_of(cell).text()));
}

TEST_CASE("tables in one store do not mix") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  store.save_cells("one", {cell_named("add.u32")});
  store.save_cells("two", {});
  CHECK(store.cells("one").size() == 1);
  CHECK(store.cells("two").empty());
  CHECK(store.finished("two").empty());
}

TEST_CASE("keys of different cells are different") {
  const auto key = [](const char* ptx, const char* operand, const char* input, int level, const char* recipe) {
    return CellKey{ptx, operand, input, level, recipe}.text();
  };
  const std::unordered_set<std::string> keys = {
      key("add.u32", "a", "", 3, "r"), key("add.u32", "", "a", 3, "r"),  key("add.u32a", "", "", 3, "r"),
      key("add.u32", "a", "", 0, "r"), key("add.u32", "a", "", 3, "r2"), key("add.u32", "a", "3", 3, "r"),
  };
  CHECK(keys.size() == 6);
  CHECK(keys.begin()->find('\n') == std::string::npos);
}

TEST_CASE("the provenance of a table is that of its newest run, told once at its start and once at its end") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  Provenance run;
  run.table = table;
  run.kind = "measured";
  run.started_utc = "2026-01-01T00:00:00Z";
  run.seed = 1;
  store.save_provenance(run);
  Provenance other = run;
  other.table = "another";
  store.save_provenance(other);
  Provenance newer = run;
  newer.started_utc = "2026-01-02T00:00:00Z";
  newer.seed = 2;
  store.save_provenance(newer);
  newer.finished_utc = "2026-01-02T00:01:00Z";
  store.save_provenance(newer);
  const std::vector<Provenance> provenances = store.provenances();
  REQUIRE(provenances.size() == 2);
  CHECK(to_json(provenances[0]) == to_json(other));
  CHECK(to_json(provenances[1]) == to_json(newer));
}

TEST_CASE("many threads can save at once") {
  const TestFolder folder;
  Store store(folder.path / "store.sqlite");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&store, thread] {
      for (int i = 0; i < 25; ++i) store.save_cells(table, {cell_named(std::to_string(thread * 1000 + i))});
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(store.cells(table).size() == 200);
}

TEST_CASE("a file that is not a store is refused and stays as it is") {
  const TestFolder folder;
  const auto file = folder.path / "file";
  SECTION("text, short and long") {
    for (const std::size_t size : {1u, 10u, 100u, 5000u}) {
      const std::string content(size, 'x');
      std::ofstream(file, std::ios::binary) << content;
      CHECK(refusal(file).find(file.string()) != std::string::npos);
      CHECK(content_of(file) == content);
    }
  }
  SECTION("the database of another program") {
    execute(file, "CREATE TABLE bookmarks (url TEXT)");
    const std::string content = content_of(file);
    CHECK(refusal(file).find("another program") != std::string::npos);
    CHECK(content_of(file) == content);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
  }
  SECTION("a store of a later version") {
    { const Store store(file); }
    execute(file, "PRAGMA user_version = 2");
    const std::string content = content_of(file);
    CHECK(refusal(file).find("version 2") != std::string::npos);
    CHECK(content_of(file) == content);
  }
  SECTION("a folder") {
    std::filesystem::create_directory(file);
    CHECK_FALSE(refusal(file).empty());
  }
  SECTION("in a folder that does not exist") { CHECK_FALSE(refusal(folder.path / "no" / "store").empty()); }
}

TEST_CASE("an empty file becomes a store") {
  const TestFolder folder;
  std::ofstream(folder.path / "store.sqlite") << "";
  Store store(folder.path / "store.sqlite");
  store.save_cells(table, {cell_named("add.u32")});
  CHECK(store.cells(table).size() == 1);
}

TEST_CASE("a damaged store says so") {
  const TestFolder folder;
  const auto file = folder.path / "store.sqlite";
  {
    Store store(file);
    std::vector<CellRecord> cells;
    for (int i = 0; i < 2000; ++i) cells.push_back(cell_named("op" + std::to_string(i)));
    store.save_cells(table, cells);
  }
  const auto exit_code_of_reading = [&] {
    try {
      Store(file).cells(table);
    } catch (const Error& error) {
      CHECK_FALSE(error.advice.empty());
      return error.exit_code;
    }
    return ExitCode::success;
  };
  SECTION("a record that is no JSON") { execute(file, "UPDATE cells SET record = '{\"ptx\":' WHERE ptx = 'op7'"); }
  SECTION("a record of another shape") { execute(file, "UPDATE cells SET record = '[1]' WHERE ptx = 'op7'"); }
  SECTION("truncated") { std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2); }
  SECTION("overwritten inside") {
    std::fstream damaged(file, std::ios::binary | std::ios::in | std::ios::out);
    damaged.seekp(4096);
    damaged << std::string(std::filesystem::file_size(file) - 4096, '\xaa');
  }
  CHECK(exit_code_of_reading() == ExitCode::storage);
}
