// SPDX-License-Identifier: Apache-2.0
#include "ptx/kernel_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "base/error.h"
#include "isa/value.h"

namespace ptxlat::ptx {

namespace {

// lane_bits spreads values over one warp; further warps and CTAs repeat the first.
constexpr int lanes_of_a_warp = 32;

// Values that no operand takes, so that the branch on them is never taken; the compiler cannot know that.
std::string impossible(int bits) {
  if (bits == 16) return "0xdead";
  return bits == 64 ? "0xdeadbeefdeadbee1" : "0xdeadbee1";
}

// The registers that texts of the catalogue can use without declaring them.
constexpr std::array<std::pair<const char*, const char*>, 10> scratch_registers = {{{"%t0", "b32"},
                                                                                    {"%t1", "b32"},
                                                                                    {"%t2", "b32"},
                                                                                    {"%t3", "b32"},
                                                                                    {"%u0", "b64"},
                                                                                    {"%u1", "b64"},
                                                                                    {"%u2", "b64"},
                                                                                    {"%u3", "b64"},
                                                                                    {"%p0", "pred"},
                                                                                    {"%p1", "pred"}}};

// Declares those that are used. (strstr, here and below, because std::string::find stops at each character that is the
// first of what it looks for, and kernels are full of '%' and spaces.)
std::string declared_scratch(const std::string& body) {
  std::string registers;
  for (const auto& [name, type] : scratch_registers) {
    if (std::strstr(body.c_str(), name) != nullptr) registers += fmt::format("  .reg .{} {};\n", type, name);
  }
  return registers;
}

std::string indented(const std::string& text) { return text.empty() ? text : "  " + text + "\n"; }

}  // namespace

bool is_wide(const std::vector<std::string>& registers, const std::string& type) {
  constexpr std::size_t fewest = 16;
  return isa::register_bits(type) == 32 && registers.size() >= fewest && registers.size() % registers_per_access == 0;
}

KernelBuilder::KernelBuilder(const isa::Catalogue& from, const isa::Form& form)
    : catalogue(from),
      input(static_cast<std::size_t>(form.threads * form.cluster * operands_per_slot), 0),
      threads(form.threads),
      cluster(form.cluster),
      directives(form.directives) {}

void KernelBuilder::declare(const std::string& name, const std::string& type) {
  const int bits = isa::register_bits(type);
  registers += bits == 1 ? fmt::format("  .reg .pred {};\n", name) : fmt::format("  .reg .b{} {};\n", bits, name);
}

void KernelBuilder::use_threads(int count) {
  threads = count;
  input.assign(static_cast<std::size_t>(threads * cluster * operands_per_slot), 0);
  if (directives.empty()) directives = fmt::format(".maxntid {}, 1, 1", threads);
}

void KernelBuilder::need(const std::string& module_text) {
  if (std::find(module.begin(), module.end(), module_text) == module.end()) module.push_back(module_text);
}

void KernelBuilder::branch_on(const std::string& condition) { guard += condition + "\n  @%guard_1 bra DONE;\n"; }

// Operands with the same bits share a slot: 8 slots are enough for any instruction. A wide vector has two, at an
// address aligned for one access of 16 bytes.
int KernelBuilder::slot_for(const std::string& type, const isa::Value& value, bool for_wide) {
  const auto bits_of_lanes = isa::bits_of_lanes(value, type);
  const std::pair key(for_wide, bits_of_lanes);
  if (const auto known = slot_of_value_.find(key); known != slot_of_value_.end()) return known->second;
  if (for_wide) slots += slots % 2;
  const int slot = slot_of_value_[key] = slots;
  slots += for_wide ? 2 : 1;
  if (slots > operands_per_slot) throw Error(ExitCode::catalogue, "more than 8 operands in one kernel");
  for (int lane = 0; lane < threads * cluster; ++lane) {
    const auto bits = bits_of_lanes[static_cast<std::size_t>(lane % lanes_of_a_warp)];
    auto* at = &input[static_cast<std::size_t>(lane * operands_per_slot + slot)];
    at[0] = for_wide ? bits << 32 | bits : bits;
    if (for_wide) at[1] = at[0];
  }
  return slot;
}

void KernelBuilder::load_condition(const std::string& name, const std::string& type, int slot) {
  const auto word = "%word_" + name.substr(1);
  declare(word, "b32");
  operands += fmt::format("  ld.volatile.global.b32 {}, [%in+{}];\n", word, 8 * slot);
  loads.push_back(name);
  if (type == "pred") {
    declare(name, "pred");
    // The low half of the address serves as a value that the compiler does not know.
    guard += fmt::format("  setp.ne.b32 {}, {}, 0;\n  cvt.u32.u64 %low, %in;\n", name, word);
    branch_on(fmt::format("  setp.eq.and.b32 %guard_1, %low, 0xdeadbee1, {};", name));
    return;
  }
  const auto sum = "%sum_" + name.substr(1);
  declare(sum, "b32");
  guard += fmt::format("  add.cc.u32 {0}, {1}, 0xffffffff;\n  addc.u32 {0}, {0}, {1};\n", sum, word);
  branch_on(fmt::format("  setp.eq.b32 %guard_1, {}, 0xdeadbee1;", sum));
  guard += fmt::format("  add.cc.u32 {0}, {1}, 0xffffffff;\n", sum, word);
}

void KernelBuilder::load_one(const std::string& name, const std::string& type, int slot) {
  declare(name, type);
  const int bits = isa::register_bits(type);
  const auto address = fmt::format("[%in+{}]", 8 * slot);
  if (bits != 128) {
    operands += fmt::format("  ld.volatile.global.b{} {}, {};\n", bits, name, address);
    loads.push_back(name);
    branch_on(fmt::format("  setp.eq.b{} %guard_1, {}, {};", bits, name, impossible(bits)));
    return;
  }
  // Two loads; otherwise the compiler would know that the halves are equal, and their bitwise difference 0.
  const auto lower = "%lower_" + name.substr(1), upper = "%upper_" + name.substr(1);
  for (const auto& half : {lower, upper}) {
    declare(half, "b64");
    operands += fmt::format("  ld.volatile.global.b64 {}, {};\n", half, address);
    loads.push_back(name);
    branch_on(fmt::format("  setp.eq.b64 %guard_1, {}, {};", half, impossible(64)));
  }
  guard += fmt::format("  mov.b128 {}, {{{}, {}}};\n", name, lower, upper);
}

// Registers of one access arrive together, so that a branch on one of them waits for all.
void KernelBuilder::load_wide(const std::vector<std::string>& names, const std::string& type, int slot) {
  for (const auto& name : names) declare(name, type);
  for (std::size_t i = 0; i < names.size(); i += registers_per_access) {
    operands += fmt::format("  ld.volatile.global.v4.b32 {{{}}}, [%in+{}];\n",
                            fmt::join(names.begin() + i, names.begin() + i + registers_per_access, ", "), 8 * slot);
    loads.push_back(names[i]);
    branch_on(fmt::format("  setp.eq.b32 %guard_1, {}, {};", names[i], impossible(32)));
  }
}

// The row of the CTA is 0, which the compiler does not know, and the same in all lanes, which it does. Each operand
// uses a different multiple of it, because ptxas would copy a single value to all the registers that need it. This code
// is before the loop, where real kernels prepare such operands: ptxas moves values made in the loop into their uniform
// registers between the clocks. It also needs no branch to finish before the first clock.
void KernelBuilder::make_uniform(const std::string& name, const std::string& type, const isa::Value& value) {
  declare(name, type);
  const int bits = isa::register_bits(type);
  once += fmt::format(
      "  mov.u32 %low, %ctaid.y; mul.lo.u32 %low, %low, {3}; cvt.u{0}.u32 {1}, %low; add.u{0} {1}, {1}, {2};\n", bits,
      name, isa::lane_bits(value, type, 0), ++uniform_operands_);
}

// A chain writes its source operand.
void KernelBuilder::copy_in_each_pass(const std::string& from, const std::string& to, const std::string& type) {
  declare(to, type);
  operands += fmt::format("  mov.b{} {}, {};\n", isa::register_bits(type), to, from);
}

void KernelBuilder::load(const std::vector<std::string>& names, const std::string& type, const isa::Value& value) {
  if (value.is_uniform) {
    for (const auto& name : names) {
      make_uniform(name + "_uniform", type, value);
      copy_in_each_pass(name + "_uniform", name, type);
    }
    return;
  }
  if (is_wide(names, type)) return load_wide(names, type, slot_for(type, value, true));
  const bool is_condition = type == "pred" || type == "carry";
  const int slot = slot_for(type == "carry" ? "b32" : type, value);
  for (const auto& name : names) {
    if (is_condition) {
      load_condition(name, type, slot);
    } else {
      load_one(name, type, slot);
    }
  }
}

void KernelBuilder::load_default(const std::string& name, const std::string& type, std::size_t position) {
  load({name}, type, default_value(catalogue, type, position));
}

void KernelBuilder::load_rounds(int by_default) {
  assert(slots == slot_of_rounds);
  load({"%rounds"}, "b32", {std::to_string(by_default), std::to_string(by_default), false});
  operands += fmt::format("  setp.ne.u32 %again, %pass, 0;\n  @!%again min.u32 %rounds, %rounds, {};\n", by_default);
  slot_of_value_.clear();
}

void KernelBuilder::place(const std::vector<std::string>& names, const isa::Object& object, const isa::Value& offset) {
  if (!object.module.empty()) need(object.module);
  dynamic_shared = std::max(dynamic_shared, object.dynamic_shared);
  evicts_l2 |= object.is_evicted;
  const auto scratch_of = [](const std::string& name) {
    return std::map<std::string, std::string>{
        {"r", name}, {"o", name + "_offset"}, {"u", name + "_u"}, {"t", name + "_t"}};
  };
  if (declared.insert(object.name).second) {
    const auto own = scratch_of("%" + object.name);
    registers += indented(object.declare);
    once += indented(substitute(object.once, own));
    if (object.once.find("{u}") != std::string::npos) declare(own.at("u"), "b64");
    if (object.once.find("{t}") != std::string::npos) declare(own.at("t"), "b32");
  }
  // What the object's register is made from.
  const auto load_for = [&](const std::string& name, const std::string& made_from, const std::string& type,
                            const isa::Value& value) {
    const auto before = static_cast<std::ptrdiff_t>(loads.size());
    load({made_from}, type, value);
    std::fill(loads.begin() + before, loads.end(), name);
  };
  const auto has = [&](const char* hole) { return (object.each + object.prepare).find(hole) != std::string::npos; };
  const auto& type = object.register_type;
  for (const auto& name : names) {
    auto holes = scratch_of(name);
    if (has("{u}")) declare(holes.at("u"), "b64");
    if (has("{t}")) declare(holes.at("t"), "b32");
    if (offset.is_uniform) {
      const auto made = holes["r"] = name + "_uniform";
      if (has("{o}")) make_uniform(holes.at("o"), type, offset);
      declare(made, type);
      once += indented(substitute(object.each, holes));
      copy_in_each_pass(made, name, type);
      holes["r"] = name;
    } else {
      if (has("{o}")) load_for(name, holes.at("o"), type, offset);
      declare(name, type);
      guard += indented(substitute(object.each, holes));
      const int bits = isa::register_bits(type);
      if (hides_addresses && object.is_address) {
        const auto zero = name + "_zero";
        load_for(name, zero, type, {"0", "0", false});
        guard += fmt::format("  xor.b{0} {1}, {1}, {2};\n", bits, name, zero);
      }
      branch_on(fmt::format("  setp.eq.b{} %guard_1, {}, {};", bits, name, impossible(bits)));
    }
    guard += indented(substitute(object.prepare, holes));
  }
}

isa::Value default_value(const isa::Catalogue& catalogue, const std::string& type, std::size_t position) {
  if (type == "carry") return {"0", "1", false};
  if (const auto found = catalogue.defaults.find(type); found != catalogue.defaults.end() && !found->second.empty()) {
    return found->second[std::min(position, found->second.size() - 1)];
  }
  throw Error(ExitCode::catalogue, "no default value for the type " + type, "add it to [default] in values.toml");
}

std::string substitute(const std::string& text, const std::map<std::string, std::string>& holes) {
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    const auto open = std::min(text.find('{', at), text.size());
    filled.append(text, at, open - at);
    if (open == text.size()) break;
    const auto close = text.find_first_of("{}", open + 1);
    const bool is_name = close != std::string::npos && text[close] == '}';
    const auto hole = is_name ? holes.find(text.substr(open + 1, close - open - 1)) : holes.end();
    filled += hole == holes.end() ? "{" : hole->second;
    at = hole == holes.end() ? open + 1 : close + 1;
  }
  return filled;
}

