// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "assemble/assembler.h"
#include "assemble/toolchain.h"

namespace ptxlat::assemble {

enum class PieceKind { ptxas, nvjitlink, nvrtc, nvdisasm };
std::string to_string(PieceKind kind);  // "ptxas", "nvJitLink", "NVRTC", "nvdisasm"

// A program or library of a CUDA toolkit that was found on this machine.
//   folder   of the toolkit: toolkits/13.0, /usr/local/cuda-12.4, …/site-packages/nvidia/cuda_nvcc
//   version  "13.0.88"; empty if it is broken
//   problem  why it cannot be used: "died of signal 11 (Segmentation fault)"; empty if it can
struct ToolkitPiece {
  PieceKind kind;
  std::filesystem::path folder;
  std::filesystem::path path;
  std::string version;
  std::string problem;
};

// The pieces of these kinds in these folders, working and broken ones, in the order of the folders, each file once. A
// program is asked for its version; a library is read but not loaded. Every call asks again, which costs about 10 ms
// per piece.
std::vector<ToolkitPiece> find_pieces(const std::vector<std::filesystem::path>& folders,
                                      const std::vector<PieceKind>& kinds);

// The working ones among them that can assemble, in the form of find_toolchains.
std::vector<Toolchain> toolchains_of(const std::vector<ToolkitPiece>& pieces);

// "sm_75", "sm_90a", … from the output of `ptxas --help` or `nvdisasm --help`, in numerical order.
std::vector<std::string> targets_in_help(std::string_view help);

// The targets that a working ptxas or nvdisasm supports; empty if it does not say.
std::vector<std::string> targets_of(const std::filesystem::path& program);

// The newest disassembler that reads the instruction words of this target: those of CUDA 13.2 and later only support
// sm_75 and newer, and old ones do not support the newest. Error{missing_tool} with what to download.
std::filesystem::path nvdisasm_for(const isa::Target& target,
                                   const std::vector<std::filesystem::path>& folders = toolkit_folders());

}  // namespace ptxlat::assemble
