// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "base/process.h"

namespace SQLite {
class Database;
}

namespace ptxlat::results {

// A store that is only read: nothing is written beside it, and it may be on a read-only file system. SQLite makes two
// files beside a store that it opens, even for reading. So a store that nobody has open is read as a file that does not
// change, and one with a log that was left in it as a copy. One that is in use has these files, and is read through
// them. SQLite::Exception if SQLite cannot open it.
class SourceStore {
 public:
  explicit SourceStore(const std::filesystem::path& file);
  ~SourceStore();
  SourceStore(const SourceStore&) = delete;  // owns a connection
  SourceStore& operator=(const SourceStore&) = delete;

  SQLite::Database& connection() { return *connection_; }
  // Error{storage} if somebody wrote to the store while it was read as if that could not be.
  void require_unchanged() const;

 private:
  void open();
  void copy();

  using State = std::vector<std::pair<std::filesystem::path, std::filesystem::file_time_type>>;
  std::filesystem::path file_;
  State state_;  // of what must not change; empty: it may
  std::unique_ptr<TemporaryFolder> copied_;
  std::unique_ptr<SQLite::Database> connection_;
};

}  // namespace ptxlat::results