namespace {

// Loads in texts of the catalogue, which nothing but these texts says: those of objects and of what comes before the
// instruction.
std::size_t loads_in(const std::string& text) {
  std::size_t loads = 0;
  const char* const end = text.c_str() + text.size();
  for (const char* at = std::strstr(text.c_str(), "ld."); at != nullptr; at = std::strstr(at + 1, "ld.")) {
    const bool is_word = at > text.c_str() && at[-1] == ' ';
    const std::string_view opcode(at, std::find(at, end, ' '));
    if (is_word && opcode.find(".global") != std::string_view::npos) ++loads;
  }
  return loads;
}

// All loads before the first clock, in the order of the frames. Those in the window belong to the instruction or to
// what waits for it.
std::vector<std::string> operand_loads_of(const KernelBuilder& builder) {
  std::vector<std::string> loads(loads_in(builder.once));
  loads.insert(loads.end(), builder.loads.begin(), builder.loads.end());
  loads.resize(loads.size() + loads_in(builder.guard));
  return loads;
}

std::string begin_of(const Skeletons& skeletons, int cluster) {
  // All CTAs of a cluster have the same number, and their SMs cannot be chosen.
  const bool is_cluster = cluster > 1;
  return fill(skeletons.memory,
              {{"place", is_cluster ? "%clusterid.x" : "%smid"}, {"group", is_cluster ? "%clusterid.x" : "%ctaid.x"}});
}

constexpr auto parameters = ", .param .align 64 .b8 parameters[1024]";

}  // namespace

