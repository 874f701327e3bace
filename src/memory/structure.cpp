// SPDX-License-Identifier: Apache-2.0
#include "memory/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ptxlat::memory {

std::size_t SetLimit::size_of(std::uint64_t set) const {
  const auto found = sizes.find(set);
  return found == sizes.end() ? ways : found->second;
}

std::uint64_t SetLimit::lines() const {
  std::uint64_t all = index.sets * ways;
  for (const auto& [set, size] : sizes) all += size - ways;
  return all;
}

bool Occupancy::add(std::uint64_t line) {
  if (structure_.most_lines != 0 && lines_ == structure_.most_lines) return false;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto& limit = structure_.limits[i];
    const auto set = limit.index.set_of(line);
    if (counts_[i][set] == limit.size_of(set)) return false;
  }
  for (std::size_t i = 0; i < counts_.size(); ++i) ++counts_[i][structure_.limits[i].index.set_of(line)];
  ++lines_;
  return true;
}

std::size_t longest_that_fits(const Structure& structure, const Lines& lines) {
  Occupancy occupancy(structure);
  std::size_t count = 0;
  while (count < lines.size() && occupancy.add(lines[count])) ++count;
  return count;
}

Lines lines_that_fill(const Structure& structure, std::uint64_t line_bytes, std::uint64_t span) {
  std::uint64_t most = structure.most_lines == 0 ? span / line_bytes : structure.most_lines;
  for (const auto& limit : structure.limits) most = std::min(most, limit.lines());
  Occupancy occupancy(structure);
  Lines lines;
  for (std::uint64_t line = 0; line + line_bytes <= span && lines.size() < most; line += line_bytes)
    if (occupancy.add(line)) lines.push_back(line);
  return lines;
}

namespace {

// An order of lines, of which a part fits.
struct Pool {
  std::string what;
  Lines lines;
};

Pool pool_of_stride(std::uint64_t stride, std::uint64_t most, std::uint64_t span) {
  Pool pool{fmt::format("stride {}", stride), {}};
  for (std::uint64_t i = 0; i < most && (i + 1) * stride <= span; ++i) pool.lines.push_back(i * stride);
  return pool;
}

Pool random_pool(Prober& prober, std::uint64_t unit, std::uint64_t most) {
  const std::uint64_t all = prober.span() / unit;
  Pool pool{"random lines", {}};
  std::set<std::uint64_t> taken;
  while (taken.size() < std::min(most, all / 4)) {
    const std::uint64_t line = prober.random()() % all * unit;
    if (taken.insert(line).second) pool.lines.push_back(line);
  }
  return pool;
}

// Noise does not disagree three times.
bool always(bool expected, Prober& prober, const Lines& lines, std::size_t count) {
  constexpr int tries = 3;
  const Lines some(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(count));
  for (int i = 0; i < tries; ++i)
    if (prober.fits(some) == expected) return true;
  return false;
}

std::optional<Disagreement> disagreement_on(Prober& prober, const Structure& structure, Pool pool) {
  // Laps over more lines than a launch can access are not possible.
  const std::uint64_t most = prober.info().most_accesses / static_cast<std::uint64_t>(prober.patience());
  if (pool.lines.size() > most) pool.lines.resize(most);
  const std::size_t expected = longest_that_fits(structure, pool.lines);
  // A line or two may be taken by what runs beside the accesses.
  const std::size_t slack = expected / 100;
  if (const std::size_t few = expected - slack; !always(true, prober, pool.lines, few)) {
    pool.lines.resize(few);
    return Disagreement{fmt::format("{}: {} lines do not fit", pool.what, few), std::move(pool.lines)};
  }
  if (const std::size_t many = expected + 1 + slack;
      many <= pool.lines.size() && !always(false, prober, pool.lines, many))
    return Disagreement{fmt::format("{}: {} lines fit", pool.what, many), {}};
  return std::nullopt;
}

}  // namespace

std::optional<Disagreement> find_disagreement(Prober& prober, const Structure& structure, std::uint64_t line_bytes,
                                              std::uint64_t sector_bytes) {
  constexpr std::uint64_t half_lines[] = {3, 6, 10, 5, 18, 20, 2, 4};
  constexpr std::uint64_t strides = 8, pools = 8, widest = 16;
  constexpr std::uint64_t budget = 2'000'000;  // accesses
  std::uint64_t most = structure.most_lines;
  for (const auto& limit : structure.limits)
    most = most == 0 ? limit.lines() : std::min<std::uint64_t>(most, limit.lines());
  const std::uint64_t length = most + 2 + most / 50;
  std::uint64_t left = std::max<std::uint64_t>(budget / (4 * length), 6);
  const auto test = [&](Pool pool) -> std::optional<Disagreement> {
    if (left == 0) return std::nullopt;
    --left;
    return disagreement_on(prober, structure, std::move(pool));
  };
  // The kinds take turns, so that a large cache, for which there are few tests, has some of each.
  const std::uint64_t rounds = std::max<std::uint64_t>({std::size(half_lines), strides, pools});
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const std::uint64_t unit = line_bytes == 0 ? sector_bytes : line_bytes;
    if (auto found = test(random_pool(prober, unit, length))) return found;
    if (line_bytes == 0) continue;
    const std::uint64_t further = 1 + prober.random()() % ((widest - 1) * line_bytes / sector_bytes);
    if (auto found = test(pool_of_stride(line_bytes + further * sector_bytes, length, prober.span()))) return found;
    const std::uint64_t doubled = half_lines[i % std::size(half_lines)] * line_bytes;
    if (doubled % 2 != 0) continue;
    if (auto found = test(pool_of_stride(doubled / 2, length, prober.span()))) return found;
  }
  return std::nullopt;
}

}  // namespace ptxlat::memory
