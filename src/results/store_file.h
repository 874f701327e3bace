// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "results/record.h"
#include "results/run.h"

namespace SQLite {
class Database;
class Exception;
class Statement;
}  // namespace SQLite

namespace ptxlat::results {

inline constexpr int application_id = 0x7078746c;  // "pxtl", as file(1) and others may look for it
inline constexpr int schema_version = 2;
inline constexpr const char* runs_table = R"sql(
  CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    table_name TEXT NOT NULL,
    run TEXT NOT NULL
  );
)sql";
inline constexpr const char* records_table = R"sql(
  CREATE TABLE records (
    table_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    chapter TEXT NOT NULL,
    ptx TEXT NOT NULL,
    operand TEXT NOT NULL,
    input TEXT NOT NULL,
    opt INTEGER NOT NULL,
    recipe TEXT NOT NULL, -- empty: not final, to be measured again
    run_id INTEGER REFERENCES runs (id),
    record TEXT NOT NULL,
    UNIQUE (table_name, kind, ptx, operand, input, opt)
  );
)sql";

// An SQLite exception as an Error{storage} that says what to do.
Error storage_error(const std::filesystem::path& file, const SQLite::Exception& cause);

// Error{storage} for a record that is not what it should be. The content comes from this program, so it is damage to
// the file.
Error damaged_record(const std::filesystem::path& file, const std::string& what);

// The kind in a record's row.
RecordKind kind_named(const std::string& name, const std::filesystem::path& file);

// A row's text, parsed by `parse`: whatever that throws about it is damage.
template <typename Parse>
auto parsed_row(const std::filesystem::path& file, Parse parse) {
  try {
    return parse();
  } catch (const std::bad_alloc&) {
    throw;  // says nothing about the row
  } catch (const std::exception& error) {
    throw damaged_record(file, error.what());
  }
}

// The runs of a statement that selects their ids, texts and tables. A text that names a different table is damage.
std::vector<Run> runs_in(SQLite::Statement& select, const std::filesystem::path& file);

// Lets the connection read no record that is longer than any of ours.
void limit_records(SQLite::Database& connection);

// SQLite keeps what has an empty name or `:memory:` in memory, and takes what begins with `file:` for a URI, which may
// ask for the same: what was measured would be lost.
void reject_name_of_no_file(const std::filesystem::path& file);

// SQLite treats a file of one byte as an empty database and overwrites it.
void reject_shorter_than_a_header(const std::filesystem::path& file);

// Which program a database file belongs to. Error{storage} if it is a different program, or a store of a different
// version; not a byte of the file is changed.
enum class Owner { nobody, us };
Owner owner_of(SQLite::Database& connection, const std::filesystem::path& file);

}  // namespace ptxlat::results
