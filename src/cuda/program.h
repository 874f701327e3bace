// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/form.h"

namespace ptxlat::cuda {

// A scalar of a function's parameters or of its result: a whole operand, or one element of a vector (float2).
//   hole    in the form's text: "{a}", "{d.1}"
//   type    PTX type of the operand
//   offset  in the struct that the function returns, in bytes; for a parameter, its number
struct FunctionValue {
  std::string hole;
  std::string type;
  int offset = 0;
};

// How a form's operands are passed to the function that is compiled for it. Only scalars are passed, so that NVRTC's
// PTX has one load per parameter and one store per result: 16-bit floats as integers, packed ones as 32-bit integers,
// and all results as fields of one struct, whether the statement returns them or writes through a pointer.
struct FunctionInterface {
  std::vector<FunctionValue> parameters;
  std::vector<FunctionValue> results;
};
FunctionInterface interface_of(const isa::Form& form);

// The name of the function for the form at this place in a program.
std::string function_name(std::size_t index);

// A program of CUDA C++ with a function for each form, each on a separate line. Statements may ask with
// `same_type<One, Other>::value` which type an expression has; after cuda_bf16.h they know the types of cuda_fp16.h,
// too.
//   first_line  of the functions, from 1: what the compiler says about line first_line + i concerns forms[i]
struct CudaProgram {
  std::string text;
  int first_line = 0;
};
CudaProgram program_of(const std::vector<const isa::Form*>& forms, const std::string& header);

}  // namespace ptxlat::cuda
