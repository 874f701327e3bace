// SPDX-License-Identifier: Apache-2.0
#include "results/measure.h"

#include "base/named_values.h"

namespace ptxlat::results {

namespace {

constexpr NamedValues<Measure, 6> measure_names = {{
    {Measure::dependent, "dependent"},
    {Measure::first_of_several, "first of several"},
    {Measure::round_trip, "round trip"},
    {Measure::completion, "completion"},
    {Measure::added_time, "added time"},
    {Measure::issue_only, "issue only"},
}};

}  // namespace

const char* to_string(Measure measure) { return name_in(measure_names, measure); }
std::optional<Measure> measure_from(std::string_view name) { return value_in(measure_names, name); }

}  // namespace ptxlat::results
