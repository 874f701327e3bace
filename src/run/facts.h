// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/beneath.h"
#include "results/pair.h"
#include "results/store.h"

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

}  // namespace ptxlat::run
