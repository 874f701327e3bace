// SPDX-License-Identifier: Apache-2.0
#include "results/stored_records.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <mutex>
#include <vector>

#include "results/json.h"
#include "results/store_file.h"

namespace ptxlat::results {

struct StoredRecords::Transaction {
  std::filesystem::path file;
  SQLite::Database connection;
  SQLite::Statement select;
  std::mutex mutex = {};  // guards the connection
  std::vector<std::int64_t> rows = {};
  std::set<int> runs = {};

  Transaction(const std::filesystem::path& store, std::chrono::milliseconds busy_timeout)
      : file(store),
        connection(store.string(), SQLite::OPEN_READONLY, static_cast<int>(busy_timeout.count())),
        select(connection, "SELECT record FROM records WHERE rowid = ?") {
    limit_records(connection);
    connection.exec("PRAGMA temp_store = MEMORY");  // the order of a table's rows takes little
  }
};

StoredRecords::StoredRecords(const std::filesystem::path& store, const std::string& table, RecordKind kind,
                             std::chrono::milliseconds busy_timeout) {
  try {
    transaction_ = std::make_unique<Transaction>(store, busy_timeout);
    auto& connection = transaction_->connection;
    connection.exec("BEGIN");  // ends with the connection
    SQLite::Statement places(connection,
                             "SELECT rowid, run_id FROM records WHERE table_name = ? AND kind = ? "
                             "ORDER BY chapter, ptx, operand, input, opt");
    places.bind(1, table);
    places.bind(2, to_string(kind));
    while (places.executeStep()) {
      transaction_->rows.push_back(places.getColumn(0).getInt64());
      transaction_->runs.insert(places.getColumn(1).getInt());
    }
  } catch (const SQLite::Exception& error) {
    throw storage_error(store, error);
  }
}

StoredRecords::~StoredRecords() = default;
StoredRecords::StoredRecords(StoredRecords&&) noexcept = default;

std::size_t StoredRecords::size() const { return transaction_->rows.size(); }
std::set<int> StoredRecords::runs() const { return transaction_->runs; }

Record StoredRecords::read(std::size_t number, Code code) const {
  auto& [file, connection, select, mutex, rows, runs] = *transaction_;
  std::string text;
  try {
    const std::scoped_lock lock(mutex);
    select.reset();
    select.bind(1, rows.at(number));
    if (!select.executeStep()) throw damaged_record(file, "it is missing");
    text = select.getColumn(0).getString();
  } catch (const SQLite::Exception& error) {
    throw storage_error(file, error);
  }
  return parsed_row(file, [&] { return record_from_text(text, code); });
}

}  // namespace ptxlat::results
