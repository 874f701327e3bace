// SPDX-License-Identifier: Apache-2.0
#include "snippet/addresses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <tuple>

#include "isa/types.h"

namespace ptxlat::snippet {

int bytes_moved(const Instruction& instruction) {
  int bytes = 1;
  for (const auto& bound : instruction.operands) {
    if (bound.operand == nullptr) continue;
    const auto* type = isa::find_type(bound.type);
    if (type != nullptr)
      bytes = std::max(bytes, type->element_bits * type->elements / 8 * std::max(1, bound.operand->count));
  }
  return bytes;
}

namespace {

class Followed {
 public:
  Followed(const Snippet& snippet, const std::vector<std::size_t>& instructions, const isa::Catalogue& catalogue)
      : snippet_(snippet), catalogue_(catalogue) {
    for (const auto i : instructions) {
      for (const auto value : snippet.flows[i].writes) maker_[value] = i;
    }
  }

  void follow(std::size_t index) {
    const auto& instruction = snippet_.instructions[index];
    for (const auto& bound : instruction.operands) {
      if (bound.is_result || bound.is_literal || isa::find_type(bound.type) != nullptr) continue;
      const auto& token = instruction.statement->operands[bound.token];
      mark(snippet_.flows[index].of_token.at(bound.token), {bound.type, bytes_moved(instruction), token.place},
           added_to(*instruction.statement, bound.token));
    }
  }

  Addresses addresses;

 private:
  const Value& value(std::size_t number) const { return snippet_.values[number]; }

  // The instruction among these that makes it; empty if it exists before them.
  std::optional<std::size_t> maker(std::size_t number) const {
    const auto found = maker_.find(number);
    return found == maker_.end() ? std::nullopt : std::optional(found->second);
  }

  // The registers that an instruction reads, by the operand's name in the catalogue.
  std::map<std::string, std::size_t> registers_of(std::size_t index) const {
    std::map<std::string, std::size_t> registers;
    for (const auto& bound : snippet_.instructions[index].operands) {
      if (!bound.is_result && !bound.is_literal && bound.operand != nullptr)
        registers[bound.operand->name] = snippet_.flows[index].of_token.at(bound.token);
    }
    return registers;
  }

  // An access to memory: its state space, bytes and address.
  struct Access {
    std::string space;
    int bytes = 0;
    Place place;
  };

  // The numbers that follow a register in its brackets: "[p+4]", "[p-4]", "[p+-4]".
  static std::int64_t added_to(const Statement& statement, std::size_t token) {
    std::int64_t sum = 0;
    for (auto i = token + 1; i < statement.operands.size() && statement.operands[i].text != "]"; ++i)
      sum += literal_in(statement.operands[i]);
    return sum;
  }
  static std::int64_t literal_in(const Token& token) {
    return token.kind == Token::Kind::number ? std::strtoll(token.text.c_str(), nullptr, 0) : 0;
  }

  void mark_source(std::size_t number, const Access& access, std::int64_t added) {
    const auto& [space, bytes, place] = access;
    const auto bits = isa::register_bits(value(number).type);
    auto object = space;
    if (bits == 32 && space.starts_with("shared")) {
      const auto at = space.find("_pointers");
      object = space.substr(0, at) + "_b32" + (at == std::string::npos ? "" : space.substr(at));
    } else if (bits != 64) {
      fail(snippet_.name, place, fmt::format("the address {} has {} bits", value(number).name, bits));
    }
    if (!catalogue_.objects.contains(object))
      fail(snippet_.name, place,
           fmt::format("there is no scratch memory that {} could point to ({})", value(number).name, object));
    auto& known = addresses.pointers[number];
    if (!known.empty() && known != object && known != object + "_pointers" && object != known + "_pointers") {
      fail(snippet_.name, place,
           fmt::format("{} would have to point to {} memory and to {} memory", value(number).name, known, object));
    }
    if (known.size() < object.size()) known = object;
    addresses.bytes[number] = std::max(addresses.bytes[number], bytes);
    auto& reach = addresses.reach[number];
    reach.least = std::min(reach.least, added);
    reach.most = std::max(reach.most, added);
  }

