// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "isa/form.h"
#include "ptx/kernel.h"
#include "ptx/skeleton.h"

namespace ptxlat::ptx {

// Registers of a wide vector (an accumulator of wgmma, the data of tcgen05.ld) are moved to and from memory this many
// at a time: one by one, ptxas spends more time on them than on the instruction.
inline constexpr std::size_t registers_per_access = 4;
bool is_wide(const std::vector<std::string>& registers, const std::string& type);

// Passes of a kernel around its window, of which the last one counts: the first finds a cold instruction cache. A
// window that is a loop runs its code many times in each.
inline constexpr int passes_of_window = 4, passes_of_loop = 2;

// A kernel under construction: the registers that it declares, the operands that it loads, and the branches before the
// first clock.
struct KernelBuilder {
  const isa::Catalogue& catalogue;
  std::string registers;
  std::string once;  // before the loop
  std::string operands;
  std::vector<std::string> loads;  // those in `operands`, in order: the register that each is for
  std::string guard;
  std::string after_pass;  // at the end of each pass
  std::vector<std::uint64_t> input;
  int slots = 0;
  int threads;
  int cluster;
  int dynamic_shared = 0;
  int passes = passes_of_window;
  bool evicts_l2 = false;
  std::string directives;
  std::vector<std::string> module;  // at module scope
  std::set<std::string> declared;   // by objects, in the kernel
  // Whether ptxas cannot see how an address is made: it would leave a constant of the sum to the instruction, and give
  // its result the register of the rest.
  bool hides_addresses = false;

  KernelBuilder(const isa::Catalogue& from, const isa::Form& form);

  // Declares a register for `type`.
  void declare(const std::string& name, const std::string& type);
  // Gives the CTA this many threads. Before any operand.
  void use_threads(int count);
  // Adds a declaration at module scope, if it is not there yet.
  void need(const std::string& module_text);
  // Declares the registers and loads them, lane by lane, with `value`; the loads have finished before the first clock,
  // and the compiler cannot know that they return the same value. A uniform value is made before the loop instead. For
  // "carry" the condition code is set, and the name is only a marker.
  void load(const std::vector<std::string>& names, const std::string& type, const isa::Value& value);
  // The same with the catalogue's default value of the type for a source operand at `position`.
  void load_default(const std::string& name, const std::string& type, std::size_t position);
  // Loads %rounds, of which a launch may want a different number (slot_of_rounds). The first pass, which only
  // warms caches, has at most as many as by default. Before any operand.
  void load_rounds(int by_default);
  // Makes the registers of an object, each from a separate offset with the same value.
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

// The default value of a type for which the catalogue may have none: any type of the same width will do.
isa::Value default_value(const isa::Catalogue& catalogue, const std::string& type, std::size_t position);

// The kernel around a window.
//   loop        the passes are a loop (frame.ptx)
//   subroutine  each pass is a call, and ptxas moves nothing across it (subroutine.ptx)
enum class Frame { loop, subroutine };

// The complete kernel and its launch; the caller sets the role. `result` is the code after the second clock. A
// subroutine has no memory and no cluster: the text of a kernel that uses them is empty.
Trial finish(const KernelBuilder& builder, const Skeletons& skeletons, Frame frame, const std::string& window,
             const std::string& result);

// "{a}" → the text in `holes` for "a"; other holes are kept, and filled-in text is not processed again.
std::string substitute(const std::string& text, const std::map<std::string, std::string>& holes);

}  // namespace ptxlat::ptx
