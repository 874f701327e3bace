#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "results/record.h"

namespace ptxlat {

// Keys stay in the order they were written in: the files are read by people too.
using Json = nlohmann::ordered_json;

// The one spelling of records as JSON, for the store and for a table's latency.jsonl.gz and run.json; its fields are
// the contract of docs/table-format.md. An absent key means an empty or default value, so that what is not known
// takes no room.
Json to_json(const CellRecord& cell);
Json to_json(const Provenance& provenance);
// These throw std::exception for JSON of another shape; who reads a file adds its name and line.
CellRecord cell_from_json(const Json& json);
Provenance provenance_from_json(const Json& json);

// One string an instruction, "S2 W0 | POPC R6, R6". Says nothing of where the window starts, so that windows of equal
// code are equal. An instruction that is not 16 bytes behind its predecessor says how far: "+20 S2 | BRA 0x1f0".
std::vector<std::string> sass_lines(const std::vector<SassRecord>& sass);
std::vector<SassRecord> sass_from_lines(int start_offset, const std::vector<std::string>& lines);

// One line. Bytes that are not UTF-8 (an assembler's message) become U+FFFD instead of an exception.
std::string to_line(const Json& json);

}  // namespace ptxlat
