// SPDX-License-Identifier: Apache-2.0
#include "memory/l2_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "series/series_groups.h"

namespace ptxlat::memory {

namespace {

constexpr std::int64_t checked_reach = 512, step = L2Talk::finest;  // bytes: the range that is checked around an access
constexpr std::size_t repeats_of_offset = 12;

// The loads and the names of their modifiers in facts: "cg64" is "cg" with the hint L2::64B.
std::vector<std::pair<std::string, std::string>> modifiers_of(const L2Talk& talk) {
  const std::string usual = talk.info().usual_operator();
  std::vector<std::pair<std::string, std::string>> found = {{usual, "none"}};
  for (const auto& with : talk.info().operators)
    if (with.size() > usual.size() && with.starts_with(usual)) found.emplace_back(with, with.substr(usual.size()));
  return found;
}

// How a sector is brought into the cache, and how its presence is detected.
struct Access {
  std::string with;
  int sm = 0;
  bool is_copy = false;  // into the near partition, from a home that has all of it
};

// For an access at `at` bytes from each of some bases: the offsets that it brought.
struct Footprint {
  std::int64_t begin = 0, end = 0;
  bool is_block = false;  // one piece, aligned to its size
};

Footprint footprint_of(L2Talk& talk, const Lines& bases, const HomeMask& mask, const L2Costs& costs,
                       const Access& access, int other, std::int64_t at) {
  const std::size_t offsets = static_cast<std::size_t>(2 * checked_reach / step);
  Lines first, second;
  for (std::size_t i = 0; i < offsets * repeats_of_offset; ++i) {
    const std::uint64_t base = bases[i % bases.size()];
    first.push_back(base + static_cast<std::uint64_t>(at));
    second.push_back(base - static_cast<std::uint64_t>(checked_reach) +
                     i / repeats_of_offset * static_cast<std::uint64_t>(step));
  }
  // A few at a time: the checks must not evict each other's lines, however small the cache.
  constexpr std::size_t at_once = 128;
  const std::string usual = talk.info().usual_operator();
  std::vector<FirstAndHot> seen;
  for (std::size_t begin = 0; begin < first.size(); begin += at_once) {
    const auto part = [&](const Lines& all) {
      return Lines(all.begin() + static_cast<std::ptrdiff_t>(begin),
                   all.begin() + static_cast<std::ptrdiff_t>(std::min(begin + at_once, all.size())));
    };
    talk.prepare();
    if (access.is_copy) {
      std::vector<Addresses> windows;
      for (const auto address : part(first))
        windows.push_back({address - static_cast<std::uint64_t>(at + checked_reach), step, offsets});
      talk.touch(windows, usual, other);
    }
    talk.touch(in_progressions(part(first)), access.with, access.sm);
    const auto timed = talk.first_and_hot(part(second), usual, costs.sm);
    seen.insert(seen.end(), timed.begin(), timed.end());
  }
  Footprint footprint;
  bool is_inside = false;
  int pieces = 0;
  for (std::size_t offset = 0; offset < offsets; ++offset) {
    std::size_t came = 0;
    for (std::size_t i = offset * repeats_of_offset; i < (offset + 1) * repeats_of_offset; ++i) {
      // The home of a base is known, and with the mask that of its neighbourhood.
      const bool is_at_home = std::popcount((bases[i % bases.size()] ^ second[i]) & mask.mask) % 2 == 0;
      const double extra = seen[i].extra();
      came += access.is_copy ? is_at_home && extra < costs.least_step() / 2 : !costs.is_miss(extra, is_at_home);
    }
    const bool is_here = 2 * came > repeats_of_offset;
    const std::int64_t position = static_cast<std::int64_t>(offset) * step - checked_reach;
    if (is_here && !is_inside) {
      ++pieces;
      footprint.begin = position;
    }
    if (is_here) footprint.end = position + step;
    is_inside = is_here;
  }
  const std::int64_t bytes = footprint.end - footprint.begin;
  footprint.is_block = pieces == 1 && footprint.begin <= at && at < footprint.end && footprint.begin % bytes == 0;
  return footprint;
}

// The size of the blocks that accesses at several places bring, if each brings a whole block.
//   part  if one of them brought only this much of a block that others brought
//   why   one of them brought something different
struct Block {
  std::uint64_t bytes = 0, part = 0;
  std::string why;
};
Block block_of(L2Talk& talk, const Lines& bases, const HomeMask& mask, const L2Costs& costs, const Access& access,
               int other) {
  std::int64_t bytes = 0;
  std::vector<std::int64_t> places = {0};
  // As long as the home is that of the base.
  std::int64_t most = checked_reach / 2;
  if (mask.mask != 0) most = std::min(most, std::int64_t{1} << std::countr_zero(mask.mask));
  for (int i = 0; i < 3; ++i) places.push_back(static_cast<std::int64_t>(talk.random()() % (most / step)) * step);
  for (const auto at : places) {
    const Footprint footprint = footprint_of(talk, bases, mask, costs, access, other, at);
    const std::int64_t here = footprint.end - footprint.begin;
    if (!footprint.is_block || (bytes != 0 && here != bytes)) {
      Block found;
      found.why = fmt::format("an access at {} brought bytes {} to {}{}", at, footprint.begin, footprint.end,
                              bytes != 0 ? fmt::format(", one before it {} bytes", bytes) : "");
      const auto begin = bytes != 0 ? at - at % bytes : 0;
      if (!footprint.is_block || footprint.begin < begin || footprint.end > begin + bytes) return found;
      found.bytes = static_cast<std::uint64_t>(bytes);
      found.part = static_cast<std::uint64_t>(here);
      return found;
    }
    bytes = here;
  }
  return {static_cast<std::uint64_t>(bytes), 0, ""};
}

}  // namespace

std::vector<results::Fact> no_fetches(const L2Talk& talk, const std::string& reason) {
  std::vector<results::Fact> facts = {series::inferred("l2.sector_bytes", "", "bytes", "", reason)};
  for (const auto& [with, modifier] : modifiers_of(talk))
    facts.emplace_back(series::inferred("l2.fetch_bytes", "", "bytes", "", reason)).condition = "modifier=" + modifier;
  return facts;
}

Fetches find_fetches(L2Talk& talk, const Homes& homes, const HomeMask& mask, const L2Costs& costs) {
  constexpr std::size_t base_count = 2 * checked_reach / step * repeats_of_offset;
  const auto bases_at = [&](int side) {
    Lines bases;
    for (const auto line : lines_at(talk, homes, side, base_count))
      if (line >= L2Talk::spacing) bases.push_back(line);
    std::sort(bases.begin(), bases.end());
    // Two neighbouring accesses would see each other's data.
    bases.erase(std::unique(bases.begin(), bases.end()), bases.end());
    std::shuffle(bases.begin(), bases.end(), talk.random());
    return bases;
  };
  const Lines near = bases_at(costs.side);
  Fetches found;
  std::string how_sector;
  const auto smallest = [&](const Block& block, const std::string& what) {
    if (block.bytes == 0 || block.part != 0) return;
    if (found.sector_bytes != 0 && block.bytes >= found.sector_bytes) return;
    found.sector_bytes = block.bytes;
    how_sector = "the smallest aligned block that any access brings: " + what;
  };
  if (near.empty()) return {0, no_fetches(talk, "no lines near")};
  for (const auto& [with, modifier] : modifiers_of(talk)) {
    const auto block = block_of(talk, near, mask, costs, {with, costs.sm}, 0);
    smallest(block, with);
    auto& fact = found.facts.emplace_back(
        series::inferred("l2.fetch_bytes", block.bytes, "bytes",
                         "what other loads find after one: an aligned block at four places", block.why));
    fact.condition = "modifier=" + modifier;
    if (block.part == 0) continue;
    // Like a prefetch that only goes forward.
    fact.verdict = results::FactVerdict::measured;
    fact.low = static_cast<double>(block.part);
    fact.how = "what other loads find after one: an aligned block, or the part of it that begins with the access; " +
               block.why;
  }
  std::string why;
  const auto try_also = [&](const Block& block, const std::string& what) {
    smallest(block, what);
    if (!block.why.empty()) why = block.why;
  };
  if (talk.has("atom")) try_also(block_of(talk, near, mask, costs, {"atom", costs.sm}, 0), "atom");
  if (homes.are_two() && costs.copies_near) {
    const Lines far = bases_at(1 - costs.side);
    const int other = homes.sms_of(1 - costs.side, 1).front();
    if (!far.empty())
      try_also(block_of(talk, far, mask, costs, {talk.info().usual_operator(), costs.sm, true}, other),
               "copies of far lines");
  }
  auto& sector = *found.facts.insert(found.facts.begin(),
                                     series::inferred("l2.sector_bytes", found.sector_bytes, "bytes", how_sector, why));
  if (found.sector_bytes != 0) sector.verdict = results::FactVerdict::measured;
  return found;
}

}  // namespace ptxlat::memory
