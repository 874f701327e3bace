// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "assemble/cuda_version.h"
#include "assemble/nvrtc.h"
#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/gpus.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/selection.h"
#include "cli/toolchains.h"
#include "isa/catalogue.h"
#include "run/counters.h"

namespace ptxlat::cli {

namespace {

// Part of the report, so on standard output.
void print_warnings(const std::vector<run::Warning>& warnings) {
  for (const auto& warning : warnings) say("warning     {}.\n            {}.\n", warning.sentence, warning.action);
}

// Prints what the driver says; true if there is a GPU to measure on.
bool check_gpu(int device) {
  try {
    worker::Worker worker(worker_options(device));
    const auto info = worker.device_info();
    say("GPU         {} (sm_{}, {} SMs), driver {}, CUDA API {}.{}\n", info.name, info.sm, info.sm_count,
        info.driver_version, info.cuda_api_version / 1000, info.cuda_api_version % 1000 / 10);
    const auto driver = driver_toolchain(info);
    const auto code = make_assemblers(driver, worker_options(device), 1).front()->origin();
    say("toolchain   {}, whose code is {} ({})\n", driver.name,
        code.is_whole_program ? "that of whole programs" : "relocatable, not what programs get", code.way);
    const auto loaded = load_catalogue_for({});
    std::vector<const isa::Form*> forms;
    for (const auto& form : loaded.catalogue.forms) forms.push_back(&form);
    print_warnings(GpuWatch(worker_options(device), info, worker).at_start());
    print_warnings(run::warnings_about_driver(forms, driver, info));
    return true;
  } catch (const Error& error) {
    say("GPU         none: {}\n", error.what());
    say("            this machine cannot measure; `ptxlat static` and `ptxlat show` work without a GPU\n");
    return false;
  }
}

// Prints whether hardware counters can be read, the second witness of `opcodes`.
void check_counters(int device) {
  try {
    worker::Worker worker(worker_options(device));
    const auto offer = run::open_counters(worker);
    say("counters    of {} pipes: {}\n", offer.pipes.size(), fmt::join(offer.pipes, " "));
    say("            by {} ({})\n", offer.library, offer.name);
  } catch (const counters::Unavailable& error) {
    say("counters    none, so `ptxlat opcodes` finds pipes by contention alone: {}\n", error.what());
    if (!error.advice.empty()) say("            {}\n", error.advice);
  }
}

// A kernel that does nothing, assembled for a target that CUDA 11.0 and all later versions know: a program may state
// its version and still not work. Returns the error message, empty if there is none.
std::string rejection(const assemble::Toolchain& toolchain) {
  const std::string ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n";
  try {
    const auto outcome = make_assemblers(toolchain, worker_options(0), 1).front()->assemble(ptx, {80, {}}, 3);
    return outcome.cubin ? std::string() : "cannot assemble an empty kernel: " + outcome.log;
  } catch (const Error& error) {
    return error.what();
  }
}

// Prints what a piece can do; if it is unusable, prints why and clears its version.
void print_piece(assemble::ToolkitPiece& piece) {
  const auto toolchains = assemble::toolchains_of({piece});
  if (!toolchains.empty() && piece.kind != assemble::PieceKind::nvrtc) piece.problem = rejection(toolchains.front());
  if (!piece.problem.empty()) {
    while (piece.problem.ends_with('\n')) piece.problem.pop_back();
    say("  {:<10}broken: {} {}\n", to_string(piece.kind), piece.path.string(), piece.problem);
    piece.version.clear();
    return;
  }
  std::string details;
  if (piece.kind != assemble::PieceKind::nvdisasm) {
    const auto [major, minor] = assemble::newest_ptx_of_cuda(piece.version);
    details = fmt::format("PTX {}.{}", major, minor);
    if (piece.kind == assemble::PieceKind::nvrtc && assemble::headers_of(toolchains.front()).empty())
      details += ", without cuda_fp16.h, which the 16-bit types of CUDA C need: get it with " + toolkits_script();
  }
  if (piece.kind == assemble::PieceKind::ptxas || piece.kind == assemble::PieceKind::nvdisasm)
    details += fmt::format("{}{}", details.empty() ? "" : ", ", fmt::join(assemble::targets_of(piece.path), " "));
  say("  {:<10}{:<10}{}\n", to_string(piece.kind), piece.version, details);
}

// Prints every toolkit with its pieces and returns the pieces.
std::vector<assemble::ToolkitPiece> check_toolkits() {
  auto pieces =
      assemble::find_pieces(assemble::toolkit_folders(), {assemble::PieceKind::ptxas, assemble::PieceKind::nvjitlink,
                                                          assemble::PieceKind::nvrtc, assemble::PieceKind::nvdisasm});
  std::filesystem::path folder;
  for (auto& piece : pieces) {
    if (piece.folder != folder) say("toolkit     {}\n", piece.folder.string());
    folder = piece.folder;
    print_piece(piece);
  }
  return pieces;
}

void check(int device) {
  const bool has_gpu = check_gpu(device);
  if (has_gpu) check_counters(device);
  const auto pieces = check_toolkits();
  std::vector<std::string> assemblers;
  for (const auto& toolchain : toolchains_of(pieces)) {
    if (toolchain.kind != assemble::ToolchainKind::nvrtc) assemblers.push_back(toolchain.name);
  }
  const bool has_nvdisasm = std::any_of(pieces.begin(), pieces.end(), [](const assemble::ToolkitPiece& piece) {
    return piece.kind == assemble::PieceKind::nvdisasm && !piece.version.empty();
  });
  say("toolchain   {}\n",
      assemblers.empty()
          ? fmt::format("no ptxas and no nvJitLink: run {}, or put a CUDA toolkit's bin folder into PATH",
                        toolkits_script())
          : fmt::format("{}", fmt::join(assemblers, " ")));
  if (!has_nvdisasm) say("nvdisasm    none: run {}\n", toolkits_script());
  const auto loaded = load_catalogue_for({});
  say("catalogue   {} forms in {}\n", loaded.catalogue.forms.size(), isa::templates_folder().string());
  if (!has_nvdisasm || (assemblers.empty() && !has_gpu)) {
    throw Error(ExitCode::missing_tool, "no table can be made here: an assembler or the disassembler is missing",
                "run " + toolkits_script());
  }
}

}  // namespace

void add_doctor(CLI::App& program) {
  auto* command = program.add_subcommand("doctor", "Show what this machine has, what is missing, and how to get it.");
  auto device = std::make_shared<int>(0);
  add_device(*command, *device);
  command->callback([device] { check(*device); });
}

}  // namespace ptxlat::cli
