// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "compare/compare.h"
#include "compare/groups.h"
#include "fuzz.h"
#include "results/json.h"
#include "tables/folder.h"
#include "tables/table.h"

namespace ptxlat::fuzz {

namespace {

// The same with a correct checksum of its one file, so that it is not rejected just for that.
std::string fitting(std::string_view input, std::string_view rows) {
  try {
    auto json = results::parse_json(input);
    if (!json.is_object()) return std::string(input);
    for (const char* key : {"jsonl_crc32", "forms_crc32"}) json.erase(key);
    json["csv_crc32"] = tables::checksum_of(rows);
    return results::to_line(json);
  } catch (const std::exception&) {
    return std::string(input);
  }
}

}  // namespace

// The run.json of a brief table, whose csv is one row, and of a folder that has only probes.
void run_json(std::string_view input) {
  constexpr std::string_view rows =
      "ptx,chapter,operand,input,opt,levels,cycles,measure,consumer,sass,sass_count,verdict,note\n"
      "add.u32,Integer Arithmetic Instructions,a,default,O3,O3,4,dependent,add,IADD3,1,proven,\n";
  scratch_file("run/latency.csv", rows);
  const auto folder = scratch_file("run/run.json", fitting(input, rows)).parent_path();
  const auto table = tables::read_table(folder);
  std::ostringstream out;
  tables::write_text(out, table);
  std::vector<compare::Side> sides{{&table, {}, {}, "a"}, {&table, {}, {}, "b"}};
  compare::label(sides);
}

}  // namespace ptxlat::fuzz
