// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "results/json_fields.h"
#include "results/published_windows.h"
#include "results/record.h"
#include "results/run.h"

namespace ptxlat::results {

// The only JSON encoding of records, for the store and for a table's latency.jsonl.zst and run.json; its fields are the
// contract of docs/table-format.md. An absent key means an empty or default value, so that unknown values take no
// space.
Json to_json(const Record& record);
// The same with something else for the code of a window: a table writes each code once, and then its number.
using WrittenCode = std::function<Json(const WindowRecord&)>;
Json to_json(const Record& record, const WrittenCode& code_of);
// The same without the windows, which are most of it.
Json to_json_without_windows(const Record& record);
Json to_json(const Run& run);
// The fields of a run that distinguish the records of a resumed table.
Json runs_to_json(const std::vector<Run>& runs);
// These throw std::exception for JSON of a different shape; the reader of a file adds its name and line. Unknown keys
// are skipped.
Record record_from_json(const Json& json);
// The same where "sass" of a window only stands for its code, which `code_of` has as text.
using ReadCode = std::function<std::string_view(const Json& sass)>;
Record record_from_json(const Json& json, const ReadCode& code_of);
// The same from text, in a third of the time: most of it is code, of which no tree is made, and which is only read of
// the wanted windows.
Record record_from_text(std::string_view text, Code code = Code::all);
Run run_from_json(const Json& json);
std::vector<Run> runs_from_json(const Json& json);

// The value of a word in such JSON; std::invalid_argument for an unknown one.
sass::Verdict verdict_named(const std::string& name);
Measure measure_named(const std::string& name);

// One line. Bytes that are not UTF-8 (an assembler's message) become U+FFFD instead of an exception.
std::string to_line(const Json& json);

}  // namespace ptxlat::results
