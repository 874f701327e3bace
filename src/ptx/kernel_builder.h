#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "isa/form.h"
#include "kernel/kernel.h"
#include "ptx/skeleton.h"

namespace ptxlat::ptx {

// Registers of a wide vector (an accumulator of wgmma, the data of tcgen05.ld) go to and from memory this many at a
// time: one by one, ptxas spends more on them than on the instruction.
inline constexpr std::size_t registers_per_access = 4;
bool is_wide(const std::vector<std::string>& registers, const std::string& type);

// A kernel while it is put together: which registers it declares, which operands it loads, and what is branched on
// before the first clock.
struct KernelBuilder {
  const isa::Catalogue& catalogue;
  std::string registers;
  std::string once;  // before the loop
  std::string operands;
  std::string guard;
  std::vector<std::uint64_t> input;
  int slots = 0;
  int threads;
  int cluster;
  int dynamic_shared = 0;
  bool evicts_l2 = false;
  std::string directives;
  std::vector<std::string> module;  // at module scope
  std::set<std::string> declared;   // by objects, in the kernel

  KernelBuilder(const isa::Catalogue& from, const isa::Form& form);

  // Declares a register that holds `type`.
  void declare(const std::string& name, const std::string& type);
  // Adds what is needed at module scope, if it is not there yet.
  void need(const std::string& module_text);
  // Declares the registers and loads them, lane by lane, with `value`; the loads are over before the first clock, and
  // the compiler cannot know that they bring the same. A uniform value is made before the loop instead. For
  // "carry" the condition code is set and the name only says so.
  void load(const std::vector<std::string>& names, const std::string& type, const isa::Value& value);
  // The same with the catalogue's default value of the type for a source operand at `position`.
  void load_default(const std::string& name, const std::string& type, std::size_t position);
  // Makes the registers of an object, each from an offset of its own with the same value.
  void place(const std::vector<std::string>& names, const isa::Object& object, const isa::Value& offset);

 private:
  int slot_for(const std::string& type, const isa::Value& value, bool for_wide = false);
  void load_wide(const std::vector<std::string>& names, const std::string& type, int slot);
  void load_one(const std::string& name, const std::string& type, int slot);
  void load_condition(const std::string& name, const std::string& type, int slot);
  void make_uniform(const std::string& name, const std::string& type, const isa::Value& value);
  void copy_in_each_pass(const std::string& from, const std::string& to, const std::string& type);
  void branch_on(const std::string& condition);

  int uniform_operands_ = 0;
  std::map<std::pair<bool, std::vector<std::uint64_t>>, int> slot_of_value_;  // by wide, and the bits of the lanes
};

// The default value of a type that no source operand of the catalogue may have named so far: any type of the same width
// will do.
isa::Value default_value(const isa::Catalogue& catalogue, const std::string& type, std::size_t position);

// The kernel around a window.
//   loop        the passes are a loop (frame.ptx)
//   subroutine  each pass is a call, from which ptxas moves nothing (subroutine.ptx)
enum class Frame { loop, subroutine };

// The complete kernel and its launch; the role is the caller's. `result` is what is done after the second clock. A
// subroutine has no memory and no cluster: of a kernel that uses them the text is empty.
kernel::Trial finish(const KernelBuilder& builder, const Skeletons& skeletons, Frame frame, const std::string& window,
                     const std::string& result);

// "{a}" → what `holes` has for "a"; holes that it does not name stay, and what is filled in is not looked at again.
std::string substitute(const std::string& text, const std::map<std::string, std::string>& holes);

}  // namespace ptxlat::ptx
