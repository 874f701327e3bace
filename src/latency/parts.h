#pragma once

#include <string>
#include <vector>

#include "latency/experiment.h"
#include "ptx/bridge.h"
#include "ptx/instruction.h"
#include "ptx/kernel_builder.h"

namespace ptxlat::latency {

// One variant's parts, from which the trials of its experiment are put together: windows (parts.cpp), chains
// (chain.cpp) and streams (stream.cpp).
struct Parts {
  const LoadedCatalogue& loaded;
  const Variant& variant;
  const Consumer* consumer;

  const Catalogue& catalogue() const { return loaded.catalogue; }
  const Skeletons& skeletons() const { return loaded.skeletons; }
  const Form& form() const { return *variant.form; }
  std::string op(const Replaced& replaced, int number) const {
    return place_instruction(catalogue(), variant, replaced, number);
  }
  std::string text(const std::string& of_the_catalogue) const {
    return place_text(catalogue(), variant, of_the_catalogue, 0);
  }
  std::string before() const { return text(variant.input->before); }
  std::string completion() const { return text(variant.input->completion); }
  // A builder with the operands in their registers.
  KernelBuilder builder_with_operands() const;
  Trial finished(KernelBuilder& builder, const std::string& window, const std::string& result) const;
  // An empty window. What prepares for the instruction may not be undone without it (a transaction
  // that a barrier waits for).
  Trial empty_window() const;
  // The consumer on register `value`; its result is %q.
  std::string consume(const std::string& value) const;
  void prepare_consumer(KernelBuilder& builder) const;
  std::string store_consumed() const;
  // Keeps all that the instruction made, but for a register that is consumed.
  std::string keep_results(const std::string& consumed = {}) const;
  // The last of a vector: where an instruction becomes several, it is the last that is made.
  std::string consumed_register() const;
  // The instruction and the consumer of its result, in a window that says which of them is between the clocks.
  Trial with_op(const Skeleton& skeleton) const;
  // The consumer alone, on a loaded operand.
  Trial without_op(const Skeleton& skeleton) const;
  // Some objects are another thing after their first use.
  bool can_chain() const;
  // Dependent steps of a chain. Where a result can be the next source as it is, it is written there.
  std::string steps_text(const Bridge& bridge, const Operand& source, const Operand& result, int steps) const;
  static bool writes_source(const Bridge& bridge, const Operand& source);
  Bridge bridge_to(const Operand& source) const;
  Trial chained(int steps) const;
  Trial bridged() const;
  void declare_bridge(KernelBuilder& builder, const Bridge& bridge, const Operand& source) const;
  static std::string fill_bridge(const Bridge& bridge, const std::string& from, const std::string& to);
  // The instruction and what waits for its effect.
  Trial waited_for(bool with_op, bool with_completion) const;
  // Copies that do not depend on each other. They would all be the same instruction on the same values, and the
  // compiler would make one of them: each has its own registers, but for handles of objects and literals.
  Trial streamed(int copies, StreamShape shape) const;
  // Whether each copy of a stream has this operand for itself.
  bool is_own(const Operand& operand, StreamShape shape) const;
  // The one source operand that copies have each for themselves where registers are short: with a result, the first
  // value, so that they are not merged; without one, the first address, so that a store does not make the one before
  // it superfluous.
  const Operand* varied_operand() const;
  StreamShape stream_shape() const;
};

// The source operand of this name.
const Operand& operand_of(const Form& form, const std::string& name);
// Whether the form writes (or reads) the carry flag.
bool has_carry(const Form& form, bool as_result);

}  // namespace ptxlat::latency
