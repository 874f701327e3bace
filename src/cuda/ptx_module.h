// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ptxlat::cuda {

// A function of a PTX module.
//   signature   ".func (.param .b32 func_retval0) f(.param .b32 f_param_0)", without linkage directives
//   result      name of the .param that it returns; empty if it returns nothing
//   parameters  names
//   statements  of its body: each with its semicolon; a label with its colon; "{" and "}" of the scopes inside
struct PtxFunction {
  std::string signature;
  std::string result;
  std::vector<std::string> parameters;
  std::vector<std::string> statements;
};

// The definitions at module scope, by name.
//   variables  ".global .align 4 .b8 table[24] = {…};"
struct PtxModule {
  std::map<std::string, PtxFunction> functions;
  std::map<std::string, std::string> variables;
};

// Parses the text of a module as compilers write it.
PtxModule parse_ptx_module(const std::string& text);

// The text with each name in it (a register with its %, a label with its $) replaced by the result of `replacement`.
std::string replace_names(const std::string& text, const std::function<std::string(const std::string&)>& replacement);

}  // namespace ptxlat::cuda
