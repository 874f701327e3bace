#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "base/file.h"
#include "results/record.h"
#include "results/run.h"

namespace ptxlat::report {

inline constexpr const char* probe_runs_name = "probes.json";

// What records of kind `probe` become, in `folder` (docs/table-format.md): facts.csv, series/<probe>.csv.gz for each
// that has series, probes.jsonl.gz with everything, and probes.json with the runs that the records name. Each file is
// replaced as a whole and all of them only when every byte is on the disk. Error{storage} if they cannot be written.
void write_probe_files(const std::filesystem::path& folder, const std::vector<results::Record>& records,
                       const std::vector<results::Run>& runs);

// A name as that of a file: what a shell or a path would take for its own becomes '_'.
std::string safe_name(std::string name);
// The safe name with the extension, and a number before that where one of the others has it already.
std::string free_name(const std::string& wanted, std::string_view extension, const std::vector<NamedContent>& others);

// logs/<name>.jsonl.zst: the talk that an inference was made from. Error{storage} if it cannot be written.
void write_probe_log(const std::filesystem::path& folder, const std::string& name, const std::string& log);

// The file of the talk that a probe's fact was inferred from, below `folder`: the one of the point that the fact's
// condition names. Empty if there is none.
std::filesystem::path find_probe_log(const std::filesystem::path& folder, const std::string& probe,
                                     const std::string& condition);

// The talk that such a file holds. Error{storage} if it is damaged.
std::string read_probe_log(const std::filesystem::path& file);

// The records of probes.jsonl.gz, none where the folder does not have it. Error{storage} if it is damaged.
std::vector<results::Record> read_probe_files(const std::filesystem::path& folder);

// The runs of probes.json, none where the folder does not have it. Error{storage} if it is damaged.
std::vector<results::Run> read_probe_runs(const std::filesystem::path& folder);

// facts.csv: the facts of all of them, a line each.
void write_facts_csv(std::ostream& out, const std::vector<results::Record>& records);

// For reading: of each probe its verdict and note, its facts, and each series as a table.
void write_probe_text(std::ostream& out, const std::vector<results::Record>& records);

// Facts and records alone, of a folder that has series and provenance already.
void rewrite_facts(const std::filesystem::path& folder, const std::vector<results::Record>& records);

}  // namespace ptxlat::report
