// SPDX-License-Identifier: Apache-2.0
#include "memory/set_index.h"

#include <algorithm>
#include <bit>
#include <set>

#include "memory/prober.h"
#include "memory/structure.h"

namespace ptxlat::memory {

namespace {

// Whether one of the candidates belongs to the set that `full` fills. No two candidates may be in the same set. They
// are tested together, as far as nothing that is known keeps them apart.
bool has_member(Prober& prober, const Structure& known, const Lines& full, const Lines& candidates) {
  for (auto next = candidates.begin(); next != candidates.end();) {
    Lines lines = full;
    Occupancy occupancy(known);
    for (const auto line : full) occupancy.add(line);
    const auto first = next;
    while (next != candidates.end() && occupancy.add(*next)) lines.push_back(*next++);
    if (next == first) {
      ++next;  // not even alone
      continue;
    }
    if (!prober.fits(lines)) return true;
  }
  return false;
}

// A modulus m > 0 such that lines m apart share a set and closer ones do not: from the first line after a member that
// is in its set. Consecutive lines are in different sets until then.
std::uint64_t first_repetition(Prober& prober, const Structure& known, const Lines& full, std::uint64_t first,
                               std::uint64_t line_bytes) {
  const std::uint64_t most = (prober.span() - first) / line_bytes - 1;
  const auto following = [&](std::uint64_t count) {
    Lines lines;
    for (std::uint64_t i = 1; i <= count; ++i) {
      const std::uint64_t line = first + i * line_bytes;
      if (std::find(full.begin(), full.end(), line) == full.end()) lines.push_back(line);
    }
    return lines;
  };
  // A member among them shows immediately where the set repeats.
  std::uint64_t nearest = most + 1;
  for (const std::uint64_t line : full)
    if (line > first) nearest = std::min(nearest, (line - first) / line_bytes);
  std::uint64_t without = 0, with = 1;
  while (with < nearest && !has_member(prober, known, full, following(with))) {
    without = with;
    with = std::min(2 * with, nearest);
  }
  if (with >= nearest) {
    with = nearest;
    if (with > most) return 0;
    if (with - without > 1 && !has_member(prober, known, full, following(with - 1))) return with;
    --with;
    if (with <= without) return nearest;
  }
  return 1 +
         last_that_holds(without, with, [&](auto count) { return !has_member(prober, known, full, following(count)); });
}

// Whether the index agrees with the machine on new lines, half of which are in the set.
bool predicts(Prober& prober, const Structure& known, const Lines& full, const SetIndex& index) {
  constexpr int rounds = 24;
  const std::uint64_t set = index.set_of(full.front());
  const std::uint64_t lines = prober.span() / index.line_bytes;
  const auto is_taken = [&](std::uint64_t line) { return std::find(full.begin(), full.end(), line) != full.end(); };
  int members = 0, others = 0;
  for (int tries = 0; tries < 64 * rounds && members + others < 2 * rounds; ++tries) {
    std::uint64_t line = prober.random()() % lines * index.line_bytes;
    if (members < rounds && index.sets > 1) {
      // Random lines are seldom in the set: this one is moved into it.
      if (index.columns.empty()) {
        line -= (line / index.line_bytes % index.sets) * index.line_bytes;
        line += set * index.line_bytes;
        if (line >= prober.span()) continue;
      } else {
        std::uint64_t wrong = index.set_of(line) ^ set;
        for (std::size_t bit = 0, unit = 0; bit < index.columns.size(); ++bit) {
          if (index.columns[bit] != std::uint64_t{1} << unit) continue;
          if (wrong >> unit & 1) line ^= index.line_bytes << bit;
          ++unit;
        }
      }
    }
    if (is_taken(line)) continue;
    const bool is_member = index.set_of(line) == set;
    int& count = is_member ? members : others;
    if (count >= rounds) continue;
    ++count;
    if (has_member(prober, known, full, {line}) != is_member) return false;
  }
  return true;
}

int bits_of_lines(const Prober& prober, std::uint64_t line_bytes) {
  return std::countr_zero(prober.span()) - std::countr_zero(line_bytes);
}

std::optional<SetIndex> find_modulus(Prober& prober, const Structure& known, const Lines& full,
                                     std::uint64_t line_bytes) {
  const std::uint64_t first = *std::min_element(full.begin(), full.end());
  SetIndex index{line_bytes, first_repetition(prober, known, full, first, line_bytes), {}};
  if (index.sets == 0 || !predicts(prober, known, full, index)) return std::nullopt;
  if (std::has_single_bit(index.sets) && std::has_single_bit(line_bytes)) {
    // The hash that takes the bits unchanged.
    for (int bit = 0; bit < bits_of_lines(prober, line_bytes); ++bit)
      index.columns.push_back(bit < std::countr_zero(index.sets) ? std::uint64_t{1} << bit : 0);
  }
  return index;
}

// Column by column. Let B be bits whose columns are independent: of the lines that differ from a member in bits of B
// only, each is in a set of its own, and the same holds after one more bit is flipped in all of them. If one of those
// is in the member's set, the bit's column is the combination of B by which that line differs; if none is, it is
// independent of B. Bisection finds which one.
std::optional<SetIndex> find_hash(Prober& prober, const Structure& known, const Lines& full, std::uint64_t line_bytes) {
  if (!std::has_single_bit(line_bytes)) return std::nullopt;
  const std::uint64_t member = full.front() & ~(line_bytes - 1);
  const std::set<std::uint64_t> members(full.begin(), full.end());
  const int bits = bits_of_lines(prober, line_bytes);
  SetIndex index{line_bytes, 1, {}};
  std::vector<std::uint64_t> basis;  // masks of address bits, one for each unit vector
  for (int bit = 0; bit < bits; ++bit) {
    const std::uint64_t flipped = member ^ (line_bytes << bit);
    const auto line_by = [&](std::uint64_t combination) {
      std::uint64_t line = flipped;
      for (std::size_t i = 0; i < basis.size(); ++i)
        if (combination >> i & 1) line ^= basis[i];
      return line;
    };
    const auto among = [&](std::uint64_t begin, std::uint64_t end) -> bool {
      Lines lines;
      for (std::uint64_t v = begin; v < end; ++v) {
        const std::uint64_t line = line_by(v);
        if (members.contains(line)) return true;
        lines.push_back(line);
      }
      return has_member(prober, known, full, lines);
    };
    std::uint64_t begin = 0, end = std::uint64_t{1} << basis.size();
    if (!among(begin, end)) {
      if (basis.size() == 24) return std::nullopt;
      index.columns.push_back(end);
      basis.push_back(line_bytes << bit);
      continue;
    }
    while (end - begin > 1) {
      const std::uint64_t middle = begin + (end - begin) / 2;
      (among(begin, middle) ? end : begin) = middle;
    }
    index.columns.push_back(begin);
  }
  index.sets = std::uint64_t{1} << basis.size();
  if (!predicts(prober, known, full, index)) return std::nullopt;
  return index;
}

}  // namespace

std::optional<SetIndex> find_set_index(Prober& prober, const Lines& full, std::uint64_t line_bytes,
                                       const Structure& known) {
  if (auto index = find_modulus(prober, known, full, line_bytes)) return index;
  return find_hash(prober, known, full, line_bytes);
}

std::uint64_t SetIndex::set_of(std::uint64_t address) const {
  std::uint64_t line = address / line_bytes;
  if (columns.empty()) return line % sets;
  std::uint64_t set = 0;
  for (std::size_t bit = 0; bit < columns.size(); ++bit, line >>= 1)
    if (line & 1) set ^= columns[bit];
  return set;
}

std::vector<std::uint64_t> SetIndex::other_columns() const {
  std::vector<std::uint64_t> others;
  std::uint64_t unit = 1;
  for (const auto column : columns) {
    if (column == unit) {
      unit *= 2;
    } else {
      others.push_back(column);
    }
  }
  return others;
}

Lines SetIndex::lines_of(std::uint64_t set, std::size_t count, std::uint64_t span) const {
  Lines lines;
  if (columns.empty()) {
    for (std::uint64_t line = set; lines.size() < count && (line + 1) * line_bytes <= span; line += sets)
      lines.push_back(line * line_bytes);
    return lines;
  }
  // For every choice of the bits that are not unit vectors, there is one of those that are.
  std::vector<std::uint64_t> units, others;
  for (std::size_t bit = 0; bit < columns.size(); ++bit)
    (columns[bit] == std::uint64_t{1} << units.size() ? units : others).push_back(line_bytes << bit);
  for (std::uint64_t choice = 0; lines.size() < count && choice >> others.size() == 0; ++choice) {
    std::uint64_t line = 0;
    for (std::size_t i = 0; i < others.size(); ++i)
      if (choice >> i & 1) line |= others[i];
    const std::uint64_t wrong = set_of(line) ^ set;
    for (std::size_t i = 0; i < units.size(); ++i)
      if (wrong >> i & 1) line |= units[i];
    lines.push_back(line);
  }
  return lines;
}

Lines SetIndex::lines_above(std::uint64_t set, std::size_t count, std::uint64_t half) const {
  Lines lines;
  if (columns.empty()) {
    const std::uint64_t first = (half + line_bytes - 1) / line_bytes;
    for (std::uint64_t line = first + (set + sets - first % sets) % sets;
         lines.size() < count && (line + 1) * line_bytes <= 2 * half; line += sets)
      lines.push_back(line * line_bytes);
    return lines;
  }
  lines = lines_of(set ^ set_of(half), count, half);
  for (auto& line : lines) line |= half;
  return lines;
}

Extent extent_of_line(Prober& prober, const Lines& full, const Lines& conflict, std::uint64_t address) {
  // In the same line: it takes no additional place next to the full set, and it can replace the member in the conflict
  // set.
  const auto is_same_line = [&](std::uint64_t other) {
    if (other >= prober.info().bytes) return false;
    if (has_member(prober, {}, full, {other})) return false;
    Lines replaced = conflict;
    std::replace(replaced.begin(), replaced.end(), address, other);
    return !prober.fits(replaced);
  };
  const auto after = last_that_holds([&](std::uint64_t bytes) { return is_same_line(address + bytes); });
  const auto before =
      last_that_holds([&](std::uint64_t bytes) { return bytes <= address && is_same_line(address - bytes); });
  return {address - before, address + after + 1};
}

}  // namespace ptxlat::memory
