// SPDX-License-Identifier: Apache-2.0

// Tables made into a store, with an assembler whose machine code is known and the stand-in driver.
#include "run/session.h"

#include <algorithm>
#include <set>

#include "../line/literal_assembler.h"
#include "../line/no_tools.h"
#include "../ptx/little_catalogue.h"
#include "../results/execute_sql.h"
#include "../results/test_folder.h"
#include "../worker/environment.h"
#include "catch.h"
#include "results/stored_records.h"
#include "run/provenance.h"

using namespace ptxlat;
using namespace ptxlat::run;

namespace {

// Eight forms with the same machine code, whose latency is 4.
const std::string entry =
    "syntax = \"x{modifier}.u32 {d:u32}, {a:u32}\"\nprepare = \"prepared;\"\n"
    "modifier = [\".m0\", \".m1\", \".m2\", \".m3\", \".m4\", \".m5\", \".m6\", \".m7\"]\n";

struct Tables {
  TestFolder folder;
  results::Store store{folder.path / "ptxlat.sqlite"};
  LittleCatalogue little{entry};
  Environment environment;
  worker::Worker worker{test_options()};
  assemble::Toolchain toolchain{assemble::ToolchainKind::ptxas, "ptxas-13.0.88", "13.0.88", {}, 9, 0};

  std::vector<const isa::Form*> forms(std::size_t count) const {
    std::vector<const isa::Form*> found;
    for (std::size_t i = 0; i < count; ++i) found.push_back(&little.loaded.catalogue.forms.at(i));
    return found;
  }

  std::vector<results::Record> records() const {
    return store.records(begin_run(toolchain, {90, ""}, std::nullopt).table, results::RecordKind::latency);
  }
  std::size_t runs() const {
    const auto table = begin_run(toolchain, {90, ""}, std::nullopt).table;
    return results::StoredRecords(store.file(), table, results::RecordKind::latency).runs().size();
  }

  // A job for the first forms; with a clock it is as for a GPU.
  TableJob job(std::size_t count, const std::vector<int>& levels = {3}) const {
    TableJob job{.loaded = little.loaded,
                 .toolchain = toolchain,
                 .target = {90, ""},
                 .run = begin_run(toolchain, {90, ""}, std::nullopt),
                 .plan = latency::plan_cells(little.loaded, forms(count), levels),
                 .disassembler = std::make_unique<LiteralDisassembler>(),
                 .assemblers = {}};
    job.run.launches = 3;
    for (int i = 0; i < 2; ++i) job.assemblers.push_back(std::make_unique<LiteralAssembler>());
    return job;
  }
};

std::set<int> runs_of(const std::vector<results::Record>& records) {
  std::set<int> ids;
  for (const auto& record : records) ids.insert(record.run);
  return ids;
}

}  // namespace

TEST_CASE("a table has every planned cell, and each record names its run") {
  Tables tables;
  auto job = tables.job(3, {0, 3});
  std::size_t known = 99, finished = 0;
  SessionOptions options;
  options.on_planned = [&](std::size_t cells) { known = cells; };
  options.on_finished = [&](const std::vector<results::Record>& records) { finished += records.size(); };
  const auto made = make_table(job, tables.store, options);
  CHECK(made.completed);
  CHECK(known == 0);
  CHECK(made.made == 6);
  CHECK(finished == 6);
  CHECK(tables.records().size() == 6);
  CHECK(tables.runs() == 1);
  CHECK(made.run.id != 0);
  CHECK(runs_of(tables.records()) == std::set<int>{made.run.id});
  CHECK_FALSE(made.run.finished_utc.empty());
  CHECK_FALSE(made.repetition);
  for (const auto& record : tables.records()) CHECK(record.number(results::metric::static_cycles) == 4);
}

TEST_CASE("what the store has is not made again, and a resumed table names both runs") {
  Tables tables;
  auto first = tables.job(3), second = tables.job(5);
  const auto before = make_table(first, tables.store, {});
  std::size_t known = 0;
  SessionOptions options;
  options.on_planned = [&](std::size_t cells) { known = cells; };
  const auto after = make_table(second, tables.store, options);
  CHECK(known == 3);
  CHECK(after.made == 2);
  CHECK(tables.records().size() == 5);
  CHECK(tables.runs() == 2);
  CHECK(runs_of(tables.records()) == std::set<int>{before.run.id, after.run.id});
}

