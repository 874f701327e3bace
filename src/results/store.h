// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/environment.h"
#include "results/record.h"
#include "results/run.h"

namespace ptxlat::results {

// Identifies a cell in a table; two cells with the same key are the same row.
struct CellKey {
  RecordKind kind = RecordKind::latency;
  std::string ptx, operand, input;
  int level = 0;
  std::string recipe;
  std::string text() const;  // one line, unique
};
CellKey key_of(const Record& record);
// A record of the cell without results.
Record record_of(const CellKey& key);

// The SQLite file that a run writes to, cell by cell, so that a killed run loses no finished cells: rerunning the same
// command continues. Holds any number of tables. Thread-safe. Every failure of the disk or of SQLite is an
// Error{storage} that says what to do; a file that is not a store of this version is rejected, never overwritten.
class Store {
 public:
  // `busy_timeout`: how long to wait for a lock of another process; a longer wait is an Error{storage}.
  explicit Store(const std::filesystem::path& file,
                 std::chrono::milliseconds busy_timeout = scaled_deadline(std::chrono::seconds(10)));
  ~Store();
  Store(const Store&) = delete;  // owns a database connection
  Store& operator=(const Store&) = delete;

  // Notes that a run begins (`run.id` is 0; returns the id that its records name) or ends.
  int save_run(const Run& run);
  std::vector<Run> runs(const std::string& table) const;  // oldest first, even if no record names them
  std::vector<Run> newest_runs() const;                   // one per table, by the table's name

  // Commits finished records of a run in one transaction. A record with the same kind, ptx, operand, input and level
  // is replaced.
  void save_records(const std::string& table, const std::vector<Record>& records);

  // Error{storage} if a run, or a record of the table, is damaged. Writing the table would find that, too, but after
  // everything has been measured.
  void require_readable(const std::string& table) const;

  // Texts of keys of the existing records (with recipe, so that a changed experiment is measured again). The key of one
  // that is not final (is_final) has no recipe: its cell is measured again, too.
  std::unordered_set<std::string> finished(const std::string& table) const;

  // Those of all existing records, final or not.
  std::vector<CellKey> keys(const std::string& table) const;

  // All records of a table and kind, in the order of StoredRecords.
  std::vector<Record> records(const std::string& table, RecordKind kind) const;

  const std::filesystem::path& file() const;

 private:
  struct Database;
  std::unique_ptr<Database> database_;
};

}  // namespace ptxlat::results
