// SPDX-License-Identifier: Apache-2.0

// The shipped probes of instruction caches, on a simulated SM with three levels of them: what they say has the name of
// the right level.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <random>
#include <vector>

#include "catch.h"
#include "probe/probe.h"
#include "series/series_facts.h"

using namespace ptxlat;

namespace {

// Sets of lines, the last used first.
class Level {
 public:
  Level(std::int64_t bytes, std::int64_t line, std::size_t ways)
      : line_(line), ways_(ways), sets_(static_cast<std::size_t>(bytes / line) / ways) {}
  // Whether it was there; it is afterwards.
  bool access(std::int64_t address) {
    const auto number = address / line_;
    auto& set = sets_[static_cast<std::size_t>(number) % sets_.size()];
    const auto found = std::find(set.begin(), set.end(), number);
    const bool is_hit = found != set.end();
    if (is_hit) set.erase(found);
    set.insert(set.begin(), number);
    if (set.size() > ways_) set.pop_back();
    return is_hit;
  }
  std::int64_t bytes() const { return line_ * static_cast<std::int64_t>(ways_ * sets_.size()); }
  std::size_t ways() const { return ways_; }

 private:
  std::int64_t line_;
  std::size_t ways_;
  std::vector<std::vector<std::int64_t>> sets_;
};

// Three levels and what is beyond them, with the times of an H200: of a jump, and of an instruction of straight code,
// which the innermost level is ahead of.
struct Caches {
  std::vector<Level> levels;
  static constexpr std::array<double, 4> jump = {10, 21, 81, 300};
  static constexpr std::array<double, 4> straight = {1, 1, 2.2, 5.6};

  double access(std::int64_t address, const std::array<double, 4>& cycles) {
    std::size_t level = 0;
    bool is_found = false;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (levels[i].access(address)) {
        is_found = true;
        break;
      }
      level = i + 1;
    }
    return cycles[is_found ? level : levels.size()];
  }
};

// Mean cycles of an access, in the last of several passes over the addresses.
double last_pass(Caches caches, const std::vector<std::int64_t>& addresses, const std::array<double, 4>& cycles) {
  double sum = 0;
  for (int pass = 0; pass < 4; ++pass) {
    sum = 0;
    for (const auto address : addresses) sum += caches.access(address, cycles);
  }
  return sum / static_cast<double>(addresses.size());
}

std::vector<std::int64_t> straight_code(std::int64_t bytes) {
  std::vector<std::int64_t> addresses;
  for (std::int64_t at = 0; at < bytes; at += 16) addresses.push_back(at);
  return addresses;
}

// In the order of icache_jumps.ptx.
std::vector<std::int64_t> scattered_jumps(const probe::Probe& probe, std::int64_t bytes) {
  const auto stride = std::stoll(probe.constants.at("stride")), factor = std::stoll(probe.constants.at("factor")),
             step = std::stoll(probe.constants.at("step"));
  std::vector<std::int64_t> addresses;
  std::int64_t block = 0;
  do {
    addresses.push_back(block * stride);
    block = (factor * block + step) % (bytes / stride);
  } while (block != 0);
  REQUIRE(static_cast<std::int64_t>(addresses.size()) == bytes / stride);
  return addresses;
}

const probe::Probe& shipped(const std::string& name) {
  static const auto probes =
      probe::load_probes({std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates" / "probes"});
  return *std::find_if(probes.begin(), probes.end(), [&](const probe::Probe& probe) { return probe.name == name; });
}

// A series along the probe's first axis, read by its rules.
template <class Value>
std::map<std::string, results::Fact> facts_of(const probe::Probe& probe, const std::vector<double>& along,
                                              const Value& value) {
  results::Series series{probe.series, probe.unit, {}, {}};
  const auto& axis = probe.axes.front();
  series.axes.push_back({axis.name, axis.unit, {axis.values.begin(), axis.values.end()}, axis.names});
  if (!along.empty()) series.axes.push_back({probe.sample_axes.front().name, "count", along, {}});
  for (const auto place : axis.values) {
    if (along.empty()) series.values.emplace_back(value(place, 0));
    for (const double other : along) series.values.emplace_back(value(place, static_cast<std::int64_t>(other)));
  }
  std::map<std::string, results::Fact> facts;
  for (const auto& rule : probe.facts) {
    for (auto& fact : series::facts_of(rule, series)) facts[fact.quantity] = std::move(fact);
  }
  return facts;
}

void check_range(const results::Fact& fact, double bytes) {
  INFO(fact.quantity << " " << fact.value << ", " << fact.low.value_or(0) << " to " << fact.high.value_or(0) << ": "
                     << fact.how);
  REQUIRE_FALSE(fact.value.empty());
  CHECK(*fact.low <= bytes);
  CHECK(bytes <= *fact.high);
}

}  // namespace

TEST_CASE("three levels of instruction caches have their sizes and ways under their own names") {
  std::mt19937_64 random(1);
  const auto one_of = [&](std::vector<std::int64_t> choices) { return choices[random() % choices.size()]; };
  for (int machine = 0; machine < 12; ++machine) {
    // So many ways that a distance of 8 KiB stays in one set.
    const auto middle = one_of({24, 32}) * 1024;
    const auto outer = one_of({112, 128, 144}) * 1024;
    const Caches caches{{Level(one_of({2, 4, 8}) * 1024, 128, 2 * static_cast<std::size_t>(one_of({1, 2}))),
                         Level(middle, 128, static_cast<std::size_t>(middle / 4096)),
                         Level(outer, 256, static_cast<std::size_t>(outer / 8192))}};
    INFO("machine " << machine << ": " << caches.levels[0].bytes() << ", " << middle << " and " << outer << " bytes");
    const auto& jumps = shipped("icache_jumps");
    const auto innermost = facts_of(jumps, {}, [&](std::int64_t bytes, std::int64_t) {
      return last_pass(caches, scattered_jumps(jumps, bytes), Caches::jump);
    });
    check_range(innermost.at("icache.l0_bytes"), static_cast<double>(caches.levels[0].bytes()));
    const auto straight = facts_of(shipped("icache_straight"), {}, [&](std::int64_t bytes, std::int64_t) {
      return last_pass(caches, straight_code(bytes), Caches::straight);
    });
    check_range(straight.at("icache.l1_bytes"), static_cast<double>(middle));
    check_range(straight.at("icache.l15_bytes"), static_cast<double>(outer));
    CHECK_FALSE(straight.contains("icache.l0_bytes"));
    std::vector<double> visited;
    for (int i = 1; i <= 48; ++i) visited.push_back(i);
    const auto ways = facts_of(shipped("icache_ways"), visited, [&](std::int64_t stride, std::int64_t count) {
      std::vector<std::int64_t> targets;
      for (std::int64_t i = 0; i < count; ++i) targets.push_back(i * stride);
      return last_pass(caches, targets, Caches::jump) * static_cast<double>(count);
    });
    check_range(ways.at("icache.l1_ways"), static_cast<double>(caches.levels[1].ways()));
    check_range(ways.at("icache.l15_ways"), static_cast<double>(caches.levels[2].ways()));
  }
}
