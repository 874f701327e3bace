// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <string>

#include "catch.h"

namespace ptxlat {

// Changes a store behind the program's back.
inline void execute(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
  REQUIRE(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
}

}  // namespace ptxlat
