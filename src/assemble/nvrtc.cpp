// SPDX-License-Identifier: Apache-2.0
#include "assemble/nvrtc.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "assemble/assembler.h"
#include "assemble/cuda_version.h"
#include "assemble/log_lines.h"
#include "base/limits.h"
#include "base/open_library.h"

namespace ptxlat::assemble {

namespace {

constexpr int out_of_memory = 1;  // NVRTC_ERROR_OUT_OF_MEMORY

// NVRTC asks the loader for its builtins library by name alone, without a path (13.0): if no CUDA is installed, the
// loader only finds it if it is already loaded. If it cannot be loaded, NVRTC reports the error.
void load_builtins_beside(const std::filesystem::path& library) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(library.parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().starts_with("libnvrtc-builtins.so."))
      dlopen(entry->path().c_str(), RTLD_NOW | RTLD_LOCAL);
  }
}

}  // namespace

Nvrtc::Nvrtc(const std::filesystem::path& library) {
  load_builtins_beside(library);
  const OpenLibrary opened("NVRTC", library);
  opened.load(create_, "nvrtcCreateProgram");
  opened.load(destroy_, "nvrtcDestroyProgram");
  opened.load(compile_, "nvrtcCompileProgram");
  opened.load(ptx_size_, "nvrtcGetPTXSize");
  opened.load(ptx_, "nvrtcGetPTX");
  opened.load(log_size_, "nvrtcGetProgramLogSize");
  opened.load(log_, "nvrtcGetProgramLog");
}

std::string Nvrtc::read_text(Program program, Result (*get_size)(Program, std::size_t*),
                             Result (*get)(Program, char*)) const {
  std::size_t size = 0;
  if (get_size(program, &size) != 0 || size == 0) return {};
  std::string text(size, '\0');
  if (get(program, text.data()) != 0) return {};
  text.resize(size - 1);  // the size counts the terminating zero
  return text;
}

CompileOutcome Nvrtc::compile(const std::string& program, const std::vector<std::string>& options) const {
  std::vector<const char*> arguments;
  for (const std::string& option : options) arguments.push_back(option.c_str());
  Program handle = nullptr;
  Result result = create_(&handle, program.c_str(), "functions.cu", 0, nullptr, nullptr);
  if (result != 0) return {std::nullopt, fmt::format("NVRTC failed with error {}", result)};

  CompileOutcome outcome;
  result = compile_(handle, static_cast<int>(arguments.size()), arguments.data());
  outcome.log = read_text(handle, log_size_, log_);
  std::size_t size = 0;
  if (result == 0) result = ptx_size_(handle, &size);
  if (result == 0 && size > most_assembled_bytes) {
    outcome.compiler_failed = true;
    outcome.log = failure_words(fmt::format("NVRTC made PTX of {} bytes\n", size));
  } else if (result == 0) {
    outcome.ptx = read_text(handle, ptx_size_, ptx_);
  } else if (result == out_of_memory || lacks_memory(outcome.log)) {
    // Whichever function it was in when memory ran out need not be the one that took it.
    outcome.compiler_failed = outcome.lacked_memory = true;
    outcome.log = lacked_memory("NVRTC");
  } else if (outcome.log.empty()) {
    outcome.log = fmt::format("NVRTC failed with error {}", result);
  }
  destroy_(&handle);
  return outcome;
}

const Toolchain* nvrtc_for(const Toolchain& assembler, const std::vector<Toolchain>& available) {
  const Toolchain* newest = nullptr;
  for (const Toolchain& toolchain : available) {
    if (toolchain.kind != ToolchainKind::nvrtc) continue;
    const bool fits =
        assembler.kind == ToolchainKind::driver
            ? std::pair(toolchain.ptx_major, toolchain.ptx_minor) <= std::pair(assembler.ptx_major, assembler.ptx_minor)
            : release_of(toolchain.version) == release_of(assembler.version);
    if (fits && (newest == nullptr || compare_versions(toolchain.version, newest->version) > 0)) newest = &toolchain;
  }
  return newest;
}

std::filesystem::path headers_of(const Toolchain& nvrtc) {
  const auto toolkit = nvrtc.path.parent_path().parent_path();
  // A wheel each for NVRTC and the runtime: nvidia/cuda_nvrtc/lib, nvidia/cuda_runtime/include. Debian has everything
  // in /usr: /usr/lib/x86_64-linux-gnu, /usr/include.
  // conda keeps it with the target: targets/x86_64-linux/lib, targets/x86_64-linux/include.
  for (const auto& folder :
       {toolkit / "include", toolkit / "targets/x86_64-linux/include", toolkit / "targets/sbsa-linux/include",
        toolkit.parent_path() / "cuda_runtime" / "include", toolkit.parent_path() / "include"}) {
    std::error_code error;
    if (std::filesystem::exists(folder / "cuda_fp16.h", error)) return folder;
  }
  return {};
}

}  // namespace ptxlat::assemble
