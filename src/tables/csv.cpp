// SPDX-License-Identifier: Apache-2.0
#include "tables/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "tables/compression.h"
#include "tables/folder.h"

namespace ptxlat::tables {

std::optional<CsvText> read_csv_text(const std::filesystem::path& file) {
  std::error_code ignored;
  auto found = file;
  if (!std::filesystem::exists(found, ignored)) found += ".gz";
  if (!std::filesystem::exists(found, ignored)) return std::nullopt;
  if (found.extension() == ".gz") return CsvText{found.string(), unpacked(found, gunzip)};
  return CsvText{found.string(), read_file(found)};
}

void Field::fail(const std::string& what) const { row.fail(what); }

std::optional<double> number_in(const Field& field) {
  if (field.text.empty()) return std::nullopt;
  const auto value = number_in(field.text);
  if (!value) field.fail("not a number: " + cut_short(field.text));
  return value;
}

std::size_t count_in(const Field& field) {
  std::size_t value = 0;
  const auto* const end = field.text.data() + field.text.size();
  const auto [read, error] = std::from_chars(field.text.data(), end, value);
  if (!field.text.empty() && (error != std::errc() || read != end))
    field.fail("not an integer: " + cut_short(field.text));
  return value;
}

namespace {

int level_of(const Field& field, const std::string& word) {
  const int value = word.size() == 2 && word[0] == 'O' ? word[1] - '0' : -1;
  if (value < 0 || value > highest_level) field.fail("not a level such as O3: " + cut_short(word));
  return value;
}

}  // namespace

int level_in(const Field& field) { return level_of(field, field.text); }

std::vector<int> levels_in(const Field& field) {
  std::vector<int> levels;
  for (const auto& word : words_in(field.text, " ")) levels.push_back(level_of(field, word));
  if (std::adjacent_find(levels.begin(), levels.end(), std::greater_equal<>()) != levels.end())
    field.fail("levels are not in ascending order");
  return levels;
}

}  // namespace ptxlat::tables