  //   added  to the value, in bytes
  void mark(std::size_t number, const Access& access, std::int64_t added) {
    const auto& [space, bytes, place] = access;
    // There may be many ways to one value: each selp of the same register doubles their number.
    // With different numbers added, a few of them are looked at.
    constexpr std::size_t most_added = 8;
    auto& known = marked_[{number, space, bytes}];
    if (known.size() == most_added || !known.insert(added).second) return;
    const auto index = maker(number);
    if (!index) return mark_source(number, access, added);
    const auto& opcode = snippet_.instructions[*index].statement->opcode;
    const auto stem = stem_of(opcode);
    const auto registers = registers_of(*index);
    std::string pointer;
    if (stem == "ld") {
      mark_loaded(*index, space, place);
      return;
    }
    if (stem == "add" || stem == "sub") pointer = pointer_of_sum(registers);
    if (stem == "mad" || stem == "mad24") pointer = "c";
    if (stem == "mov" || stem == "cvta" || stem == "cvt" || stem == "shfl") pointer = "a";
    for (const auto& [name, source] : registers) {
      if (name == pointer || (stem == "selp" && name != "c")) {
        mark(source, access, added + (stem == "sub" ? -1 : 1) * added_in_sum(*index));
      } else {
        make_zero(source);
      }
    }
    // Address 0 is valid in shared memory.
    const bool has_pointer = registers.contains(pointer) || stem == "selp";
    if (!has_pointer && !space.starts_with("shared")) {
      fail(snippet_.name, place,
           fmt::format("the address {} is computed by {} from no register that could be a pointer", value(number).name,
                       opcode),
           "add a pointer to it: mad.wide.u32 p, i, 4, base");
    }
  }

  // The literals of a sum: "add.s64 q, p, 512".
  std::int64_t added_in_sum(std::size_t index) const {
    const auto& instruction = snippet_.instructions[index];
    const auto stem = stem_of(*instruction.statement);
    std::int64_t sum = 0;
    if (stem != "add" && stem != "sub") return sum;
    for (const auto& bound : instruction.operands) {
      if (bound.is_literal) sum += literal_in(instruction.statement->operands[bound.token]);
    }
    return sum;
  }

  // In a sum, the pointer is the operand that is not an index: not itself a product, a shift or a conversion.
  std::string pointer_of_sum(const std::map<std::string, std::size_t>& registers) const {
    const auto is_index = [&](const std::string& name) {
      const auto found = registers.find(name);
      if (found == registers.end()) return true;
      const auto index = maker(found->second);
      if (!index) return false;
      const auto& opcode = snippet_.instructions[*index].statement->opcode;
      const auto stem = stem_of(opcode);
      return stem == "mul" || stem == "mul24" || stem == "shl" || stem == "cvt" || stem == "and" || stem == "bfe";
    };
    return is_index("a") && registers.contains("b") ? "b" : "a";
  }

  // The address comes from memory, which must hold its own addresses.
  void mark_loaded(std::size_t index, const std::string& space, Place place) {
    const auto& instruction = snippet_.instructions[index];
    for (const auto& bound : instruction.operands) {
      if (bound.is_result || bound.is_literal || isa::find_type(bound.type) != nullptr) continue;
      const bool is_same_space = bound.type == space || bound.type + "_pointers" == space;
      if (!is_same_space && !space.starts_with("shared")) {
        fail(
            snippet_.name, place,
            fmt::format("an address of {} memory that is loaded from {} memory cannot be measured", space, bound.type));
      }
      if (is_same_space)
        mark(snippet_.flows[index].of_token.at(bound.token),
             {bound.type + "_pointers", bytes_moved(instruction), place},
             added_to(*instruction.statement, bound.token));
    }
  }

  void make_zero(std::size_t number) {
    if (!zero_.insert(number).second) return;
    if (value(number).type == "pred" || value(number).type == "carry") return;
    const auto index = maker(number);
    if (!index) {
      if (!addresses.pointers.contains(number)) addresses.offsets.insert(number);
      return;
    }
    for (const auto& bound : snippet_.instructions[*index].operands) {
      const bool is_value = !bound.is_result && !bound.is_literal && isa::find_type(bound.type) != nullptr;
      if (is_value) make_zero(snippet_.flows[*index].of_token.at(bound.token));
    }
  }

  const Snippet& snippet_;
  const isa::Catalogue& catalogue_;
  std::map<std::size_t, std::size_t> maker_;
  std::map<std::tuple<std::size_t, std::string, int>, std::set<std::int64_t>> marked_;  // what was added
  std::set<std::size_t> zero_;
};

}  // namespace

Addresses addresses_in(const Snippet& snippet, const std::vector<std::size_t>& instructions,
                       const isa::Catalogue& catalogue) {
  Followed followed(snippet, instructions, catalogue);
  for (const auto i : instructions) followed.follow(i);
  for (const auto& [value, object] : followed.addresses.pointers) followed.addresses.offsets.erase(value);
  return std::move(followed.addresses);
}

}  // namespace ptxlat::snippet
