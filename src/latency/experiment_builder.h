// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "latency/experiment.h"
#include "ptx/bridge.h"
#include "ptx/instruction.h"
#include "ptx/kernel_builder.h"

namespace ptxlat::latency {

// One variant's parts, from which the trials of its experiment are assembled: windows (experiment_builder.cpp), chains
// (chain.cpp) and streams (stream.cpp).
struct ExperimentBuilder {
  const ptx::LoadedCatalogue& loaded;
  const isa::Variant& variant;
  const isa::Consumer* consumer;
  Clocks clocks = Clocks::plain;
  ptx::Frame frame = ptx::Frame::loop;
  int threads = 0;       // of a CTA whose warps begin together; 0: as many as the form needs
  bool crosses = false;  // of its chains (Experiment)

  const isa::Catalogue& catalogue() const { return loaded.catalogue; }
  const ptx::Skeletons& skeletons() const { return loaded.skeletons; }
  const isa::Form& form() const { return *variant.form; }
  std::string op(const ptx::Replaced& replaced, int number) const {
    return ptx::place_instruction(catalogue(), variant, replaced, number);
  }
  std::string text(const std::string& of_the_catalogue) const {
    return ptx::place_text(catalogue(), variant, of_the_catalogue, 0);
  }
  std::string before() const { return text(variant.input->before); }
  std::string completion() const { return text(variant.input->completion); }
  // A builder with the declarations that the form needs.
  ptx::KernelBuilder builder_of_form() const;
  // Code that lets several warps begin together; empty if `threads` is 0.
  std::string aligned() const;
  // A builder with the operands in their registers.
  ptx::KernelBuilder builder_with_operands() const;
  // A window of a skeleton, with its holes filled.
  std::string window(const ptx::Skeleton& skeleton, std::map<std::string, std::string> fillings) const;
  void reserve_clocks(ptx::KernelBuilder& builder) const;
  ptx::Trial finished(ptx::KernelBuilder& builder, const std::string& window, const std::string& result) const;
  // An empty window. `cleanup` is left out: without the instruction it could wait forever (for a transaction that a
  // barrier expects).
  ptx::Trial empty_window() const;
  // The consumer on register `value`; its result is %q.
  std::string consume(const std::string& value) const;
  void prepare_consumer(ptx::KernelBuilder& builder) const;
  std::string store_consumed() const;
  // Keeps everything that the instruction made, except for a register that is consumed.
  std::string keep_results(const std::string& consumed = {}) const;
  // The last register of a vector, unless the form names a different one: if an instruction becomes several, the last
  // is made last.
  std::string consumed_register() const { return consumed_of(ptx::registers_of(*ptx::result_of(form()))); }
  std::string consumed_of(const std::vector<std::string>& registers) const;
  // The instruction and the consumer of its result, in a window that determines which of them is between the clocks.
  ptx::Trial with_op(const ptx::Skeleton& skeleton) const;
  // The consumer alone, on a loaded operand.
  ptx::Trial without_op(const ptx::Skeleton& skeleton) const;
  // Some objects change with their first use, and some latencies with the values that a step passes on.
  bool can_chain() const;
  // Dependent steps of a chain. If a result can be the next source without conversion, it is written there.
  std::string steps_text(const ptx::Bridge& bridge, const isa::Operand& source, const isa::Operand& result,
                         int steps) const;
  // The source that takes turns with the variant's own in a chain that crosses; null if the form has none.
  const isa::Operand* crossing_source() const;
  // The source that reads the next chain's last value in a loop of chains that mix; null if the form has none.
  const isa::Operand* mixing_source() const;
  static bool writes_source(const ptx::Bridge& bridge, const isa::Operand& source);
  ptx::Bridge bridge_to(const isa::Operand& source) const;
  ptx::Trial chained(int steps) const;
  ptx::Trial bridged() const;
  // Chains side by side in a loop, without bridges (chain_loop.cpp).
  ptx::Trial looped(const ChainLoop& loop) const;
  void declare_bridge(ptx::KernelBuilder& builder, const ptx::Bridge& bridge, const isa::Operand& source) const;
  static std::string fill_bridge(const ptx::Bridge& bridge, const std::string& from, const std::string& to);
  // The instruction and what waits for its effect.
  ptx::Trial waited_for(bool with_op, bool with_completion) const;
  // Copies that do not depend on each other. If they were all the same instruction on the same values, the compiler
  // would merge them: each has its own registers, except for handles of objects and literals.
  ptx::Trial streamed(int copies, StreamShape shape) const;
  // Makes the operands that the copies of a stream share.
  void prepare_shared(ptx::KernelBuilder& builder, StreamShape shape) const;
  // Makes those that a copy has for itself, and says in which registers.
  ptx::Replaced prepare_own(ptx::KernelBuilder& builder, StreamShape shape, int copy) const;
  // Whether each copy of a stream has its own register for this operand.
  bool is_own(const isa::Operand& operand, StreamShape shape) const;
  // The compiler knows that all lanes have the same value.
  bool is_uniform(const isa::Operand& operand) const;
  // The one source operand that differs between copies if registers are scarce: with a result, the first value, so that
  // the copies are not merged; without one, the first address, so that a store does not make the previous one
  // superfluous.
  const isa::Operand* varied_operand() const;
  StreamShape stream_shape() const;
  // As many copies as there are registers for, up to 64, half of which it names.
  StreamShape long_stream_shape() const;
  // Copies as in a stream, in a loop (stream_loop.cpp).
  //   feedbacks  of each copy's result to each of its sources: 1, or 2
  struct StreamLoop {
    int copies = 1, rounds = 1, feedbacks = 1;
  };
  ptx::Trial stream_looped(const StreamLoop& loop, StreamShape shape) const;
  // An accumulator feeds itself, and without a result nothing is moved or left out.
  bool needs_feedback() const;
};

// The source operand of this name.
const isa::Operand& operand_of(const isa::Form& form, const std::string& name);
// Whether the form writes (or reads) the carry flag.
bool has_carry(const isa::Form& form, bool as_result);

}  // namespace ptxlat::latency
