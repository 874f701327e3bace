// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "results/run.h"

namespace ptxlat::results {

// One of `count` parts of a plan, numbered from 1. The default is the whole plan.
struct Shard {
  std::size_t number = 1;
  std::size_t count = 1;

  bool operator==(const Shard&) const = default;
};
// "3/16"; empty if the text is not a shard.
std::optional<Shard> shard_from(std::string_view text);
std::string to_string(const Shard& shard);

// A plan that is made in `count` shards, as far as the runs show.
//   begun  shards that were begun but that no run finished
struct Division {
  std::string plan;
  std::size_t count = 1;
  std::set<std::size_t> finished, begun;
};

// The plans of a table that the runs did not finish, however they divided them. Only runs of the newest method count:
// the cells of others have to be made again anyway.
std::vector<Division> unfinished_plans(const std::vector<Run>& runs);

// "shards 3, 7 of 16 are missing, shard 5 of 16 is unfinished".
std::string what_is_missing(const Division& division);

// The shards of the run's plan that runs began, "3/16" or "1,3/16"; empty if they finished the whole plan.
std::string shards_held(const std::vector<Run>& runs, const Run& run);

}  // namespace ptxlat::results
