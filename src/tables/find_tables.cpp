// SPDX-License-Identifier: Apache-2.0
#include "tables/find_tables.h"

#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "tables/folder.h"

namespace ptxlat::tables {

namespace {

using Folders = std::vector<std::filesystem::path>;

bool is_readable(const std::filesystem::path& folder) { return ::access(folder.c_str(), R_OK | X_OK) == 0; }

void add_tables_below(const std::filesystem::path& folder, Folders& tables, Folders& unreadable) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) return;
  if (!is_readable(folder)) {
    unreadable.push_back(folder);
  } else if (has_table(folder)) {
    tables.push_back(folder);
  } else {
    for (const auto& entry : entries_of(folder)) {
      // A link to a table is one, but a link to what is above it would never end.
      if (!std::filesystem::is_symlink(entry, error) || has_table(entry)) add_tables_below(entry, tables, unreadable);
    }
  }
}

Folders tables_below(const std::filesystem::path& folder, Folders& unreadable) {
  Folders tables;
  add_tables_below(folder, tables, unreadable);
  return tables;
}

std::vector<std::string> glob_matches(const std::string& pattern) {
  glob_t matches{};
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), GLOB_TILDE, nullptr, &matches) == 0) {
    paths.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  }
  ::globfree(&matches);
  return paths;
}

// Folders in which ::glob would have looked for further matches: it passes over what it cannot read.
void add_unreadable_above(const std::string& pattern, Folders& unreadable) {
  for (auto slash = pattern.find('/', 1); slash != std::string::npos; slash = pattern.find('/', slash + 1)) {
    for (const std::string& folder : glob_matches(pattern.substr(0, slash))) {
      std::error_code ignored;
      if (std::filesystem::is_directory(folder, ignored) && !is_readable(folder)) unreadable.emplace_back(folder);
    }
  }
}

}  // namespace

bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    const auto digits = [](const std::string& text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const std::size_t begin = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return std::string_view(text).substr(begin, at - begin);
    };
    const std::string_view left = digits(a, i), right = digits(b, j);
    if (left.size() != right.size()) return left.size() < right.size();
    if (left != right) return left < right;
  }
  return a.size() - i < b.size() - j;
}

Folders find_tables(const std::string& name, Folders& unreadable) {
  Folders tables = tables_below(name, unreadable);
  if (tables.empty() && unreadable.empty()) {
    add_unreadable_above(name, unreadable);
    for (const std::string& match : glob_matches(name)) add_tables_below(match, tables, unreadable);
  }
  if (tables.empty() && !unreadable.empty()) throw file_error(unreadable.front(), "read", EACCES);
  if (tables.empty()) {
    throw Error(ExitCode::unknown_name, fmt::format("{} is not a table and does not contain one", name),
                fmt::format("Name a folder that has a {} or a {}, or a glob in quotes.", run_name, csv_name));
  }
  std::sort(tables.begin(), tables.end(), [](const std::filesystem::path& a, const std::filesystem::path& b) {
    return natural_less(a.string(), b.string());
  });
  tables.erase(std::unique(tables.begin(), tables.end()), tables.end());
  return tables;
}

Folders own_tables_of(const std::filesystem::path& table, Folders& unreadable) {
  auto tables = tables_below(table / "gpus", unreadable);
  std::sort(tables.begin(), tables.end());
  return tables;
}

}  // namespace ptxlat::tables
