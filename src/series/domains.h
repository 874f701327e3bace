// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "series/knees.h"
#include "series/series_groups.h"

namespace ptxlat::series {

// SMs whose clocks differ by a constant of their own share a domain.
//   sms   the SMs of each domain, in the order of their lowest
//   skew  the largest difference between two clocks of a domain, in cycles
//   why   empty if both halves of the readings give the same domains
struct Domains {
  std::vector<std::vector<std::size_t>> sms;
  double skew = 0;
  std::string why;
};

// From clocks [sm][tick], of 32 bits that wrap, read at the same moments, each at most a turn of a waiting loop late.
Domains domains_of(const std::vector<std::vector<double>>& clocks);

// The number of domains, their sizes and the skew, from a group along the axes `sm` and `tick`.
std::vector<Finding> find_domains(const results::Series& series, const SeriesGroup& group, double least);

// The greatest common divisor of every second value, which must divide the others: the step of a counter from
// differences of its readings.
Finding find_common_divisor(const Curve& curve);

}  // namespace ptxlat::series
