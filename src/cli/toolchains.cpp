// SPDX-License-Identifier: Apache-2.0
#include "cli/toolchains.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>

#include "assemble/cuda_version.h"
#include "assemble/nvrtc.h"
#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/print.h"
#include "cli/selection.h"

namespace ptxlat::cli {

namespace {

// The targets of a ptxas; none if it does not say, or of a library, which cannot be asked: they may know any.
using Known = std::vector<std::string>;
Known known_targets(const assemble::Toolchain& toolchain) {
  return toolchain.kind == assemble::ToolchainKind::ptxas ? assemble::targets_of(toolchain.path) : Known();
}
bool knows(const Known& known, const isa::Target& target) {
  return known.empty() || std::find(known.begin(), known.end(), target.name()) != known.end();
}

// Those of CUDA 11.8 to 13.5, for guesses: a newer ptxas knows more.
constexpr std::array architectures = {50, 52, 53, 60, 61,  62,  70,  72,  75,  80,  86,
                                      87, 88, 89, 90, 100, 101, 103, 107, 110, 120, 121};

bool is_architecture(int sm) {
  return std::find(architectures.begin(), architectures.end(), sm) != architectures.end();
}

// GPUs by the names that people give them (CUDA GPU Compute Capability, developer.nvidia.com/cuda-gpus).
constexpr std::array<std::pair<std::string_view, std::string_view>, 26> gpu_names = {
    {{"v100", "sm_70"},   {"t4", "sm_75"},      {"rtx2080", "sm_75"}, {"a100", "sm_80"},      {"a30", "sm_80"},
     {"a10", "sm_86"},    {"a40", "sm_86"},     {"rtx3090", "sm_86"}, {"orin", "sm_87"},      {"l4", "sm_89"},
     {"l40", "sm_89"},    {"l40s", "sm_89"},    {"rtx4090", "sm_89"}, {"h100", "sm_90a"},     {"h200", "sm_90a"},
     {"h20", "sm_90a"},   {"gh200", "sm_90a"},  {"hopper", "sm_90a"}, {"b200", "sm_100a"},    {"gb200", "sm_100a"},
     {"b300", "sm_103a"}, {"gb300", "sm_103a"}, {"thor", "sm_110a"},  {"rtx5090", "sm_120a"}, {"gb10", "sm_121a"},
     {"spark", "sm_121a"}}};

// What a word that is not a target may stand for: a GPU, or a number with another prefix ("90", "compute_90").
std::string meant_target(const std::string& name) {
  std::string word;
  for (const char c : lower_case(name)) {
    if (c != ' ' && c != '-' && c != '_') word += c;
  }
  for (const std::string_view brand : {"nvidia", "geforce"}) {
    if (word.starts_with(brand)) word.erase(0, brand.size());
  }
  for (const auto& [gpu, target] : gpu_names) {
    if (word == gpu) return fmt::format("{} is {}; ", name, target);
  }
  const auto number = name.substr(std::min(name.find_first_of("0123456789"), name.size()));
  const auto meant = isa::target_from_name("sm_" + number);
  return meant && is_architecture(meant->sm) ? fmt::format("did you mean sm_{}? ", number) : "";
}

}  // namespace

isa::Target target_from(const std::string& name) {
  if (const auto target = isa::target_from_name(name); target && target->sm >= isa::oldest_sm) return *target;
  throw Error(ExitCode::unknown_name, "no such target: " + name,
              fmt::format("{}write a target such as sm_90 or sm_90a; sm_{} is the oldest supported architecture",
                          meant_target(name), isa::oldest_sm));
}

isa::Target known_target_from(const std::string& name) {
  const auto target = target_from(name);
  if (is_architecture(target.sm)) return target;
  for (const auto& toolchain : assemble::find_toolchains()) {
    const auto known = known_targets(toolchain);
    if (!known.empty() && knows(known, target)) return target;
  }
  throw Error(ExitCode::unknown_name, "no such target: " + name,
              fmt::format("there are sm_{}", fmt::join(architectures, ", sm_")));
}

assemble::Toolchain driver_toolchain(const gpu::DeviceInfo& device) {
  const auto cuda = fmt::format("{}.{}", device.cuda_api_version / 1000, device.cuda_api_version % 1000 / 10);
  const auto [major, minor] = assemble::newest_ptx_of_cuda(cuda);
  return {assemble::ToolchainKind::driver, "driver-" + device.driver_version, device.driver_version, {}, major, minor};
}

std::vector<assemble::Toolchain> chosen_toolchains(const std::string& wanted,
                                                   const std::optional<assemble::Toolchain>& driver) {
  // Avoids querying every toolkit on the machine, which takes a second if there are many.
  if (driver && wanted == "driver") return {*driver};
  auto available = assemble::find_toolchains();
  if (driver) available.insert(available.begin(), *driver);
  auto chosen = assemble::pick_toolchains(available, wanted.empty() ? "ptxas" : wanted);
  for (const auto& toolchain : chosen) {
    if (toolchain.kind == assemble::ToolchainKind::nvrtc) {
      throw Error(ExitCode::unknown_name, toolchain.name + " compiles CUDA C++, but ptxlat measures PTX",
                  "name a ptxas or an nvjitlink: `ptxlat doctor` lists them");
    }
  }
  return chosen;
}

namespace {

// CUDA 13.0 gave up Maxwell, Pascal and Volta.
std::string advice_for_target(const isa::Target& wanted) {
  constexpr int turing = 75;
  if (wanted.sm >= turing) return {};
  return fmt::format("CUDA 12.9 is the last that knows it: `{} 12.9`, then --toolchain ptxas-12.9; ",
                     toolkits_script());
}

}  // namespace

namespace {

// The target itself, or without its suffix; empty if neither is known.
std::optional<isa::Target> target_in(const Known& known, const assemble::Toolchain& toolchain,
                                     const isa::Target& wanted) {
  if (knows(known, wanted)) return wanted;
  isa::Target plain{wanted.sm, {}};
  if (!knows(known, plain)) return std::nullopt;
  say(stderr, "{} does not know {}; assembling for {}\n", toolchain.name, wanted.name(), plain.name());
  return plain;
}

// The newest target of the GPU's major number that a ptxas and an nvdisasm know: its code runs on the GPU, except that
// with an "a" or an "f" (CUDA C++ Programming Guide, "Binary Compatibility").
std::optional<isa::Target> older_target(const Known& known, int sm) {
  constexpr int minors = 10;
  for (isa::Target target{sm - 1, {}}; target.sm / minors == sm / minors; --target.sm) {
    if (knows(known, target) && assemble::nvdisasm_that_reads(target)) return target;
  }
  return std::nullopt;
}

}  // namespace

isa::Target target_of(const assemble::Toolchain& toolchain, const isa::Target& wanted) {
  const auto known = known_targets(toolchain);
  if (const auto target = target_in(known, toolchain, wanted)) return *target;
  throw Error(ExitCode::unknown_name, toolchain.name + " does not know " + wanted.name(),
              advice_for_target(wanted) + fmt::format("it knows {}", fmt::join(known, ", ")));
}

isa::Target target_of(const assemble::Toolchain& toolchain, const gpu::DeviceInfo& device) {
  const auto known = known_targets(toolchain);
  const isa::Target own{device.sm, device.sm >= 90 ? "a" : ""};
  if (const auto target = target_in(known, toolchain, own)) return *target;
  if (const auto older = older_target(known, device.sm)) return *older;
  throw Error(
      ExitCode::missing_tool,
      fmt::format("neither {} nor an nvdisasm here knows sm_{}, or older code that runs on it, so that nothing can "
                  "be measured on {}",
                  toolchain.name, device.sm, device.name),
      fmt::format(
          "{}`list`, `show`, `compare`, `static` and `measure --static` work; a newer CUDA may know it: {} latest",
          advice_for_target(own), toolkits_script()));
}

std::vector<assemble::Toolchain> toolchains_for(const std::string& wanted, const gpu::DeviceInfo& device) {
  const auto driver = driver_toolchain(device);
  if (!wanted.empty() || assemble::nvdisasm_that_reads(isa::Target{device.sm, {}}))
    return chosen_toolchains(wanted.empty() ? "driver" : wanted, driver);
  auto chosen = chosen_toolchains("ptxas", driver);
  say(stderr, "no nvdisasm here reads sm_{}, which the driver makes: taking {}\n", device.sm, chosen.front().name);
  return chosen;
}

worker::WorkerOptions worker_options(int device) {
  worker::WorkerOptions options;
  options.program = std::filesystem::read_symlink("/proc/self/exe");
  options.device = device;
  return options;
}

std::vector<std::unique_ptr<assemble::Assembler>> make_assemblers(const assemble::Toolchain& toolchain,
                                                                  const worker::WorkerOptions& options, int threads) {
  if (toolchain.kind != assemble::ToolchainKind::ptxas) return make_worker_assemblers(options, toolchain, threads);
  std::vector<std::unique_ptr<assemble::Assembler>> assemblers;
  for (int i = 0; i < threads; ++i) assemblers.push_back(assemble::make_ptxas(toolchain));
  return assemblers;
}

std::vector<std::unique_ptr<line::KernelAssembler>> make_kernel_assemblers(const assemble::Toolchain& toolchain,
                                                                           const isa::Target& target,
                                                                           const worker::WorkerOptions& options,
                                                                           int threads) {
  std::vector<std::unique_ptr<line::KernelAssembler>> kernel_assemblers;
  for (auto& assembler : make_assemblers(toolchain, options, threads))
    kernel_assemblers.push_back(line::make_kernel_assembler(std::move(assembler), toolchain, target));
  return kernel_assemblers;
}

void require_levels(const std::vector<int>& levels, assemble::ToolchainKind kind) {
  const bool has_fourth = std::any_of(levels.begin(), levels.end(), [](int level) { return level > 3; });
  if (has_fourth && kind != assemble::ToolchainKind::driver)
    throw Error(ExitCode::unknown_name, "ptxas and nvJitLink have no -O4", "only the driver's JIT has a level 4");
}

int assembling_threads(int wanted) {
  return wanted > 0 ? wanted : static_cast<int>(2 * std::max(1u, std::thread::hardware_concurrency()));
}

namespace {

// What is missing, and what to do.
std::string without_nvrtc(const assemble::Toolchain& assembler) {
  if (assembler.kind == assemble::ToolchainKind::driver) {
    return fmt::format("found no NVRTC that makes PTX {}.{} or older, as {} requires; get one with tools/toolkits.sh",
                       assembler.ptx_major, assembler.ptx_minor, assembler.name);
  }
  return fmt::format("found no NVRTC of CUDA {0}, which {1} requires; get it with `tools/toolkits.sh {0}`",
                     assemble::release_of(assembler.version), assembler.name);
}

std::optional<assemble::Toolchain> find_nvrtc(const assemble::Toolchain& assembler) {
  const auto pieces = assemble::find_pieces(assemble::toolkit_folders(), {assemble::PieceKind::nvrtc});
  const auto available = toolchains_of(pieces);
  const assemble::Toolchain* nvrtc = assemble::nvrtc_for(assembler, available);
  return nvrtc == nullptr ? std::nullopt : std::optional(*nvrtc);
}

}  // namespace

cuda::CudaFunctions compile_cuda(const std::vector<const isa::Form*>& forms, const assemble::Toolchain& assembler,
                                 const isa::Target& target) {
  const bool has_any =
      std::any_of(forms.begin(), forms.end(), [](const isa::Form* form) { return form->cuda.has_value(); });
  if (!has_any) return {};
  const auto nvrtc = find_nvrtc(assembler);
  if (!nvrtc) {
    cuda::CudaFunctions none;
    for (const auto* form : forms) {
      if (form->cuda) none.functions.push_back({form->ptx, {}, {}, without_nvrtc(assembler)});
    }
    return none;
  }
  worker::Worker worker(worker_options(0));
  const cuda::CudaCompiler compiler = [&](const std::string& program, const std::vector<std::string>& options) {
    return worker.compile(*nvrtc, program, options);
  };
  return {nvrtc->name, cuda::compile_functions(forms, target, assemble::headers_of(*nvrtc).string(), compiler)};
}

namespace {

// The first lines of a compiler's log, which repeats itself after the first mistake, for a terminal.
std::string first_of(const std::string& log) {
  constexpr std::size_t most_lines = 6;
  std::istringstream lines(log);
  std::string first, line;
  std::size_t count = 0;
  while (std::getline(lines, line)) {
    if (count++ < most_lines) first += (first.empty() ? "" : "\n") + printable(line);
  }
  return count <= most_lines ? first : fmt::format("{}\n… {} more lines", first, count - most_lines);
}

}  // namespace

CompiledSource compile_source(const std::string& program, const std::string& name, const assemble::Toolchain& assembler,
                              const isa::Target& target) {
  const auto nvrtc = find_nvrtc(assembler);
  if (!nvrtc) throw Error(ExitCode::missing_tool, without_nvrtc(assembler));
  worker::Worker worker(worker_options(0));
  auto options = cuda::compiler_options(target);
  options.insert(options.end(), {"--generate-line-info", "--include-path=" + assemble::headers_of(*nvrtc).string()});
  const auto outcome = worker.compile(*nvrtc, program, options);
  if (!outcome.ptx) throw Error(ExitCode::usage, fmt::format("{} does not compile:\n{}", name, first_of(outcome.log)));
  return {*outcome.ptx, nvrtc->name};
}

}  // namespace ptxlat::cli
