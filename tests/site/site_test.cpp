// SPDX-License-Identifier: Apache-2.0

// The data of a site: what a small table becomes, and that names of tables and forms stay in the data.
#include "site/site.h"

#include "decoded.h"
#include "tables/folder.h"
#include "tables/pair_files.h"
#include "tables/probe_files.h"
#include "tables_of.h"

using namespace ptxlat;
using results::Json;

namespace {

site::SiteFiles files_of(const site::SiteTables& tables, const site::SiteFiles& published = {}) {
  return site::data_files(tables, published, {"0.1.0", "abc"}, true);
}

Json in(const site::SiteFiles& files, const std::string& name) { return decoded(files.at("data/" + name + ".js")); }

std::vector<results::Record> some_cells() {
  std::vector<results::Record> cells{cell_of("add.u32", 0, 15, "IADD3"), cell_of("add.u32", 3, 4, "IADD3"),
                                     cell_of("add.s32", 0, 15, "IADD3"), cell_of("add.s32", 3, 4, "IADD3"),
                                     cell_of("popc.b32", 3, 17, "POPC")};
  for (auto& cell : cells) cell.input.clear();  // ordinary values
  return cells;
}

}  // namespace

TEST_CASE("a table becomes its list, its forms and what the first page shows") {
  const TestFolder folder;
  const auto tables = site_tables_of(folder, some_cells());
  const auto files = files_of(tables);
  const auto first = in(files, "site");
  REQUIRE(first["tables"].size() == 1);
  CHECK(first["tables"][0]["id"] == "sm_90/nvidia-h200/driver-580.159.04");
  CHECK(first["tables"][0]["forms"] == 3);
  CHECK(first["tables"][0]["has_code"] == true);
  CHECK(first["default_table"] == 0);
  CHECK(first["first_forms"] == Json{"add.s32"});
  // add.s32 and popc.b32 are among the instructions that are asked for first.
  const auto& integer = first["tables"][0]["overview"].at(0);
  CHECK(integer["name"] == "integer");
  REQUIRE(integer["rows"].size() == 2);
  CHECK(integer["rows"][0]["ptx"] == "add.s32");
  CHECK(integer["rows"][1]["levels"] == Json::parse(R"({"3":"17"})"));

  CHECK(in(files, "names")["names"] == "add.s32\nadd.u32\npopc.b32");
  const auto list = in(files, "list-0");
  CHECK(list["levels"] == Json{0, 3});
  CHECK(list["spellings"]["name"] == Json{0, 1, 1});  // differences
  CHECK(list["rows"]["numbers"]["cycles"].size() == tables[0]->rows.size());
}

TEST_CASE("the page of a form has its rows with the machine code of each window, once") {
  const TestFolder folder;
  const auto tables = site_tables_of(folder, some_cells());
  const auto forms = in(files_of(tables), "forms-0");
  // Of several forms with equal code, the table gives the row to one.
  const std::string own = forms["rows"].contains("add.u32") ? "add.u32" : "add.s32";
  const auto& rows = forms["rows"][own];
  const auto& row = *std::find_if(rows.begin(), rows.end(), [](const Json& one) { return one["opt"] == 3; });
  CHECK(row["table"] == 0);
  CHECK(row["cycles"] == 4);
  const auto& window = row["windows"][0];
  CHECK(window["role"] == "differential");
  const auto code = forms["code"][window["sass"].get<std::size_t>()].get<std::string>();
  CHECK(code.starts_with("S2 | CS2R R2, SR_CLOCKLO\nS4 | IADD3 R4, R5, R6\n"));
  // The other spelling names the form whose row it has.
  const std::string other = own == "add.u32" ? "add.s32" : "add.u32";
  CHECK(forms["spellings"][other].dump().find(own) != std::string::npos);
}

