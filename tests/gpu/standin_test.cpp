// SPDX-License-Identifier: Apache-2.0

// What a script makes of the stand-in driver (standin/script.h), seen through the Driver API.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>

#include "../results/test_folder.h"
#include "catch.h"
#include "gpu/handles.h"
#include "script.h"
#include "tiny_cubin.h"

using namespace ptxlat;
using namespace ptxlat::gpu;

namespace {

constexpr CUresult out_of_memory = 2, no_binary_for_gpu = 209;

// A separate driver with this script: each copy of the library reads its own script.
struct ScriptedDriver {
  explicit ScriptedDriver(const std::string& script) {
    std::ofstream(folder.path / "script.toml") << script;
    setenv("PTXLAT_STANDIN_SCRIPT", (folder.path / "script.toml").c_str(), 1);
    std::filesystem::copy(PTXLAT_TEST_LIBCUDA, folder.path / "libcuda.so");
    setenv("PTXLAT_LIBCUDA", (folder.path / "libcuda.so").c_str(), 1);
    api = load_cuda_api();
    REQUIRE(api.cuInit(0) == CUDA_SUCCESS);
  }
  ~ScriptedDriver() { unsetenv("PTXLAT_STANDIN_SCRIPT"); }
  ScriptedDriver(const ScriptedDriver&) = delete;  // owns the environment
  ScriptedDriver& operator=(const ScriptedDriver&) = delete;

  template <typename Function>
  Function* symbol(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(api.library, name));
  }
  void use_device(int device) const {
    CUcontext context = nullptr;
    REQUIRE(api.cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
    REQUIRE(api.cuCtxSetCurrent(context) == CUDA_SUCCESS);
  }

  TestFolder folder;
  CudaApi api{};
};

using Words32 = std::vector<std::uint32_t>;

// `adding` takes 10 cycles by its schedule and `multiplying` 12.
Bytes two_kernels() {
  const auto kernel = [](unsigned opcode, unsigned stall) {
    return standin::Code{standin::read_clock(4), standin::op(opcode, stall), standin::read_clock(1),
                         standin::op(0x309, 1)};
  };
  return standin::tiny_cubin({{"adding", kernel(0x210, 6)}, {"multiplying", kernel(0x223, 8)}});
}

// Runs kernels of two_kernels() with the same operand for all threads but one and returns their output buffers.
struct Kernels {
  explicit Kernels(const ScriptedDriver& driver) : api(driver.api), module(api, two_kernels().data()) {}

  Words32 run(const std::string& name, unsigned threads = 32) const {
    const DeviceBuffer out(api, threads * 64), in(api, threads * 64);
    std::vector<std::uint64_t> operands(threads * 8, operand);
    operands[5 * 8] = operand_of_lane_5;
    api.cuMemcpyHtoDAsync(in.address(), operands.data(), threads * 64, nullptr);
    api.cuMemsetD8Async(out.address(), 0, threads * 64, nullptr);
    CUdeviceptr addresses[2] = {out.address(), in.address()}, no_memory = 0;
    unsigned char parameters[1024] = {};
    void* arguments[] = {&addresses[0], &addresses[1], &no_memory, parameters};
    launched = api.cuLaunchKernel(module.function(name), 1, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr);
    Words32 words(threads * 16);
    api.cuMemcpyDtoHAsync(words.data(), out.address(), threads * 64, nullptr);
    return words;
  }
  // What lane 0 saw between its clocks.
  std::uint32_t cycles(const std::string& name, unsigned threads = 32) const {
    const Words32 words = run(name, threads);
    return words[1] - words[0];
  }

  const CudaApi& api;
  CudaModule module;
  std::uint64_t operand = 7, operand_of_lane_5 = 7;
  mutable CUresult launched = CUDA_SUCCESS;
};

std::string mistake_in(const std::string& script) {
  const TestFolder folder;
  const auto file = folder.path / "script.toml";
  std::ofstream(file) << script;
  try {
    standin::read_script(file.string());
  } catch (const std::runtime_error& error) {
    return std::string(error.what()).substr(file.string().size());
  }
  return "none";
}

}  // namespace