TEST_CASE("a run that finds all of its cells does not count: the table stays attributed to the one that made it") {
  Tables tables;
  auto first = tables.job(3), second = tables.job(3);
  const auto before = make_table(first, tables.store, {});
  const auto records = tables.records();
  const auto after = make_table(second, tables.store, {});
  CHECK(after.made == 0);
  CHECK(after.completed);
  CHECK(after.run.id == before.run.id);
  CHECK(tables.records() == records);
  CHECK(tables.store.runs(before.run.table).size() == 1);
}

TEST_CASE("a store whose runs or records are damaged is refused before anything is made") {
  Tables tables;
  auto first = tables.job(3), second = tables.job(5);
  make_table(first, tables.store, {});
  SECTION("a run") { execute(tables.store.file(), "UPDATE runs SET run = '{'"); }
  SECTION("the run of another table") { execute(tables.store.file(), "INSERT INTO runs VALUES (7, 'other', '{')"); }
  SECTION("a record") { execute(tables.store.file(), "UPDATE records SET record = '{' WHERE rowid = 2"); }
  std::size_t finished = 0;
  SessionOptions options;
  options.on_finished = [&](const std::vector<results::Record>& records) { finished += records.size(); };
  try {
    make_table(second, tables.store, options);
    FAIL("the store was not refused");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::storage);
    CHECK(std::string(error.what()).find("damaged record") != std::string::npos);
  }
  CHECK(finished == 0);
}

TEST_CASE("a cell at which an assembler failed is made again, and one that it rejected is not") {
  Tables tables;
  const auto made_by = [&](bool fails) {
    auto job = tables.job(3);
    for (auto& assembler : job.assemblers) {
      auto failing = std::make_unique<NoCubins>();
      failing->fails = fails;
      assembler = std::move(failing);
    }
    const auto made = make_table(job, tables.store, {}).made;
    for (const auto& record : tables.records()) {
      CHECK(record.verdict == sass::Verdict::rejected);
      CHECK(record.has_flag(results::flag::retry) == fails);
    }
    return made;
  };
  CHECK(made_by(true) == 3);
  CHECK(made_by(true) == 3);
  CHECK(made_by(false) == 3);
  CHECK(made_by(false) == 0);
}

TEST_CASE("a cell whose experiment has changed is made again") {
  Tables tables;
  auto first = tables.job(3), second = tables.job(3);
  make_table(first, tables.store, {});
  second.plan[1].recipe = "another";
  const auto after = make_table(second, tables.store, {});
  CHECK(after.made == 1);
  CHECK(tables.records().size() == 3);
}

TEST_CASE("an interrupted table keeps what is finished, and the next run makes the rest") {
  Tables tables;
  auto first = tables.job(8), second = tables.job(8);
  first.assemblers.resize(1);
  for (auto* job : {&first, &second}) {
    for (auto& cell : job->plan) cell.ptx_bytes = line::most_text_per_chunk;
  }
  std::atomic<bool> interrupted{false};
  SessionOptions options;
  options.interrupted = &interrupted;
  options.on_finished = [&](const std::vector<results::Record>&) { interrupted = true; };
  const auto before = make_table(first, tables.store, options);
  CHECK_FALSE(before.completed);
  CHECK(tables.store.runs(before.run.table).at(0).was_interrupted);
  CHECK(tables.store.records(before.run.table, results::RecordKind::latency).size() == 1);
  const auto after = make_table(second, tables.store, {});
  CHECK(after.completed);
  CHECK(after.made == 7);
  CHECK(tables.runs() == 2);
}

