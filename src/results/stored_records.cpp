// SPDX-License-Identifier: Apache-2.0
#include "results/stored_records.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <mutex>
#include <utility>
#include <vector>

#include "results/json.h"
#include "results/store_file.h"

namespace ptxlat::results {

struct StoredRecords::Transaction {
  std::filesystem::path file;
  std::string table, kind;
  SQLite::Database connection;
  SQLite::Statement select;
  std::mutex mutex = {};  // guards the connection
  std::vector<std::int64_t> rows = {};

  Transaction(const std::filesystem::path& store, std::string of_table, RecordKind of_kind,
              std::chrono::milliseconds busy_timeout)
      : file(store),
        table(std::move(of_table)),
        kind(to_string(of_kind)),
        connection(store.string(), SQLite::OPEN_READONLY, static_cast<int>(busy_timeout.count())),
        select(connection, "SELECT record FROM records WHERE rowid = ?") {
    limit_records(connection);
    connection.exec("PRAGMA temp_store = MEMORY");  // the order of a table's rows takes little
    connection.exec("BEGIN");                       // ends with the connection
  }

  // A statement about the records of the table and kind.
  SQLite::Statement about_them(const char* sql) {
    SQLite::Statement statement(connection, sql);
    statement.bind(1, table);
    statement.bind(2, kind);
    return statement;
  }
};

StoredRecords::StoredRecords(const std::filesystem::path& store, const std::string& table, RecordKind kind,
                             std::chrono::milliseconds busy_timeout) {
  try {
    transaction_ = std::make_unique<Transaction>(store, table, kind, busy_timeout);
    auto places = transaction_->about_them(
        "SELECT rowid FROM records WHERE table_name = ? AND kind = ? ORDER BY chapter, ptx, operand, input, opt");
    while (places.executeStep()) transaction_->rows.push_back(places.getColumn(0).getInt64());
  } catch (const SQLite::Exception& error) {
    throw storage_error(store, error);
  }
}

StoredRecords::~StoredRecords() = default;
StoredRecords::StoredRecords(StoredRecords&&) noexcept = default;

std::size_t StoredRecords::size() const { return transaction_->rows.size(); }

std::vector<Run> StoredRecords::runs() const {
  try {
    const std::scoped_lock lock(transaction_->mutex);
    auto named = transaction_->about_them(
        "SELECT id, run, table_name FROM runs WHERE table_name = ?1 AND id IN "
        "(SELECT run_id FROM records WHERE table_name = ?1 AND kind = ?2) ORDER BY id");
    return runs_in(named, transaction_->file);
  } catch (const SQLite::Exception& error) {
    throw storage_error(transaction_->file, error);
  }
}

Record StoredRecords::read(std::size_t number, Code code) const {
  auto& of = *transaction_;
  std::string text;
  try {
    const std::scoped_lock lock(of.mutex);
    of.select.reset();
    of.select.bind(1, of.rows.at(number));
    if (!of.select.executeStep()) throw damaged_record(of.file, "it is missing");
    text = of.select.getColumn(0).getString();
  } catch (const SQLite::Exception& error) {
    throw storage_error(of.file, error);
  }
  return parsed_row(of.file, [&] { return record_from_text(text, code); });
}

}  // namespace ptxlat::results
