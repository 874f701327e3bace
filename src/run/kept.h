// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "results/store.h"
#include "tables/opcode_files.h"
#include "tables/pair_files.h"

// A table is not replaced by a smaller one without a question. Each of these returns the Error{storage} that says what
// the files in a table's folder have and would lose, or that it cannot be read; nothing if all of it is kept.
namespace ptxlat::run {

// Latencies are written from a store, with all that it has of the table. Reading a large table takes seconds, which is
// not needed if the store has the runs that made it.
//   planned  cells that the store will have by then
std::optional<Error> loss_of_latencies(const std::filesystem::path& folder, const results::Store& store,
                                       const std::string& table, const std::vector<results::CellKey>& planned);

// Of opcodes and pairs, those that a command has measured are written, which may be fewer than its store has.
std::optional<Error> loss_of_opcodes(const std::filesystem::path& folder, const tables::OpcodeFiles& written);
std::optional<Error> loss_of_pairs(const std::filesystem::path& folder, const tables::PairFiles& written);

}  // namespace ptxlat::run
