#include "report/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "report/code_change.h"

namespace ptxlat {

namespace {

// Matches cells; views into the records, since a table may have tens of thousands.
struct Key {
  std::string_view ptx, operand, input;
  int level = 0;

  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const std::hash<std::string_view> hash;
    std::size_t value = static_cast<std::size_t>(key.level);
    for (const std::string_view part : {key.ptx, key.operand, key.input}) value = value * 1000003 ^ hash(part);
    return value;
  }
};

Cause cause_of(const Side& a, const Side& b, const Difference& pair) {
  const std::optional<double> a_number = headline(*a.table, *pair.a);
  const std::optional<double> b_number = headline(*b.table, *pair.b);
  if (a_number.has_value() != b_number.has_value()) return Cause::other_verdict;
  if (!a_number && pair.a->verdict != pair.b->verdict) return Cause::other_verdict;
  switch (code_change(*pair.a, *pair.b)) {
    case CodeChange::opcodes:
      return Cause::other_sass;
    case CodeChange::schedule:
      return Cause::other_stall_counts;
    case CodeChange::none:
      break;
  }
  return a_number == b_number ? Cause::unchanged : Cause::same_code;
}

// How far the numbers are apart, the same for twice as fast and twice as slow.
double relative_change(const std::optional<Numbers>& numbers) {
  if (!numbers || numbers->a == numbers->b) return 0;
  if (numbers->a <= 0 || numbers->b <= 0) return std::numeric_limits<double>::infinity();
  return std::abs(std::log(numbers->b / numbers->a));
}

int rank_of(Cause cause) {
  constexpr std::array order = {Cause::other_sass,    Cause::other_stall_counts, Cause::same_code,
                                Cause::other_verdict, Cause::only_in_a,          Cause::only_in_b};
  return static_cast<int>(std::find(order.begin(), order.end(), cause) - order.begin());
}

void sort_by_interest(const Side& a, const Side& b, std::vector<Difference>& rows) {
  struct Interest {
    int rank;
    double change;
    std::size_t index;
  };
  std::vector<Interest> interests;
  interests.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    interests.push_back({rank_of(rows[i].cause), relative_change(numbers_of(a, b, rows[i])), i});
  }
  std::stable_sort(interests.begin(), interests.end(), [](const Interest& left, const Interest& right) {
    return left.rank != right.rank ? left.rank < right.rank : left.change > right.change;
  });
  std::vector<Difference> sorted;
  sorted.reserve(rows.size());
  for (const Interest& interest : interests) sorted.push_back(rows[interest.index]);
  rows = std::move(sorted);
}

std::optional<int> level_of(const Side& side, const Side& other) { return side.level ? side.level : other.level; }

}  // namespace

const char* to_string(Cause cause) {
  switch (cause) {
    case Cause::unchanged:
      return "unchanged";
    case Cause::other_sass:
      return "other SASS";
    case Cause::other_stall_counts:
      return "other stall counts";
    case Cause::same_code:
      return "same code";
    case Cause::only_in_a:
      return "only in A";
    case Cause::only_in_b:
      return "only in B";
    case Cause::other_verdict:
      return "other verdict";
  }
  return "?";
}

std::optional<Numbers> numbers_of(const Side& a, const Side& b, const Difference& row) {
  if (!row.a || !row.b) return std::nullopt;
  const std::optional<double> a_number = headline(*a.table, *row.a);
  const std::optional<double> b_number = headline(*b.table, *row.b);
  if (!a_number || !b_number) return std::nullopt;
  return Numbers{a_number.value_or(0), b_number.value_or(0)};
}

std::vector<Difference> compare(const Side& a, const Side& b) {
  const std::optional<int> a_level = level_of(a, b);
  const std::optional<int> b_level = level_of(b, a);
  const auto key_of_cell = [&](const CellRecord& cell) {
    return Key{cell.ptx, cell.operand, cell.input, a_level ? 0 : cell.level};
  };

  std::unordered_map<Key, const CellRecord*, KeyHash> unmatched;
  unmatched.reserve(b.table->cells.size());
  for (const CellRecord& cell : b.table->cells) {
    if (!b_level || cell.level == *b_level) unmatched.emplace(key_of_cell(cell), &cell);
  }
  std::vector<Difference> rows;
  for (const CellRecord& cell : a.table->cells) {
    if (a_level && cell.level != *a_level) continue;
    const auto found = unmatched.find(key_of_cell(cell));
    if (found == unmatched.end()) {
      rows.push_back({&cell, nullptr, Cause::only_in_a, 0});
      continue;
    }
    Difference pair{&cell, found->second, Cause::unchanged, 0};
    unmatched.erase(found);
    pair.cause = cause_of(a, b, pair);
    if (pair.cause == Cause::unchanged) continue;
    if (const std::optional<Numbers> numbers = numbers_of(a, b, pair)) pair.cycles_change = numbers->b - numbers->a;
    rows.push_back(pair);
  }
  for (const CellRecord& cell : b.table->cells) {
    const auto found = unmatched.find(key_of_cell(cell));
    if (found != unmatched.end() && found->second == &cell) rows.push_back({nullptr, &cell, Cause::only_in_b, 0});
  }
  sort_by_interest(a, b, rows);
  return rows;
}

}  // namespace ptxlat
