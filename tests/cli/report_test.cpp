// SPDX-License-Identifier: Apache-2.0

// `ptxlat report` as its users call it: what it writes, and how it ends where it cannot.
#include "../site/decoded.h"
#include "../tables/cells.h"
#include "base/file.h"
#include "ptxlat_program.h"
#include "tables/folder.h"
#include "text.h"

using namespace ptxlat;
namespace fs = std::filesystem;

namespace {

void write_table_in(const PtxlatProgram& program) {
  tables::write_table(program.folder() / "tables",
                      tables::table_from(run_of(), {}, {cell_of("add.u32", 3, 4, "IADD3")}));
}

}  // namespace

TEST_CASE("report makes a site that needs nothing from elsewhere") {
  const PtxlatProgram program;
  write_table_in(program);
  const auto made = program.run({"report", "tables", "-o", "site"});
  INFO(made.err);
  CHECK(made.status == 0);
  CHECK(made.out == "site/index.html\n");
  CHECK(has(made.err, "1 table"));
  const auto site = program.folder() / "site";
  const auto page = content_of(site / "index.html");
  CHECK(has(page, "Content-Security-Policy"));
  // Every file that the page names is there.
  for (const char* attribute : {"src=\"", "href=\""}) {
    for (auto at = page.find(attribute); at != std::string::npos; at = page.find(attribute, at + 1)) {
      const auto begin = at + std::string(attribute).size();
      const auto name = page.substr(begin, page.find('"', begin) - begin);
      INFO(name);
      CHECK((name.starts_with("#") || fs::exists(site / name)));
    }
  }
  for (const auto& entry : fs::recursive_directory_iterator(site)) {
    const bool is_script = entry.path().extension() == ".js" && entry.path().parent_path().filename() == "script";
    if (!is_script) continue;
    const auto script = content_of(entry.path());
    INFO(entry.path().string());
    CHECK(!has(script, "innerHTML"));
    CHECK(!has(script, "fetch("));
    CHECK(!has(script, "eval("));
  }
  // Made again, it is the same.
  const auto before = content_of(site / "data/list-0.js");
  CHECK(program.run({"report", "tables", "-o", "site"}).status == 0);
  CHECK(content_of(site / "data/list-0.js") == before);
}

TEST_CASE("report shows a table whose folder has only columns, as in the Python wheel, and says so") {
  const PtxlatProgram program;
  write_table_in(program);
  const auto table = program.folder() / "tables" / run_of().table;
  CHECK(!has(program.run({"report", "tables", "-o", "whole"}).err, "without machine code"));
  fs::remove(table / "latency.jsonl.zst");
  fs::remove(table / "latency.md");
  const auto made = program.run({"report", "tables", "-o", "site"});
  INFO(made.err);
  CHECK(made.status == 0);
  CHECK(has(made.err, "1 of 1 tables is shown without machine code, because its folder has no latency.jsonl.zst"));
  CHECK(has(decoded(content_of(program.folder() / "site/data/list-0.js")).dump(), "IADD3"));
  CHECK(has(decoded(content_of(program.folder() / "site/data/site.js")).dump(), "\"has_code\":false"));
  CHECK(program.run({"list", "--filter", "add.u32", "--table", table.string()}).status == 0);

  INFO("columns that are not those of the run are damage, not a table");
  replace_file(table / "latency.csv", content_of(table / "latency.csv") + "\n");
  CHECK(program.run({"report", "tables", "-o", "site"}).status == 7);
}

TEST_CASE("report names what is wrong and what to do, and changes nothing") {
  const PtxlatProgram program;
  write_table_in(program);
  CHECK(program.run({"report", "tables"}).status == 2);
  CHECK(program.run({"report", "-o", "site"}).status == 2);

  const auto missing = program.run({"report", "nowhere", "-o", "site"});
  CHECK(missing.status == 4);
  CHECK(has(missing.err, "nowhere"));
  CHECK(!fs::exists(program.folder() / "site"));

  fs::create_directory(program.folder() / "mine");
  replace_file(program.folder() / "mine/notes.txt", "mine");
  const auto foreign = program.run({"report", "tables", "-o", "mine"});
  CHECK(foreign.status == 7);
  CHECK(has(foreign.err, "is not a site that ptxlat made"));
  CHECK(has(foreign.err, "-o"));
  CHECK(content_of(program.folder() / "mine/notes.txt") == "mine");
  CHECK(!fs::exists(program.folder() / "mine/index.html"));

  const auto library = program.run({"report", "tables", "-o", "site", "--library", "mine"});
  CHECK(library.status == 5);
  CHECK(has(library.err, "libjs-chart.js"));

  const auto rows = program.folder() / "tables/sm_90/nvidia-h200/driver-580.159.04/latency.jsonl.zst";
  replace_file(rows, content_of(rows).substr(0, 40));
  const auto damaged = program.run({"report", "tables", "-o", "site"});
  CHECK(damaged.status == 7);
  CHECK(has(damaged.err, "latency.jsonl.zst"));
  CHECK(!fs::exists(program.folder() / "site"));
}
