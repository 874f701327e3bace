#include "ptx/draft.h"

#include <fmt/format.h>

#include <cassert>

#include "error.h"

namespace ptxlat {

namespace {

// lane_bits spreads values over one warp; further warps repeat the first.
constexpr int lanes_of_a_warp = 32;
constexpr int operands_per_slot = 8;

// Values that no operand takes, so that the branch on them is never taken; the compiler cannot know that.
std::string impossible(int bits) {
  if (bits == 16) return "0xdead";
  return bits == 64 ? "0xdeadbeefdeadbee1" : "0xdeadbee1";
}

// The bits of `value` for operand `slot` in each lane.
void put_values(Draft& draft, int slot, const std::string& type, const Value& value) {
  for (int lane = 0; lane < draft.lanes; ++lane) {
    draft.input[static_cast<std::size_t>(lane * operands_per_slot + slot)] =
        lane_bits(value, type, lane % lanes_of_a_warp);
  }
}

}  // namespace

Draft::Draft(const Catalogue& from, int lane_count)
    : catalogue(from), input(static_cast<std::size_t>(lane_count * operands_per_slot), 0), lanes(lane_count) {}

void Draft::declare(const std::string& name, const std::string& type) {
  const int bits = register_bits(type);
  registers += bits == 1 ? fmt::format("  .reg .pred {};\n", name) : fmt::format("  .reg .b{} {};\n", bits, name);
}

void Draft::load(const std::string& name, const std::string& type, const Value& value) {
  if (slots == operands_per_slot) throw Error(ExitCode::catalogue, "more than 8 operands in one kernel");
  const int slot = slots++;
  const auto address = fmt::format("[%in+{}]", 8 * slot);
  const auto branch = [&](const std::string& condition) {
    guard += fmt::format("{}\n  @%guard_1 bra DONE;\n", condition);
  };
  if (type == "pred" || type == "carry") {
    const auto word = fmt::format("%word_{}", slot);
    declare(word, "b32");
    put_values(*this, slot, type == "pred" ? "pred" : "b32", value);
    operands += fmt::format("  ld.volatile.global.b32 {}, {};\n", word, address);
    if (type == "pred") {
      declare(name, "pred");
      // The low half of the address stands for a value that the compiler knows nothing about.
      guard += fmt::format("  setp.ne.b32 {}, {}, 0;\n  cvt.u32.u64 %low, %in;\n", name, word);
      branch(fmt::format("  setp.eq.and.b32 %guard_1, %low, 0xdeadbee1, {};", name));
    } else {
      const auto sum = fmt::format("%sum_{}", slot);
      declare(sum, "b32");
      guard += fmt::format("  add.cc.u32 {0}, {1}, 0xffffffff;\n  addc.u32 {0}, {0}, {1};\n", sum, word);
      branch(fmt::format("  setp.eq.b32 %guard_1, {}, 0xdeadbee1;", sum));
      guard += fmt::format("  add.cc.u32 {0}, {1}, 0xffffffff;\n", sum, word);
    }
    return;
  }
  declare(name, type);
  put_values(*this, slot, type, value);
  const int bits = register_bits(type);
  operands += fmt::format("  ld.volatile.global.b{} {}, {};\n", bits, name, address);
  branch(fmt::format("  setp.eq.b{} %guard_1, {}, {};", bits, name, impossible(bits)));
}

void Draft::load_default(const std::string& name, const std::string& type, std::size_t position) {
  load(name, type, default_value(catalogue, type, position));
}

Value default_value(const Catalogue& catalogue, const std::string& type, std::size_t position) {
  if (type == "carry") return {"0", "1", false};
  if (const auto found = catalogue.defaults.find(type); found != catalogue.defaults.end() && !found->second.empty()) {
    return found->second[std::min(position, found->second.size() - 1)];
  }
  throw Error(ExitCode::catalogue, "no default value for the type " + type, "add it to [default] in values.toml");
}

Kernel finish(const Draft& draft, const Skeletons& skeletons, const std::string& window, const std::string& result) {
  assert(window.find("{{") == std::string::npos);
  return {fill(skeletons.frame, {{"name", "{{name}}"},
                                 {"registers", draft.registers},
                                 {"operands", draft.operands},
                                 {"guard", draft.guard},
                                 {"window", window},
                                 {"result", result}}),
          draft.input, draft.lanes};
}

}  // namespace ptxlat
