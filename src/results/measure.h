#pragma once

#include <optional>
#include <string_view>

namespace ptxlat::results {

// What a record's headline is the time of. The list is closed; docs/table-format.md, "Measure", says what each means.
enum class Measure {
  dependent,         // until an instruction that needs the result may issue
  first_of_several,  // the same, for the first of several results that the machine code makes one by one
  round_trip,        // until what was written has been read back
  completion,        // until a wait for the effect is over
  added_time,        // what the instruction adds to the code around it: nothing waits for it
  issue_only,        // there is an issue cost and nothing else
};

// The words that tables use: "round trip".
const char* to_string(Measure measure);
std::optional<Measure> measure_from(std::string_view name);

// What a record names as consumer where the instruction itself is what waited: the next step of a chain, a fence.
inline constexpr const char* itself = "itself";

}  // namespace ptxlat::results
