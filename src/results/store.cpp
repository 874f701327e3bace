// SPDX-License-Identifier: Apache-2.0
#include "results/store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "results/json.h"
#include "results/store_file.h"
#include "results/stored_records.h"

namespace ptxlat::results {

std::string CellKey::text() const {
  // The ASCII unit separator: no name contains it.
  return fmt::format("{}\x1f{}\x1f{}\x1f{}\x1f{}\x1f{}", to_string(kind), ptx, operand, input, level, recipe);
}

CellKey key_of(const Record& record) {
  return {record.kind, record.ptx, record.operand, record.input, record.level, record.recipe};
}

Record record_of(const CellKey& key) {
  Record record;
  record.kind = key.kind;
  record.ptx = key.ptx;
  record.operand = key.operand;
  record.input = key.input;
  record.level = key.level;
  record.recipe = key.recipe;
  return record;
}

struct Store::Database {
  std::filesystem::path file;
  SQLite::Database connection;
  std::mutex mutex;  // guards the connection
  std::chrono::milliseconds busy_timeout;

  Database(const std::filesystem::path& path, std::chrono::milliseconds lock_timeout)
      : file(path),
        connection(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, static_cast<int>(lock_timeout.count())),
        busy_timeout(lock_timeout) {
    if (owner_of(connection, file) == Owner::nobody) create();
    connection.exec("PRAGMA foreign_keys = ON");
    connection.exec("PRAGMA synchronous = NORMAL");  // with WAL: a commit survives kill -9 without an fsync each
  }

  // Two processes may do this at the same moment: the loser of the lock finds the work done.
  void create() {
    enter_wal_mode();
    connection.exec("BEGIN IMMEDIATE");
    try {
      if (owner_of(connection, file) == Owner::nobody) {
        connection.exec(std::string(runs_table) + records_table);
        connection.exec(fmt::format("PRAGMA application_id = {}", application_id));
        connection.exec(fmt::format("PRAGMA user_version = {}", schema_version));
      }
      connection.exec("COMMIT");
    } catch (...) {
      connection.tryExec("ROLLBACK");
      throw;
    }
  }

