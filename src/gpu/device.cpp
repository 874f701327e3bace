// SPDX-License-Identifier: Apache-2.0
#include "gpu/device.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <fstream>

#include "base/environment.h"
#include "base/error.h"
#include "gpu/cuda_api.h"

namespace ptxlat::gpu {
namespace {

// NVML knows the driver's own version ("580.159.04"); the Driver API knows only the CUDA version that it implements.
std::string version_from_nvml(void* library) {
  using Status = int;
  const auto init = reinterpret_cast<Status (*)()>(dlsym(library, "nvmlInit_v2"));
  const auto shutdown = reinterpret_cast<Status (*)()>(dlsym(library, "nvmlShutdown"));
  const auto get_version = reinterpret_cast<Status (*)(char*, unsigned)>(dlsym(library, "nvmlSystemGetDriverVersion"));
  if (!init || !shutdown || !get_version || init() != 0) return {};
  char version[80] = {};
  const Status status = get_version(version, sizeof version);
  shutdown();
  return status == 0 ? version : "";
}

// First in libcuda itself, because a stand-in for the driver brings both libraries in one file.
std::string driver_version(const CudaApi& api) {
  std::string version = version_from_nvml(api.library);
  if (!version.empty()) return version;
  if (void* nvml = dlopen(environment_or("PTXLAT_LIBNVML", "libnvidia-ml.so.1"), RTLD_NOW | RTLD_LOCAL))
    version = version_from_nvml(nvml);
  if (version.empty()) std::ifstream("/sys/module/nvidia/version") >> version;
  if (version.empty()) version = "unknown";
  return version;
}

int attribute(const CudaApi& api, CUdevice_attribute which, CUdevice device) {
  int value = 0;
  PTXLAT_CUDA(api, cuDeviceGetAttribute, &value, which, device);
  return value;
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid.bytes[i]);
  }
  return text;
}

Error no_visible_gpu() {
  return Error(ExitCode::no_gpu, "the NVIDIA driver sees no GPU (CUDA_VISIBLE_DEVICES may hide it)",
               without_gpu_advice());
}

}  // namespace

int open_device(const CudaApi& api, int index) {
  const CUresult started = api.cuInit(0);
  if (started == CUDA_ERROR_NO_DEVICE) throw no_visible_gpu();
  if (started == CUDA_ERROR_STUB_LIBRARY)
    throw Error(ExitCode::no_gpu,
                "libcuda.so.1 is the stub of a CUDA toolkit, which programs are linked with, not the driver",
                "Take folders called stubs out of LD_LIBRARY_PATH (or of PTXLAT_LIBCUDA). " + without_gpu_advice());
  if (started != CUDA_SUCCESS)
    throw Error(ExitCode::no_gpu, "the NVIDIA driver does not start: " + driver_words(api, started),
                "`nvidia-smi` may say more. " + without_gpu_advice());
  int count = 0;
  PTXLAT_CUDA(api, cuDeviceGetCount, &count);
  if (count == 0) throw no_visible_gpu();
  if (index < 0 || index >= count)
    throw Error(ExitCode::no_gpu, fmt::format("there is no GPU {}: the driver sees {}, numbered from 0", index, count),
                "Choose one with --devices, or take all of them with --devices all.");
  CUdevice device = 0;
  PTXLAT_CUDA(api, cuDeviceGet, &device, index);
  return device;
}

int device_sm(const CudaApi& api, int device) {
  return 10 * attribute(api, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) +
         attribute(api, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

int device_sm_count(const CudaApi& api, int device) {
  return attribute(api, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
}

int device_l2_bytes(const CudaApi& api, int device) {
  return attribute(api, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device);
}

DeviceInfo describe_device(const CudaApi& api, int index) {
  const CUdevice device = open_device(api, index);
  DeviceInfo info;
  info.index = index;
  char name[256] = {};
  PTXLAT_CUDA(api, cuDeviceGetName, name, static_cast<int>(sizeof name), device);
  info.name = name;
  CUuuid uuid{};
  PTXLAT_CUDA(api, cuDeviceGetUuid, &uuid, device);
  info.uuid = uuid_text(uuid);
  info.sm = device_sm(api, device);
  info.sm_count = device_sm_count(api, device);
  PTXLAT_CUDA(api, cuDeviceGetCount, &info.device_count);
  info.sm_clock_khz = attribute(api, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device);
  info.memory_clock_khz = attribute(api, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, device);
  // Values for probes; 0 if the driver does not report them.
  api.cuDeviceGetAttribute(&info.memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, device);
  api.cuDeviceGetAttribute(&info.l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device);
  api.cuDeviceTotalMem(&info.memory_bytes, device);
  api.cuDeviceGetAttribute(&info.shared_per_sm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, device);
  api.cuDeviceGetAttribute(&info.persisting_l2_bytes, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, device);
  api.cuDeviceGetAttribute(&info.window_bytes, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, device);
  const CUmemAllocationProp memory = memory_of(device);
  api.cuMemGetAllocationGranularity(&info.page_bytes, &memory, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  info.driver_version = driver_version(api);
  PTXLAT_CUDA(api, cuDriverGetVersion, &info.cuda_api_version);
  return info;
}

}  // namespace ptxlat::gpu
