#include "cli/workbench.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "assemble/cuda_version.h"
#include "error.h"
#include "isa/catalogue.h"

namespace ptxlat {

void add_catalogue(CLI::App& command, Selection& selection) {
  command
      .add_option("--catalogue", selection.catalogues,
                  "A folder of your own with *.toml entries, beside the shipped catalogue; can be repeated.")
      ->type_name("FOLDER");
}

void add_levels(CLI::App& command, Selection& selection) {
  command.add_option("-O,--levels", selection.levels, "Optimisation levels, separated by commas. Default: 0,1,2,3.")
      ->delimiter(',')
      ->check(CLI::Range(0, 4))
      ->type_name("LEVELS");
}

void add_selection(CLI::App& command, Selection& selection) {
  command
      .add_option("--filter", selection.filters,
                  "Only these forms: an opcode (add), a glob over the whole spelling (cvt.*.f32.*) or a regular "
                  "expression (/^add/); can be "
                  "repeated. Default: all.")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  add_levels(command, selection);
  command
      .add_option("--toolchain", selection.toolchain,
                  "The assembler: driver, ptxas, nvjitlink, or one of an exact version (ptxas-13.0.88). `ptxlat "
                  "doctor` lists them.")
      ->type_name("NAME");
  add_catalogue(command, selection);
}

Workbench load_workbench(const Selection& selection) {
  std::vector<std::filesystem::path> folders{templates_folder() / "isa"};
  folders.insert(folders.end(), selection.catalogues.begin(), selection.catalogues.end());
  return {load_catalogue(folders), load_skeletons(templates_folder())};
}

Target target_from(const std::string& name) {
  Target target;
  char suffix = 0;
  int used = 0;
  if (std::sscanf(name.c_str(), "sm_%d%n%c", &target.sm, &used, &suffix) >= 1 && target.sm >= 50) {
    const auto rest = name.substr(static_cast<std::size_t>(used));
    if (rest.empty() || rest == "a" || rest == "f") {
      target.suffix = rest;
      return target;
    }
  }
  throw Error(ExitCode::unknown_name, "no such target: " + name, "a target is spelled like sm_90 or sm_90a");
}

Toolchain driver_toolchain(const DeviceInfo& device) {
  const auto cuda = fmt::format("{}.{}", device.cuda_api_version / 1000, device.cuda_api_version % 1000 / 10);
  const auto [major, minor] = newest_ptx_of_cuda(cuda);
  return {ToolchainKind::driver, "driver-" + device.driver_version, device.driver_version, {}, major, minor};
}

Toolchain installed_toolchain(const std::string& wanted) {
  return pick_toolchain(find_toolchains(), wanted.empty() ? "ptxas" : wanted);
}

std::filesystem::path required_nvdisasm() {
  auto path = find_nvdisasm();
  if (path.empty()) {
    throw Error(ExitCode::missing_tool, "no nvdisasm was found, and without it no window can be audited",
                "run tools/fetch_cuda.sh, or put a CUDA toolkit's bin folder into PATH");
  }
  return path;
}

WorkerOptions worker_options(int device) {
  WorkerOptions options;
  options.program = std::filesystem::read_symlink("/proc/self/exe");
  options.device = device;
  return options;
}

std::vector<std::unique_ptr<Assembler>> make_assemblers(const Toolchain& toolchain, const WorkerOptions& options,
                                                        int threads) {
  if (toolchain.kind != ToolchainKind::ptxas) return make_worker_assemblers(options, toolchain, threads);
  std::vector<std::unique_ptr<Assembler>> assemblers;
  for (int i = 0; i < threads; ++i) assemblers.push_back(make_ptxas(toolchain));
  return assemblers;
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace ptxlat
