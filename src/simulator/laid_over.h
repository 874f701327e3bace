// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace ptxlat::simulator {

// The options of a configuration with a line "option value" for each; of several lines the last. What follows
// `comment` is not read.
std::map<std::string, std::string> options_in(const std::string& text, const std::string& comment);

// The configuration with these values instead of its own, line by line; options that it does not have follow at its
// end.
std::string laid_over(const std::string& text, const std::string& comment, std::map<std::string, std::string> values);

}  // namespace ptxlat::simulator
