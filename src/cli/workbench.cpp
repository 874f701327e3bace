#include "cli/workbench.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>

#include "assemble/cuda_version.h"
#include "assemble/toolkit.h"
#include "error.h"
#include "isa/catalogue.h"
#include "isa/select.h"

namespace ptxlat {

void add_catalogue(CLI::App& command, Selection& selection) {
  command
      .add_option("--catalogue", selection.catalogues,
                  "A folder of your own with *.toml entries, beside the shipped catalogue; can be repeated.")
      ->type_name("FOLDER");
}

void add_levels(CLI::App& command, std::vector<int>& levels, const std::string& by_default) {
  command
      .add_option("-O,--levels", levels,
                  fmt::format("Optimisation levels, separated by commas. Default: {}.", by_default))
      ->delimiter(',')
      ->allow_extra_args(false)  // what follows is not a level
      ->check(CLI::Range(0, 4))
      ->type_name("LEVELS");
}

void add_form_filters(CLI::App& command, Selection& selection) {
  command
      .add_option("--filter", selection.filters,
                  "Only these forms: an opcode (add), a glob over the whole spelling (cvt.*.f32.*) or a regular "
                  "expression (/^add/); can be repeated. Default: all.")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  command
      .add_option("--chapter", selection.chapters,
                  "Only forms of a chapter of the PTX ISA whose name has this part; can be repeated. Default: all.")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command
      .add_option("--type", selection.types,
                  "Only forms with this type among their qualifiers (f32); can be repeated. Default: all.")
      ->type_name("TYPE")
      ->allow_extra_args(false);
  command.add_option("--ptx", selection.ptx_version, "Only forms that this PTX version has (8.6). Default: any.")
      ->type_name("VERSION");
}

std::vector<const Form*> selected_forms(const Catalogue& catalogue, const Selection& selection, bool core_only,
                                        const std::optional<Target>& target) {
  FormFilter filter{core_only, selection.chapters, selection.types, target, std::nullopt};
  if (!selection.ptx_version.empty()) {
    int major = 0, minor = 0;
    char rest = 0;
    if (std::sscanf(selection.ptx_version.c_str(), "%d.%d%c", &major, &minor, &rest) != 2) {
      throw Error(ExitCode::unknown_name, "no such PTX version: " + selection.ptx_version,
                  "a version is spelled like 8.6");
    }
    filter.ptx_version = {major, minor};
  }
  return filtered(catalogue, select_forms(catalogue, selection.filters), filter);
}

void add_selection(CLI::App& command, Selection& selection) {
  add_form_filters(command, selection);
  command.add_flag("--all", selection.all_forms,
                   "All forms; without it the core: one form for all that differ in rounding, ordering, scope, cache "
                   "hints and the like, and functions of CUDA C only where --chapter asks for them.");
  add_levels(command, selection.levels, "0,1,2,3");
  command
      .add_option("--toolchain", selection.toolchain,
                  "The assembler: driver, ptxas, nvjitlink, or one of a version (ptxas-12.4, ptxas-13.0.88); several, "
                  "separated by commas, give a table each. `ptxlat doctor` lists them. Default: driver for run, else "
                  "the newest ptxas.")
      ->type_name("NAMES");
  add_catalogue(command, selection);
}

Workbench load_workbench(const Selection& selection) {
  std::vector<std::filesystem::path> folders{templates_folder() / "isa", templates_folder() / "cuda"};
  folders.insert(folders.end(), selection.catalogues.begin(), selection.catalogues.end());
  return {load_catalogue(folders), load_skeletons(templates_folder())};
}

Target target_from(const std::string& name) {
  if (const auto target = target_from_name(name); target && target->sm >= oldest_sm) return *target;
  throw Error(ExitCode::unknown_name, "no such target: " + name,
              fmt::format("a target is spelled like sm_90 or sm_90a; sm_{} is the oldest whose machine code is read",
                          oldest_sm));
}

Toolchain driver_toolchain(const DeviceInfo& device) {
  const auto cuda = fmt::format("{}.{}", device.cuda_api_version / 1000, device.cuda_api_version % 1000 / 10);
  const auto [major, minor] = newest_ptx_of_cuda(cuda);
  return {ToolchainKind::driver, "driver-" + device.driver_version, device.driver_version, {}, major, minor};
}

std::vector<Toolchain> chosen_toolchains(const std::string& wanted, const std::optional<Toolchain>& driver) {
  // Without asking every toolkit of the machine, which takes a second where there are many.
  if (driver && wanted == "driver") return {*driver};
  auto available = find_toolchains();
  if (driver) available.insert(available.begin(), *driver);
  auto chosen = pick_toolchains(available, wanted.empty() ? "ptxas" : wanted);
  for (const auto& toolchain : chosen) {
    if (toolchain.kind == ToolchainKind::nvrtc) {
      throw Error(ExitCode::unknown_name, toolchain.name + " compiles CUDA C++, and what is measured here is PTX",
                  "name a ptxas or an nvjitlink: `ptxlat doctor` lists them");
    }
  }
  return chosen;
}

Target target_of(const Toolchain& toolchain, const Target& wanted) {
  if (toolchain.kind != ToolchainKind::ptxas) return wanted;  // the libraries cannot be asked
  const auto known = targets_of(toolchain.path);
  const auto knows = [&](const Target& target) {
    return known.empty() || std::find(known.begin(), known.end(), target.name()) != known.end();
  };
  if (knows(wanted)) return wanted;
  Target plain{wanted.sm, {}};
  if (!knows(plain)) {
    throw Error(ExitCode::unknown_name, toolchain.name + " does not know " + wanted.name(),
                fmt::format("it knows {}", fmt::join(known, ", ")));
  }
  fmt::print(stderr, "{} does not know {}; assembling for {}\n", toolchain.name, wanted.name(), plain.name());
  return plain;
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

std::vector<std::unique_ptr<KernelAssembler>> make_kernel_assemblers(const Toolchain& toolchain, const Target& target,
                                                                     const WorkerOptions& options, int threads) {
  std::vector<std::unique_ptr<KernelAssembler>> kernel_assemblers;
  for (auto& assembler : make_assemblers(toolchain, options, threads))
    kernel_assemblers.push_back(make_kernel_assembler(std::move(assembler), toolchain, target));
  return kernel_assemblers;
}

void require_levels(const std::vector<int>& levels, ToolchainKind kind) {
  const bool has_fourth = std::any_of(levels.begin(), levels.end(), [](int level) { return level > 3; });
  if (has_fourth && kind != ToolchainKind::driver)
    throw Error(ExitCode::unknown_name, "ptxas and nvJitLink have no -O4", "only the driver's JIT has a level 4");
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string line, argument;
  while (std::getline(in, argument, '\0')) {
    line += line.empty() ? std::filesystem::path(argument).filename().string() : ' ' + argument;
  }
  return line;
}

}  // namespace ptxlat
