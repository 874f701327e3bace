// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "base/file.h"
#include "results/record.h"
#include "results/run.h"
#include "tables/column.h"

namespace ptxlat::tables {

inline constexpr const char* probe_records_name = "probes";  // and .jsonl.zst
inline constexpr const char* probe_runs_name = "probes.json";

// Writes records of kind `probe` to `folder` (docs/table-format.md): facts.csv, series/<probe>.csv.gz for each that has
// series, probes.jsonl.zst with everything, and probes.json with the runs that the records name. Each file is replaced
// as a whole, and only after every byte of all files is on the disk. Error{storage} if they cannot be written.
void write_probe_files(const Folder& folder, const std::vector<results::Record>& records,
                       const std::vector<results::Run>& runs);

// A name as a file name: characters that are special in a shell or a path become '_'.
std::string safe_name(std::string name);
// The safe name with the extension, and a number before that if the name is already taken.
std::string free_name(const std::string& wanted, std::string_view extension, const std::vector<NamedContent>& others,
                      std::string_view folder = "");

// logs/<name>.jsonl.zst: the dialogue behind an inference. Error{storage} if it cannot be written.
void write_probe_log(const Folder& folder, const std::string& name, const std::string& log);

// The file of the dialogue that a probe's fact was inferred from, below `folder`: that of the point that the fact's
// condition names. Empty if there is none.
std::filesystem::path find_probe_log(const std::filesystem::path& folder, const std::string& probe,
                                     const std::string& condition);

// The dialogue in such a file. Error{storage} if it is damaged.
std::string read_probe_log(const std::filesystem::path& file);

// facts.csv: the facts of all records, one per line.
inline constexpr const char* facts_name = "facts.csv";

// A fact of a table, with the probe and the card that it comes from.
struct TableFact {
  std::string probe;
  results::Fact fact;
  std::string card;  // UUID of the GPU; empty if unknown
};
const Columns<TableFact>& fact_columns();
void write_facts_csv(std::ostream& out, const std::vector<results::Record>& records);

// For people: each probe's verdict and note, its facts, and each series as a table.
void write_probe_text(std::ostream& out, const std::vector<results::Record>& records);

// Only facts and records, for a folder that already has series and provenance.
void rewrite_facts(const Folder& folder, const std::vector<results::Record>& records);

}  // namespace ptxlat::tables
