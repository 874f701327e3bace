#pragma once

#include <string>
#include <vector>

#include "cuda/program.h"
#include "cuda/ptx_module.h"

namespace ptxlat::cuda {

// A function of CUDA C as the text of a form: PTX that stands where an instruction does.
//   text     whole statements with holes for the operands, in a scope of its own if it has registers or labels
//   module   the tables and functions that it uses, each behind what it uses itself. Their names end in a hash of their
//            text, so that what two functions share is there once, and what only has the same name is not mistaken
//   problem  why it cannot be one; empty if it can
struct SplicedFunction {
  std::string text;
  std::vector<std::string> module;
  std::string problem;
};

// Parameters become the holes of the source operands and what is returned goes into those of the results. These are
// written behind the last use of a source, because in a chain they are the same register.
SplicedFunction splice(const PtxModule& module, const std::string& function, const FunctionInterface& interface);

}  // namespace ptxlat::cuda