TEST_CASE("a script's devices have names, architectures, attributes and identities of their own") {
  const ScriptedDriver driver(R"(
    device = [{name = "One"}, {name = "Two", sm = 80, sms = 3, attributes = {38 = 4096}}]
  )");
  int count = 0, value = 0;
  CHECK(driver.api.cuDeviceGetCount(&count) == CUDA_SUCCESS);
  CHECK(count == 2);
  char name[32] = {};
  CHECK(driver.api.cuDeviceGetName(name, sizeof name, 1) == CUDA_SUCCESS);
  CHECK(std::string(name) == "Two");
  for (const auto& [attribute, expected] : {std::pair{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 8},
                                            {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 3},
                                            {38, 4096},
                                            {10, 32}}) {
    CHECK(driver.api.cuDeviceGetAttribute(&value, attribute, 1) == CUDA_SUCCESS);
    CHECK(value == expected);
  }
  CUuuid first{}, second{};
  CHECK(driver.api.cuDeviceGetUuid(&first, 0) == CUDA_SUCCESS);
  CHECK(driver.api.cuDeviceGetUuid(&second, 1) == CUDA_SUCCESS);
  CHECK(std::memcmp(&first, &second, sizeof first) != 0);
  CUdevice device = 0;
  CHECK(driver.api.cuDeviceGet(&device, 2) == CUDA_ERROR_INVALID_DEVICE);
}

TEST_CASE("a cubin for an architecture other than the current device's is rejected") {
  const ScriptedDriver driver("device = [{sm = 90}, {sm = 80}]");
  CUmodule module = nullptr;
  driver.use_device(1);
  CHECK(driver.api.cuModuleLoadData(&module, two_kernels().data()) == no_binary_for_gpu);
  driver.use_device(0);
  CHECK(driver.api.cuModuleLoadData(&module, two_kernels().data()) == CUDA_SUCCESS);
  CHECK(driver.api.cuModuleUnload(module) == CUDA_SUCCESS);
}

TEST_CASE("rules choose launches by kernel, machine code, threads, device and number; the rest is as scheduled") {
  const ScriptedDriver driver(R"(
    device = [{}, {}]
    rule = [
      {kernel = "^add", launch = [0, 2], cycles = 100},
      {code = "FFMA", threads = 1024, cycles = 200},
      {code = "POPC", cycles = 1},  # only behind the window
      {code = 0x210, device = 1, cycles = 300},
    ])");
  const Kernels kernels(driver);
  CHECK(kernels.cycles("adding") == 100);
  CHECK(kernels.cycles("adding") == 10);
  CHECK(kernels.cycles("adding") == 100);
  CHECK(kernels.cycles("adding") == 10);
  CHECK(kernels.cycles("multiplying") == 12);
  CHECK(kernels.cycles("multiplying", 1024) == 200);
  driver.use_device(1);
  CHECK(kernels.cycles("adding") == 100);
  CHECK(kernels.cycles("adding") == 300);
}

TEST_CASE("a spread goes through launches and lanes through threads") {
  const ScriptedDriver driver(R"(
    rule = [{kernel = "adding", spread = [40, 44, 52]}, {kernel = "multiplying", lanes = [20, 21]}])");
  const Kernels kernels(driver);
  for (const std::uint32_t cycles : {40u, 44u, 52u, 40u}) CHECK(kernels.cycles("adding") == cycles);
  const Words32 words = kernels.run("multiplying", 64);
  for (std::size_t lane = 0; lane < 64; ++lane) CHECK(words[16 * lane + 1] - words[16 * lane] == 20 + lane % 2);
}