TEST_CASE("a shard is noted as finished, even if the store has all of its cells") {
  Tables tables;
  auto whole = tables.job(3), shard = tables.job(3), again = tables.job(3);
  for (auto* job : {&whole, &shard, &again}) job->run.plan = "p";
  for (auto* job : {&shard, &again}) job->run.shard = "1/2";
  make_table(whole, tables.store, {});
  const auto runs = [&] { return tables.store.runs(whole.run.table); };
  CHECK(make_table(shard, tables.store, {}).made == 0);
  REQUIRE(runs().size() == 2);
  CHECK(runs()[1].shard == "1/2");
  CHECK_FALSE(runs()[1].finished_utc.empty());
  make_table(again, tables.store, {});
  CHECK(runs().size() == 2);
}

TEST_CASE("a run that ended between its last cell and its end is noted as finished by the next") {
  Tables tables;
  auto first = tables.job(3), second = tables.job(3);
  first.run.plan = second.run.plan = "p";
  make_table(first, tables.store, {});
  const auto runs = [&] { return tables.store.runs(first.run.table); };
  auto run = runs().at(0);
  SECTION("killed") { run.finished_utc.clear(); }
  SECTION("interrupted") { run.was_interrupted = true; }
  tables.store.save_run(run);
  make_table(second, tables.store, {});
  REQUIRE(runs().size() == 2);
  CHECK_FALSE(runs()[1].finished_utc.empty());
  CHECK_FALSE(runs()[1].was_interrupted);
}

TEST_CASE("a measured cell has nanoseconds where the clock is known") {
  Tables tables;
  auto job = tables.job(2);
  job.run.sm_clock_mhz = 2000;
  SessionOptions options;
  options.workers = {&tables.worker};
  const auto made = make_table(job, tables.store, options);
  const auto records = tables.records();
  REQUIRE(records.size() == 2);
  for (const auto& record : records) {
    CHECK(record.number(results::metric::cycles) == 4);
    CHECK(record.number(results::metric::elapsed_ns) == 2);
  }
}

TEST_CASE("a sample that a second process measures alike changes nothing") {
  Tables tables;
  auto job = tables.job(4);
  SessionOptions options;
  options.workers = {&tables.worker};
  options.repeat = 1.0;
  const auto made = make_table(job, tables.store, options);
  REQUIRE(made.repetition);
  CHECK(made.repetition->repeated == 4);
  CHECK(made.repetition->differing.empty());
  for (const auto& record : tables.records()) CHECK(record.verdict == sass::Verdict::proven);
}

TEST_CASE("a cell that fails in a second process says so, and the next run tries it again") {
  Tables tables;
  auto job = tables.job(4);
  job.run.sm_clock_mhz = 2000;
  SessionOptions options;
  options.workers = {&tables.worker};
  options.repeat = 0.5;
  // The process that is running does not see it; the next one does.
  options.on_finished = [&](const std::vector<results::Record>&) {
    tables.environment.set("PTXLAT_STANDIN_FAULT", "_");
  };
  const auto made = make_table(job, tables.store, options);
  REQUIRE(made.repetition);
  CHECK(made.repetition->repeated == 2);
  REQUIRE(made.repetition->differing.size() == 2);
  REQUIRE(tables.records().size() == 4);
  std::set<std::string> failed;
  for (const auto& record : made.repetition->differing) failed.insert(record.ptx);
  for (const auto& record : tables.records()) {
    INFO(record.ptx << ": " << record.note);
    const bool differs = failed.contains(record.ptx);
    CHECK((record.verdict == sass::Verdict::fault) == differs);
    CHECK(record.has_flag(results::flag::processes_differ) == differs);
    CHECK(record.number(results::metric::cycles).has_value() != differs);
    CHECK(record.number(results::metric::elapsed_ns).has_value() != differs);
    CHECK(record.run == made.run.id);
    CHECK(record.note.ends_with("4 cycles in one process, fault in another") == differs);
  }

  tables.environment.set("PTXLAT_STANDIN_FAULT", "");
  tables.worker.restart();
  options.on_finished = {};
  const auto again = make_table(job, tables.store, options);
  CHECK(again.made == failed.size());
  for (const auto& record : tables.records()) CHECK(record.verdict == sass::Verdict::proven);
}
