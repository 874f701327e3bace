// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reproduce/expected.h"

namespace ptxlat::reproduce {

// A folder's description.
//   title      the cells: "fma.rn.f32 -O3, ptxas-13.0.88 for sm_90a"
//   source     where the expected numbers come from: "NVIDIA H200, driver-580.159.04, 2026-11-23T16:26:18Z"
//   assembler  the command that makes windows.cubin from windows.ptx
//   command    the command that wrote the folder
//   sm         the architecture of the machine code
struct Provenance {
  std::string title;
  std::string source;
  std::string assembler;
  std::string command;
  std::string tool;
  int sm = 0;
};

// A cell that has numbers, with their expected values and what its reader must know.
struct CheckedCell {
  std::string name;  // "operand a, denormal"
  std::vector<ExpectedNumber> numbers;
  std::string note;
};

// Writes windows.ptx, windows.cubin, windows.sass, reproduce.c, Makefile and README.md. The program is the template
// `templates`/reproducer/reproduce.c. Error{storage} if they cannot be written.
void write_folder(const std::filesystem::path& folder, const std::filesystem::path& templates,
                  latency::Reproduction reproduction, std::vector<CheckedCell> cells, const Provenance& provenance);

}  // namespace ptxlat::reproduce
