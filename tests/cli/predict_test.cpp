// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/file.h"
#include "catch.h"
#include "ptxlat_program.h"
#include "tables/probe_files.h"

using namespace ptxlat;
namespace fs = std::filesystem;

namespace {

// A table that has the rule.
void write_table(const fs::path& folder, const std::string& rule) {
  results::Record record;
  record.kind = results::RecordKind::probe;
  record.ptx = "simt_two_way";
  record.facts = {{"simt.two_way_rule", "", rule, {}, {}, "text", "kind", results::FactVerdict::inferred, "h"}};
  tables::write_probe_files(folder, {record}, {results::Run{}});
}

Ended predict(const fs::path& folder, const std::string& quantity, const std::string& cases) {
  PtxlatProgram shell;
  shell.set_program("/bin/sh");
  const auto file = folder / "cases";
  replace_file(file, cases);
  return shell.run({"-c", fmt::format("{} probe --predict {} --tables {} < {}", PTXLAT_TEST_PROGRAM, quantity,
                                      folder.string(), file.string())});
}

}  // namespace

TEST_CASE("a rule of the tables predicts the cases on standard input") {
  const TestFolder folder;
  write_table(folder.path / "one", "more_lanes_first_tie_taken");
  write_table(folder.path / "two", "more_lanes_first_tie_taken");
  const auto predicted = predict(folder.path, "simt.two_way_rule", "0000ffff\n1\n");
  CHECK(predicted.status == 0);
  CHECK(predicted.out == "0000ffff taken\n1 fallthrough\n");
  CHECK(predict(folder.path, "simt.two_way_rule", "xyz\n").status == 2);
  CHECK(predict(folder.path, "l1.ways", "1\n").status == 4);
  write_table(folder.path / "two", "taken_first");
  const auto differ = predict(folder.path, "simt.two_way_rule", "1\n");
  CHECK(differ.status == 2);
  CHECK(differ.err.find("Name one of them with --table") != std::string::npos);
}

TEST_CASE("a rule that no table has cannot predict") {
  const TestFolder folder;
  CHECK(predict(folder.path, "simt.two_way_rule", "1\n").status == 7);
}
