// SPDX-License-Identifier: Apache-2.0
#include "machine/warp_streams.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <vector>

#include "line/window_record.h"
#include "machine/curves.h"
#include "machine/loop.h"
#include "machine/saturated_kernel.h"
#include "sass/opcodes.h"

namespace ptxlat::machine {

namespace {

using latency::Role;

// Registers are scarce: 128 for each of 512 threads, 255 for each of 256.
int threads_of(const isa::Form& form) {
  constexpr int many = 512, few = 256, most_bits_of_many = 32 * 8;
  int bits = 0;
  for (const auto& operand : form.operands) bits += std::max(1, operand.count) * isa::register_bits(operand.type);
  return bits <= most_bits_of_many ? many : few;
}

// Whether a copy has everything that the instruction alone has: ptxas may share a part between copies, or prepare it
// before the first clock. Only opcodes that nothing else can stand in for.
bool has_the_opcodes_of(const std::vector<std::string>& alone, const std::vector<std::string>& copy) {
  constexpr std::array<std::string_view, 12> irreplaceable = {"MUFU", "I2F", "F2I",  "F2F",  "FRND", "FCHK",
                                                              "POPC", "FLO", "DADD", "DMUL", "DFMA", "FFMA"};
  return std::all_of(irreplaceable.begin(), irreplaceable.end(), [&](std::string_view opcode) {
    const auto count = [&](const std::vector<std::string>& code) {
      return std::count_if(code.begin(), code.end(), [&](const auto& name) { return sass::family_of(name) == opcode; });
    };
    return count(copy) >= count(alone);
  });
}

std::vector<int> warps_to_try(int threads) {
  const int most = threads / lanes_of_a_warp;
  std::vector<int> warps;
  for (const int count : {1, 2, 3, 4, 5, 6, 8, 12, 16}) {
    if (count <= most) warps.push_back(count);
  }
  return warps;
}

}  // namespace

latency::Experiment expand_warp_streams(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant,
                                        int most_copies) {
  return latency::expand_for_warps(loaded, variant, threads_of(*variant.form), most_copies);
}

WarpStreams add_warp_streams(const ptx::LoadedCatalogue& loaded, line::Bench& bench, const isa::Variant& variant,
                             int most_copies, const std::string& label) {
  WarpStreams streams{expand_warp_streams(loaded, variant, most_copies), {}};
  for (const Role role : latency::all_roles) {
    const auto& trial = streams.experiment.trials[role];
    if (!trial.kernel.text.empty()) streams.trials[role] = bench.add(trial, label);
  }
  return streams;
}

bool measure_warp_streams(line::Bench& bench, const isa::Catalogue& catalogue, const isa::Variant& variant,
                          const WarpStreams& streams, results::Record& record) {
  const auto audits =
      latency::audit(catalogue, bench.batch(), streams.trials, variant, bench.level(), streams.experiment);
  const auto& whole = audits[Role::differential];
  if (!whole.is_proven()) return false;
  // Warps begin together to within some cycles, of which the time of short code would be too small a multiple.
  constexpr std::size_t fewest_instructions = 8;
  if (whole.sass.size() < fewest_instructions) return true;
  const bool by_chains = !audits[Role::stream].is_proven() && audits[Role::chain].is_proven();
  const auto [shorter, longer, copies] = by_chains
                                             ? std::tuple{Role::chain, Role::chain_twice, streams.experiment.steps}
                                             : std::tuple{Role::stream, Role::stream_twice, streams.experiment.copies};
  const auto& audit = audits[shorter];
  if (!audit.is_proven() || !has_the_opcodes_of(whole.sass, audit.sass)) return false;
  record.verdict = sass::Verdict::proven;
  record.note.clear();
  record.sass = audit.sass;
  record.sass_count = static_cast<int>(audit.sass.size());
  const auto trial = *streams.trials[longer];
  record.windows = {line::window_record(to_string(longer), bench.batch().kernel_of(trial), audit)};
  if (!bench.measures()) return true;
  const auto warps = warps_to_try(bench.batch().trial(trial).launch.threads);
  const auto trial_of_shorter = *streams.trials[shorter];
  const auto times = time_both([&](const auto& numbers, int) { return time_stream(bench, trial_of_shorter, numbers); },
                               [&](const auto& numbers, int) { return time_stream(bench, trial, numbers); }, warps);
  if (times.shorter.empty()) {
    record.verdict = times.verdict;
    record.note = times.message;
    return true;
  }
  // Captured by name: Clang before 16 does not capture a structured binding.
  put_rates(record, warps, times,
            [&, copies = copies](const Timing& timing) { return (timing.longer - timing.shorter) / copies; });
  return true;
}

}  // namespace ptxlat::machine
