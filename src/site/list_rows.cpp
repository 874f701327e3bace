// SPDX-License-Identifier: Apache-2.0
#include "site/list_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "tables/operands.h"

namespace ptxlat::site {

namespace {

// Ours have a twentieth of it. Forms share rows, so that two short files could make any number.
constexpr std::size_t most_list_rows = 4'000'000;

using RowsAtLevels = std::array<int, level_count>;
constexpr RowsAtLevels no_rows{no_row, no_row, no_row, no_row, no_row};

// The forms whose rows a spelling has at each level, as places in Names.
using Forms = std::array<int, level_count>;

// The rows of each form at each level.
using FormRows = std::unordered_map<int, std::array<std::vector<int>, level_count>>;

FormRows rows_of_forms(const SiteTable& table, const Names& names) {
  FormRows rows;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    auto& of_form = rows[static_cast<int>(names.place.at(table.rows[i].record.ptx))];
    for (const int level : table.rows[i].levels)
      of_form[static_cast<std::size_t>(level)].push_back(static_cast<int>(i));
  }
  return rows;
}

// Whether a list would show the same, in every column that it can have.
bool are_alike(const tables::Cell& a, const tables::Cell& b) {
  const results::Record &left = a.record, &right = b.record;
  const auto& kinds = results::metric_kinds();
  return left.ptx == right.ptx && left.sass == right.sass && left.sass_count == right.sass_count &&
         left.verdict == right.verdict && left.measure == right.measure && left.consumer == right.consumer &&
         left.note == right.note && a.static_is_lower_bound == b.static_is_lower_bound &&
         std::all_of(kinds.begin(), kinds.end(), [&](const results::MetricKind& kind) {
           return !kind.use.is_column || left.number(kind.tag) == right.number(kind.tag);
         });
}

bool are_alike(const SiteTable& table, const RowsAtLevels& a, const RowsAtLevels& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [&](int left, int right) {
    if (left == right) return true;
    return left != no_row && right != no_row &&
           are_alike(table.rows[static_cast<std::size_t>(left)], table.rows[static_cast<std::size_t>(right)]);
  });
}

// Rows may have different operands at different levels, so they are matched operand by operand; operands of which
// everything shown is the same are one row again.
std::vector<ListRow> join(const SiteTable& table, const FormRows& rows, const Forms& forms) {
  struct Part {
    std::string_view operand, input;
    RowsAtLevels rows = no_rows;
  };
  std::vector<Part> parts;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> index;
  // The highest level first: its order is the one that is shown.
  for (std::size_t level = level_count; level-- > 0;) {
    const auto found = rows.find(forms[level]);
    if (found == rows.end()) continue;
    for (const int row : found->second[level]) {
      const auto& record = table.rows[static_cast<std::size_t>(row)].record;
      for (const auto operand : tables::operands_of(record.operand)) {
        const auto [place, is_new] = index.emplace(std::pair(operand, std::string_view(record.input)), parts.size());
        if (is_new) parts.push_back({operand, record.input, no_rows});
        parts[place->second].rows[level] = row;
      }
    }
  }
  std::vector<ListRow> joined;
  for (const Part& part : parts) {
    const auto same = std::find_if(joined.begin(), joined.end(), [&](const ListRow& row) {
      return row.input == part.input && are_alike(table, row.rows, part.rows);
    });
    if (same == joined.end()) {
      joined.push_back({std::string(part.operand), std::string(part.input), part.rows});
    } else {
      same->operand += fmt::format(" {}", part.operand);
    }
  }
  return joined;
}

struct Spelled {
  Forms forms{no_row, no_row, no_row, no_row, no_row};
  const tables::Spelling* highest = nullptr;
};

}  // namespace

ListRows list_rows_of(const SiteTable& table, const Names& names) {
  std::map<int, Spelled> spelled;
  std::set<int> levels;
  for (const auto& spelling : table.spellings) {
    Spelled& one = spelled[static_cast<int>(names.place.at(spelling.ptx))];
    if (one.highest == nullptr || one.highest->level < spelling.level) one.highest = &spelling;
    levels.insert(spelling.level);
    const auto row = names.place.find(spelling.row);
    if (!spelling.row.empty() && row != names.place.end())
      one.forms[static_cast<std::size_t>(spelling.level)] = static_cast<int>(row->second);
  }
  const FormRows rows = rows_of_forms(table, names);
  ListRows result;
  result.levels.assign(levels.begin(), levels.end());
  std::map<Forms, int> groups;
  std::size_t count = 0;
  for (const auto& [name, one] : spelled) {
    ListedSpelling listed{name, no_row, one.highest->reason, one.highest->note};
    const auto [group, is_new] = groups.emplace(one.forms, static_cast<int>(result.groups.size()));
    if (is_new) {
      result.groups.push_back(join(table, rows, one.forms));
      count += result.groups.back().size();
      if (count > most_list_rows) {
        throw Error(ExitCode::storage,
                    table.folder.string() + ": its forms and rows make more rows than a list of a site can have",
                    "Export the table again from its store.");
      }
    }
    if (!result.groups[static_cast<std::size_t>(group->second)].empty()) listed.group = group->second;
    result.spellings.push_back(std::move(listed));
  }
  return result;
}

}  // namespace ptxlat::site
