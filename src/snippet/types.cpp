// SPDX-License-Identifier: Apache-2.0
#include "snippet/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isa/types.h"

namespace ptxlat::snippet {

namespace {

// What one use of a register says about it.
//   is_least  the register may be wider: loads, stores and conversions of integers (PTX ISA 9.4.1)
struct Use {
  std::size_t value = 0;
  std::string type;
  int bits = 0;
  bool is_least = false;
  bool is_definition = false;
  bool is_address = false;
  Place place;
};

bool is_floating(const std::string& type) {
  const auto* info = isa::find_type(type);
  return info != nullptr && info->is_floating();
}

bool has_bits_only(const std::string& type) {
  const auto* info = isa::find_type(type);
  return info == nullptr || info->encoding == isa::Encoding::bits || info->encoding == isa::Encoding::none;
}

bool may_be_wider(const Instruction& instruction, const std::string& type) {
  constexpr std::array stems = {"cvt.", "ld.", "st.", "ldu."};
  const auto& opcode = instruction.statement->opcode;
  return !is_floating(type) && isa::register_bits(type) > 1 &&
         std::any_of(stems.begin(), stems.end(), [&](const char* stem) { return opcode.starts_with(stem); });
}

std::vector<Use> uses_of(const Snippet& snippet) {
  std::vector<Use> uses;
  for (std::size_t i = 0; i < snippet.instructions.size(); ++i) {
    const auto& instruction = snippet.instructions[i];
    const auto& flow = snippet.flows[i];
    if (flow.guard)
      uses.push_back({*flow.guard, "pred", 1, false, false, false, instruction.statement->guard->name.place});
    for (const auto& bound : instruction.operands) {
      const auto value = flow.of_token.find(bound.token);
      if (value == flow.of_token.end()) continue;
      const auto& place = instruction.statement->operands[bound.token].place;
      if (isa::find_type(bound.type) == nullptr) {
        // An address of shared memory has 32 or 64 bits, every other address has 64.
        const bool may_be_narrow = bound.type.starts_with("shared");
        uses.push_back({value->second, "b64", 64, may_be_narrow, bound.is_result, true, place});
      } else {
        uses.push_back({value->second, bound.type, isa::register_bits(bound.type),
                        may_be_wider(instruction, bound.type), bound.is_result, false, place});
      }
    }
  }
  return uses;
}

// One register's width, with the place that determined it.
struct Width {
  int bits = 0;
  Place place;
  std::string from;  // "declared", "used"
};

class Types {
 public:
  Types(Snippet& snippet, const Marks& marks) : snippet_(snippet), uses_(uses_of(snippet)) {
    const Text& text = snippet.text;
    for (const std::vector<NamedRegister>* named :
         {&text.declared, &text.sources, &text.results, &marks.sources, &marks.results, &marks.types}) {
      for (const auto& one : *named) declare(one);
    }
  }

  void find() {
    for (const auto& use : uses_) {
      if (!use.is_least) require(use);
    }
    for (const auto& use : uses_) check_least(use);
    for (const auto& use : uses_) check_declared(use);
    for (std::size_t i = 0; i < snippet_.values.size(); ++i) {
      auto& value = snippet_.values[i];
      value.type = value.name == carry_name && !has_use(i) ? "carry" : type_of(i);
    }
  }

 private:
  std::string& register_of(const Use& use) { return snippet_.values[use.value].name; }

  bool has_use(std::size_t value) const {
    return std::any_of(uses_.begin(), uses_.end(), [&](const Use& use) { return use.value == value; });
  }

