// SPDX-License-Identifier: Apache-2.0
#include "results/merge.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "base/error.h"
#include "catch.h"
#include "child_process.h"
#include "execute_sql.h"
#include "random_record.h"
#include "results/json.h"
#include "table_name.h"
#include "test_folder.h"
#include "text.h"

using namespace ptxlat;
using namespace ptxlat::results;

namespace {

Run run_at(int second, const std::string& method = "method 17") {
  Run run;
  run.table = table;
  run.method = method;
  run.started_utc = "2026-01-01T00:00:" + std::to_string(10 + second) + "Z";
  run.finished_utc = "2026-01-01T01:00:00Z";
  run.command_line = "ptxlat run";
  return run;
}

Record cell(const std::string& ptx, double cycles, const std::string& recipe = "r1") {
  Record record;
  record.ptx = ptx;
  record.level = 3;
  record.recipe = recipe;
  record.set(metric::cycles, cycles);
  return record;
}

Record without_number(const std::string& ptx, sass::Verdict verdict) {
  Record record = cell(ptx, 0);
  record.set(metric::cycles, std::nullopt);
  record.verdict = verdict;
  return record;
}

bool equal_cycles(const Record& a, const Record& b) { return a.number(metric::cycles) == b.number(metric::cycles); }

struct Stores {
  TestFolder folder;
  std::filesystem::path into = folder.path / "all.sqlite";

  // A store of one run with these records.
  std::filesystem::path store(const std::string& name, const Run& run, std::vector<Record> records) const {
    const auto file = folder.path / name;
    Store store(file);
    const int id = store.save_run(run);
    for (auto& record : records) record.run = id;
    store.save_records(run.table, records);
    return file;
  }

  Merged merge(const std::vector<std::filesystem::path>& sources) const {
    return merge_stores(sources, into, equal_cycles);
  }

  // Everything in a store, in words.
  static std::string content(const std::filesystem::path& file) {
    const Store store(file);
    std::string text;
    for (const auto& newest : store.newest_runs()) {
      for (const auto& run : store.runs(newest.table)) text += to_line(to_json(run)) + "\n";
      for (const auto kind : {RecordKind::latency, RecordKind::probe}) {
        for (const auto& record : store.records(newest.table, kind)) text += to_line(to_json(record)) + "\n";
      }
    }
    return text;
  }
  std::string content() const { return content(into); }

  // The cycles of a cell that all of these stores have, whichever comes first.
  std::optional<double> kept(std::vector<std::filesystem::path> sources) const {
    std::set<std::optional<double>> found;
    std::sort(sources.begin(), sources.end());
    do {
      std::filesystem::remove(into);
      merge(sources);
      const auto records = Store(into).records(table, RecordKind::latency);
      REQUIRE(records.size() == 1);
      found.insert(records.front().number(metric::cycles));
    } while (std::next_permutation(sources.begin(), sources.end()));
    REQUIRE(found.size() == 1);
    return *found.begin();
  }
};

// The message of the Error{storage} that merging throws.
std::string rejection(const Stores& stores, const std::vector<std::filesystem::path>& sources) {
  try {
    stores.merge(sources);
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::storage);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("stores become one with every record, each naming its run, and the same in any order") {
  const Stores stores;
  RandomRecords random(5);
  std::vector<std::filesystem::path> sources;
  std::size_t records = 0;
  for (int i = 0; i < 4; ++i) {
    std::vector<Record> cells;
    for (int j = 0; j < 50; ++j) {
      cells.push_back(random.cell());
      cells.back().ptx += "." + std::to_string(i) + "." + std::to_string(j);
    }
    records += cells.size();
    auto run = run_at(9 - i);
    run.seed = static_cast<std::uint64_t>(i);
    sources.push_back(stores.store("shard " + std::to_string(i) + " %?#'.sqlite", run, cells));
  }
  const auto merged = stores.merge(sources);
  CHECK(merged.runs == 4);
  CHECK(merged.added == records);
  CHECK(merged.replaced == 0);
  CHECK(merged.conflicts.empty());
  const auto content = stores.content();

  const Store store(stores.into);
  const auto runs = store.runs(table);
  REQUIRE(runs.size() == 4);
  CHECK(std::is_sorted(runs.begin(), runs.end(),
                       [](const Run& a, const Run& b) { return a.started_utc < b.started_utc; }));
  for (const auto& record : store.records(table, RecordKind::latency)) {
    const auto shard = record.ptx.substr(0, record.ptx.rfind('.'));
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const Run& one) { return one.id == record.run; });
    REQUIRE(run != runs.end());
    CHECK(shard.ends_with("." + std::to_string(run->seed)));
  }

  std::reverse(sources.begin(), sources.end());
  std::filesystem::remove(stores.into);
  stores.merge(sources);
  CHECK(stores.content() == content);
}

