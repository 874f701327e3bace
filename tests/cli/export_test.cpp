// SPDX-License-Identifier: Apache-2.0

// `ptxlat export` as its users call it: a shipped simulator, one of their own, and how it ends where it cannot.
#include "../simulator/invented.h"
#include "ptxlat_program.h"
#include "text.h"

using namespace ptxlat;
namespace fs = std::filesystem;

TEST_CASE("export writes the files of a shipped simulator and lists what it leaves out") {
  const InventedTable invented;
  const PtxlatProgram program;
  const auto made = program.run({"export", invented.table.string(), "--target", "gpgpu-sim", "-o", "sim"});
  INFO(made.err);
  CHECK(made.status == 0);
  CHECK(made.out == "sim/gpgpusim.config\n");
  CHECK(has(made.err,
            "left out: gpgpusim.config -gpgpu_shmem_num_banks: fact = \"shared.banks\": the table has no fact"));
  CHECK(has(content_of(program.folder() / "sim/gpgpusim.config"), "\n-gpgpu_n_clusters 7\n"));
  CHECK(has(content_of(program.folder() / "sim/evidence.csv"), "device.sm_count"));
  CHECK(has(content_of(program.folder() / "sim/left_out.csv"), "-gpgpu_shmem_num_banks"));
}

TEST_CASE("export follows no link below its folder") {
  const InventedTable invented;
  const PtxlatProgram program;
  replace_file(program.folder() / "mine.toml",
               "[[file]]\nname = \"deep/my.conf\"\n[[file.section]]\n[[file.section.option]]\n"
               "name = \"sms\"\nvalue = \"{n}\"\nfrom.n = { run = \"device.sm_count\" }\n");
  const std::vector<std::string> call{"export", invented.table.string(), "--target", "mine.toml", "-o", "sim"};
  REQUIRE(program.run(call).status == 0);
  CHECK(has(content_of(program.folder() / "sim/deep/my.conf"), "sms 7"));
  fs::remove_all(program.folder() / "sim/deep");
  fs::create_directory(program.folder() / "precious");
  fs::create_directory_symlink("../precious", program.folder() / "sim/deep");
  const auto ended = program.run(call);
  CHECK(ended.status == 7);
  CHECK(has(ended.err, "sim/deep is a link"));
  CHECK(fs::is_empty(program.folder() / "precious"));
}

TEST_CASE("export takes a data file and a configuration of one's own") {
  const InventedTable invented;
  const PtxlatProgram program;
  replace_file(program.folder() / "mine.toml",
               "[[file]]\nname = \"my.conf\"\nlaid_over = true\n[[file.section]]\n[[file.section.option]]\n"
               "name = \"sms\"\nvalue = \"{n}\"\nfrom.n = { run = \"device.sm_count\" }\n");
  replace_file(program.folder() / "base/my.conf", "clock 3\nsms 1\n");
  const auto made =
      program.run({"export", invented.table.string(), "--target", "mine.toml", "--base", "base/my.conf", "-o", "sim"});
  INFO(made.err);
  CHECK(made.status == 0);
  CHECK(has(content_of(program.folder() / "sim/my.conf"), "\nclock 3\nsms 7\n"));

  const auto unknown = program.run({"export", invented.table.string(), "--target", "gem5", "-o", "other"});
  CHECK(unknown.status == 4);
  CHECK(has(unknown.err, "There are accel-sim, gpgpu-sim, ppt-gpu"));
  const auto no_table = program.run({"export", "base", "--target", "gpgpu-sim", "-o", "other"});
  CHECK(no_table.status == 4);
  CHECK(has(no_table.err, "base is not a table"));
  CHECK(!fs::exists(program.folder() / "other"));
}
