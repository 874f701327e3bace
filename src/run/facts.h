// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/beneath.h"
#include "base/error.h"
#include "results/opcode.h"
#include "results/store.h"
#include "tables/opcode_files.h"
#include "tables/pair_files.h"

// A table is not replaced by a smaller one without a question. Each of these returns the Error{storage} that says what
// the files in a table's folder have and would lose, or that it cannot be read; nothing if all of it is kept.

namespace ptxlat::run {

// Writes facts.csv and the files that belong to it (tables/probe_files.h), which have the results of two commands:
// probes, and what `pairs` finds about registers and scoreboards. So whichever command writes them takes all that its
// store has of the table. What only the folder has stays: it comes from a different store. Error{storage} if what is
// there cannot be read, or the files cannot be written.
void write_facts(const Folder& folder, const results::Store& store, const std::string& table);

// Adds a fact that follows from pairs, `scoreboard.release_cycles`, to the record about registers.
void note_release(results::Record& registers, const std::vector<results::Pair>& pairs);
// The same in the store, at this level; nothing if the store has no such record.
void save_release(results::Store& store, const std::string& table, int level, const std::vector<results::Pair>& pairs);

// Latencies are written from a store, with all that it has of the table. Reading a large table takes seconds, which is
// not needed if the store has the runs that made it.
//   planned  cells that the store will have by then
std::optional<Error> loss_of_latencies(const std::filesystem::path& folder, const results::Store& store,
                                       const std::string& table, const std::vector<results::CellKey>& planned);

// A command writes the opcodes and pairs that it has measured, which may be fewer than its store has.
std::optional<Error> loss_of_opcodes(const std::filesystem::path& folder, const tables::OpcodeFiles& written);
std::optional<Error> loss_of_pairs(const std::filesystem::path& folder, const tables::PairFiles& written);

}  // namespace ptxlat::run