TEST_CASE("merging again, merging a merge and merging a store into itself change nothing") {
  const Stores stores;
  const auto a = stores.store("a", run_at(1), {cell("add", 4), cell("sub", 4)});
  const auto b = stores.store("b", run_at(2), {cell("sub", 5), cell("mul", 6)});
  stores.merge({a, b});
  const auto content = stores.content();
  const auto again = stores.merge({b, a, stores.into});
  CHECK(again.runs == 0);
  CHECK(again.added == 0);
  CHECK(again.replaced == 0);
  CHECK(stores.content() == content);

  const Stores others;
  merge_stores({stores.into, a}, others.into, equal_cycles);
  CHECK(others.content() == content);
}

TEST_CASE("the target's own tables, runs and records stay") {
  const Stores stores;
  auto elsewhere = run_at(0);
  elsewhere.table = "sm_80/nvidia-a100/driver-1";
  const auto own = stores.store("all.sqlite", elsewhere, {cell("add", 9)});
  Record probe = cell("chase", 1);
  probe.kind = RecordKind::probe;
  stores.merge({stores.store("a", run_at(1), {cell("add", 4), probe})});
  const Store store(own);
  CHECK(store.newest_runs().size() == 2);
  CHECK(store.records(elsewhere.table, RecordKind::latency).at(0).number(metric::cycles) == 9);
  CHECK(store.records(table, RecordKind::latency).at(0).number(metric::cycles) == 4);
  CHECK(store.records(table, RecordKind::probe).size() == 1);
}

TEST_CASE("one of two records of a cell is kept, whatever their order") {
  const Stores stores;
  const auto proven = stores.store("proven", run_at(1), {cell("add", 4)});
  SECTION("the one that started later") {
    CHECK(stores.kept({proven, stores.store("later", run_at(2), {cell("add", 5)})}) == 5);
    CHECK(stores.kept({proven, stores.store("changed", run_at(3), {cell("add", 6, "r2")})}) == 6);
  }
  SECTION("but a proven one rather than one without a number") {
    const auto fault = stores.store("fault", run_at(2), {without_number("add", sass::Verdict::fault)});
    CHECK(stores.kept({proven, fault}) == 4);
  }
  SECTION("but one that a second process contradicted rather than a proven one") {
    auto contradicted = without_number("add", sass::Verdict::unstable);
    contradicted.add_flag(flag::processes_differ);
    CHECK(stores.kept({proven, stores.store("unstable", run_at(0), {contradicted})}) == std::nullopt);
  }
  SECTION("but the newer method's before all") {
    const auto newer = stores.store("newer", run_at(0, "method 18"), {cell("add", 7, "r2")});
    const auto older = stores.store("older", run_at(5, "method 9"), {cell("add", 8, "r0")});
    CHECK(stores.kept({proven, newer, older}) == 7);
  }
  SECTION("of the same second the same one") {
    auto other = run_at(1);
    other.seed = 2;
    const auto kept = stores.kept({proven, stores.store("other", other, {cell("add", 9)})});
    CHECK((kept == 4 || kept == 9));
  }
}

TEST_CASE("results of one experiment that contradict each other are reported, once for each cell") {
  const Stores stores;
  const std::vector<std::filesystem::path> sources{
      stores.store("a", run_at(1), {cell("add", 4), cell("sub", 4), cell("mul", 4)}),
      stores.store("b", run_at(2), {cell("add", 5), cell("sub", 4), cell("mul", 5, "r2")}),
      stores.store("c", run_at(3), {cell("add", 4)})};
  const auto merged = stores.merge(sources);
  REQUIRE(merged.conflicts.size() == 1);
  CHECK(merged.conflicts[0].table == table);
  CHECK(merged.conflicts[0].kept.ptx == "add");
  CHECK(merged.conflicts[0].kept.number(metric::cycles) == 5);
  CHECK(merged.conflicts[0].dropped.number(metric::cycles) == 4);
  CHECK(stores.merge(sources).conflicts.size() == 1);
}

TEST_CASE("a run in two stores is one run, with what is known about its end") {
  const Stores stores;
  auto run = run_at(1);
  auto begun = run;
  begun.finished_utc.clear();
  run.warnings = {"a warning"};
  const auto early = stores.store("early", begun, {cell("add", 4)}),
             late = stores.store("late", run, {cell("add", 4), cell("sub", 4)});
  stores.merge({early});
  CHECK(Store(stores.into).runs(table).at(0).finished_utc.empty());
  for (const auto& sources : {std::vector{early, late}, std::vector{late, early}, std::vector{early}}) {
    CHECK(stores.merge(sources).runs == 0);
    const auto runs = Store(stores.into).runs(table);
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].finished_utc == run.finished_utc);
    CHECK(runs[0].warnings == run.warnings);
  }
}

