// SPDX-License-Identifier: Apache-2.0

// Tables of every earlier format, kept as they were written (formats/FORMAT…), are read, or refused with a sentence
// that says what to do. A new format adds a table of the one that it replaces.
#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "catch.h"
#include "results/run.h"
#include "tables/folder.h"

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

}  // namespace

TEST_CASE("a table of today's format is read, and one of another refused with what to do") {
  std::set<int> formats;
  for (const auto& folder : kept_tables()) {
    INFO(folder.filename());
    formats.insert(format_of(folder));
    if (format_of(folder) != results::table_format) {
      try {
        tables::read_table(folder);
        FAIL("it was read");
      } catch (const Error& error) {
        CHECK(error.exit_code == ExitCode::storage);
        CHECK(std::string(error.what()).find("format 1, this ptxlat reads format 4") != std::string::npos);
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
  CHECK(formats == std::set{1, results::table_format});
}
