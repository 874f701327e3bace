// SPDX-License-Identifier: Apache-2.0
#include "loops/gpu_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "isa/value.h"
#include "loops/loop.h"
#include "loops/saturated_kernel.h"
#include "results/access_pattern.h"
#include "results/store.h"
#include "sass/opcodes.h"

namespace ptxlat::loops {

namespace {

using results::AccessPattern;

constexpr std::uint64_t line_bytes = 128;
constexpr std::uint64_t most_warps_of_gpu = 8192;  // of 256 SMs
// What the objects of ptx_templates/isa/objects.toml add to where scratch memory begins.
constexpr std::uint64_t reach_of_object = 128 * 1024;
// From one warp's, or lane's, lines to the next one's, in lines. Where they are in the second-level cache decides how
// evenly its parts are used, so that each launch has them elsewhere.
constexpr std::array<std::uint64_t, 5> distances = {41, 43, 47, 53, 59};
// A single line is somewhere else in each launch, too.
constexpr int launches_of_one_line = 6;

// A line, and more so an address, is saturated by any.
std::vector<int> warps_of(AccessPattern pattern) {
  switch (pattern) {
    case AccessPattern::one_address:
      return {1};
    case AccessPattern::one_line:
      return {4};
    default:
      return {4, 16};
  }
}

// What determines the rate, as Record::code: the accesses, and how far apart those of neighbouring lanes are. What is
// between them takes no time that all SMs together would notice: of 1,250 codes, those with the same accesses were
// within their ranges of each other.
std::string code_of_accesses(const Code& code, AccessPattern pattern, std::uint64_t bytes_between_lanes) {
  std::string accesses = fmt::format("{} {}", to_string(pattern), bytes_between_lanes);
  for (const auto& instruction : code) {
    const auto opcode = sass::opcode_of(instruction.text);
    const bool is_access = instruction.text.find('[') != std::string::npos || sass::family_of(opcode) == "CCTL" ||
                           sass::has(opcode, sass::Trait::waits);
    if (is_access) accesses += fmt::format(" {}", opcode);
  }
  return accesses;
}

// The number, in a thread's input, of the offset of the address that differs from lane to lane.
std::optional<std::size_t> slot_of_offset(const isa::Catalogue& catalogue, const isa::Variant& variant,
                                          const std::vector<std::uint64_t>& input) {
  for (const auto& operand : variant.form->operands) {
    const auto* object = isa::object_of(catalogue, *variant.input, operand);
    if (object == nullptr || !object->is_address) continue;
    const auto offsets =
        isa::bits_of_lanes(isa::value_of(catalogue, *variant.form, *variant.input, operand), object->register_type);
    for (std::size_t slot = 0; slot < ptx::operands_per_slot; ++slot) {
      const auto is_of_lane = [&](std::size_t lane) {
        return input[lane * ptx::operands_per_slot + slot] == offsets[lane % offsets.size()];
      };
      bool is_it = true;
      for (std::size_t lane = 0; lane < static_cast<std::size_t>(lanes_of_a_warp); ++lane)
        is_it = is_it && is_of_lane(lane);
      if (is_it) return slot;
    }
  }
  return std::nullopt;
}

// The same memory for all launches: to allocate it again takes longer than to run the kernel.
void give_memory(ptx::Launch& launch, std::uint64_t bytes_between_warps) {
  launch.buffers = {{.bytes = most_warps_of_gpu * distances.back() * line_bytes + reach_of_object}};
  launch.keeps_buffers = true;
  launch.parameters = {bytes_between_warps};
}

// The launch of a loop, on every SM.
//   offset  the number of its address's offset in a thread's input
ShapedLaunches spread(ptx::Launch launch, AccessPattern pattern, std::size_t offset) {
  launch.ctas = ptx::every_sm;
  launch.places = 0;
  const auto set_offsets = [&](std::uint64_t bytes_between_lanes) {
    for (std::size_t thread = 0; thread * ptx::operands_per_slot < launch.input.size(); ++thread)
      launch.input[thread * ptx::operands_per_slot + offset] = thread % lanes_of_a_warp * bytes_between_lanes;
  };
  if (pattern == AccessPattern::one_address) set_offsets(0);
  if (pattern == AccessPattern::one_address || pattern == AccessPattern::one_line)
    return {{std::move(launch)}, launches_of_one_line};
  ShapedLaunches shaped;
  for (const auto distance : distances) {
    if (pattern == AccessPattern::own_lines) {
      give_memory(launch, distance * line_bytes);
    } else {
      const auto bytes_between_lanes = (most_warps_of_gpu + distance) * line_bytes;
      set_offsets(bytes_between_lanes);
      give_memory(launch, line_bytes);
    }
    shaped.launches.push_back(launch);
  }
  return shaped;
}

void measure(line::Bench& bench, const CopyLoops& loops, const Copies& copies, const std::vector<std::size_t>& turns,
             AccessPattern pattern, std::size_t offset, results::Record& record) {
  bench.begin_cell();
  // On every SM at once, few rounds take long enough.
  constexpr Rounds few{.first = 1, .wanted_cycles = 100000, .fewest = 1, .most = 64};
  const auto shape = [&](ptx::Launch launch) { return spread(std::move(launch), pattern, offset); };
  const auto shorter = words_of(codes_of(loops.shorter, turns), copies.shorter);
  const auto longer = words_of(codes_of(loops.longer, turns), copies.longer);
  const auto warps = warps_of(pattern);
  const auto times = time_both(
      {timer_of(bench, loops.shorter, shorter, shape), timer_of(bench, loops.longer, longer, shape)}, warps, few);
  record.gpu = bench.gpu();
  if (times.shorter.empty()) return results::give_up(record, times.verdict, times.message);
  put_rates(record, warps, times,
            [&](const Timing& timing) { return cycles_of_copy(timing, copies.shorter, copies.longer) / times.ctas; });
}

}  // namespace

std::vector<results::Record> measure_on_every_sm(line::Bench& bench, const isa::Catalogue& catalogue,
                                                 const isa::Variant& variant, const CopyLoops& loops,
                                                 const Copies& copies, const std::vector<std::size_t>& turns,
                                                 MeasuredCodes& measured, const results::Record& own) {
  std::vector<results::Record> records;
  if (!can_run_on_every_sm(catalogue, variant)) return records;
  const auto& input = bench.batch().trial(loops.longer.trial).launch.input;
  const auto offset = slot_of_offset(catalogue, variant, input);
  if (!offset) return records;
  const auto code = codes_of(loops.longer, turns).front();
  const auto bytes_between_lanes = input[*offset + ptx::operands_per_slot] - input[*offset];
  const bool has_atomic = std::any_of(code.begin(), code.end(), [](const auto& instruction) {
    const auto opcode = sass::opcode_of(instruction.text);
    return sass::is_atomic(opcode) || sass::is_reduction(opcode);
  });
  for (const auto pattern : results::access_patterns) {
    if (pattern == AccessPattern::one_address && !has_atomic) continue;
    auto& record = records.emplace_back(results::record_of(results::key_of(own)));
    record.chapter = own.chapter;
    record.is_core = own.is_core;
    record.operand = to_string(pattern);
    record.sass = own.sass;
    record.sass_count = own.sass_count;
    record.windows = own.windows;
    record.windows.front().measured_as.clear();
    record.code = code_of_accesses(code, pattern, bytes_between_lanes);
    measured.put(record, [&] { measure(bench, loops, copies, turns, pattern, *offset, record); });
  }
  return records;
}

}  // namespace ptxlat::loops