TEST_CASE("a store that is being written gives what is committed, and the rest at the next merge") {
  const Stores stores;
  const auto file = stores.folder.path / "busy";
  Store busy(file);
  auto run = run_at(1);
  run.id = busy.save_run(run);
  auto first = cell("add", 4), second = cell("sub", 4);
  first.run = second.run = run.id;
  busy.save_records(table, {first});
  CHECK(stores.merge({file}).added == 1);
  busy.save_records(table, {second});
  CHECK(stores.merge({file}).added == 1);
}

TEST_CASE("the store of a writer that was killed gives what it had committed, and is not changed") {
  const Stores stores;
  const auto file = stores.folder.path / "killed";
  const auto writer = start_child([&] {
    Store store(file);
    auto run = run_at(1);
    run.id = store.save_run(run);
    for (int i = 0; i < 100; ++i) {
      auto record = cell("op" + std::to_string(i), 4);
      record.run = run.id;
      store.save_records(table, {record});
    }
    return ::raise(SIGKILL);
  });
  REQUIRE(exit_status_of(writer) == -1);
  const auto log = stores.folder.path / "killed-wal";
  REQUIRE(std::filesystem::file_size(log) > 0);
  const auto before = content_of(file), log_before = content_of(log);
  CHECK(stores.merge({file}).added == 100);
  CHECK(content_of(file) == before);
  CHECK(content_of(log) == log_before);
}

TEST_CASE("an empty file is a store that was killed as it began") {
  const Stores stores;
  std::ofstream(stores.folder.path / "empty") << "";
  CHECK(stores.merge({stores.folder.path / "empty"}).runs == 0);
}

TEST_CASE("what is not a store of this version is rejected, and nothing is written") {
  const Stores stores;
  const auto good = stores.store("good", run_at(1), {cell("add", 4)}), bad = stores.folder.path / "bad";
  std::string said;
  SECTION("nothing") {
    said = rejection(stores, {good, bad});
    CHECK(said.find("there is no store") != std::string::npos);
  }
  SECTION("text") {
    std::ofstream(bad) << std::string(5000, 'x');
    said = rejection(stores, {good, bad});
  }
  SECTION("a line of text") {
    std::ofstream(bad) << "x\n";
    said = rejection(stores, {good, bad});
  }
  SECTION("another program's database") {
    execute(bad, "CREATE TABLE bookmarks (url TEXT)");
    said = rejection(stores, {good, bad});
    CHECK(said.find("a different program") != std::string::npos);
  }
  SECTION("a store of another version") {
    { const Store store(bad); }
    execute(bad, "PRAGMA user_version = 1");
    said = rejection(stores, {good, bad});
    CHECK(said.find("has version 1") != std::string::npos);
  }
  SECTION("a run that is not JSON") {
    stores.store("bad", run_at(2), {cell("sub", 4)});
    execute(bad, "UPDATE runs SET run = '{'");
    said = rejection(stores, {good, bad});
    CHECK(said.find("damaged") != std::string::npos);
  }
  CHECK(said.find(bad.string()) != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(stores.into));
}

TEST_CASE("a merge that is killed at any moment leaves all of it or nothing") {
  const Stores stores;
  std::vector<std::filesystem::path> sources;
  constexpr int cells = 400;
  for (const std::string name : {"one", "two"}) {
    std::vector<Record> records;
    for (int i = 0; i < cells; ++i) records.push_back(cell(name + std::to_string(i), 4));
    sources.push_back(stores.store(name, run_at(name == "one" ? 1 : 2), records));
  }
  int killed = 0;
  for (std::chrono::microseconds delay{500}; delay < std::chrono::seconds(10); delay += delay / 2) {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(stores.into.string() + suffix);
    const pid_t child = start_child([&] {
      stores.merge(sources);
      return 0;
    });
    std::this_thread::sleep_for(delay);
    ::kill(child, SIGKILL);
    const bool is_done = exit_status_of(child) == 0;
    killed += is_done ? 0 : 1;
    const auto count = Store(stores.into).records(table, RecordKind::latency).size();
    CHECK(Store(stores.into).runs(table).size() == (count == 0 ? 0 : 2));
    CHECK((count == 0 || count == 2 * cells));
    if (!is_done) continue;
    CHECK(count == 2 * cells);
    break;
  }
  CHECK(killed > 0);
}

// Everything in a folder with its content.
std::map<std::string, std::string> contents_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    files[entry.path().filename()] = {std::istreambuf_iterator<char>(in), {}};
  }
  return files;
}

