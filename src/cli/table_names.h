// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "isa/target.h"
#include "line/line.h"

namespace ptxlat::cli {

// How a command line names tables, wherever it takes one:
//   a path    a table's folder; where several are taken, also a folder above them, or a glob
//   a name    words of a table's place, separated by @: its GPU, architecture and toolchain, or their beginnings
//             ("h200", "nvidia-h200@ptxas-12.4", "sm_120a"); of the user's own tables and of those that came with
//             ptxlat
// Either may end in a level ("@O0").
struct NamedTable {
  std::string folder;
  std::optional<int> level;
};

inline constexpr const char* table_name_help =
    "a folder, or a name such as nvidia-h200, nvidia-h200@ptxas-12.4 or sm_120a";

// Of the tables that a name fits: a measured one before a static one, the driver's before ptxas's, the newest
// toolchain, the user's own before one that came with ptxlat.
enum class Take { best, all };
// Of a path, all in it. Error{unknown_name} if there is none, with the nearest names. Warns of folders that cannot be
// read.
std::vector<NamedTable> tables_named(const std::string& name, Take of_a_name);

// The folder of a command's only table. Says which one a name found. Error{usage} if the name has a level.
std::string table_named(const std::string& name);

// The table for whoever names none: that of this machine's GPU, else of the newest GPU among the tables that came with
// ptxlat. Says which.
// Error{unknown_name} if there is none.
std::string usual_table();
// The same if `name` is empty.
std::string table_or_usual(const std::string& name);

// The measured card of this table, else the nearest to the target (run/nearest_card.h).
std::optional<line::NearestCard> chosen_card(const std::string& table, const isa::Target& target);

// The names of all tables ("nvidia-h200@driver-580.159.04"), for suggestions and completions.
std::vector<std::string> table_names();

}  // namespace ptxlat::cli