TEST_CASE("raw words are stored from the start of the output or by each thread, and nothing else") {
  const ScriptedDriver driver(R"(
    [[rule]]
    kernel = "adding"
    words = [5, 0xffffffff]
    [[rule]]
    kernel = "multiplying"
    words = [[1, 2], [3]]
    thread_bytes = 8
  )");
  const Kernels kernels(driver);
  Words32 expected(32 * 16);
  expected[0] = 5, expected[1] = 0xffffffff;
  CHECK(kernels.run("adding") == expected);
  const Words32 words = kernels.run("multiplying", 1024);
  for (std::size_t thread = 0; thread < 1024; thread += 2)
    CHECK(std::vector(words.begin() + 2 * thread, words.begin() + 2 * thread + 4) == Words32{1, 2, 3, 0});
}

TEST_CASE("each thread's result tells its operands, and rules can ask for an operand of one lane or of all") {
  const ScriptedDriver driver(R"(
    rule = [{operand = {index = 3, bits = 9}, cycles = 90}, {operand = {bits = 8, lane = 5}, cycles = 80}])");
  Kernels kernels(driver);
  const Words32 before = kernels.run("adding");
  kernels.operand_of_lane_5 = 6;
  const Words32 after = kernels.run("adding");
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const bool is_same =
        std::equal(before.begin() + 16 * lane + 6, before.begin() + 16 * lane + 8, after.begin() + 16 * lane + 6);
    CHECK(is_same == (lane != 5));
  }
  kernels.operand_of_lane_5 = 8;
  CHECK(kernels.cycles("adding") == 80);
  kernels.operand = 9;
  kernels.operand_of_lane_5 = 9;
  CHECK(kernels.cycles("adding") == 90);
}

TEST_CASE("a launch can run out of memory or fault, and a fault stays in its context") {
  const ScriptedDriver driver(R"(
    device = [{}, {}]
    rule = [{launch = 1, out_of_memory = true}, {launch = 2, die = "fault"}])");
  const Kernels kernels(driver);
  CHECK(kernels.cycles("adding") == 10);
  kernels.run("adding");
  CHECK(kernels.launched == out_of_memory);
  driver.use_device(1);
  CHECK(kernels.cycles("adding") == 10);
  driver.use_device(0);
  kernels.run("adding");
  CHECK(kernels.launched == CUDA_SUCCESS);
  CHECK(driver.api.cuStreamSynchronize(nullptr) == CUDA_ERROR_ILLEGAL_ADDRESS);
  driver.use_device(1);
  CHECK(driver.api.cuStreamSynchronize(nullptr) == CUDA_SUCCESS);
}

TEST_CASE("a device has as much memory as the script says, and copies and fills stay in their allocations") {
  const ScriptedDriver driver("device = [{memory = 4096}]");
  auto* get_info = driver.symbol<CUresult(std::size_t*, std::size_t*)>("cuMemGetInfo_v2");
  auto* set_words = driver.symbol<CUresult(CUdeviceptr, unsigned, std::size_t)>("cuMemsetD32_v2");
  std::size_t free = 0, total = 0;
  {
    const DeviceBuffer buffer(driver.api, 1024);
    CHECK(get_info(&free, &total) == CUDA_SUCCESS);
    CHECK(free == 3072);
    CUdeviceptr too_much = 0;
    CHECK(driver.api.cuMemAlloc(&too_much, 3073) == out_of_memory);

    CHECK(set_words(buffer.address(), 0xabcd, 256) == CUDA_SUCCESS);
    CHECK(set_words(buffer.address() + 4, 0xabcd, 256) == CUDA_ERROR_INVALID_VALUE);
    const std::uint32_t word = 1;
    CHECK(driver.api.cuMemcpyHtoDAsync(buffer.address() + 1020, &word, 4, nullptr) == CUDA_SUCCESS);
    CHECK(driver.api.cuMemcpyHtoDAsync(buffer.address() + 1021, &word, 4, nullptr) == CUDA_ERROR_INVALID_VALUE);
    Words32 words(256);
    CHECK(driver.api.cuMemcpyDtoHAsync(words.data(), buffer.address(), 1024, nullptr) == CUDA_SUCCESS);
    CHECK(words[254] == 0xabcd);
    CHECK(words[255] == 1);
  }
  CHECK(get_info(&free, &total) == CUDA_SUCCESS);
  CHECK(free == total);
}