TEST_CASE("sources are only read, and nothing is left beside them") {
  const bool may_be_written = GENERATE(true, false);
  const Stores stores;
  const TestFolder read_only;
  const auto source = read_only.path / "source";
  std::filesystem::copy_file(stores.store("made", run_at(1), {cell("add", 4)}), source);
  // What a run that was killed leaves, as it is copied from one machine to another.
  const auto left_in_log = [&] {
    const pid_t child = start_child([&] {
      auto* store = new Store(source);  // no end: its log stays
      auto record = cell("sub", 5);
      record.run = 1;
      store->save_records(table, {record});
      ::kill(::getpid(), SIGKILL);
      return 0;
    });
    CHECK(exit_status_of(child) == -1);
  };
  std::size_t cells = 1;
  SECTION("closed") {}
  SECTION("with a log") {
    left_in_log();
    cells = 2;
  }
  SECTION("with a log and without its index") {
    left_in_log();
    std::filesystem::remove(source.string() + "-shm");
    cells = 2;
  }
  const auto before = contents_in(read_only.path);
  if (!may_be_written) {
    for (const auto& entry : std::filesystem::directory_iterator(read_only.path))
      std::filesystem::permissions(entry, std::filesystem::perms(0444));
    std::filesystem::permissions(read_only.path, std::filesystem::perms(0555));
    std::filesystem::permissions(stores.folder.path, std::filesystem::perms::all);
  }
  const pid_t child = start_child([&] {
    // Root may write everywhere.
    if (!may_be_written && ::geteuid() == 0 && ::setuid(65534) != 0) return 98;
    stores.merge({source});
    return 0;
  });
  CHECK(exit_status_of(child) == 0);
  std::filesystem::permissions(read_only.path, std::filesystem::perms::owner_all);
  auto after = contents_in(read_only.path);
  // The index of a log belongs to whoever reads, and each may build it again.
  if (before.contains("source-shm")) after["source-shm"] = before.at("source-shm");
  CHECK(after == before);
  CHECK(Store(stores.into).records(table, RecordKind::latency).size() == cells);
}

TEST_CASE("a damaged source is named, and the target keeps what it had") {
  const Stores stores;
  const auto good = stores.store("good", run_at(1), {cell("add", 4)});
  stores.merge({good});
  const auto bad = stores.store("bad", run_at(2), {cell("add", 5), cell("sub", 4)});
  SECTION("a record that is not JSON") { execute(bad, "UPDATE records SET record = '{\"ptx\":'"); }
  SECTION("a record of another shape") { execute(bad, "UPDATE records SET record = '{\"ptx\":[]}'"); }
  SECTION("overwritten inside") {
    std::vector<Record> many;
    for (int i = 0; i < 2000; ++i) many.push_back(cell("op" + std::to_string(i), 4));
    stores.store("bad", run_at(2), many);
    std::fstream damaged(bad, std::ios::binary | std::ios::in | std::ios::out);
    damaged.seekp(3 * 4096);
    damaged << std::string(std::filesystem::file_size(bad) - 3 * 4096, '\xaa');
  }
  CHECK(rejection(stores, {bad}).find(bad.string()) != std::string::npos);
  const auto records = Store(stores.into).records(table, RecordKind::latency);
  REQUIRE(records.size() == 1);
  CHECK(records[0].number(metric::cycles) == 4);
}

TEST_CASE("a damaged record of a cell that only its store has is not copied, whether it names a run or not") {
  const Stores stores;
  const auto good = stores.store("good", run_at(1), {cell("add", 4)});
  stores.merge({good});
  const auto bad = stores.store("bad", run_at(2), {cell("mul", 4), cell("sub", 4)});
  SECTION("a record of another shape") { execute(bad, "UPDATE records SET record = '{\"ptx\":[]}' WHERE ptx = 'sub'"); }
  SECTION("without a run") {
    execute(bad, "UPDATE records SET record = '{\"ptx\":[]}', run_id = NULL WHERE ptx = 'sub'");
  }
  SECTION("without a run, and not JSON") {
    execute(bad, "UPDATE records SET record = '{\"ptx\":', run_id = NULL WHERE ptx = 'sub'");
  }
  SECTION("of an unknown kind") { execute(bad, "UPDATE records SET kind = 'x' WHERE ptx = 'sub'"); }
  const auto said = rejection(stores, {bad});
  CHECK(said.find(bad.string()) != std::string::npos);
  CHECK(said.find("damaged record") != std::string::npos);
  CHECK(Store(stores.into).finished(table).size() == 1);
  CHECK(Store(stores.into).records(table, RecordKind::latency).size() == 1);
}

TEST_CASE("a record that is too long to be read is not copied") {
  const TestFolder folder;
  const auto mine = folder.path / "mine", theirs = folder.path / "theirs";
  { const Store created(theirs); }
  execute(theirs, "INSERT INTO records VALUES ('t', 'latency', '', 'x', '', '', 3, '', NULL, zeroblob(100000000))");
  CHECK_THROWS_AS(merge_stores({theirs}, mine, [](const auto&, const auto&) { return true; }), Error);
  CHECK(Store(mine).records("t", RecordKind::latency).empty());
}
