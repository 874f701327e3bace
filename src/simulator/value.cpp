// SPDX-License-Identifier: Apache-2.0
#include "simulator/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/expression.h"
#include "tables/number.h"

namespace ptxlat::simulator {

namespace {

enum class Kind { text, expression, star };
struct Part {
  Kind kind;
  std::string text;
};

std::vector<Part> parts_of(const std::string& value) {
  std::vector<Part> parts;
  for (std::size_t at = 0; at < value.size();) {
    if (value[at] == '{') {
      const auto end = value.find('}', at);
      if (end == std::string::npos) throw std::invalid_argument(fmt::format("no closing brace in \"{}\"", value));
      parts.push_back({Kind::expression, value.substr(at + 1, end - at - 1)});
      at = end + 1;
    } else if (value[at] == '*') {
      parts.push_back({Kind::star, ""});
      ++at;
    } else {
      const auto end = std::min(value.find_first_of("{*", at), value.size());
      parts.push_back({Kind::text, value.substr(at, end - at)});
      at = end;
    }
  }
  return parts;
}

// The texts that the stars stand for in `base`: an expression and a star are a field of it, a star at the end all that
// follows.
std::vector<std::string> texts_of_stars(const Option& option, const std::vector<Part>& parts, const std::string& base) {
  std::vector<std::string> texts;
  std::size_t at = 0;
  bool fits = true;
  for (const auto& part : parts) {
    if (part.kind == Kind::text) {
      fits = fits && base.compare(at, part.text.size(), part.text) == 0;
      at = std::min(at + part.text.size(), base.size());
      continue;
    }
    const bool is_rest = part.kind == Kind::star && &part == &parts.back();
    const auto end = is_rest ? base.size() : std::min(base.find_first_of(":,", at), base.size());
    if (part.kind == Kind::star) texts.push_back(base.substr(at, end - at));
    at = end;
  }
  if (!fits || at < base.size())
    throw std::invalid_argument(fmt::format("\"{}\" does not have the shape {}", base, option.value));
  return texts;
}

std::string rounded(double value, int digits) {
  auto text = fmt::format("{:.{}f}", value, digits);
  if (digits > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string filled(const std::string& expression, int digits, const std::map<std::string, std::string>& answers) {
  if (const auto word = answers.find(expression); word != answers.end() && !tables::number_in(word->second))
    return word->second;
  RealNames numbers;
  for (const auto& [name, answer] : answers) {
    if (const auto number = tables::number_in(answer)) numbers[name] = *number;
  }
  return rounded(evaluate_real(expression, numbers), digits);
}

}  // namespace

bool has_stars(const Option& option) {
  const auto parts = parts_of(option.value);
  return std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.kind == Kind::star; });
}

std::string fill(const Option& option, const std::map<std::string, std::string>& answers,
                 const std::optional<std::string>& base) {
  const auto parts = parts_of(option.value);
  std::vector<std::string> stars;
  if (has_stars(option)) {
    if (!base) throw std::invalid_argument("only a part of it is measured; --base gives the rest");
    stars = texts_of_stars(option, parts, *base);
  }
  std::string text;
  auto star = stars.begin();
  for (const auto& part : parts) {
    if (part.kind == Kind::text) text += part.text;
    if (part.kind == Kind::expression) text += filled(part.text, option.digits, answers);
    if (part.kind == Kind::star) text += *star++;
  }
  return text;
}

void check_value(const Option& option) {
  // Any numbers whose differences are not zero.
  RealNames numbers;
  for (const auto& query : option.queries) numbers[query.name] = std::sqrt(static_cast<double>(numbers.size() + 2));
  for (const auto& part : parts_of(option.value)) {
    if (part.kind == Kind::expression) static_cast<void>(evaluate_real(part.text, numbers));
  }
}

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
