// SPDX-License-Identifier: Apache-2.0
#include "jit.h"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "context.h"
#include "gpu/cuda_api.h"

namespace standin {

namespace fs = std::filesystem;

Assembled assemble(const std::string& ptx, const std::string& target, int level) {
  const char* configured = std::getenv("PTXLAT_STANDIN_PTXAS");
  const std::string ptxas = configured && *configured ? configured : "ptxas";
  std::string folder = (fs::temp_directory_path() / "ptxlat-standin-XXXXXX").string();
  if (!mkdtemp(folder.data())) return {ptxlat::gpu::CUDA_ERROR_INVALID_PTX, "the stand-in has no temporary folder", {}};
  const std::string source = folder + "/module.ptx", cubin = folder + "/module.cubin";
  std::ofstream(source) << ptx;

  // A real JIT dies with its process. The driver knows level 4 and ptxas does not.
  const std::string command = "exec setpriv --pdeathsig KILL '" + ptxas + "' -arch=" + target + " -O" +
                              std::to_string(level > 3 ? 3 : level) + " '" + source + "' -o '" + cubin + "' 2>&1";
  Assembled outcome;
  FILE* output = popen(command.c_str(), "r");
  char line[4096];
  while (output && std::fgets(line, sizeof line, output)) outcome.log += line;
  const int status = output ? pclose(output) : -1;
  if (status == 0) {
    std::ifstream file(cubin, std::ios::binary);
    outcome.cubin.assign(std::istreambuf_iterator<char>(file), {});
  } else {
    const bool is_missing = WIFEXITED(status) && WEXITSTATUS(status) == 127;
    outcome.result = is_missing          ? ptxlat::gpu::CUDA_ERROR_JIT_COMPILER_NOT_FOUND
                     : WIFEXITED(status) ? ptxlat::gpu::CUDA_ERROR_INVALID_PTX
                                         : error_operating_system;
  }
  fs::remove_all(folder);
  return outcome;
}

}  // namespace standin
