// SPDX-License-Identifier: Apache-2.0
#include "gpu/jit.h"

#include <cstdint>
#include <vector>

#include "assemble/log_lines.h"

namespace ptxlat::gpu {
namespace {

// A link in progress with its logs. The driver keeps the addresses of the options' values until the state is destroyed.
class LinkState {
 public:
  LinkState(const CudaApi& api, int level) : api_(api), error_log_(log_bytes), info_log_(log_bytes) {
    add_option(CU_JIT_OPTIMIZATION_LEVEL, level);
    add_option(CU_JIT_ERROR_LOG_BUFFER, reinterpret_cast<std::uintptr_t>(error_log_.data()));
    add_option(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, log_bytes - 1);
    add_option(CU_JIT_INFO_LOG_BUFFER, reinterpret_cast<std::uintptr_t>(info_log_.data()));
    add_option(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, log_bytes - 1);
  }
  ~LinkState() {
    if (state_) PTXLAT_CUDA_NOEXCEPT(api_, cuLinkDestroy, state_);
  }
  LinkState(const LinkState&) = delete;  // owns a handle, and the driver holds addresses of its buffers
  LinkState& operator=(const LinkState&) = delete;

  void add_option(CUjit_option option, std::uintptr_t value) {
    options_.push_back(option);
    values_.push_back(reinterpret_cast<void*>(value));
  }

  // The cubin, which lives as long as this object.
  Bytes link(const std::string& ptx) {
    PTXLAT_CUDA(api_, cuLinkCreate, static_cast<unsigned>(options_.size()), options_.data(), values_.data(), &state_);
    // The size counts the terminating zero; the driver does not write to the text.
    PTXLAT_CUDA(api_, cuLinkAddData, state_, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()), ptx.size() + 1,
                "module.ptx", 0u, nullptr, nullptr);
    void* cubin = nullptr;
    std::size_t size = 0;
    PTXLAT_CUDA(api_, cuLinkComplete, state_, &cubin, &size);
    const auto* bytes = static_cast<const std::uint8_t*>(cubin);
    return Bytes(bytes, bytes + size);
  }

  std::string error_log() const { return error_log_.data(); }
  std::string info_log() const { return info_log_.data(); }

 private:
  static constexpr std::size_t log_bytes = 64 * 1024;

  const CudaApi& api_;
  std::vector<char> error_log_;
  std::vector<char> info_log_;
  std::vector<CUjit_option> options_;
  std::vector<void*> values_;
  CUlinkState state_ = nullptr;
};

int jit_target(const isa::Target& target) {
  if (target.suffix == "a") return CU_COMPUTE_ACCELERATED_TARGET_BASE + target.sm;
  if (target.suffix == "f") return CU_COMPUTE_FAMILY_TARGET_BASE + target.sm;
  return target.sm;
}

}  // namespace

assemble::ModuleOutcome jit_assemble(const CudaApi& api, int device_sm, const std::string& ptx,
                                     const isa::Target& target, int level) {
  LinkState state(api, level);
  if (target != isa::Target{device_sm, ""}) state.add_option(CU_JIT_TARGET, jit_target(target));
  try {
    Bytes cubin = state.link(ptx);
    if (cubin.empty()) return {std::nullopt, assemble::failure_words("the driver's JIT made no cubin"), true};
    return {std::move(cubin), state.info_log()};
  } catch (const CudaError& error) {
    // Not this PTX's fault: every module would fail, and each would be recorded as rejected.
    if (error.result == CUDA_ERROR_JIT_COMPILER_NOT_FOUND) throw;
    PTXLAT_CUDA(api, cuStreamSynchronize, nullptr);  // throws if the device has died
    const std::string log = state.error_log();
    if (assemble::blames_ptx(log)) return {std::nullopt, log};
    return {std::nullopt, log + assemble::failure_words(error.driver_words), true};
  }
}

}  // namespace ptxlat::gpu
