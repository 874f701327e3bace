// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace ptxlat::results {

// Which time a record's headline is. The list is closed; docs/table-format.md, "Measure", says what each means.
enum class Measure {
  dependent,         // until an instruction that needs the result may issue
  first_of_several,  // the same, for the first of several results that the machine code makes one by one
  round_trip,        // until what was written has been read back
  completion,        // until a wait for the effect is over
  added_time,        // what the instruction adds to the surrounding code: nothing waits for it
  issue_only,        // there is only an issue cost
};

// The words that tables use: "round trip".
const char* to_string(Measure measure);
std::optional<Measure> measure_from(std::string_view name);

// The consumer in a record if the instruction itself waited: the next step of a chain, a fence.
inline constexpr const char* itself = "itself";

}  // namespace ptxlat::results
