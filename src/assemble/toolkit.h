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

// The pieces of these kinds in these folders, sound and broken ones, in the order of the folders, each file once. A
// program is asked for its version, a library is read and not loaded. Asks anew at every call, which costs some 10 ms a
// piece.
std::vector<ToolkitPiece> find_pieces(const std::vector<std::filesystem::path>& folders,
                                      const std::vector<PieceKind>& kinds);

// The sound ones among them that can assemble, as find_toolchains has them.
std::vector<Toolchain> toolchains_of(const std::vector<ToolkitPiece>& pieces);

// "sm_75", "sm_90a", … out of what `ptxas --help` or `nvdisasm --help` says, in the order of their numbers.
std::vector<std::string> targets_in_help(std::string_view help);

// What a sound ptxas or nvdisasm assembles for or reads; nothing if it does not say.
std::vector<std::string> targets_of(const std::filesystem::path& program);

// The newest disassembler that reads the instruction words of this target: CUDA 13.2's and later know sm_75 and newer
// only, and no old one knows the newest. Error{missing_tool} with what to fetch.
std::filesystem::path nvdisasm_for(const isa::Target& target,
                                   const std::vector<std::filesystem::path>& folders = toolkit_folders());

}  // namespace ptxlat::assemble
