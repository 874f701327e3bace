#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assemble/assembler.h"
#include "assemble/toolchain.h"
#include "isa/form.h"
#include "ptx/skeleton.h"

namespace ptxlat::run {

// A form that an assembler does not take, in its own words.
struct Refusal {
  const isa::Form* form = nullptr;
  isa::Target target;
  std::string words;
};

// What is needed to try forms on an assembler.
//   target       what all are assembled for; empty: each form for the oldest target that has it
//   on_finished  is called with a number of forms that were tried, from one thread at a time
struct CheckLine {
  const ptx::LoadedCatalogue& loaded;
  assemble::Toolchain toolchain;
  std::optional<isa::Target> target;
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(std::size_t)> on_finished;
};

// Assembles each form once, alone in a kernel, at level 0, on as many threads as there are assemblers. The refusals are
// in the order of the forms. A form that no target of the toolchain has is one.
std::vector<Refusal> check_forms(const CheckLine& line,
                                 const std::vector<std::unique_ptr<assemble::Assembler>>& assemblers,
                                 const std::vector<const isa::Form*>& forms);

// The oldest target that has a form; empty if none of those known does.
std::optional<isa::Target> oldest_target(const isa::Requirement& requirement);

}  // namespace ptxlat::run
