// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace ptxlat::gpu {

struct CudaApi;

// The driver's report about one GPU.
struct DeviceInfo {
  int index = 0;
  std::string name;  // "NVIDIA H200"
  std::string uuid;  // "GPU-xxxxxxxx-…"
  int sm = 0;        // 90
  int sm_count = 0;
  int sm_clock_khz = 0;  // the device's peak, as reported
  int memory_clock_khz = 0;
  std::string driver_version;  // "580.159.04"
  int cuda_api_version = 0;    // 13000 for CUDA 13.0, as cuDriverGetVersion has it
  int memory_bus_bits = 0;
  int l2_bytes = 0;
  std::size_t memory_bytes = 0;
  std::size_t page_bytes = 0;   // the smallest size that the driver maps
  int shared_per_sm = 0;        // bytes
  int persisting_l2_bytes = 0;  // that can be set aside for persisting lines
  int window_bytes = 0;         // maximum size of a window of persisting lines
  int device_count = 1;         // how many GPUs the driver sees
};

// Starts the driver and finds the device of this index. Error{no_gpu} if there is none. Only a worker process may call
// it: it is driver code, and a fault poisons the process that runs it.
int open_device(const CudaApi& api, int index);

// 90 for compute capability 9.0.
int device_sm(const CudaApi& api, int device);
int device_sm_count(const CudaApi& api, int device);
int device_l2_bytes(const CudaApi& api, int device);

DeviceInfo describe_device(const CudaApi& api, int index);

}  // namespace ptxlat::gpu
