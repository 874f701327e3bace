// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ptxlat::tables {

// The tables that a name on the command line refers to: a table's folder, every table below a folder, or those that a
// glob matches ("tables/*/static/ptxas-1?.*"). In natural order, ptxas-9 before ptxas-10. Error{unknown_name} if there
// is none, Error{storage} if there may be one in a folder that cannot be read. Tables of a single GPU below a table
// (gpus/UUID) are not included.
//   unreadable  gets folders that may have further tables
std::vector<std::filesystem::path> find_tables(const std::string& name, std::vector<std::filesystem::path>& unreadable);
// Those below a table: of every GPU but the first that measured it.
std::vector<std::filesystem::path> own_tables_of(const std::filesystem::path& table,
                                                 std::vector<std::filesystem::path>& unreadable);

// Whether a comes before b, numbers inside the texts counting as numbers.
bool natural_less(const std::string& a, const std::string& b);

}  // namespace ptxlat::tables
