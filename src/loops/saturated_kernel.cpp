// SPDX-License-Identifier: Apache-2.0
#include "loops/saturated_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ptx/bridge.h"
#include "ptx/instruction.h"
#include "ptx/kernel_builder.h"

namespace ptxlat::loops {

namespace {

constexpr int place_if_left = 48;  // after the results (ptx_templates/skeletons/frame.ptx)

// Keeps the registers of one instruction out of the loop: all are needed after it.
//   again  before the loop (isa::Object)
struct Kept {
  std::string behind, if_left, again;
};

void keep(const ptx::KernelBuilder& builder, const isa::Variant& variant, const isa::Operand& operand,
          const std::vector<std::string>& registers, Kept& kept) {
  if (operand.type == "carry") return;
  const auto* object = isa::object_of(builder.catalogue, *variant.input, operand);
  if (object != nullptr && !object->prepare.empty()) {
    // What ptxas makes of an address once for all accesses (ptx_templates/isa/objects.toml) must last over the loop.
    for (const auto& name : registers)
      kept.behind += ptx::substitute(object->prepare, {{"r", name}, {"u", name + "_u"}, {"t", name + "_t"}}) + "\n";
  }
  if (object != nullptr && !object->again.empty()) {
    for (const auto& name : registers) kept.again += "  " + ptx::substitute(object->again, {{"r", name}}) + "\n";
  }
  if (operand.is_result) {
    kept.behind += ptx::store_live_both_sides(registers, operand.type, false);
    kept.if_left += ptx::store_live_both_sides(registers, operand.type, false, place_if_left);
  } else if (!ptx::is_literal(builder.catalogue, variant, operand)) {
    kept.behind += ptx::store_live(registers, ptx::register_type_of(builder.catalogue, variant, operand));
  }
}

// Whether registers are coordinates in a texture or a surface, each of which has its own range.
bool has_coordinates(const isa::Catalogue& catalogue, const isa::Variant& variant) {
  const auto& operands = variant.form->operands;
  return std::any_of(operands.begin(), operands.end(), [&](const auto& operand) {
    const auto* object = isa::object_of(catalogue, *variant.input, operand);
    return object != nullptr && !object->is_address;
  });
}

// A value in its own register.
bool is_plain_source(const isa::Catalogue& catalogue, const isa::Variant& variant, const isa::Operand& operand) {
  return !operand.is_result && operand.count == 0 && operand.type != "carry" &&
         !ptx::is_literal(catalogue, variant, operand) && isa::object_of(catalogue, *variant.input, operand) == nullptr;
}

struct SourcesOfType {
  std::vector<std::string> first;
  int count = 0;
};

}  // namespace

bool can_run_on_every_sm(const isa::Catalogue& catalogue, const isa::Variant& variant) {
  const auto& form = *variant.form;
  bool has_scratch = false;
  for (const auto& operand : form.operands) {
    const auto* object = isa::object_of(catalogue, *variant.input, operand);
    if (object == nullptr || object->each.find("%scratch") == std::string::npos) continue;
    if (isa::value_of(catalogue, form, *variant.input, operand).is_uniform) return false;
    has_scratch = true;
  }
  return has_scratch && form.cluster == 1;
}

ptx::Trial saturated_trial(const ptx::LoadedCatalogue& loaded, std::span<const isa::Variant> variants, int places,
                           Sources sources) {
  ptx::KernelBuilder builder(loaded.catalogue, *variants.front().form);
  builder.use_threads(most_warps * lanes_of_a_warp);
  builder.hides_addresses = true;
  builder.passes = ptx::passes_of_loop;
  builder.load_rounds(default_rounds);
  Kept kept;
  std::string steps;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const auto& variant = variants[i];
    for (const auto& text : variant.form->module) builder.need(text);
    ptx::Replaced replaced;
    std::map<std::string, SourcesOfType> of_type;
    const bool shares = sources == Sources::shared && !has_coordinates(loaded.catalogue, variant);
    for (const auto& operand : variant.form->operands) {
      const auto registers = ptx::registers_of(operand, i == 0 ? "" : fmt::format("_c{}", i));
      replaced[operand.name] = registers;
      if (shares && is_plain_source(loaded.catalogue, variant, operand)) {
        auto& [first, count] = of_type[operand.type];
        if (count++ == 0) first = registers;
        if (count > 2) {
          replaced[operand.name] = first;
          continue;
        }
      }
      ptx::prepare_operand(builder, variant, operand, registers);
      keep(builder, variant, operand, registers, kept);
    }
    steps += ptx::place_instruction(loaded.catalogue, variant, replaced, static_cast<int>(i));
  }
  const auto runs_anywhere = [&](const isa::Variant& variant) {
    return can_run_on_every_sm(loaded.catalogue, variant);
  };
  if (std::all_of(variants.begin(), variants.end(), runs_anywhere))
    builder.once = loaded.skeletons.every_sm.text + builder.once;
  builder.load({"%leave"}, "pred", {"0", "0", false});
  std::string pmevents;
  for (int place = 0; place < places; ++place) pmevents += "  pmevent 0;\n";
  const auto window = ptx::fill(loaded.skeletons.saturated, {{"aligned", loaded.skeletons.aligned.text},
                                                             {"steps", steps},
                                                             {"again", kept.again},
                                                             {"places", pmevents},
                                                             {"results", kept.if_left}});
  auto trial = ptx::finish(builder, loaded.skeletons, ptx::Frame::loop, window, kept.behind);
  trial.role = "saturated";
  return trial;
}

int threads_with_room(const isa::Form& form, int most_registers) {
  constexpr int many = 512, few = 256;
  int bits = 0;
  for (const auto& operand : form.operands) bits += std::max(1, operand.count) * isa::register_bits(operand.type);
  return bits <= most_registers * 32 ? many : few;
}

ptx::Launch with_rounds(ptx::Launch launch, int rounds) {
  for (std::size_t at = ptx::slot_of_rounds; at < launch.input.size(); at += ptx::operands_per_slot)
    launch.input[at] = static_cast<std::uint64_t>(rounds);
  return launch;
}

ptx::Launch with_warps(ptx::Launch launch, int warps) {
  launch.threads = warps * lanes_of_a_warp;
  const auto operands = static_cast<std::size_t>(launch.threads * launch.ctas) * ptx::operands_per_slot;
  if (launch.input.size() > operands) launch.input.resize(operands);
  return launch;
}

std::string why_not_saturated(const isa::Variant& variant) {
  const auto& form = *variant.form;
  const auto& input = *variant.input;
  if (!form.not_streamable.empty()) return form.not_streamable;
  const auto has_carry = [](const isa::Operand& operand) { return operand.type == "carry"; };
  if (std::any_of(form.operands.begin(), form.operands.end(), has_carry))
    return "copies have one carry, which only the last would need";
  if (form.threads != lanes_of_a_warp) return "it is not for warps on their own";
  if (!input.before.empty() || !input.prepare.empty() || !form.cleanup.empty())
    return "each needs something done before or after it";
  return {};
}

}  // namespace ptxlat::loops
