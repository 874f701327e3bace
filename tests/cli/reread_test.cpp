// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "../results/test_folder.h"
#include "base/file.h"
#include "catch.h"
#include "ptxlat_program.h"

using namespace ptxlat;
namespace fs = std::filesystem;

TEST_CASE("facts are read again off a table's series and logs, without a GPU") {
  const TestFolder folder;
  const fs::path committed = PTXLAT_SOURCE_DIR "/tables/sm_90/nvidia-h200/driver-580.159.04";
  const fs::path table = folder.path / "table";
  fs::copy(committed, table, fs::copy_options::recursive);
  replace_files(table, {{"facts.csv", "lost\n"}});
  const PtxlatProgram program;
  const auto again = program.run({"probe", "--reread", table.string()});
  CHECK(again.status == 0);
  CHECK(again.out == read_file(committed / "facts.csv"));
  CHECK(read_file(table / "facts.csv") == again.out);
}

TEST_CASE("a folder without probes cannot be read again") {
  const TestFolder folder;
  const auto none = PtxlatProgram().run({"probe", "--reread", folder.path.string()});
  CHECK(none.status == 7);
  CHECK(none.err.find("there are no probes in") != std::string::npos);
}
