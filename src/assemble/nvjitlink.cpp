#include "assemble/nvjitlink.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "error.h"

namespace ptxlat {
namespace {

constexpr int input_ptx = 2;  // NVJITLINK_INPUT_PTX

// The header of nvJitLink maps nvJitLinkCreate to __nvJitLinkCreate_13_0 and the like; a library exports the versioned
// name and, not in every release, the plain one.
void* find_symbol(void* library, const std::string& name) {
  if (void* symbol = dlsym(library, name.c_str())) return symbol;
  for (int major = 12; major < 20; ++major)
    for (int minor = 0; minor < 10; ++minor)
      if (void* symbol = dlsym(library, fmt::format("__{}_{}_{}", name, major, minor).c_str())) return symbol;
  return nullptr;
}

template <typename Function>
void load(void* library, const std::filesystem::path& path, Function& function, const char* name) {
  function = reinterpret_cast<Function>(find_symbol(library, name));
  if (!function)
    throw Error(ExitCode::missing_tool, fmt::format("{} is no nvJitLink library: it has no {}", path.string(), name));
}

}  // namespace

NvJitLink::NvJitLink(const std::filesystem::path& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw Error(ExitCode::missing_tool, fmt::format("nvJitLink cannot be opened: {}", dlerror()));
  load(handle, library, create_, "nvJitLinkCreate");
  load(handle, library, destroy_, "nvJitLinkDestroy");
  load(handle, library, add_data_, "nvJitLinkAddData");
  load(handle, library, complete_, "nvJitLinkComplete");
  load(handle, library, cubin_size_, "nvJitLinkGetLinkedCubinSize");
  load(handle, library, cubin_, "nvJitLinkGetLinkedCubin");
  load(handle, library, error_log_size_, "nvJitLinkGetErrorLogSize");
  load(handle, library, error_log_, "nvJitLinkGetErrorLog");
  load(handle, library, info_log_size_, "nvJitLinkGetInfoLogSize");
  load(handle, library, info_log_, "nvJitLinkGetInfoLog");
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

ModuleOutcome NvJitLink::assemble(const std::string& ptx, const Target& target, int level) const {
  const std::string arch = "-arch=" + target.name();
  // nvJitLink itself knows -O0 and -O3 only; its ptxas knows the levels between. Both ways give the same code.
  const std::string optimise = fmt::format("-Xptxas=-O{}", level);
  const char* options[] = {arch.c_str(), optimise.c_str()};
  Handle handle = nullptr;
  Result result = create_(&handle, 2, options);
  if (result != 0) return {std::nullopt, fmt::format("nvJitLink refuses {} {}: error {}", arch, optimise, result)};

  ModuleOutcome outcome;
  result = add_data_(handle, input_ptx, ptx.c_str(), ptx.size() + 1, "module.ptx");
  if (result == 0) result = complete_(handle);
  std::size_t size = 0;
  if (result == 0) result = cubin_size_(handle, &size);
  if (result == 0) {
    outcome.cubin.emplace(size);
    result = cubin_(handle, outcome.cubin->data());
  }
  if (result != 0) {
    outcome.cubin.reset();
    outcome.log = read_log(handle, error_log_size_, error_log_);
    if (outcome.log.empty()) outcome.log = fmt::format("nvJitLink failed with error {}", result);
  } else {
    outcome.log = read_log(handle, info_log_size_, info_log_);
  }
  destroy_(&handle);
  return outcome;
}

}  // namespace ptxlat
