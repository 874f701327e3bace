// SPDX-License-Identifier: Apache-2.0
#include "assemble/nvjitlink.h"

#include <fmt/format.h>

#include "assemble/log_lines.h"
#include "base/limits.h"
#include "base/open_library.h"

namespace ptxlat::assemble {
namespace {

constexpr int input_ptx = 2;  // NVJITLINK_INPUT_PTX

}  // namespace

NvJitLink::NvJitLink(const std::filesystem::path& library) {
  const OpenLibrary opened("nvJitLink", library);
  opened.load(create_, "nvJitLinkCreate");
  opened.load(destroy_, "nvJitLinkDestroy");
  opened.load(add_data_, "nvJitLinkAddData");
  opened.load(complete_, "nvJitLinkComplete");
  opened.load(cubin_size_, "nvJitLinkGetLinkedCubinSize");
  opened.load(cubin_, "nvJitLinkGetLinkedCubin");
  opened.load(error_log_size_, "nvJitLinkGetErrorLogSize");
  opened.load(error_log_, "nvJitLinkGetErrorLog");
  opened.load(info_log_size_, "nvJitLinkGetInfoLogSize");
  opened.load(info_log_, "nvJitLinkGetInfoLog");
}

std::string NvJitLink::read_log(Handle handle, Result (*get_size)(Handle, std::size_t*),
                                Result (*get)(Handle, char*)) const {
  std::size_t size = 0;
  if (get_size(handle, &size) != 0 || size == 0) return {};
  std::string log(size + 1, '\0');
  if (get(handle, log.data()) != 0) return {};
  log.resize(log.find('\0'));  // releases differ in whether the size counts the terminating zero
  return log;
}

ModuleOutcome NvJitLink::assemble(const std::string& ptx, const isa::Target& target, int level) const {
  const std::string arch = "-arch=" + target.name();
  // nvJitLink itself only knows -O0 and -O3; its ptxas knows the levels between. Both ways give the same code.
  const std::string optimise = fmt::format("-Xptxas=-O{}", level);
  const char* options[] = {arch.c_str(), optimise.c_str()};
  Handle handle = nullptr;
  Result result = create_(&handle, 2, options);
  if (result != 0) return {std::nullopt, fmt::format("nvJitLink rejects {} {}: error {}", arch, optimise, result)};

  ModuleOutcome outcome;
  result = add_data_(handle, input_ptx, ptx.c_str(), ptx.size() + 1, "module.ptx");
  if (result == 0) result = complete_(handle);
  std::size_t size = 0;
  if (result == 0) result = cubin_size_(handle, &size);
  const bool is_too_large = size > most_assembled_bytes;
  if (result == 0 && !is_too_large) {
    outcome.cubin.emplace(size);
    result = cubin_(handle, outcome.cubin->data());
  }
  if (is_too_large) {
    outcome.assembler_failed = true;
    outcome.log = failure_words(fmt::format("nvJitLink made a cubin of {} bytes\n", size));
  } else if (result != 0) {
    outcome.cubin.reset();
    outcome.log = read_log(handle, error_log_size_, error_log_);
    outcome.assembler_failed = !blames_ptx(outcome.log);
    if (lacks_memory(outcome.log)) {
      outcome.assembler_failed = outcome.lacked_memory = true;
      outcome.log = lacked_memory("nvJitLink");
    } else if (!outcome.assembler_failed && diagnostics_in(outcome.log).empty()) {
      // 13.0 says on the terminal only that memory ran out, and here that it has "errors".
      outcome.assembler_failed = outcome.lacked_memory = true;
      outcome.log = failure_words(fmt::format("nvJitLink gives no reason{}", perhaps_lacked_memory()));
    } else if (outcome.assembler_failed) {
      outcome.log += failure_words(fmt::format("nvJitLink failed with error {}", result));
    }
  } else {
    outcome.log = read_log(handle, info_log_size_, info_log_);
  }
  destroy_(&handle);
  return outcome;
}

}  // namespace ptxlat::assemble
