// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cuda/program.h"
#include "cuda/ptx_module.h"

namespace ptxlat::cuda {

// A CUDA C function as the text of a form: PTX that takes the place of an instruction.
//   text     whole statements with holes for the operands, in its own scope if it has registers or labels
//   module   the tables and functions that it uses, each after those that it uses itself. Their names end in a hash of
//            their text, so that definitions shared by two functions appear once, and different definitions with the
//            same name are kept apart
//   problem  why it cannot be spliced; empty if it can
struct SplicedFunction {
  std::string text;
  std::vector<std::string> module;
  std::string problem;
};

// Parameters become the holes of the source operands and returned values go into those of the results. Results are
// written after the last use of a source, because in a chain they are the same register.
SplicedFunction splice(const PtxModule& module, const std::string& function, const FunctionInterface& interface);

}  // namespace ptxlat::cuda
