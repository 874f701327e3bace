// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "latency/audits.h"
#include "latency/numbers.h"
#include "line/line.h"
#include "results/record.h"

namespace ptxlat::latency {

// The latency of an access that leaves the SM depends on the line and on the SM (method.md, "Latencies that leave the
// SM"). So the windows behind such a headline are launched again: each launch on a different line, and in turn on SMs
// that are spread over the GPU, one at a time.
inline constexpr int surveyed_sms = 16;
inline constexpr int surveyed_clusters = 64;  // their place matters for everything that leaves one of their CTAs
inline constexpr int surveyed_lines = 1024;

// Whether a trial's window may take a different time on a different line or SM: more than a tenth of its launches, each
// on a different line, did, a fence in it waits for more than its CTA, or a cluster runs it.
bool leaves_the_sm(const line::MadeTrial& trial, const sass::Window& window);

// Adds the windows behind the headline to the bench's batch with the launches of a survey. Empty if none of them leaves
// the SM.
TrialNumbers add_survey(line::Bench& bench, const Numbers& measured, Headline headline, const std::string& label);

// The result of the headline's formula for each launch of a survey that has run. Empty for an empty survey, or one with
// a failed window.
std::vector<double> surveyed_cycles(const Numbers& measured, Headline headline, const TrialNumbers& survey);

// The bounds of a hump of a distribution, and its median.
struct Hump {
  double least = 0, median = 0, p95 = 0, most = 0;
  std::size_t count = 0;
};

// One hump, or two that are a tenth or more apart with hardly any values between them: lines with their home in the
// near part of the second-level cache and in the far one. None if there are no values.
std::vector<Hump> humps_of(std::vector<double> values);

// Puts a survey into a cell's record: the headline becomes the median of the first hump. Does nothing if all values are
// the same.
void put_survey(results::Record& record, Headline headline, const std::vector<double>& cycles);

// Cycles by which a record's headline may differ from that of the same cell in another process: if launches spread, so
// do processes, and the median of a survey was seen to vary by less than a fiftieth. 0 on an idle SM.
double tolerance_of(const results::Record& record);

}  // namespace ptxlat::latency
