// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// Checks texts that become a part of a program of CUDA C++, or of its compiler's command line. They may be a
// stranger's, and a program can do more than compute: an #include opens any file, and the compiler's messages show its
// lines; a few macros of macros are gigabytes.
namespace ptxlat::isa {

// The first part of a text that no expression and no assignment has: a line of the preprocessor, a string, a comment, a
// brace, or a word such as `asm`.
//   at    where it is
//   what  "#", "\"", "//", "asm"; or in words, if it cannot be shown
struct BeyondExpressions {
  std::size_t at = 0;
  std::string what;
};
std::optional<BeyondExpressions> beyond_expressions(std::string_view text);

// The first word that begins a statement or inline assembly: "for", "asm".
std::optional<BeyondExpressions> statement_in(std::string_view text);

// Why a call, with its holes "{a}", is not one expression or one assignment to an operand, on one line. Empty if it is.
std::string problem_of_call(const std::string& call);

// Whether it is the name of a header below the folder of CUDA's headers: "cuda_fp16.h", "cuda/std/cmath".
bool is_header_name(std::string_view name);

// Whether it is an option of NVRTC that only changes the code of functions. Others read and write files, or define
// macros.
bool is_code_option(std::string_view option);

}  // namespace ptxlat::isa
