// SPDX-License-Identifier: Apache-2.0

// Counts what a kernel executes on a real GPU, through a worker, with libcupti. Exit
// status 77, which CTest reports as skipped, where there is no GPU, neither of them or no permission.
#include "run/counters.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>

#include "base/error.h"
#include "checks.h"
#include "counters/find.h"
#include "counters/pipe_counters.h"

using namespace ptxlat;

namespace {

constexpr int warps = 16, steps = 256;

// Each step is two instructions, on whatever pipes the chip has for them.
std::string kernel(int sm) {
  std::string text = ".version 7.0\n.target sm_" + std::to_string(std::min(sm, 80)) +
                     "\n.address_size 64\n.visible .entry steps(.param .u64 out, .param .u64 in)\n{\n"
                     "  .reg .b32 %r<3>; .reg .b64 %out;\n  ld.param.u64 %out, [out];\n  mov.u32 %r1, %tid.x;\n";
  for (int i = 0; i < steps; ++i) text += "  popc.b32 %r2, %r1;\n  add.u32 %r1, %r1, %r2;\n";
  return text + "  st.global.u32 [%out], %r1;\n  ret;\n}\n";
}

// Two times.
void count(worker::Worker& worker, std::size_t pipes) {
  const int sm = worker.device_info().sm;
  const assemble::Toolchain driver{assemble::ToolchainKind::driver, "driver", {}, {}, 0, 0};
  const auto module = worker.assemble(driver, kernel(sm), {sm, ""}, 3);
  check(module.cubin.has_value(), "the JIT assembles the kernel " + module.log);
  if (!module.cubin) return;
  ptx::Launch launch;
  launch.threads = 32 * warps;
  launch.output_words.clear();
  constexpr double least = 2.0 * steps * warps, most = least + 64.0 * warps;
  for (const char* pass : {"first", "second"}) {
    const auto [outcome, counts] = worker.count({worker::LaunchBatch{*module.cubin, {{"steps", launch, 1}}}}).front();
    const double on_pipes = std::accumulate(counts.on_pipes.begin(), counts.on_pipes.end(), 0.0);
    const auto words = std::to_string(counts.executed) + " executed, " + std::to_string(on_pipes) + " on pipes";
    check(outcome.status == ptx::LaunchStatus::ok && counts.on_pipes.size() == pipes,
          std::string(pass) + " time: " + words + " " + outcome.message);
    check(counts.executed >= least && counts.executed <= most, "each instruction is executed once");
    check(on_pipes >= least, "each instruction is on a pipe");
  }
}

}  // namespace

int main(int, char** argv) {
  worker::WorkerOptions options;
  options.program = argv[1];
  worker::Worker worker(options);
  try {
    const auto offer = run::open_counters(worker);
    std::printf("%s, %s, %zu pipes\n", offer.library.c_str(), offer.name.c_str(), offer.pipes.size());
    count(worker, offer.pipes.size());
  } catch (const counters::Unavailable& error) {
    std::printf("%s\n%s\n", error.what(), error.advice.c_str());
    return skipped;
  }
  return failures == 0 ? 0 : 1;
}
