// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "fuzz.h"
#include "report/compare.h"
#include "report/find_tables.h"
#include "report/table.h"

namespace ptxlat::fuzz {

// The run.json of a brief table, whose csv is one row, and of a folder that has only probes.
void run_json(std::string_view input) {
  constexpr std::string_view rows =
      "ptx,chapter,operand,input,opt,levels,cycles,measure,consumer,sass,sass_count,verdict,note\n"
      "add.u32,Integer Arithmetic Instructions,a,default,O3,O3,4,differential,add,IADD3,1,proven,\n";
  scratch_file("run/latency.csv", rows);
  const auto folder = scratch_file("run/run.json", input).parent_path();
  const auto table = report::read_table(folder);
  std::ostringstream out;
  report::write_text(out, table);
  std::vector<report::Side> sides{{&table, {}, {}, "a"}, {&table, {}, {}, "b"}};
  report::label(sides);
}

}  // namespace ptxlat::fuzz
