// SPDX-License-Identifier: Apache-2.0
#include "simulator/laid_over.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

namespace ptxlat::simulator {

namespace {

constexpr const char* space = " \t\r";

// The option and the value of a line; both empty if it has no option.
std::pair<std::string, std::string> option_in(std::string line, const std::string& comment) {
  line.erase(std::min(line.find(comment), line.size()));
  const auto begin = line.find_first_not_of(space);
  if (begin == std::string::npos) return {};
  const auto end = std::min(line.find_first_of(space, begin), line.size());
  const auto value = line.find_first_not_of(space, end);
  if (value == std::string::npos) return {line.substr(begin, end - begin), ""};
  return {line.substr(begin, end - begin), line.substr(value, line.find_last_not_of(space) + 1 - value)};
}

}  // namespace

std::map<std::string, std::string> options_in(const std::string& text, const std::string& comment) {
  std::map<std::string, std::string> options;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (auto [option, value] = option_in(line, comment); !option.empty()) options[option] = value;
  }
  return options;
}

std::string laid_over(const std::string& text, const std::string& comment, std::map<std::string, std::string> values) {
  std::string result;
  std::set<std::string> written;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto found = values.find(option_in(line, comment).first);
    if (found != values.end()) {
      written.insert(found->first);
      line = fmt::format("{} {}", found->first, found->second);
    }
    result += line + '\n';
  }
  for (const auto& [option, value] : values) {
    if (!written.contains(option)) result += fmt::format("{} {}\n", option, value);
  }
  return result;
}

}  // namespace ptxlat::simulator
