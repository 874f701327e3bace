// SPDX-License-Identifier: Apache-2.0
#include "pairs/hazard_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/quantile.h"
#include "latency/experiment_builder.h"
#include "loops/saturated_kernel.h"
#include "pairs/hazard_patch.h"
#include "ptx/kernel_builder.h"
#include "ptx/store_live.h"

namespace ptxlat::pairs {

namespace {

constexpr int passes = ptx::passes_of_window;
constexpr int warmed_up = 1;      // pass from which the values count
constexpr int turned_lanes = 11;  // by which the operands' lanes are turned from pass to pass
// Words of an output slot: the clocks, then the consumer's result and the instruction's own (frame.ptx).
constexpr std::size_t clock_words = 2, value_words = 8;

// Each pass gets the operands of other lanes.
void turn_lanes(std::vector<std::uint64_t>& input) {
  const auto original = input;
  constexpr auto row = static_cast<std::size_t>(ptx::operands_per_slot);
  for (std::size_t slot = 0; slot < input.size() / row; ++slot) {
    const auto lane = slot % loops::lanes_of_a_warp, pass = slot / loops::lanes_of_a_warp;
    const auto from = (lane + pass * turned_lanes) % loops::lanes_of_a_warp;
    std::copy_n(original.begin() + static_cast<std::ptrdiff_t>(from * row), row,
                input.begin() + static_cast<std::ptrdiff_t>(slot * row));
  }
}

}  // namespace

ptx::Trial hazard_trial(const ptx::LoadedCatalogue& loaded, const isa::Variant& variant,
                        const isa::Consumer& consumer) {
  const latency::ExperimentBuilder parts{loaded, variant, &consumer};
  ptx::KernelBuilder builder(loaded.catalogue, *variant.form);
  builder.use_threads((passes + 1) * loops::lanes_of_a_warp);
  for (const auto& text : variant.form->module) builder.need(text);
  ptx::prepare_operands(builder, variant);
  parts.prepare_consumer(builder);
  builder.once += fmt::format("  setp.ge.u32 %guard, %lane, {};\n  @%guard bra DONE;\n", loops::lanes_of_a_warp);
  constexpr int bytes_of_pass = loops::lanes_of_a_warp * ptx::slot_bytes;
  builder.after_pass = fmt::format("  add.u64 %in, %in, {0};\n  add.u64 %out, %out, {0};\n", bytes_of_pass);
  std::string places;
  for (int place = 0; place < places_of_hazard; ++place) places += "  pmevent 0;\n";
  const auto window =
      parts.window(loaded.skeletons.differential,
                   {{"op", parts.op({}, 1) + places}, {"consumer", parts.consume(parts.consumed_register())}});
  auto result = parts.store_consumed() + parts.keep_results();
  // The consumer's other operand is needed afterwards, so that its result does not get that register.
  constexpr int place_of_other = 48;
  if (!consumer.k_type.empty()) result += ptx::store_live({"%k"}, consumer.k_type, place_of_other);
  auto trial = parts.finished(builder, window, result);
  turn_lanes(trial.launch.input);
  trial.launch.output_words = {0, 1, 4, 5, 6, 7, 8, 9, 10, 11};
  trial.role = "hazard";
  return trial;
}

int lanes_that_count(const ptx::Readout& readout) {
  return static_cast<int>(readout.launches) * (passes - warmed_up) * loops::lanes_of_a_warp;
}

int wrong_lanes(const ptx::Readout& readout, const ptx::Readout& right) {
  int wrong = 0;
  for (std::size_t launch = 0; launch < readout.launches; ++launch) {
    for (std::size_t thread = warmed_up * loops::lanes_of_a_warp; thread < passes * loops::lanes_of_a_warp; ++thread) {
      bool differs = false;
      for (std::size_t word = clock_words; word < clock_words + value_words; ++word)
        differs = differs || readout.word(launch, thread, word) != right.word(0, thread, word);
      wrong += differs ? 1 : 0;
    }
  }
  return wrong;
}

double elapsed_of_hazard(const ptx::Readout& readout) {
  constexpr std::size_t last = (passes - 1) * loops::lanes_of_a_warp;
  std::vector<double> elapsed;
  for (std::size_t launch = 0; launch < readout.launches; ++launch)
    elapsed.push_back(readout.word(launch, last, 1) - readout.word(launch, last, 0));
  return median_of(std::move(elapsed));
}

std::string why_no_hazard(const isa::Variant& variant) {
  const auto& form = *variant.form;
  const auto& input = *variant.input;
  if (!form.not_measurable.empty()) return form.not_measurable;
  if (!form.unsupported_because.empty()) return form.unsupported_because;
  if (form.cluster > 1 || form.threads != loops::lanes_of_a_warp) return "it is not for warps on their own";
  if (!input.before.empty() || !input.prepare.empty() || !input.completion.empty() || !form.cleanup.empty())
    return "it needs something done before or after it";
  if (latency::observation_of(variant) != latency::Observation::consumed) return "nothing consumes its result";
  return {};
}

}  // namespace ptxlat::pairs
