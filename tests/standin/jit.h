// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace standin {

struct Assembled {
  int result = 0;  // a CUresult
  std::string log;
  std::vector<char> cubin;
};

// Assembles with a real ptxas: $PTXLAT_STANDIN_PTXAS, else the one in PATH.
Assembled assemble(const std::string& ptx, const std::string& target, int level);

}  // namespace standin
