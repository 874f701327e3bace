// SPDX-License-Identifier: Apache-2.0

// Tables of every earlier format, kept as they were written (formats/FORMAT…), are read, or refused with a sentence
// that says what to do. A new format adds a table of the one that it replaces.
#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "catch.h"
#include "results/run.h"
#include "tables/table.h"

using namespace ptxlat;

namespace {

const std::filesystem::path kept = std::filesystem::path(PTXLAT_SOURCE_DIR) / "tests/tables/formats";

int format_of(const std::filesystem::path& folder) { return std::stoi(folder.filename().string()); }

std::vector<std::filesystem::path> kept_tables() {
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(kept)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

const tables::Cell* find_cell(const tables::Table& table, const std::string& ptx, int level) {
  const auto found = std::find_if(table.cells.begin(), table.cells.end(), [&](const tables::Cell& cell) {
    return cell.record.ptx == ptx && cell.record.level == level;
  });
  return found == table.cells.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("every format that is read, but for one that no release wrote, has a table that is kept") {
  std::set<int> formats;
  for (const auto& folder : kept_tables()) formats.insert(format_of(folder));
  CHECK(formats == std::set{1, 2, 4});
  CHECK(*formats.begin() < results::oldest_table_format);
  CHECK(*formats.rbegin() == results::table_format);
}

TEST_CASE("tables of earlier formats are read, and older ones refused with what to do") {
  for (const auto& folder : kept_tables()) {
    INFO(folder.filename());
    if (format_of(folder) < results::oldest_table_format) {
      try {
        tables::read_table(folder);
        FAIL("it was read");
      } catch (const Error& error) {
        CHECK(error.exit_code == ExitCode::storage);
        CHECK(std::string(error.what()).find("format 1, this ptxlat reads formats 2 to 4") != std::string::npos);
        CHECK_FALSE(error.advice.empty());
      }
      continue;
    }
    const auto table = tables::read_table(folder);
    CHECK(table.cells.size() > 10);
    CHECK(std::all_of(table.cells.begin(), table.cells.end(), [](const tables::Cell& cell) {
      return cell.record.verdict != sass::Verdict::proven || !cell.record.metrics.empty();
    }));
  }
}

TEST_CASE("a measured table of format 2 has its numbers and its machine code") {
  const auto table = tables::read_table(kept / "2-measured");
  const auto* add = find_cell(table, "add.u32", 3);
  REQUIRE(add != nullptr);
  CHECK(add->record.number(results::metric::cycles) == 4);
  const auto record = tables::whole_records(table, {add}).front();
  const auto* chain = results::window_of_role(record, "chain");
  REQUIRE(chain != nullptr);
  CHECK(chain->cycles == std::optional<double>(chain->static_cycles));
  CHECK(std::count_if(chain->sass.begin(), chain->sass.end(),
                      [](const auto& line) { return line.text.find("SR_CLOCKLO") != std::string::npos; }) == 2);
}
