// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/target.h"

namespace ptxlat::simulator {

// Whether a part of the option's value is left to a configuration that is there already.
bool has_stars(const Option& option);

// The option's value with its queries' answers: a number in an expression, a word alone in its braces. What stands in
// `base` takes the stars' places. std::invalid_argument says why there is no value: a base that has another shape, or
// an expression of these numbers without a result.
std::string fill(const Option& option, const std::map<std::string, std::string>& answers,
                 const std::optional<std::string>& base);

// Reads the value without answers. std::invalid_argument if it has a brace too few, or an expression that names no
// query of the option.
void check_value(const Option& option);

// The options of a configuration with a line "option value" for each; of several lines the last. What follows
// `comment` is not read.
std::map<std::string, std::string> options_in(const std::string& text, const std::string& comment);

// The configuration with these values instead of its own, line by line; options that it does not have follow at its
// end.
std::string laid_over(const std::string& text, const std::string& comment, std::map<std::string, std::string> values);

}  // namespace ptxlat::simulator
