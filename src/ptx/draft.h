#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/form.h"
#include "ptx/experiment.h"

namespace ptxlat {

// A kernel while it is put together: which registers it declares, which operands it loads, and what is branched on
// before the first clock.
struct Draft {
  const Catalogue& catalogue;
  std::string registers;
  std::string operands;
  std::string guard;
  std::vector<std::uint64_t> input;
  int slots = 0;
  int lanes;

  Draft(const Catalogue& from, int lane_count);

  // Declares a register that holds `type`.
  void declare(const std::string& name, const std::string& type);
  // Declares `name` and loads it, lane by lane, with `value`; the load is over before the first clock. For "carry" the
  // condition code is set and `name` only says so.
  void load(const std::string& name, const std::string& type, const Value& value);
  // The same with the catalogue's default value of the type for a source operand at `position`.
  void load_default(const std::string& name, const std::string& type, std::size_t position);
};

// The default value of a type that no source operand of the catalogue may have named so far: any type of the same width
// will do.
Value default_value(const Catalogue& catalogue, const std::string& type, std::size_t position);

Kernel finish(const Draft& draft, const Skeletons& skeletons, const std::string& window, const std::string& result);

}  // namespace ptxlat
