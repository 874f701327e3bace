#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "assemble/assembler.h"

namespace ptxlat {

enum class ToolchainKind { driver, ptxas, nvjitlink };

// An assembler with its exact version, as found on this machine.
//   name     "driver-580.159.04", "ptxas-13.0.88", "nvjitlink-12.9.86"; unique; what tables are filed under
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

// Everything that can assemble here, without the driver (gpu/ adds it): ptxas and libnvJitLink in $PTXLAT_TOOLKITS,
// <source or install folder>/toolkits/*, $CUDA_HOME, PATH, /usr/local/cuda*, Debian's places. Newest first within a
// kind; each exact version once.
std::vector<Toolchain> find_toolchains();

// The disassembler that understands most targets (the newest), or an empty path. Same places.
std::filesystem::path find_nvdisasm();

// Picks what `--toolchain` names out of `available`: exact ("ptxas-13.0.88"), by prefix of the version ("ptxas-13",
// newest wins) or by kind ("ptxas", newest wins). Error{unknown_name} with the nearest names and what is available;
// Error{missing_tool} with how to get one where nothing at all is available.
const Toolchain& pick_toolchain(const std::vector<Toolchain>& available, const std::string& wanted);

// An assembler of this toolchain for one thread. ptxas runs as a program; nvJitLink in a process of its own (the
// `worker` subcommand of this program, see measure/worker.h). The driver's is made by gpu/ and not here.
std::unique_ptr<Assembler> make_ptxas(const Toolchain& toolchain);

}  // namespace ptxlat