TEST_CASE("tables that say the same of a spelling are one entry") {
  const TestFolder folder;
  auto run = run_of();
  for (const char* id : {"sm_90/a/x-1", "sm_90/b/x-1"}) {
    run.table = id;
    tables::write_table(folder.path, tables::table_from(run, {}, some_cells()));
  }
  const auto tables = site::read_tables({folder.path.string()});
  REQUIRE(tables.size() == 2);
  const auto forms = in(files_of(tables), "forms-0");
  CHECK(forms["spellings"]["popc.b32"] == Json::parse(R"([{"rows":0,"tables":[0,1]}])"));
  CHECK(forms["code"].size() <= 3);
}

TEST_CASE("names of tables and forms never become names of files, nor parts of a script") {
  const TestFolder folder;
  const std::string hostile = "</script><img src=x onerror=alert(1)>/../../etc/passwd";
  auto cell = cell_of(hostile, 3, 4, "IADD3");
  cell.note = "\");alert(1);//";
  auto run = run_of();
  run.toolchain = hostile;
  tables::write_table(folder.path, tables::table_from(run, {}, {cell}));
  const auto tables = site::read_tables({folder.path.string()});
  const auto files = files_of(tables);
  for (const auto& [path, content] : files) {
    CHECK(path.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-/.") == std::string::npos);
    CHECK(path.find("..") == std::string::npos);
    CHECK(content.find('<') == std::string::npos);
    CHECK(content.find("alert") == std::string::npos);
  }
  CHECK(in(files, "names")["names"] == hostile);
}

TEST_CASE("pairs are in a shard of their own, with whether their run finished") {
  const TestFolder folder;
  site_tables_of(folder, some_cells());
  results::Record hazard;
  hazard.kind = results::RecordKind::hazard;
  auto run = run_of();
  run.was_interrupted = true;
  hazard.run = run.id;
  tables::write_pair_files(folder.path / "sm_90/nvidia-h200/driver-580.159.04",
                           {{{"FFMA", "FADD", "a", 4, 4, 4, "exact", ""}}, {}, {hazard}, {run}});
  const auto files = files_of(site::read_tables({folder.path.string()}));
  CHECK(in(files, "site")["tables"][0]["has_pairs"] == true);
  const auto pairs = in(files, "pairs-0");
  CHECK(pairs["pairs"]["columns"][1] == "consumer");
  CHECK(pairs["pairs"]["rows"] == Json::parse(R"([["FFMA","FADD","a","4","4","4","exact",""]])"));
  CHECK(pairs["runs"][0]["is_finished"] == false);
}

TEST_CASE("probes, facts and published figures are in shards of their own") {
  const TestFolder folder;
  site_tables_of(folder, some_cells());
  results::Record probe;
  probe.kind = results::RecordKind::probe;
  probe.ptx = "chase";
  probe.series = {{"latency", "cycles", {{"bytes", "bytes", {1024, 2048, 4096}}}, {30, 30, 280}}};
  probe.facts = {{"chase.ca.l1", "", "30", 29, 31, "cycles", "kind", results::FactVerdict::inferred, "a chase"}};
  const auto table = folder.path / "sm_90/nvidia-h200/driver-580.159.04";
  tables::write_probe_files(table, {probe}, {run_of()});
  const auto files =
      files_of(site::read_tables({folder.path.string()}),
               {{site::published_forms_name, "ptx,input,gpu,O0,O3,source\npopc.b32,,TITAN X,45,13,\"A, B\"\n"}});
  const auto facts = in(files, "facts-0");
  CHECK(facts["facts"][0]["quantity"] == "chase.ca.l1");
  CHECK(facts["memory"][0]["name"] == "l1");
  CHECK(facts["memory"][0]["latency"] == "30 cycles");
  const auto series = in(files, "probes-0")["probes"][0]["series"][0];
  CHECK(series["values"] == Json{30, 30, 280});
  CHECK(series["levels"] == Json::parse(R"([{"fact":0,"value":30.0,"low":29.0,"high":31.0}])"));
  CHECK(in(files, "published")["forms"]["popc.b32"][0]["source"] == "A, B");
}
