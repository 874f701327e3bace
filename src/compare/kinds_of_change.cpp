// SPDX-License-Identifier: Apache-2.0
#include "compare/kinds_of_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tables/overview.h"

namespace ptxlat::compare {

namespace {

constexpr std::size_t code_width = 100;
constexpr int highest_compared_level = 3;

// For the row's main number; an issue cost counts half.
double size_of_change(const Comparison& comparison, const Difference& row) {
  const auto doublings = [](const Numbers& numbers) {
    const auto ratio = numbers.ratio();
    return ratio && *ratio > 0 ? std::abs(std::log2(*ratio)) : 0;
  };
  double largest = doublings(headline_of(comparison, row));
  for (const auto* kind : comparison.others) largest = std::max(largest, doublings(numbers_of(row, kind->tag)) / 2);
  return largest;
}

double score_of(const Comparison& comparison, const Difference& row) {
  const auto& record = row.record();
  const bool is_optimised = !comparison.has_levels() || record.level >= highest_compared_level;
  return tables::commonness_of(record) * size_of_change(comparison, row) * (is_optimised ? 1 : 0.2);
}

// Not a function of CUDA C.
bool is_ptx(const std::string& form) { return form.find('.') != std::string::npos; }

template <class T>
void add_once(std::vector<T>& list, T value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(std::move(value));
}

}  // namespace

std::vector<KindOfChange> kinds_of_change(const Comparison& comparison) {
  std::vector<KindOfChange> kinds;
  std::map<std::string, std::size_t> place_of;
  CodeComparison code;
  for (const auto& row : comparison.rows) {
    const bool has_code = row.cause == Cause::other_sass || row.cause == Cause::other_stall_counts;
    if (row.a == nullptr || row.b == nullptr || !has_code) continue;
    auto text = row_text(comparison, row, code, code_width);
    const auto same_code = text.code.a.empty() ? tables::brief_opcodes(row.a->record.sass, code_width) : std::string{};
    const auto key = fmt::format("{}|{}|{}|{}|{}|{}", text.cycles, fmt::join(text.others, "|"), text.cause, text.code.a,
                                 text.code.b, same_code);
    const auto [place, is_new] = place_of.emplace(key, kinds.size());
    if (is_new) kinds.emplace_back();
    auto& kind = kinds[place->second];
    ++kind.rows;
    add_once(kind.forms,
             text.input.empty() ? fmt::format("`{}`", text.ptx) : fmt::format("`{}` ({})", text.ptx, text.input));
    if (!text.opt.empty()) add_once(kind.levels, text.opt);
    kind.score = std::max(kind.score, score_of(comparison, row));
    if (is_new) {
      kind.has_changed_number = has_changed_number(comparison, row);
      kind.text = std::move(text);
      kind.same_code = same_code;
    }
  }
  for (auto& kind : kinds) {
    std::sort(kind.levels.rbegin(), kind.levels.rend());
    std::stable_partition(kind.forms.begin(), kind.forms.end(), is_ptx);
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& x, const auto& y) { return x.score > y.score; });
  return kinds;
}

}  // namespace ptxlat::compare
