// SPDX-License-Identifier: Apache-2.0
#include "machine/warp_streams.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "line/window_record.h"
#include "machine/loop.h"
#include "machine/saturated_kernel.h"
#include "machine/throughput.h"

namespace ptxlat::machine {

namespace {

using latency::Role;

// A warpgroup fills all four sub-partitions alone, and its objects are for one. Registers are scarce: 128 for each of
// 512 threads, 255 for each of 256.
int threads_of(const isa::Form& form) {
  if (form.threads > lanes_of_a_warp) return form.threads;
  constexpr int many = 512, few = 256, most_bits_of_many = 32 * 8;
  int bits = 0;
  for (const auto& operand : form.operands) bits += std::max(1, operand.count) * isa::register_bits(operand.type);
  return bits <= most_bits_of_many ? many : few;
}

std::vector<int> warps_to_try(int threads, const isa::Form& form) {
  const int most = threads / lanes_of_a_warp;
  if (form.threads > lanes_of_a_warp) return {most};
  std::vector<int> warps;
  for (const int count : {1, 2, 3, 4, 5, 6, 8, 12, 16}) {
    if (count <= most) warps.push_back(count);
  }
  return warps;
}

}  // namespace

latency::Experiment expand_warp_streams(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant) {
  return latency::expand_for_warps(loaded, variant, threads_of(*variant.form));
}

WarpStreams add_warp_streams(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const isa::Variant& variant,
                             const std::string& label) {
  WarpStreams streams{expand_warp_streams(loaded, variant), {}};
  for (const Role role : latency::all_roles) {
    const auto& trial = streams.experiment.trials[role];
    if (!trial.kernel.text.empty()) streams.trials[role] = bench.add(trial, label);
  }
  return streams;
}

void measure_warp_streams(line::Bench& bench, const isa::Catalogue& catalogue, const isa::Variant& variant,
                          const WarpStreams& streams, results::Record& record) {
  const auto audits =
      latency::audit(catalogue, bench.batch(), streams.trials, variant, bench.level(), streams.experiment);
  const bool by_chains = !audits[Role::stream].is_proven() && audits[Role::chain].is_proven();
  const auto [shorter, longer, copies] = by_chains
                                             ? std::tuple{Role::chain, Role::chain_twice, streams.experiment.steps}
                                             : std::tuple{Role::stream, Role::stream_twice, streams.experiment.copies};
  const auto& audit = audits[shorter];
  record.verdict = audit.verdict;
  record.note = audit.reason;
  record.sass = audit.sass;
  record.sass_count = static_cast<int>(audit.sass.size());
  if (!audit.is_proven()) return;
  const auto trial = *streams.trials[longer];
  record.windows = {line::window_record(to_string(longer), bench.batch().kernel_of(trial), audit)};
  if (!bench.measures()) return;
  const auto warps = warps_to_try(bench.batch().trial(trial).launch.threads, *variant.form);
  // With all warps first: a kernel that hangs or faults does so only once.
  LoopTime time_of_shorter, time_of_longer;
  for (const auto& numbers : {std::vector{warps.back()}, warps}) {
    time_of_shorter = time_kernel(bench, *streams.trials[shorter], numbers);
    if (!time_of_shorter.cycles.empty()) time_of_longer = time_kernel(bench, trial, numbers);
    const auto& failed = time_of_shorter.cycles.empty() ? time_of_shorter : time_of_longer;
    if (failed.cycles.empty()) {
      record.verdict = failed.verdict;
      record.note = failed.message;
      return;
    }
  }
  std::vector<double> cycles;
  for (std::size_t i = 0; i < warps.size(); ++i)
    cycles.push_back((time_of_longer.cycles[i] - time_of_shorter.cycles[i]) / copies);
  put_rates(record, warps, cycles);
}

}  // namespace ptxlat::machine
