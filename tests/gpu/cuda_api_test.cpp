// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_api.h"

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::gpu;

TEST_CASE("a missing libcuda is an error that names it") {
  setenv("PTXLAT_LIBCUDA", "/nonexistent/libcuda.so.1", 1);
  try {
    load_cuda_api();
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::no_gpu);
    CHECK(std::string(error.what()).find("/nonexistent/libcuda.so.1") != std::string::npos);
  }
}

TEST_CASE("a failed call is thrown with function, the driver's words, file and line") {
  setenv("PTXLAT_LIBCUDA", PTXLAT_TEST_LIBCUDA, 1);
  const CudaApi api = load_cuda_api();
  CUmodule module = nullptr;
  const char no_cubin[64] = {};
  try {
    PTXLAT_CUDA(api, cuModuleLoadData, &module, no_cubin);
    FAIL("no error");
  } catch (const CudaError& error) {
    CHECK(error.result == CUDA_ERROR_INVALID_IMAGE);
    CHECK(error.driver_words == "CUDA_ERROR_INVALID_IMAGE: the stand-in's own words");
    const std::string message = error.what();
    CHECK(message.find("cuModuleLoadData failed with CUDA_ERROR_INVALID_IMAGE") == 0);
    CHECK(message.find("cuda_api_test.cpp:") != std::string::npos);
  }
}