TEST_CASE("a box is copied from rows of the host to rows and slices of device memory") {
  const ScriptedDriver driver("");
  const DeviceBuffer buffer(driver.api, 64);
  driver.api.cuMemsetD8Async(buffer.address(), 0, 64, nullptr);
  std::vector<unsigned char> from(64), to(64);
  std::iota(from.begin(), from.end(), static_cast<unsigned char>(0));
  // 2 × 2 × 2 bytes at (1, 1, 0) of a box of 4 × 4 × 4.
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = from.data();
  copy.srcPitch = 4, copy.srcHeight = 4;
  copy.srcXInBytes = 1, copy.srcY = 1;
  copy.dstMemoryType = 2;  // CU_MEMORYTYPE_DEVICE
  copy.dstDevice = buffer.address();
  copy.dstPitch = 8, copy.dstHeight = 2;
  copy.WidthInBytes = 2, copy.Height = 2, copy.Depth = 2;
  CHECK(driver.api.cuMemcpy3D(&copy) == CUDA_SUCCESS);
  driver.api.cuMemcpyDtoHAsync(to.data(), buffer.address(), 64, nullptr);
  CHECK(to[0] == 5);
  CHECK(to[1] == 6);
  CHECK(to[2] == 0);
  CHECK(to[8] == 9);
  CHECK(to[16] == 21);
  CHECK(to[25] == 26);
  copy.Depth = 5;
  CHECK(driver.api.cuMemcpy3D(&copy) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a function takes shared memory up to the device's limit and a preference for its size") {
  const ScriptedDriver driver("");
  const Kernels kernels(driver);
  const CUfunction function = kernels.module.function("adding");
  constexpr CUfunction_attribute carveout = 9;
  CHECK(driver.api.cuFuncSetAttribute(function, carveout, 100) == CUDA_SUCCESS);
  CHECK(driver.api.cuFuncSetAttribute(function, carveout, 101) == CUDA_ERROR_INVALID_VALUE);
  CHECK(driver.api.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 227 * 1024) ==
        CUDA_SUCCESS);
  CHECK(driver.api.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 228 * 1024) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a mistake in a script is named with its line") {
  CHECK(mistake_in("rule = [{cycles = 1}]") == "none");
  CHECK(mistake_in("\n[[rule]\n").starts_with(":2: "));
  CHECK(mistake_in("[[device]]\nsmm = 90") == ":2: unknown key \"smm\"");
  CHECK(mistake_in("[[devices]]\n") == ":1: unknown key \"devices\"");
  CHECK(mistake_in("rule = [\n{cycles = 1},\n{cycles = -1}]") == ":3: cycles must be an integer from 0 to 4294967295");
  CHECK(mistake_in("\n[[rule]]\nkernel = \"x\"").starts_with(":2: a rule needs exactly one of cycles, "));
  CHECK(mistake_in("rule = [{cycles = 1, die = \"fault\"}]").starts_with(":1: a rule needs exactly one of "));
  CHECK(mistake_in("[[rule]]\ncycles = 1\nkernel = \"(\"") == ":3: kernel is not a regular expression");
  CHECK(
      mistake_in("[[rule]]\ncycles = 1\ncode = \"FROB\"").starts_with(":3: code must be the 12 bits of an opcode or"));
  CHECK(mistake_in("[[rule]]\nspread = []") == ":2: spread must be a list that is not empty");
  CHECK(mistake_in("[[rule]]\nwords = [1]\nthread_bytes = 8") == ":3: thread_bytes needs words of each thread");
  CHECK(mistake_in("[[rule]]\nwords = [[1, 2]]\nthread_bytes = 4") == ":2: more words than fit in thread_bytes");
  CHECK(mistake_in("[[rule]]\ncycles = 1\noperand = {index = 1}") == ":3: operand needs bits");
}
