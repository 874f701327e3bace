// SPDX-License-Identifier: Apache-2.0
#include "../results/child_process.h"
#include "../results/small_disk.h"
#include "../tables/cells.h"
#include "catch.h"
#include "tables/folder.h"

using namespace ptxlat;

namespace {

tables::Table table_of_size(int count, double cycles) {
  std::vector<results::Record> cells;
  for (int i = 0; i < count; ++i) cells.push_back(cell_of("op" + std::to_string(i), 3, cycles, "IADD3"));
  return table_of(std::move(cells));
}

std::ptrdiff_t files_in(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

// Writes a table too large for what prepare_child leaves room for, over a small one.
void check_failed_replacement(const std::filesystem::path& folder, const std::function<void()>& prepare_child) {
  const tables::Table old = table_of_size(10, 4);
  tables::write_table(folder, old);
  const pid_t child = start_child([&] {
    prepare_child();
    tables::write_table(folder, table_of_size(20'000, 5));
    return 0;
  });
  CHECK(exit_status_of(child) == static_cast<int>(ExitCode::storage));
  CHECK(*tables::read_table(folder / old.run.table).lines == *old.lines);
  CHECK(files_in(folder / old.run.table) == 5);
}

}  // namespace

TEST_CASE("a table that meets a limit on file sizes leaves the old one as it was") {
  const TestFolder folder;
  check_failed_replacement(folder.path, [] { limit_file_size(100'000); });
}

TEST_CASE("a table that meets a full disk leaves the old one as it was") {
  const SmallDisk disk("512k");
  disk.require_mounted();
  check_failed_replacement(disk.folder.path, [] {});
}

TEST_CASE("a reader concurrent with a writer reads a whole table or an error, never a mixture") {
  const TestFolder folder;
  const auto place = folder.path / table_of({}).run.table;
  tables::write_table(folder.path, table_of_size(50, 4));
  const pid_t writer = start_child([&] {
    for (int i = 0; i < 60; ++i) tables::write_table(folder.path, table_of_size(50, i % 2 == 0 ? 5 : 4));
    return 0;
  });
  int read = 0;
  for (int i = 0; i < 300; ++i) {
    try {
      const tables::Table table = tables::read_table(place);
      ++read;
      REQUIRE(table.cells.size() == 50);
      for (const tables::Cell& cell : table.cells) {
        REQUIRE(cell.record.metrics == table.cells[0].record.metrics);
      }
    } catch (const Error& error) {
      REQUIRE(error.exit_code == ExitCode::storage);
    }
  }
  CHECK(exit_status_of(writer) == 0);
  CHECK(read > 0);
  CHECK(tables::read_table(place).cells.size() == 50);
}

TEST_CASE("a table cannot be written where a file is in the way") {
  const TestFolder folder;
  tables::write_table(folder.path, table_of_size(1, 4));
  tables::Table table = table_of_size(1, 4);
  table.run.table += "/run.json";
  try {
    tables::write_table(folder.path, table);
    FAIL("written into a file");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::storage);
    CHECK_FALSE(error.advice.empty());
  }
}
