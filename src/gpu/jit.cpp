// SPDX-License-Identifier: Apache-2.0
#include "gpu/jit.h"

#include <cstdint>
#include <vector>

#include "assemble/log_lines.h"

namespace ptxlat::gpu {
namespace {

int jit_target(const isa::Target& target) {
  if (target.suffix == "a") return CU_COMPUTE_ACCELERATED_TARGET_BASE + target.sm;
  if (target.suffix == "f") return CU_COMPUTE_FAMILY_TARGET_BASE + target.sm;
  return target.sm;
}

// The options of one module with its logs. The driver keeps the addresses until it is done.
class JitOptions {
 public:
  JitOptions(int device_sm, const isa::Target& target, int level) : error_log_(log_bytes), info_log_(log_bytes) {
    add(CU_JIT_OPTIMIZATION_LEVEL, static_cast<std::uintptr_t>(level));
    add(CU_JIT_ERROR_LOG_BUFFER, reinterpret_cast<std::uintptr_t>(error_log_.data()));
    add(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, log_bytes - 1);
    add(CU_JIT_INFO_LOG_BUFFER, reinterpret_cast<std::uintptr_t>(info_log_.data()));
    add(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, log_bytes - 1);
    if (target != isa::Target{device_sm, ""}) add(CU_JIT_TARGET, static_cast<std::uintptr_t>(jit_target(target)));
  }
  JitOptions(const JitOptions&) = delete;  // the driver holds addresses of its buffers
  JitOptions& operator=(const JitOptions&) = delete;

  unsigned count() const { return static_cast<unsigned>(options_.size()); }
  CUjit_option* options() { return options_.data(); }
  void** values() { return values_.data(); }
  std::string error_log() const { return error_log_.data(); }
  std::string info_log() const { return info_log_.data(); }

 private:
  static constexpr std::size_t log_bytes = 64 * 1024;

  void add(CUjit_option option, std::uintptr_t value) {
    options_.push_back(option);
    values_.push_back(reinterpret_cast<void*>(value));
  }

  std::vector<char> error_log_;
  std::vector<char> info_log_;
  std::vector<CUjit_option> options_;
  std::vector<void*> values_;
};

// Calls `make`, which returns a cubin or throws what the driver says.
template <typename Make>
assemble::ModuleOutcome outcome_of(const CudaApi& api, const JitOptions& options, Make make) {
  try {
    Bytes cubin = make();
    if (cubin.empty()) return {std::nullopt, assemble::failure_words("the driver's JIT made no cubin"), true};
    return {std::move(cubin), options.info_log()};
  } catch (const CudaError& error) {
    // Not this PTX's fault: every module would fail, and each would be recorded as rejected.
    if (error.result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND) throw;
    PTXLAT_CUDA(api, cuStreamSynchronize, nullptr);  // throws if the device has died
    const std::string log = options.error_log();
    if (assemble::blames_ptx(log)) return {std::nullopt, log};
    return {std::nullopt, log + assemble::failure_words(error.driver_words), true};
  }
}

// A link in progress. Its options live as long.
class LinkState {
 public:
  LinkState(const CudaApi& api, JitOptions& options) : api_(api) {
    PTXLAT_CUDA(api_, cuLinkCreate, options.count(), options.options(), options.values(), &state_);
  }
  ~LinkState() { PTXLAT_CUDA_NOEXCEPT(api_, cuLinkDestroy, state_); }
  LinkState(const LinkState&) = delete;  // owns a handle
  LinkState& operator=(const LinkState&) = delete;

  Bytes link(const std::string& ptx) {
    // The size counts the terminating zero; the driver does not write to the text.
    PTXLAT_CUDA(api_, cuLinkAddData, state_, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()), ptx.size() + 1,
                "module.ptx", 0u, nullptr, nullptr);
    void* cubin = nullptr;
    std::size_t size = 0;
    PTXLAT_CUDA(api_, cuLinkComplete, state_, &cubin, &size);
    const auto* bytes = static_cast<const std::uint8_t*>(cubin);
    return Bytes(bytes, bytes + size);
  }

 private:
  const CudaApi& api_;
  CUlinkState state_ = nullptr;
};

}  // namespace

assemble::ModuleOutcome jit_load(const CudaApi& api, int device_sm, const std::string& ptx, const isa::Target& target,
                                 int level, const TakeCubin& take_cubin) {
  JitOptions options(device_sm, target, level);
  return outcome_of(api, options, [&] {
    CUmodule module = nullptr;
    PTXLAT_CUDA(api, cuModuleLoadDataEx, &module, ptx.c_str(), options.count(), options.options(), options.values());
    PTXLAT_CUDA_NOEXCEPT(api, cuModuleUnload, module);
    return take_cubin();
  });
}

assemble::ModuleOutcome jit_link(const CudaApi& api, int device_sm, const std::string& ptx, const isa::Target& target,
                                 int level) {
  JitOptions options(device_sm, target, level);
  return outcome_of(api, options, [&] { return LinkState(api, options).link(ptx); });
}

}  // namespace ptxlat::gpu
