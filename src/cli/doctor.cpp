#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/workbench.h"
#include "error.h"
#include "isa/catalogue.h"

namespace ptxlat {

namespace {

// Prints what the driver says; true if there is a GPU to measure on.
bool check_gpu(int device) {
  try {
    Worker worker(worker_options(device));
    const auto info = worker.device_info();
    fmt::print("GPU         {} (sm_{}, {} SMs), driver {}, CUDA API {}.{}\n", info.name, info.sm, info.sm_count,
               info.driver_version, info.cuda_api_version / 1000, info.cuda_api_version % 1000 / 10);
    fmt::print("toolchain   {}\n", driver_toolchain(info).name);
    return true;
  } catch (const Error& error) {
    fmt::print("GPU         none: {}\n", error.what());
    fmt::print("            nothing can be measured here; `ptxlat static` and `ptxlat show` work without one\n");
    return false;
  }
}

void check(int device) {
  const bool has_gpu = check_gpu(device);
  const auto toolchains = find_toolchains();
  for (const auto& toolchain : toolchains) {
    fmt::print("toolchain   {}, up to PTX {}.{}  {}\n", toolchain.name, toolchain.ptx_major, toolchain.ptx_minor,
               toolchain.path.string());
  }
  const auto nvdisasm = find_nvdisasm();
  if (toolchains.empty())
    fmt::print(
        "toolchain   no ptxas and no nvJitLink: run tools/fetch_cuda.sh, or put a CUDA toolkit's bin folder into "
        "PATH\n");
  fmt::print("nvdisasm    {}\n", nvdisasm.empty() ? "none: run tools/fetch_cuda.sh" : nvdisasm.string());
  const auto workbench = load_workbench({});
  fmt::print("catalogue   {} forms in {}\n", workbench.catalogue.forms.size(), templates_folder().string());
  if (nvdisasm.empty() || (toolchains.empty() && !has_gpu)) {
    throw Error(ExitCode::missing_tool, "no table can be made here: an assembler or the disassembler is missing",
                "run tools/fetch_cuda.sh");
  }
}

}  // namespace

void add_doctor(CLI::App& program) {
  auto* command = program.add_subcommand("doctor", "What is here, what is missing, and how to get it.");
  auto device = std::make_shared<int>(0);
  command->add_option("--device", *device, "The GPU's number, as the driver counts. Default: 0.")
      ->check(CLI::Range(0, 1023));
  command->callback([device] { check(*device); });
}

}  // namespace ptxlat
