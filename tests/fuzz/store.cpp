// SPDX-License-Identifier: Apache-2.0
#include "results/store.h"

#include <sqlite3.h>

#include <memory>

#include "fuzz.h"

namespace ptxlat::fuzz {

namespace {

// A store whose one record and one run are these texts.
std::filesystem::path store_with(const std::string& record, const std::string& run) {
  const auto file = scratch_folder() / "records.sqlite";
  static const bool is_made = [&] {
    results::Store store(file);
    results::Run first;
    first.table = "t";
    store.save_run(first);
    results::Record one;
    one.ptx = "add.u32";
    store.save_records("t", {one});
    return true;
  }();
  (void)is_made;
  sqlite3* connection = nullptr;
  sqlite3_open(file.c_str(), &connection);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> closed(connection, sqlite3_close);
  for (const auto& [update, text] :
       {std::pair("UPDATE records SET record = ?", record), {"UPDATE runs SET run = ?", run}}) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(connection, update, -1, &statement, nullptr);
    sqlite3_bind_text(statement, 1, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
    sqlite3_step(statement);
    sqlite3_finalize(statement);
  }
  return file;
}

void read_all(const std::filesystem::path& file) {
  results::Store store(file, std::chrono::milliseconds(1));
  for (const auto& run : store.newest_runs()) store.records(run.table, results::RecordKind::latency);
  store.runs("t");
  store.finished("t");
}

}  // namespace

// A file of SQLite, or, if it begins with a brace, a record and a run in a good one.
void store(std::string_view input) {
  if (input.starts_with('{')) {
    const auto parts = parts_of(input, 2);
    read_all(store_with(parts[0], parts[1].empty() ? R"({"table": "t"})" : parts[1]));
    return;
  }
  for (const char* side : {"-wal", "-shm", "-journal"})
    std::filesystem::remove(scratch_folder() / (std::string("fuzz.sqlite") + side));
  read_all(scratch_file("fuzz.sqlite", input));
}

}  // namespace ptxlat::fuzz
