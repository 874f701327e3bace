// SPDX-License-Identifier: Apache-2.0

// The stand-in's NVML. PTXLAT_STANDIN_NVML determines its answers, as words separated by spaces:
//   process=4711          a compute process; can be repeated
//   mps=4712              an MPS client
//   mig, display, no_ecc  what is on, or off
//   part                  the device is a part of a GPU, by MIG
//   errors=3              uncorrected ones
//   reasons=4             bits of nvmlClocksEventReasons
//   power_ns=5000000      for how long the power limit has lowered the clocks: more by this at each question
//   unknown_gpu, fails    NVML answers nothing
//   hangs, crashes        its process does
// Without it the GPU is idle and nobody else's.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "context.h"
#include "nvml/nvml_api.h"

using namespace ptxlat::nvml;

namespace standin {

void hang();

namespace {

// The values of a word, each once for each time that it is said; one empty text for a word without a value.
std::vector<std::string> said(const std::string& name) {
  std::vector<std::string> values;
  const char* words = std::getenv("PTXLAT_STANDIN_NVML");
  std::istringstream in(words ? words : "");
  for (std::string word; in >> word;) {
    if (word == name) values.emplace_back();
    if (word.starts_with(name + "=")) values.push_back(word.substr(name.size() + 1));
  }
  return values;
}

bool says(const std::string& name) { return !said(name).empty(); }

unsigned long long number(const std::string& name) {
  const auto values = said(name);
  return values.empty() ? 0 : std::strtoull(values.front().c_str(), nullptr, 0);
}

nvmlReturn_t list(const std::string& name, unsigned* count, nvmlProcessInfo_t* processes) {
  const auto values = said(name);
  if (*count < values.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
  *count = static_cast<unsigned>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    processes[i] = {static_cast<unsigned>(std::atoi(values[i].c_str())), 0, 0, 0};
  return NVML_SUCCESS;
}

}  // namespace
}  // namespace standin

using namespace standin;

STANDIN_API nvmlReturn_t nvmlInit_v2() {
  if (says("hangs")) hang();
  if (says("crashes")) abort();
  return says("fails") ? NVML_ERROR_NO_PERMISSION : NVML_SUCCESS;
}
STANDIN_API nvmlReturn_t nvmlShutdown() { return NVML_SUCCESS; }
STANDIN_API const char* nvmlErrorString(nvmlReturn_t result) {
  return result == NVML_ERROR_NO_PERMISSION ? "Insufficient Permissions" : "Not Found";
}
STANDIN_API nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned size) {
  const char* wanted = std::getenv("PTXLAT_STANDIN_DRIVER_VERSION");
  std::strncpy(version, wanted && *wanted ? wanted : "0.0.standin", size);
  return NVML_SUCCESS;
}
STANDIN_API nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  *device = nullptr;
  const bool is_known = std::strncmp(uuid, says("part") ? "MIG-" : "GPU-", 4) == 0 && !says("unknown_gpu");
  return is_known ? NVML_SUCCESS : 6;
}
STANDIN_API nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t, nvmlDevice_t* whole) {
  *whole = nullptr;
  return NVML_SUCCESS;
}
STANDIN_API nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t, unsigned* count,
                                                                 nvmlProcessInfo_t* processes) {
  return list("process", count, processes);
}
STANDIN_API nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t, unsigned* count,
                                                                    nvmlProcessInfo_t* processes) {
  return list("mps", count, processes);
}
STANDIN_API nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char* name, unsigned size) {
  std::strncpy(name, pid == 4711 ? "/usr/bin/trainer" : "", size);
  return pid == 4711 ? NVML_SUCCESS : NVML_ERROR_NO_PERMISSION;
}
STANDIN_API nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t, unsigned* current, unsigned* pending) {
  *current = *pending = says("mig");
  return NVML_SUCCESS;
}
STANDIN_API nvmlReturn_t nvmlDeviceGetDisplayActive(nvmlDevice_t, int* is_active) {
  *is_active = says("display");
  return NVML_SUCCESS;
}
STANDIN_API nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t, int* current, int* pending) {
  *current = *pending = !says("no_ecc");
  return NVML_SUCCESS;
}
STANDIN_API nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t, int, int, unsigned long long* errors) {
  *errors = number("errors");
  return NVML_SUCCESS;
}
// The older name: newer drivers have both.
STANDIN_API nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t, unsigned long long* reasons) {
  *reasons = says("reasons") ? number("reasons") : nvmlClocksEventReasonGpuIdle;
  return NVML_SUCCESS;
}
STANDIN_API nvmlReturn_t nvmlDeviceGetViolationStatus(nvmlDevice_t, int policy, nvmlViolationTime_t* time) {
  *time = {};
  if (policy != NVML_PERF_POLICY_POWER || !says("power_ns")) return NVML_SUCCESS;
  // Each question comes from a different process: they are counted in a file in the test's folder.
  int questions = 0;
  std::ifstream("nvml.questions") >> questions;
  std::ofstream("nvml.questions") << ++questions;
  time->violationTime = static_cast<unsigned long long>(questions) * number("power_ns");
  return NVML_SUCCESS;
}
