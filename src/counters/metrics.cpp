// SPDX-License-Identifier: Apache-2.0
#include "counters/metrics.h"

#include <algorithm>
#include <string_view>

namespace ptxlat::counters {

namespace {

constexpr std::string_view prefix = "sm__inst_executed_pipe_";

}  // namespace

std::vector<std::string> pipes_among(const std::vector<std::string>& counters) {
  std::vector<std::string> names;
  for (const auto& counter : counters) {
    if (counter.starts_with(prefix)) names.push_back(counter.substr(prefix.size()));
  }
  const auto is_part = [&](const std::string& name) {
    return std::any_of(names.begin(), names.end(), [&](const auto& whole) { return name.starts_with(whole + '_'); });
  };
  std::vector<std::string> whole;
  std::copy_if(names.begin(), names.end(), std::back_inserter(whole), [&](const auto& name) { return !is_part(name); });
  const auto is_sum = [&](const std::string& name) {
    return std::count_if(whole.begin(), whole.end(),
                         [&](const auto& part) { return part != name && part.starts_with(name); }) >= 2;
  };
  std::vector<std::string> pipes;
  std::copy_if(whole.begin(), whole.end(), std::back_inserter(pipes), [&](const auto& name) { return !is_sum(name); });
  std::sort(pipes.begin(), pipes.end());
  return pipes;
}

std::string counter_of_pipe(const std::string& pipe) { return std::string(prefix) + pipe; }

}  // namespace ptxlat::counters
