#include "infer/cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "infer/conflict_set.h"
#include "infer/policy_search.h"
#include "infer/set_index.h"

namespace ptxlat::infer {

namespace {

using results::Fact;
using results::FactVerdict;

// What is found on the way; a fact without a value is undetermined for `reason`.
struct Findings {
  std::uint64_t sector_bytes = 0;
  std::uint64_t line_bytes = 0;
  std::size_t ways = 0;  // of the set that was found first
  std::optional<SetIndex> index;
  std::vector<std::size_t> set_sizes;  // where sets differ, largest first
  std::uint64_t fit_lines = 0;
  FoundPolicy policy;
  std::string reason;
};

// The smallest distance from the start of a line at which a second access misses.
std::uint64_t find_sector(Prober& prober) {
  const auto brings = [&](std::uint64_t distance) {
    const std::uint64_t base = 0;
    for (int round = 0; round < 2; ++round)
      if (prober.misses_from_cold({base, base + distance})[1]) return false;
    return true;
  };
  std::uint64_t apart = 1;
  while (apart < prober.span() && brings(apart)) apart *= 2;
  if (apart >= prober.span()) return 0;
  for (std::uint64_t inside = apart / 2; apart - inside > 1;) {
    const std::uint64_t middle = inside + (apart - inside) / 2;
    (brings(middle) ? inside : apart) = middle;
  }
  return apart;
}

// As many lines of a set as are in a conflict set less one, and that set; with the patience that the machine needs.
struct FullSet {
  Lines full, conflict;
  std::uint64_t capacity = 0;  // where lines run out before ways
};
FullSet find_full_set(Prober& prober, std::uint64_t sector) {
  constexpr std::size_t most_ways = 128;
  constexpr int most_patience = 512;
  for (; prober.patience() <= most_patience; prober.set_patience(8 * prober.patience())) {
    const auto conflict = find_conflict(prober, sector, most_ways);
    if (conflict.lines.empty()) return {{}, {}, conflict.capacity};
    // A machine that places lines at random while there is room misses for many laps before it comes to rest.
    const int patience = prober.patience();
    prober.set_patience(64 * patience);
    const bool is_conflict = !prober.fits(conflict.lines);
    prober.set_patience(patience);
    if (is_conflict) return {{conflict.lines.begin() + 1, conflict.lines.end()}, conflict.lines};
  }
  return {};
}

// The line's size where several members' extents agree and each begins at a multiple of it.
std::uint64_t find_line(Prober& prober, const FullSet& set) {
  std::uint64_t line = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(set.full.size(), 2); ++i) {
    const Extent extent = extent_of_line(prober, set.full, set.conflict, set.full[i]);
    const std::uint64_t bytes = extent.end - extent.begin;
    if (extent.begin % bytes != 0 || (line != 0 && bytes != line)) return 0;
    line = bytes;
  }
  return line;
}

std::size_t ways_of(Prober& prober, const SetIndex& index, std::uint64_t set, std::size_t about) {
  const auto fits = [&](std::size_t count) {
    const auto lines = index.lines_of(set, count, prober.span());
    return lines.size() == count && prober.fits(lines);
  };
  std::size_t good = 0, bad = about + 1;
  while (fits(bad)) {
    good = bad;
    bad *= 2;
  }
  if (good == 0 && fits(about)) return about;
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

// Lines of all sets, `size_of(set)` of each, a line of each set before the second of any.
template <class SizeOf>
Lines balanced(const Prober& prober, const SetIndex& index, const SizeOf& size_of) {
  std::vector<Lines> of_set(index.sets);
  std::size_t most = 0;
  for (std::uint64_t set = 0; set < index.sets; ++set) {
    of_set[set] = index.lines_of(set, size_of(set), prober.span());
    most = std::max(most, of_set[set].size());
  }
  Lines lines;
  for (std::size_t way = 0; way < most; ++way)
    for (const auto& one : of_set)
      if (way < one.size()) lines.push_back(one[way]);
  return lines;
}

void find_capacity(Prober& prober, Findings& found) {
  const SetIndex& index = *found.index;
  constexpr std::uint64_t few = 64;
  std::map<std::uint64_t, std::size_t> sizes;
  for (std::uint64_t i = 0; i < std::min(index.sets, few); ++i) {
    const std::uint64_t set = index.sets <= few ? i : prober.random()() % index.sets;
    if (!sizes.contains(set)) sizes[set] = ways_of(prober, index, set, found.ways);
    if (i >= 8 && index.sets > few) break;
  }
  const bool are_equal = std::all_of(sizes.begin(), sizes.end(), [&](const auto& s) { return s.second == found.ways; });
  if (!are_equal && index.sets > few) return;
  if (!are_equal) {
    for (const auto& [set, size] : sizes) found.set_sizes.push_back(size);
    std::sort(found.set_sizes.rbegin(), found.set_sizes.rend());
  }
  const auto lines = balanced(prober, index, [&](std::uint64_t set) { return are_equal ? found.ways : sizes.at(set); });
  std::size_t wanted = 0;
  for (std::uint64_t set = 0; set < index.sets; ++set) wanted += are_equal ? found.ways : sizes.at(set);
  if (lines.size() < wanted) return;  // the memory is too small to fill it
  const auto fits = [&](std::size_t count) {
    return prober.fits({lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(count)});
  };
  if (fits(lines.size())) {
    found.fit_lines = lines.size();
    return;
  }
  std::size_t good = 0, bad = lines.size();
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  found.fit_lines = good;
}

// Each step needs those before it.
void find_all(Prober& prober, Findings& found) {
  if (!prober.find_levels()) {
    found.reason = "first and second accesses take the same time";
    return;
  }
  found.sector_bytes = find_sector(prober);
  if (found.sector_bytes == 0) {
    found.reason = "one access brings all of the memory";
    return;
  }
  auto set = find_full_set(prober, found.sector_bytes);
  if (set.full.empty()) {
    found.fit_lines = set.capacity;
    found.reason = set.capacity != 0 ? "there are fewer lines than would fill a set that is found by their addresses"
                                     : "no lines were found that do not fit";
    return;
  }
  found.ways = set.full.size();
  found.line_bytes = find_line(prober, set);
  if (found.line_bytes == 0) {
    found.reason = "two lines gave different sizes of a line";
    return;
  }
  for (Lines* lines : {&set.full, &set.conflict})
    for (auto& line : *lines) line -= line % found.line_bytes;
  found.index = find_set_index(prober, set.full, found.line_bytes);
  Lines members = set.conflict;
  if (found.index) {
    found.reason.clear();
    const auto more = found.index->lines_of(found.index->set_of(members.front()), 2 * found.ways, prober.span());
    if (more.size() > members.size()) members = more;
    find_capacity(prober, found);
  } else {
    found.reason = "neither a modulus nor a linear hash predicts which lines share a set";
  }
  found.policy = find_policy(prober, members, found.ways);
}

Fact fact(const std::string& space, const std::string& quantity, const std::string& value, const std::string& unit,
          const std::string& how, const std::string& reason) {
  Fact made;
  made.quantity = space + "." + quantity;
  made.unit = unit;
  made.scope = "kind";
  made.how = value.empty() ? reason : how;
  made.verdict = value.empty() ? FactVerdict::undetermined : FactVerdict::inferred;
  made.value = value;
  return made;
}

std::vector<Fact> facts_of(const std::string& space, const Findings& found) {
  std::vector<Fact> facts;
  const auto count = [&](const char* quantity, std::uint64_t value, const char* unit, const std::string& how) {
    Fact made = fact(space, quantity, value == 0 ? "" : fmt::format("{}", value), unit, how, found.reason);
    if (value != 0) made.low = made.high = static_cast<double>(value);
    facts.push_back(std::move(made));
  };
  const auto words = [&](const char* quantity, const std::string& value, const std::string& how,
                         const std::string& reason) {
    facts.push_back(fact(space, quantity, value, "text", how, reason));
  };
  count("sector_bytes", found.sector_bytes, "bytes", "the nearest second access that misses");
  count("line_bytes", found.line_bytes, "bytes", "addresses that take one place together, in a full set");
  // Of sets that differ, what most of them have.
  const std::size_t ways = found.set_sizes.empty() ? found.ways : found.set_sizes[found.set_sizes.size() / 2];
  count("ways", ways, "count", "lines that do not fit, of which any one may go; less one");
  const std::string index_reason = found.reason.empty() ? "the sets were not found" : found.reason;
  count("tag_sets", found.index ? found.index->sets : 0, "count", "the set index, which predicted fresh lines");
  if (found.index) {
    const auto others = found.index->other_columns();
    const bool is_modulo = std::all_of(others.begin(), others.end(), [](auto column) { return column == 0; });
    words("index", is_modulo ? "modulo" : "hash",
          is_modulo ? "line number modulo sets, which predicted fresh lines"
                    : "exclusive or of address bits, which predicted fresh lines",
          "");
    std::vector<std::string> columns;
    for (const auto column : others) columns.push_back(fmt::format("{:#x}", column));
    words("hash_columns", fmt::format("{}", fmt::join(columns, " ")),
          "of the address bits that are not in the index themselves, from the lowest; the others are its unit vectors",
          "no address bit is left, or the number of sets is not a power of two");
  } else {
    words("index", "", "", index_reason);
    words("hash_columns", "", "", index_reason);
  }
  if (!found.set_sizes.empty()) {
    words("set_sizes", fmt::format("{}", fmt::join(found.set_sizes, " ")), "each set filled by itself", "");
    facts.back().unit = "count";
  }
  count("fit_lines", found.fit_lines, "count", "lines of all sets in turn, as many as fit");
  words("policy", found.policy.name,
        found.policy.name == "random" ? "equal accesses from cold had different outcomes"
                                      : fmt::format("predicted {} random strings of accesses", found.policy.strings),
        found.ways == 0 ? found.reason : "no policy that is known here predicts the evictions");
  if (!found.policy.victims.empty()) {
    std::vector<std::string> shares;
    for (const double share : found.policy.victims) shares.push_back(fmt::format("{:.3f}", share));
    words("victim_shares", fmt::format("{}", fmt::join(shares, " ")), "of the ways, in the order in which they fill",
          "");
    facts.back().unit = "count";
    facts.back().verdict = FactVerdict::measured;
  }
  return facts;
}

}  // namespace

std::vector<Fact> infer_cache(Machine& machine, std::uint64_t seed) {
  Findings found;
  const auto& operators = machine.info().operators;
  Prober prober(machine, operators.empty() ? "" : operators.front(), 0, seed);
  try {
    find_all(prober, found);
  } catch (const TooManyAccesses& error) {
    found.reason = error.what();
  }
  return facts_of(machine.info().space, found);
}

}  // namespace ptxlat::infer
