// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "latency/audits.h"
#include "latency/numbers.h"
#include "line/line.h"
#include "ptx/readout.h"
#include "results/record.h"

namespace ptxlat::latency {

// Elapsed cycles of each launch, seen from thread 0: the unsigned 32-bit difference of the two clocks that every thread
// stores first (ptx_templates/skeletons/frame.ptx).
std::vector<std::uint32_t> elapsed_cycles(const ptx::Readout& readout);

// The most frequent elapsed time of several launches and its share of them. On an idle SM cycles are deterministic; a
// spread is a symptom (method.md, trap 16). Empty without samples. Among equally frequent values the smallest wins.
struct Mode {
  std::uint32_t cycles = 0;
  double share = 0;
};
std::optional<Mode> mode_of(const std::vector<std::uint32_t>& samples);

// The result of a window's launches: the mode if it has the majority, but the fastest if two values take turns, because
// which of them has one launch more depends on the first (divergent accesses to local memory on an H100). An access
// that leaves the SM crosses into a different clock domain, and no value has a majority: then the median, if all
// launches except the slowest, which may be the first, are within a tenth of it; empty for a wider spread. Each launch
// of a kernel that uses memory touches different cache lines, and we cannot choose their L2 slice, so there the fastest
// launch (nearest slice) counts.
std::optional<double> elapsed_of(const std::vector<std::uint32_t>& samples, bool uses_memory);

// The spread of samples in cycles, without the slowest, which may be the first launch. 0 if one value has the majority.
double spread_of(const std::vector<std::uint32_t>& samples);

// The widest spread of the windows behind a record's numbers.
double spread_of(const results::Record& record);

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
