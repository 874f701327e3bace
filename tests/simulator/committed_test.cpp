// SPDX-License-Identifier: Apache-2.0

// The shipped data files on the committed tables: every exported figure is that of the row that it names, read here
// from the table's files without the code that asks queries.
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include "base/csv.h"
#include "base/file.h"
#include "catch.h"
#include "results/json.h"
#include "simulator/export.h"
#include "tables/compression.h"
#include "tables/folder.h"
#include "tables/latency_columns.h"
#include "tables/number.h"
#include "tables/opcode_columns.h"
#include "tables/probe_files.h"
#include "tables/table.h"

using namespace ptxlat;
namespace fs = std::filesystem;

namespace {

const fs::path source = PTXLAT_SOURCE_DIR;
constexpr const char* targets[] = {"accel-sim", "gpgpu-sim", "ppt-gpu"};
constexpr const char* gpus_of_tables[] = {"nvidia-h200", "nvidia-h100-80gb-hbm3"};

// The figures of a table's files, by file, row and column, as an export names them.
class Figures {
 public:
  explicit Figures(const fs::path& folder) : run_(results::parse_json(read_file(folder / "run.json"))) {
    std::istringstream rows(tables::gunzip(read_file(folder / "latency.csv.gz")));
    for (const auto& row : tables::read_rows(rows, "latency.csv", tables::latency_columns())) {
      for (const int level : row.levels) {
        for (const auto& metric : row.record.metrics) {
          add({"latency.csv", fmt::format("{}, operand {}, O{}", row.record.ptx, row.record.operand, level),
               std::string(metric.tag)},
              tables::decimal(metric.value));
        }
      }
    }
    const auto columns = tables::names_of(tables::opcode_columns());
    std::istringstream opcodes(tables::read_csv_text(folder / "opcodes.csv")->text);
    for (const auto& line : read_csv_lines(opcodes, "opcodes.csv", columns)) {
      for (std::size_t i = 1; i < columns.size(); ++i) add({"opcodes.csv", line[0], columns[i]}, line[i]);
    }
    std::istringstream facts(read_file(folder / "facts.csv"));
    for (const auto& line : read_csv_lines(facts, "facts.csv", tables::names_of(tables::fact_columns()))) {
      add({"facts.csv", fmt::format("{}, {}{}{}", line[0], line[1], line[2].empty() ? "" : " ", line[2]), ""}, line[3]);
    }
  }

  bool has(const std::string& file, const std::string& row, const std::string& column,
           const std::string& figure) const {
    if (file == "run.json") {
      std::string pointer = "/" + row;
      std::replace(pointer.begin(), pointer.end(), '.', '/');
      const auto& node = run_.at(results::Json::json_pointer(pointer));
      return node.is_number() ? tables::decimal(node.get<double>()) == figure : node == figure;
    }
    const auto [begin, end] = figures_.equal_range({file, row, column});
    return std::any_of(begin, end, [&](const auto& one) { return one.second == figure; });
  }

 private:
  using Place = std::tuple<std::string, std::string, std::string>;
  void add(Place place, const std::string& figure) { figures_.emplace(std::move(place), figure); }

  results::Json run_;
  std::multimap<Place, std::string> figures_;
};

}  // namespace

TEST_CASE("every figure exported from the committed tables is that of its row") {
  std::map<std::string, std::size_t> exported_of;
  for (const char* table : gpus_of_tables) {
    const auto folder = source / "tables/sm_90" / table / "driver-580.159.04";
    const Figures figures(folder);
    const auto asked = tables::read_table(folder, simulator::asked_parts);
    for (const char* name : targets) {
      const auto target = simulator::read_target(source / "simulators" / (std::string(name) + ".toml"));
      const auto exported = simulator::export_tables(target, asked, {}, "a test");
      for (const auto& one : exported.exported) {
        for (std::size_t i = 0; i < one.answers.size(); ++i) {
          const auto& query = one.option->queries[i];
          const auto& found = one.answers[i].found;
          INFO(table << ", " << name << ", " << one.option->name << ": " << text_of(query) << " in " << found.row);
          CHECK(figures.has(found.file, found.row, query.metric, found.value));
          // Where the value has the figure itself and nothing computed from it, that is what it says.
          if (one.option->value.find("{" + query.name + "}") == std::string::npos) continue;
          const auto number = tables::number_in(found.value);
          const auto written = !query.words.empty() ? query.words.at(found.value)
                               : number             ? fmt::format("{:.0f}", std::round(*number))
                                                    : found.value;
          CHECK(one.value.find(written) != std::string::npos);
        }
      }
      exported_of[fmt::format("{} {}", table, name)] = exported.exported.size();
    }
  }
  CHECK(exported_of["nvidia-h200 accel-sim"] >= 20);
  CHECK(exported_of["nvidia-h200 ppt-gpu"] >= 130);
  CHECK(exported_of["nvidia-h100-80gb-hbm3 ppt-gpu"] >= 90);
}
