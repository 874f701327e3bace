// SPDX-License-Identifier: Apache-2.0
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

// A form that an assembler rejects, with its message.
struct Rejection {
  const isa::Form* form = nullptr;
  isa::Target target;
  std::string words;
};

// The inputs for trying forms on an assembler.
//   target       the target of all forms; empty: for each form the oldest target that has it
//   on_finished  called with the number of forms just tried, from one thread at a time
struct CheckLine {
  const ptx::LoadedCatalogue& loaded;
  assemble::Toolchain toolchain;
  std::optional<isa::Target> target;
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(std::size_t)> on_finished;
};

// Assembles each form once, alone in a kernel, at level 0, on as many threads as there are assemblers. The rejections
// are in the order of the forms. A form that no target of the toolchain supports counts as one.
std::vector<Rejection> check_forms(const CheckLine& line,
                                   const std::vector<std::unique_ptr<assemble::Assembler>>& assemblers,
                                   const std::vector<const isa::Form*>& forms);

// The oldest target that supports a form; empty if no known one does.
std::optional<isa::Target> oldest_target(const isa::Requirement& requirement);

}  // namespace ptxlat::run
