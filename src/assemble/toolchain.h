// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assemble/assembler.h"
#include "base/environment.h"

namespace ptxlat::assemble {

// nvrtc compiles CUDA C++ and does not assemble PTX: it can be named, but it has no Assembler.
enum class ToolchainKind { driver, ptxas, nvjitlink, nvrtc };

// An assembler with its exact version, as found on this machine.
//   name     "driver-580.159.04", "ptxas-13.0.88", "nvjitlink-12.9.86"; unique; the name of a table's folder
//   path     the program or library; empty for the driver
//   ptx_major, ptx_minor   newest PTX version that it accepts
struct Toolchain {
  ToolchainKind kind;
  std::string name;
  std::string version;
  std::filesystem::path path;
  int ptx_major = 0;
  int ptx_minor = 0;
};

// Where toolkits are looked for, in this order: each folder in $PTXLAT_TOOLKITS, each folder in `toolkits/` next to or
// above this program (the repository or the installation), NVIDIA's wheels beside it, the user's own,
// $CUDA_HOME, $CUDA_PATH, the conda environment, the wheels
// that pip has installed there, the toolkits that PATH leads to, the wheels of the Pythons in PATH, /usr/local/cuda*,
// Debian's folders. Only folders that exist, each once.
std::vector<std::filesystem::path> toolkit_folders();
// Where `ptxlat toolkits` puts what it downloads if the program's own folder cannot be written: ptxlat/toolkits in
// $XDG_DATA_HOME or ~/.local/share. Empty if there is no home.
std::filesystem::path toolkits_of_user();

// Everything in these folders that can assemble on this machine, without the driver (gpu/ adds it): bin/ptxas that
// answers to --version, libnvJitLink and NVRTC. Newest first within a kind; each exact version once. find_pieces also
// lists broken ones.
std::vector<Toolchain> find_toolchains(const std::vector<std::filesystem::path>& folders = toolkit_folders());

// The newest disassembler, or an empty path, from the same folders; nvdisasm_for finds one that reads a given target.
std::filesystem::path find_nvdisasm(const std::vector<std::filesystem::path>& folders = toolkit_folders());

// Picks the toolchain that `--toolchain` names from `available`: exact ("ptxas-13.0.88"), by prefix of the version
// ("ptxas-13", newest wins) or by kind ("ptxas", newest wins). Error{unknown_name} with the nearest names and what is
// available; Error{missing_tool} with how to get one if nothing is available.
const Toolchain& pick_toolchain(const std::vector<Toolchain>& available, const std::string& wanted);

// The same for several, separated by commas ("driver,ptxas-11.8,ptxas-12.4"), in the given order; two names of one
// toolchain count once.
std::vector<Toolchain> pick_toolchains(const std::vector<Toolchain>& available, const std::string& wanted);

// An assembler of this toolchain for one thread. ptxas runs as a program, with its files in its own temporary folder,
// and is killed if a module takes longer than the deadline. Its assemble() throws Error{missing_tool} if the program
// cannot be started and Error{storage} if the disk is full: neither is the fault of a kernel. nvJitLink and the driver
// run in a worker process (worker/worker.h).
std::unique_ptr<Assembler> make_ptxas(const Toolchain& toolchain,
                                      std::chrono::milliseconds deadline = scaled_deadline(std::chrono::seconds(120)));

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
// sm_75 and newer, and old ones do not support the newest. Empty if there is none.
std::optional<std::filesystem::path> nvdisasm_that_reads(
    const isa::Target& target, const std::vector<std::filesystem::path>& folders = toolkit_folders());
// The same, or Error{missing_tool} with what to download.
std::filesystem::path nvdisasm_for(const isa::Target& target,
                                   const std::vector<std::filesystem::path>& folders = toolkit_folders());

}  // namespace ptxlat::assemble
