// SPDX-License-Identifier: Apache-2.0

// Measures one window on a real GPU through a worker, after having assembled it with the driver's JIT, and checks that
// a fault and a hang there cost their own kernels only. Exit status 77, which CTest reports as skipped, where there is
// no GPU.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "checks.h"
#include "gpu/handles.h"

using namespace ptxlat;
using namespace ptxlat::gpu;
using namespace ptxlat::worker;
using Clock = std::chrono::steady_clock;

namespace {

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// The body of a kernel by the contract of ptx/kernel.h around `window`, which may use %r1 to %r9 and the loaded
// operands %r1 and %r2; `before` comes before the first clock.
std::string kernel(const std::string& name, const std::string& before, const std::string& window) {
  return ".visible .entry " + name +
         "(.param .u64 out, .param .u64 in)\n{\n"
         "  .reg .b32 %r<40>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
         "  ld.param.u64 %rd1, [out];\n  ld.param.u64 %rd2, [in];\n  mov.u32 %r20, %tid.x;\n"
         "  mul.wide.u32 %rd3, %r20, 64;\n  add.u64 %rd1, %rd1, %rd3;\n  add.u64 %rd2, %rd2, %rd3;\n"
         "  ld.volatile.global.u32 %r1, [%rd2];\n  ld.volatile.global.u32 %r2, [%rd2+8];\n"
         "  mov.u32 %r21, %smid;\n"
         "  setp.eq.u32 %p1, %r1, 0xdeadbee1;\n  @%p1 bra DONE;\n  setp.eq.u32 %p2, %r2, 0xdeadbee2;\n  @%p2 bra "
         "DONE;\n" +
         before + "  bar.warp.sync 0xffffffff;\n  mov.u32 %r10, %clock;\n" + window +
         "  mov.u32 %r11, %clock;\n  st.volatile.global.v2.u32 [%rd1], {%r10, %r11};\n"
         "  st.volatile.global.u32 [%rd1+8], %r21;\n  st.volatile.global.u32 [%rd1+16], %r1;\nDONE:\n  ret;\n}\n";
}

std::string number(double value) { return std::to_string(value); }

std::uint32_t last_cycles(const ptx::Readout& readout) {
  return readout.word(readout.launches - 1, 0, 1) - readout.word(readout.launches - 1, 0, 0);
}

// Each thread came to its own result, and all of the warp saw the same clocks.
bool is_right(const ptx::LaunchOutcome& outcome) {
  if (outcome.status != ptx::LaunchStatus::ok || outcome.readout.launches != 9 || outcome.readout.threads != 32)
    return false;
  const ptx::Readout& readout = outcome.readout;
  for (std::size_t thread = 0; thread < 32; ++thread) {
    if (readout.word(8, thread, 0) != readout.word(8, 0, 0) || readout.word(8, thread, 1) != readout.word(8, 0, 1) ||
        readout.word(8, thread, 2) != ((3 + thread + 5) ^ 5))
      return false;
  }
  return last_cycles(readout) < 100;
}

void measure(Worker& worker, const DeviceInfo& info, const std::string& header) {
  const assemble::Toolchain driver{assemble::ToolchainKind::driver, "driver", info.driver_version, "", 0, 0};
  std::string ptx = header;
  LaunchBatch batch;
  for (int i = 0; i < 300; ++i) {
    const std::string name = "add_" + std::to_string(i);
    ptx += kernel(name, "", "  add.u32 %r1, %r1, %r2;\n  xor.b32 %r1, %r1, %r2;\n");
    batch.kernels.push_back(launch_of(name));
  }
  const auto assembling = Clock::now();
  const assemble::ModuleOutcome module = worker.assemble(driver, ptx, {info.sm, ""}, 3);
  check(module.cubin.has_value(),
        "the JIT assembles 300 kernels: " + number(ms_since(assembling)) + " ms " + module.log);
  if (!module.cubin) return;
  batch.cubin = *module.cubin;

  for (const char* pass : {"first", "second"}) {
    const auto launching = Clock::now();
    const auto outcomes = worker.launch(batch);
    check(outcomes.size() == 300,
          std::string(pass) + " batch of 300 kernels x 9: " + number(ms_since(launching)) + " ms");
    int right = 0;
    for (const ptx::LaunchOutcome& outcome : outcomes) right += is_right(outcome);
    const bool has_run = outcomes[0].status == ptx::LaunchStatus::ok;
    check(right == 300, "right kernels: " + std::to_string(right) + "; cycles of the first: " +
                            std::to_string(has_run ? last_cycles(outcomes[0].readout) : 0) + " " + outcomes[0].message);
  }
  check(!worker.assemble(driver, header + kernel("bad", "", "  nonsense.u32 %r1;\n"), {info.sm, ""}, 3).log.empty(),
        "the JIT rejects with a log");
}

// The median of the cycles between the first two words of a thread.
std::uint32_t median(std::vector<std::uint32_t> cycles) {
  const auto middle = cycles.begin() + std::ssize(cycles) / 2;
  std::nth_element(cycles.begin(), middle, cycles.end());
  return *middle;
}

// The cycles of a kernel that this process loads from its PTX, as a program does, or from a cubin, and launches.
std::uint32_t cycles_here(const DeviceInfo& info, const void* image, const char* name) {
  const CudaApi api = load_cuda_api();
  const CudaContext context(api, open_device(api, info.index));
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  PTXLAT_CUDA(api, cuModuleLoadDataEx, &module, image, 0u, nullptr, nullptr);
  PTXLAT_CUDA(api, cuModuleGetFunction, &function, module, name);
  const DeviceBuffer in(api, 4096), out(api, 4096);
  const CudaStream stream(api);
  CUdeviceptr addresses[] = {out.address(), in.address()};
  void* parameters[] = {&addresses[0], &addresses[1]};
  std::vector<std::uint32_t> cycles;
  for (int launch = 0; launch < 101; ++launch) {
    std::uint32_t clocks[2] = {};
    PTXLAT_CUDA(api, cuLaunchKernel, function, 1u, 1u, 1u, 32u, 1u, 1u, 0u, stream.get(), parameters, nullptr);
    PTXLAT_CUDA(api, cuMemcpyDtoHAsync, clocks, out.address(), sizeof clocks, stream.get());
    PTXLAT_CUDA(api, cuStreamSynchronize, stream.get());
    cycles.push_back(clocks[1] - clocks[0]);
  }
  PTXLAT_CUDA(api, cuModuleUnload, module);
  return median(std::move(cycles));
}

// A fence of the GPU has more instructions in relocatable code, which no program has.
void time_fence(Worker& worker, const WorkerOptions& options, const DeviceInfo& info, const std::string& header) {
  const assemble::Toolchain driver{assemble::ToolchainKind::driver, "driver", info.driver_version, "", 0, 0};
  const std::string ptx = header + kernel("fence", "", "  membar.gl;\n");
  const auto assemblers = make_worker_assemblers(options, driver, 1);
  const auto origin = assemblers.front()->origin();
  check(origin.is_whole_program, "the driver's code is that of whole programs: " + origin.way);
  const auto own = assemblers.front()->assemble(ptx, {info.sm, ""}, 4);
  const auto relocatable = worker.assemble(driver, ptx, {info.sm, ""}, 4);
  check(own.cubin && relocatable.cubin, "the fence is assembled " + own.log + relocatable.log);
  const auto of_program = cycles_here(info, ptx.c_str(), "fence");
  const auto of_own = cycles_here(info, own.cubin->data(), "fence");
  const auto of_relocatable = cycles_here(info, relocatable.cubin->data(), "fence");
  const auto difference = of_own > of_program ? of_own - of_program : of_program - of_own;
  check(difference <= 2, "membar.gl: " + std::to_string(of_program) + " cycles in a program, " +
                             std::to_string(of_own) + " by ptxlat, " + std::to_string(of_relocatable) +
                             " in relocatable code");
}

void survive(Worker& worker, const DeviceInfo& info, const std::string& header) {
  const assemble::Toolchain driver{assemble::ToolchainKind::driver, "driver", info.driver_version, "", 0, 0};
  const std::string ptx = header + kernel("good", "", "") +
                          kernel("illegal", "", "  mov.u64 %rd4, 1024;\n  st.volatile.global.u32 [%rd4], %r1;\n") +
                          kernel("endless", "AGAIN:\n  setp.ne.u32 %p3, %r1, 0;\n  @%p3 bra AGAIN;\n", "") +
                          kernel("last", "", "");
  const assemble::ModuleOutcome module = worker.assemble(driver, ptx, {info.sm, ""}, 0);
  check(module.cubin.has_value(), "the JIT assembles kernels that fault and hang " + module.log);
  if (!module.cubin) return;
  LaunchBatch batch;
  batch.cubin = *module.cubin;
  for (const char* name : {"good", "illegal", "last", "endless", "good", "last"})
    batch.kernels.push_back(launch_of(name));
  const auto launching = Clock::now();
  const auto outcomes = worker.launch(batch);
  const ptx::LaunchStatus expected[] = {ptx::LaunchStatus::ok,      ptx::LaunchStatus::fault, ptx::LaunchStatus::ok,
                                        ptx::LaunchStatus::timeout, ptx::LaunchStatus::ok,    ptx::LaunchStatus::ok};
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    check(outcomes[i].status == expected[i], batch.kernels[i].kernel + ": " + outcomes[i].message);
  std::printf("       with one fault and one hang of 2 s: %.0f ms\n", ms_since(launching));
}

}  // namespace

int main(int, char** argv) {
  WorkerOptions options;
  options.program = argv[1];
  options.kernel_deadline = std::chrono::seconds(2);
  Worker worker(options);
  try {
    const auto starting = Clock::now();
    const DeviceInfo info = worker.device_info();
    std::printf("%s %s sm_%d driver %s API %d, %d SMs, %d kHz, memory %d kHz: started in %.0f ms\n", info.name.c_str(),
                info.uuid.c_str(), info.sm, info.driver_version.c_str(), info.cuda_api_version, info.sm_count,
                info.sm_clock_khz, info.memory_clock_khz, ms_since(starting));
    const std::string header =
        ".version 7.0\n.target sm_" + std::to_string(std::min(info.sm, 80)) + "\n.address_size 64\n";
    measure(worker, info, header);
    time_fence(worker, options, info, header);
    survive(worker, info, header);
  } catch (const Error& error) {
    std::printf("%s\n%s\n", error.what(), error.advice.c_str());
    return error.exit_code == ExitCode::no_gpu ? skipped : 1;
  }
  return failures == 0 ? 0 : 1;
}