  void declare(const NamedRegister& named) {
    if (named.type.empty()) return;
    const int bits = isa::register_bits(named.type);
    if (bits == 0) fail(snippet_.name, named.place, fmt::format("there is no register type .{}", named.type));
    const auto [known, is_new] = widths_.try_emplace(named.name, Width{bits, named.place, "declared"});
    if (!is_new && known->second.bits != bits) mismatch(named.name, named.place, bits, known->second);
    const auto before = declared_.find(named.name);
    if (before != declared_.end() && contradict(before->second, named.type))
      fail(snippet_.name, named.place,
           fmt::format("{} is .{} here and .{} before", named.name, named.type, before->second),
           "a register has one type");
    if (!has_bits_only(named.type) || before == declared_.end()) declared_[named.name] = named.type;
  }

  // A register for floats is not one for integers; one of plain bits is either.
  static bool contradict(const std::string& one, const std::string& other) {
    return !has_bits_only(one) && !has_bits_only(other) && one != "pred" && other != "pred" &&
           is_floating(one) != is_floating(other);
  }

  void check_declared(const Use& use) const {
    const auto& name = snippet_.values[use.value].name;
    const auto declared = declared_.find(name);
    if (use.is_address || declared == declared_.end() || !contradict(declared->second, use.type)) return;
    fail(snippet_.name, use.place,
         fmt::format("{} is declared .{} and used as .{} here", name, declared->second, use.type),
         fmt::format("declare it .b{}, which is for both", isa::register_bits(declared->second)));
  }

  void require(const Use& use) {
    const auto [known, is_new] = widths_.try_emplace(register_of(use), Width{use.bits, use.place, "used"});
    if (!is_new && known->second.bits != use.bits) mismatch(register_of(use), use.place, use.bits, known->second);
  }

  [[noreturn]] void mismatch(const std::string& name, Place place, int bits, const Width& known) const {
    const auto what = [](int width) { return width == 1 ? std::string("a predicate") : fmt::format("{} bits", width); };
    fail(snippet_.name, place,
         fmt::format("{} is {} here and {} at {}:{}", name, what(bits), what(known.bits), known.place.line,
                     known.place.column),
         "a register has one width; cvt makes another, mov.b64 {lo, hi} takes one apart");
  }

  // An address may be narrower, any other value wider.
  void check_least(const Use& use) {
    if (!use.is_least) return;
    const auto [known, is_new] = widths_.try_emplace(register_of(use), Width{use.bits, use.place, "used"});
    auto& width = known->second;
    if (use.is_address) {
      if (width.bits != 32 && width.bits != 64) mismatch(register_of(use), use.place, 64, width);
    } else if (width.bits < use.bits) {
      if (width.bits == 1 || is_exact(register_of(use))) mismatch(register_of(use), use.place, use.bits, width);
      width = {use.bits, use.place, "used"};
    }
  }

  bool is_exact(const std::string& name) const {
    if (declared_.contains(name)) return true;
    return std::any_of(uses_.begin(), uses_.end(),
                       [&](const Use& use) { return !use.is_least && snippet_.values[use.value].name == name; });
  }

  // The type that determines its values and its consumer: a number type is preferred to plain bits, that of the
  // instruction that makes it to those of the readers.
  std::string type_of(std::size_t value) const {
    const auto& name = snippet_.values[value].name;
    const int bits = widths_.at(name).bits;
    if (const auto declared = declared_.find(name); declared != declared_.end() && !has_bits_only(declared->second))
      return declared->second;
    std::string best;
    for (const bool wants_definition : {true, false}) {
      for (const auto& use : uses_) {
        if (use.value != value || use.is_definition != wants_definition || use.bits != bits || use.is_address) continue;
        if (best.empty() || (has_bits_only(best) && !has_bits_only(use.type))) best = use.type;
      }
    }
    if (!best.empty()) return best;
    return bits == 1 ? "pred" : fmt::format("b{}", bits);
  }

  Snippet& snippet_;
  std::vector<Use> uses_;
  std::map<std::string, Width> widths_;
  std::map<std::string, std::string> declared_;
};

}  // namespace

void find_types(Snippet& snippet, const Marks& marks) { Types(snippet, marks).find(); }

}  // namespace ptxlat::snippet
