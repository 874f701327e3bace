// SPDX-License-Identifier: Apache-2.0

// The columns of every file of a table: docs/columns.md is made of them, and the committed tables come back from them
// as they are.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/file.h"
#include "catch.h"
#include "tables/folder.h"
#include "tables/latency_columns.h"
#include "tables/opcode_columns.h"
#include "tables/opcode_files.h"
#include "tables/pair_files.h"
#include "tables/probe_files.h"
#include "tables/published.h"

using namespace ptxlat;
using namespace ptxlat::tables;

namespace {

const std::filesystem::path page = PTXLAT_SOURCE_DIR "/docs/columns.md";

template <class Row>
std::string section(const std::string& file, const std::string& what, const Columns<Row>& columns) {
  auto text = fmt::format("\n## {}\n\n{}\n\n| column | unit | |\n|---|---|---|\n", file, what);
  for (const auto& column : columns)
    text += fmt::format("| `{}` | {} | {} |\n", column.name, column.unit, column.description);
  return text;
}

std::string made_page() {
  return "# The columns of every file\n\nMade from the columns in the code: do not edit (CONTRIBUTING.md). "
         "[table-format.md](table-format.md), [opcodes.md](opcodes.md), [pairs.md](pairs.md) and "
         "[probes.md](probes.md) say how the numbers come about.\n\n"
         "A field without a value is empty. Programs should find a column by its name: later versions may have "
         "more.\n" +
         section("latency.csv", "A row for distinct machine code and its levels.", latency_columns()) +
         section("forms.csv.gz", "A row for a form and a level. `throughput_forms.csv.gz` has the same columns.",
                 spelling_columns()) +
         section("opcodes.csv", "A row for a SASS opcode.", opcode_columns()) +
         section("throughput.csv.gz", "A row for distinct machine code.", form_throughput_columns()) +
         section("contention.csv", "A row for two opcodes.", contention_columns()) +
         section("operand_costs.csv", "A row for an opcode and a kind of operand.", operand_cost_columns()) +
         section("counters.csv", "A row for an opcode and a pipe that counts it.", counter_columns()) +
         section("series/throughput.csv.gz", "A row for an opcode and a number of warps.", warps_columns()) +
         section("series/in_flight.csv.gz", "A row for an opcode, its chains and a number of warps.",
                 in_flight_columns()) +
         section("pairs.csv", "A row for a producer, a consumer and the slot in which it reads.", pair_columns()) +
         section("arrivals.csv", "A row for an opcode whose results come under a scoreboard, or later than scheduled.",
                 arrival_columns()) +
         section("facts.csv", "A row for a fact.", fact_columns()) +
         section("published_throughput.csv", "A row for a form and an architecture; in `site/`.", published_columns());
}

template <class Row>
void require_same_text(const std::filesystem::path& file, const Columns<Row>& columns) {
  const auto text = read_csv_text(file);
  if (!text) return;
  INFO(text->found);
  CHECK(csv_of(columns, read_rows(file, columns)) == text->text);
}

}  // namespace

TEST_CASE("docs/columns.md has the columns of every file") {
  INFO("to write it again: test_tables \"write docs/columns.md\"");
  CHECK(read_file(page) == made_page());
}

TEST_CASE("write docs/columns.md", "[.]") { std::ofstream(page) << made_page(); }

TEST_CASE("every column has a sentence, and its name only once in its file") {
  std::set<std::string> names;
  for (const auto& column : opcode_columns()) {
    INFO(column.name);
    CHECK(names.insert(column.name).second);
    CHECK(column.description.ends_with('.'));
  }
}

TEST_CASE("what was read from a committed file is written as the same bytes") {
  for (const char* gpu : {"nvidia-h200", "nvidia-h100-80gb-hbm3"}) {
    const auto folder = std::filesystem::path(PTXLAT_SOURCE_DIR) / "tables/sm_90" / gpu / "driver-580.159.04";
    require_same_text(folder / opcodes_name, opcode_columns());
    require_same_text(folder / "throughput.csv", form_throughput_columns());
    require_same_text(folder / "throughput_forms.csv", spelling_columns());
    require_same_text(folder / contention_name, contention_columns());
    require_same_text(folder / "operand_costs.csv", operand_cost_columns());
    require_same_text(folder / "counters.csv", counter_columns());
    require_same_text(folder / pairs_name, pair_columns());
    require_same_text(folder / facts_name, fact_columns());
    require_same_text(folder / arrivals_name, arrival_columns());
    require_same_text(folder / csv_name, columns_for({}));
  }
}
