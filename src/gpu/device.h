#pragma once

#include <string>

namespace ptxlat {

// What the driver says about one GPU.
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
};

}  // namespace ptxlat