  // SQLite reports a busy file immediately here, whatever the busy timeout says, since two processes that change the
  // mode could wait for each other forever. If WAL does not work (some network file systems), SQLite keeps its rollback
  // journal, which is as safe but slower.
  void enter_wal_mode() {
    const auto deadline = std::chrono::steady_clock::now() + busy_timeout;
    for (;;) {
      try {
        connection.execAndGet("PRAGMA journal_mode = WAL");
        return;
      } catch (const SQLite::Exception& error) {
        if (error.getErrorCode() != SQLITE_BUSY || std::chrono::steady_clock::now() > deadline) throw;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  // Runs `work(connection)` under the lock and turns SQLite's exceptions into an Error with advice.
  template <typename Work>
  auto with_connection(Work work) {
    const std::lock_guard lock(mutex);
    try {
      return work(connection);
    } catch (const SQLite::Exception& error) {
      throw storage_error(file, error);
    }
  }
};

Store::Store(const std::filesystem::path& file, std::chrono::milliseconds busy_timeout) {
  reject_name_of_no_file(file);
  reject_shorter_than_a_header(file);
  try {
    database_ = std::make_unique<Database>(file, busy_timeout);
  } catch (const SQLite::Exception& error) {
    throw storage_error(file, error);
  }
}

Store::~Store() = default;

int Store::save_run(const Run& run) {
  return database_->with_connection([&](SQLite::Database& connection) {
    // A run's id is the row's; written into the text too, it would be wrong the first time.
    Run without_id = run;
    without_id.id = 0;
    SQLite::Statement save(connection, run.id == 0 ? "INSERT INTO runs (table_name, run) VALUES (?, ?)"
                                                   : "UPDATE runs SET table_name = ?, run = ? WHERE id = ?");
    save.bind(1, run.table);
    save.bind(2, to_line(to_json(without_id)));
    if (run.id != 0) save.bind(3, run.id);
    save.exec();
    return run.id == 0 ? static_cast<int>(connection.getLastInsertRowid()) : run.id;
  });
}

std::vector<Run> Store::runs(const std::string& table) const {
  return database_->with_connection([&](SQLite::Database& connection) {
    SQLite::Statement select(connection, "SELECT id, run, table_name FROM runs WHERE table_name = ? ORDER BY id");
    select.bind(1, table);
    return runs_in(select, file());
  });
}

std::vector<Run> Store::newest_runs() const {
  return database_->with_connection([&](SQLite::Database& connection) {
    SQLite::Statement select(
        connection,
        "SELECT id, run, table_name FROM runs WHERE id IN (SELECT max(id) FROM runs GROUP BY table_name) "
        "ORDER BY table_name");
    return runs_in(select, file());
  });
}

void Store::save_records(const std::string& table, const std::vector<Record>& records) {
  if (records.empty()) return;
  std::vector<std::string> texts;
  for (const Record& record : records) texts.push_back(to_line(to_json(record)));
  database_->with_connection([&](SQLite::Database& connection) {
    SQLite::Statement insert(connection,
                             "INSERT OR REPLACE INTO records (table_name, kind, chapter, ptx, operand, input, opt, "
                             "recipe, run_id, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    connection.exec("BEGIN IMMEDIATE");
    try {
      for (std::size_t i = 0; i < records.size(); ++i) {
        const Record& record = records[i];
        int next = 1;
        insert.bind(next++, table);
        insert.bind(next++, to_string(record.kind));
        for (const auto* text : {&record.chapter, &record.ptx, &record.operand, &record.input}) {
          insert.bind(next++, *text);
        }
        insert.bind(next++, record.level);
        insert.bind(next++, is_final(record) ? record.recipe : "");
        if (record.run == 0) {
          insert.bind(next++);
        } else {
          insert.bind(next++, record.run);
        }
        insert.bind(next++, texts[i]);
        insert.exec();
        insert.reset();
      }
      connection.exec("COMMIT");
    } catch (...) {
      connection.tryExec("ROLLBACK");
      throw;
    }
  });
}

void Store::require_readable(const std::string& table) const {
  database_->with_connection([&](SQLite::Database& connection) {
    SQLite::Statement every_run(connection, "SELECT id, run, table_name FROM runs");
    runs_in(every_run, file());
    SQLite::Statement damaged(connection, "SELECT ptx FROM records WHERE table_name = ? AND NOT json_valid(record)");
    damaged.bind(1, table);
    if (damaged.executeStep()) throw damaged_record(file(), "that of " + damaged.getColumn(0).getString());
  });
}

std::unordered_set<std::string> Store::finished(const std::string& table) const {
  std::unordered_set<std::string> texts;
  for (const auto& key : keys(table)) texts.insert(key.text());
  return texts;
}

std::vector<CellKey> Store::keys(const std::string& table) const {
  return database_->with_connection([&](SQLite::Database& connection) {
    std::vector<CellKey> keys;
    SQLite::Statement select(connection,
                             "SELECT kind, ptx, operand, input, opt, recipe FROM records WHERE table_name = ?");
    select.bind(1, table);
    while (select.executeStep()) {
      keys.push_back({kind_named(select.getColumn(0).getString(), file()), select.getColumn(1).getString(),
                      select.getColumn(2).getString(), select.getColumn(3).getString(), select.getColumn(4).getInt(),
                      select.getColumn(5).getString()});
    }
    return keys;
  });
}

std::vector<Record> Store::records(const std::string& table, RecordKind kind) const {
  const StoredRecords stored(file(), table, kind, database_->busy_timeout);
  std::vector<Record> records(stored.size());
  in_parallel(records.size(), [&](std::size_t i) { records[i] = stored.read(i); });
  return records;
}

const std::filesystem::path& Store::file() const { return database_->file; }

}  // namespace ptxlat::results