namespace {

// The clocks are never equal, which the compiler does not know. If nothing in the window branches or has a result that
// is waited for, ptxas would increment the pass counter between the clocks.
constexpr char late_pass[] =
    "  setp.eq.u32 %again, %clock_1, %clock_2;\n  selp.u32 %low, 2, 1, %again;\n  add.u32 %pass, %pass, %low;";

}  // namespace

Trial finish(const KernelBuilder& builder, const Skeletons& skeletons, Frame frame, const std::string& window,
             const std::string& result) {
  assert(window.find("{{") == std::string::npos);
  const auto body = builder.once + builder.operands + builder.guard + window + result;
  auto directives = builder.directives.empty() ? std::string{} : " " + builder.directives;
  auto once = builder.once;
  std::string epilogue;
  if (builder.cluster > 1) {
    directives += fmt::format(" .reqnctapercluster {}, 1, 1", builder.cluster);
    // A CTA's shared memory only exists as long as the CTA.
    epilogue = "  barrier.cluster.arrive;\n  barrier.cluster.wait;\n";
    once += epilogue;
  }
  const auto names = [&](const char* name) { return std::strstr(body.c_str(), name) != nullptr; };
  // A release waits until others could see the written data, in any memory: so the place of the SM matters for it, and
  // for a cluster even for accesses that stay inside it.
  const auto releases = [&](const std::string& word) { return names(word.c_str()) && !names((word + ".cta").c_str()); };
  const bool uses_memory =
      names("%memory") || names("%scratch") || builder.cluster > 1 || releases(".release") || releases(".acq_rel");
  if (frame == Frame::subroutine && uses_memory) return {};
  // ptxas makes a loop over the lanes for an instruction that the machine executes once per warp, unless the lane is
  // elected.
  const bool has_elected = names("%elected");
  Trial trial;
  trial.kernel.text =
      fill(frame == Frame::loop ? skeletons.frame : skeletons.subroutine,
           {{"name", "{{name}}"},
            {"passes", std::to_string(builder.passes)},
            {"parameters", uses_memory || names("parameters") ? parameters : ""},
            {"memory", uses_memory ? begin_of(skeletons, builder.cluster) : ""},
            {"cta", !uses_memory          ? "%ctaid.x"
                    : builder.cluster > 1 ? "%cluster_ctarank"
                                          : "0"},
            {"directives", directives},
            {"registers", builder.registers + declared_scratch(body) + (has_elected ? "  .reg .pred %elected;\n" : "")},
            {"once", once},
            {"operands", builder.operands},
            {"guard", (has_elected ? "  elect.sync _|%elected, 0xffffffff;\n" : "") + builder.guard},
            {"window", window},
            {"result", result},
            {"next_pass", builder.after_pass + (has_elected ? late_pass : "  add.u32 %pass, %pass, 1;")},
            {"epilogue", epilogue}});
  trial.kernel.module = builder.module;
  trial.kernel.operand_loads = operand_loads_of(builder);
  trial.launch.threads = builder.threads;
  trial.launch.ctas = builder.cluster;
  trial.launch.dynamic_shared = builder.dynamic_shared;
  trial.launch.uses_memory = uses_memory;
  trial.launch.evicts_l2 = builder.evicts_l2;
  trial.launch.input = builder.input;
  return trial;
}

}  // namespace ptxlat::ptx
