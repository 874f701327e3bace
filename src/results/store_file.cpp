// SPDX-License-Identifier: Apache-2.0
#include "results/store_file.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <set>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "results/json.h"

namespace ptxlat::results {

Error storage_error(const std::filesystem::path& file, const SQLite::Exception& cause) {
  const std::string what = fmt::format("store {}: {}", file.string(), cause.what());
  const auto error = [&](const char* advice) { return Error(ExitCode::storage, what, advice); };
  switch (cause.getErrorCode()) {
    case SQLITE_FULL:
      return error(
          "The disk is full. Everything saved before is safe: free some space and run the same command again.");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return error("The store cannot be written: check the permissions of the file and of its folder.");
    case SQLITE_CANTOPEN:
      return error("Check that its folder exists, that it is not a folder itself, and that you may write there.");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return error("Another ptxlat run is writing to this store: wait until it ends, or give this one another store.");
    case SQLITE_NOTADB:
      return error("This file is not a ptxlat store and is left as it is: name another file for the store.");
    case SQLITE_CORRUPT:
      return error("The store is damaged: keep a copy if it matters, delete it, and run again.");
    case SQLITE_IOERR:
      return error("Reading or writing failed: check the disk, its free space and its limits (df, quota, ulimit -f).");
    default:
      return error("");
  }
}

Error damaged_record(const std::filesystem::path& file, const std::string& what) {
  return Error(ExitCode::storage, fmt::format("store {} contains a damaged record: {}", file.string(), what),
               "The store is damaged: keep a copy if it matters, delete it, and run again.");
}

RecordKind kind_named(const std::string& name, const std::filesystem::path& file) {
  const auto kind = record_kind_from(name);
  if (!kind) throw damaged_record(file, "unknown kind \"" + name + "\"");
  return *kind;
}

std::vector<Run> runs_in(SQLite::Statement& select, const std::filesystem::path& file) {
  std::vector<Run> runs;
  while (select.executeStep()) {
    const auto text = select.getColumn(1).getString();
    runs.push_back(parsed_row(file, [&] { return run_from_json(parse_json(text)); }));
    runs.back().id = select.getColumn(0).getInt();
    if (runs.back().table != select.getColumn(2).getString())
      throw damaged_record(file, fmt::format("run {} is of a different table", runs.back().id));
  }
  return runs;
}

void reject_name_of_no_file(const std::filesystem::path& file) {
  const std::string& name = file.native();
  if (!name.empty() && name != ":memory:" && !name.starts_with("file:")) return;
  throw Error(ExitCode::storage, fmt::format("\"{}\" is not the name of a file", name),
              fmt::format("The store keeps what is measured: name a file for it{}.",
                          name.empty() ? "" : fmt::format(", which can also be \"./{}\"", name)));
}

// SQLite treats a file of one byte as an empty database and overwrites it.
void reject_shorter_than_a_header(const std::filesystem::path& file) {
  constexpr std::uintmax_t header_bytes = 100;
  std::error_code none_there;
  const std::uintmax_t size = std::filesystem::file_size(file, none_there);
  if (none_there || size == 0 || size >= header_bytes) return;
  throw Error(ExitCode::storage, fmt::format("{} is not a ptxlat store", file.string()),
              "It is left as it is: name another file for the store.");
}

namespace {

// A statement without its comments, spaces and end.
std::string words_of(std::string_view sql) {
  std::string words;
  bool is_comment = false;
  for (std::size_t at = 0; at < sql.size(); ++at) {
    is_comment = sql[at] != '\n' && (is_comment || sql.substr(at, 2) == "--");
    if (!is_comment && std::string_view(" \n;").find(sql[at]) == std::string_view::npos) words += sql[at];
  }
  return words;
}

// A store has its two tables and what SQLite adds to them. In somebody else's file, our queries would run a view, a
// trigger, a check, a computed column or an index of an expression, and that could take forever.
void reject_what_computes(SQLite::Database& connection, const std::filesystem::path& file) {
  std::set<std::string> missing{words_of(runs_table), words_of(records_table),
                                words_of("CREATE TABLE sqlite_sequence(name,seq)")};
  bool is_ours = true;
  SQLite::Statement all(connection, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL");
  while (is_ours && all.executeStep()) is_ours = missing.erase(words_of(all.getColumn(0).getString())) == 1;
  if (is_ours && missing.empty()) return;
  throw Error(ExitCode::storage,
              fmt::format("{} has more than the tables of a store, or different ones", file.string()),
              "It is left as it is: name another file for the store.");
}

}  // namespace

void limit_records(SQLite::Database& connection) {
  sqlite3_limit(connection.getHandle(), SQLITE_LIMIT_LENGTH, most_record_bytes);
}

Owner owner_of(SQLite::Database& connection, const std::filesystem::path& file) {
  limit_records(connection);  // also for what an index or a check of somebody else's file would compute
  // All three queries use one snapshot of the file: between two of them, a different process may make it a store. A
  // savepoint is a transaction that can be nested.
  connection.exec("SAVEPOINT ownership");
  const int id = connection.execAndGet("PRAGMA application_id").getInt();
  const int version = connection.execAndGet("PRAGMA user_version").getInt();
  const bool empty = connection.execAndGet("SELECT count(*) FROM sqlite_master").getInt() == 0;
  connection.exec("RELEASE ownership");
  if (empty && id == 0 && version == 0) return Owner::nobody;
  if (id != application_id) {
    throw Error(ExitCode::storage, fmt::format("{} is an SQLite database of a different program", file.string()),
                "It is left as it is: name another file for the store.");
  }
  if (version != schema_version) {
    throw Error(
        ExitCode::storage,
        fmt::format("store {} has version {}, this ptxlat reads version {}", file.string(), version, schema_version),
        "Use the ptxlat that wrote it, or name another file for the store.");
  }
  reject_what_computes(connection, file);
  return Owner::us;
}

}  // namespace ptxlat::results
