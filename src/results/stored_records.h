// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/environment.h"
#include "results/published_windows.h"
#include "results/record.h"
#include "results/run.h"

namespace ptxlat::results {

// The records of a table and kind, left in their store: all at once they may not fit into memory. They are ordered by
// chapter, ptx, operand, input and level, regardless of the order in which they were finished: two runs of the same
// plan give files that can be compared line by line. A transaction of its own keeps them as they are, whatever is
// written meanwhile. Failures are Error{storage}.
class StoredRecords {
 public:
  StoredRecords(const std::filesystem::path& store, const std::string& table, RecordKind kind,
                std::chrono::milliseconds busy_timeout = scaled_deadline(std::chrono::seconds(10)));
  ~StoredRecords();
  StoredRecords(StoredRecords&&) noexcept;

  std::size_t size() const;
  std::vector<Run> runs() const;                                 // those that they name, oldest first
  Record read(std::size_t number, Code code = Code::all) const;  // by any number of threads

 private:
  struct Transaction;
  std::unique_ptr<Transaction> transaction_;
};

}  // namespace ptxlat::results
