// SPDX-License-Identifier: Apache-2.0
#include "nvml/condition.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "nvml/nvml_api.h"

namespace ptxlat::nvml {

namespace {

// The kernel's number of the process namespace outside of containers (include/linux/proc_ns.h, PROC_PID_INIT_INO).
constexpr char first_pid_namespace[] = "pid:[4026531836]";

bool sees_all_processes() {
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/ns/pid", error);
  return !error && own == first_pid_namespace;
}

std::string name_of(const NvmlApi& api, unsigned pid) {
  char name[1024] = {};
  if (api.nvmlSystemGetProcessName(pid, name, sizeof name) == NVML_SUCCESS)
    return std::filesystem::path(name).filename().string();
  std::string comm;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", pid)), comm);
  return comm;
}

using ListProcesses = nvmlReturn_t (*)(nvmlDevice_t, unsigned*, nvmlProcessInfo_t*);

// Empty if the library cannot be asked.
std::optional<std::vector<nvmlProcessInfo_t>> list(nvmlDevice_t device, ListProcesses list_processes) {
  std::vector<nvmlProcessInfo_t> processes(256);
  auto count = static_cast<unsigned>(processes.size());
  const auto result = list_processes(device, &count, processes.data());
  if (result != NVML_SUCCESS && result != NVML_ERROR_INSUFFICIENT_SIZE) return std::nullopt;
  if (result == NVML_SUCCESS) processes.resize(count);
  return processes;
}

// A value that a function returns through its last argument; empty if it fails.
template <typename Value, typename Function, typename... Arguments>
std::optional<Value> asked(Function function, Arguments... arguments) {
  Value value{};
  return function(arguments..., &value) == NVML_SUCCESS ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> throttled_ns(const NvmlApi& api, nvmlDevice_t device, int policy) {
  const auto time = asked<nvmlViolationTime_t>(api.nvmlDeviceGetViolationStatus, device, policy);
  return time ? std::optional<std::uint64_t>(time->violationTime) : std::nullopt;
}

void ask_about_processes(const NvmlApi& api, nvmlDevice_t device, Condition& condition) {
  condition.sees_all_processes = sees_all_processes();
  for (const auto function : {api.compute_processes, api.graphics_processes}) {
    const auto found = list(device, function);
    if (!found) continue;
    if (!condition.processes) condition.processes.emplace();
    for (const auto& process : *found)
      condition.processes->push_back({static_cast<int>(process.pid), name_of(api, process.pid)});
  }
  if (const auto clients = list(device, api.mps_processes)) condition.has_mps_clients = !clients->empty();
}

// The device of a UUID. The driver also calls a part of a GPU "GPU-…", which NVML calls "MIG-…" (cuDeviceGetUuid_v2);
// the answers are then about the whole GPU.
nvmlReturn_t find_device(const NvmlApi& api, const std::string& uuid, nvmlDevice_t& device, bool& is_part) {
  const auto found = api.nvmlDeviceGetHandleByUUID(uuid.c_str(), &device);
  if (found == NVML_SUCCESS || !uuid.starts_with("GPU-")) return found;
  nvmlDevice_t part = nullptr;
  if (api.nvmlDeviceGetHandleByUUID(("MIG-" + uuid.substr(4)).c_str(), &part) != NVML_SUCCESS) return found;
  is_part = true;
  return api.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(part, &device);
}

void ask_about_sharing(const NvmlApi& api, nvmlDevice_t device, Condition& condition) {
  unsigned mig = 0, pending_mig = 0;
  if (api.nvmlDeviceGetMigMode(device, &mig, &pending_mig) == NVML_SUCCESS) condition.is_mig = mig != 0;
  if (const auto active = asked<int>(api.nvmlDeviceGetDisplayActive, device))
    condition.drives_display = *active == NVML_FEATURE_ENABLED;
}

void ask_about_errors(const NvmlApi& api, nvmlDevice_t device, Condition& condition) {
  int ecc = 0, pending_ecc = 0;
  if (api.nvmlDeviceGetEccMode(device, &ecc, &pending_ecc) == NVML_SUCCESS)
    condition.has_ecc = ecc == NVML_FEATURE_ENABLED;
  condition.uncorrected_errors = asked<unsigned long long>(api.nvmlDeviceGetTotalEccErrors, device,
                                                           NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC);
}

void ask_about_clocks(const NvmlApi& api, nvmlDevice_t device, Condition& condition) {
  condition.clock_reasons = asked<unsigned long long>(api.clock_event_reasons, device);
  condition.throttled_by_power_ns = throttled_ns(api, device, NVML_PERF_POLICY_POWER);
  condition.throttled_by_heat_ns = throttled_ns(api, device, NVML_PERF_POLICY_THERMAL);
}

}  // namespace

Condition condition_of(const std::string& uuid) {
  Condition condition;
  NvmlApi api{};
  if (!open_nvml(api, condition.problem)) return condition;
  nvmlDevice_t device = nullptr;
  bool is_part = false;
  if (const auto found = find_device(api, uuid, device, is_part); found != NVML_SUCCESS) {
    condition.problem = fmt::format("NVML does not know the GPU {}: {}", uuid, api.nvmlErrorString(found));
  } else {
    ask_about_processes(api, device, condition);
    ask_about_sharing(api, device, condition);
    ask_about_errors(api, device, condition);
    ask_about_clocks(api, device, condition);
    if (is_part) condition.is_mig = true;
  }
  api.nvmlShutdown();
  return condition;
}

}  // namespace ptxlat::nvml
