// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "tables/find_tables.h"
#include "tables/folder.h"

using namespace ptxlat;
using namespace ptxlat::tables;

TEST_CASE("every number of the committed measured tables is there with the machine code that gave it") {
  std::vector<std::filesystem::path> unreadable;
  for (const auto& folder : find_tables(PTXLAT_SOURCE_DIR "/tables/*/nvidia-*/*", unreadable)) {
    const Table table = read_table(folder);
    INFO(folder.string());
    REQUIRE(table.lines);
    std::vector<const Cell*> rows;
    for (const Cell& cell : table.cells) {
      if (cell.leads) rows.push_back(&cell);
    }
    std::size_t numbers = 0;
    for (const auto& record : whole_records(table, rows)) {
      INFO(record.ptx << " " << record.operand << " " << record.input << " O" << record.level);
      if (!record.number(results::metric::cycles)) continue;
      ++numbers;
      const auto windows = results::backing_windows(record);
      REQUIRE_FALSE(windows.empty());
      for (const auto* window : windows) REQUIRE_FALSE(window->sass.empty());
    }
    CHECK(numbers > 1000);
  }
}
