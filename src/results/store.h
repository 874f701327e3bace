#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "results/record.h"

namespace ptxlat {

// Identifies a cell inside one table; two cells with one key are the same row.
struct CellKey {
  std::string ptx, operand, input;
  int level = 0;
  std::string recipe;
  std::string text() const;  // one line, unique
};
CellKey key_of(const CellRecord& record);

// The SQLite file that a run writes to, cell by cell, so that a killed run loses nothing that was finished: the same
// command again continues. Holds any number of tables. Thread-safe. Every failure of the disk or of SQLite is an
// Error{storage} that says what to do; a file that is not a store of this version is refused, never overwritten.
class Store {
 public:
  // `busy_timeout`: how long a lock of another process is waited for; one that lasts longer is an Error{storage}.
  explicit Store(const std::filesystem::path& file, std::chrono::milliseconds busy_timeout = std::chrono::seconds(10));
  ~Store();
  Store(const Store&) = delete;  // owns a database connection
  Store& operator=(const Store&) = delete;

  // Notes that a run begins or ends; the newest provenance of a table is the one exported.
  void save_provenance(const Provenance& provenance);
  std::vector<Provenance> provenances() const;  // newest per table

  // Commits finished cells in one transaction. A cell with the same ptx, operand, input and level is replaced.
  void save_cells(const std::string& table, const std::vector<CellRecord>& cells);

  // Keys of what is already there (with recipe, so that a changed experiment is measured again).
  std::unordered_set<std::string> finished(const std::string& table) const;

  // All cells of a table ordered by chapter, ptx, operand, input and level, whatever order they were finished in: two
  // runs of the same plan give files that can be compared line by line.
  std::vector<CellRecord> cells(const std::string& table) const;

 private:
  struct Database;
  std::unique_ptr<Database> database_;
};

}  // namespace ptxlat
