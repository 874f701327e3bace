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
#include "cli/json.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/selection.h"
#include "cli/toolchains.h"
#include "isa/catalogue.h"
#include "run/counters.h"

namespace ptxlat::cli {

namespace {

// What is found out, as lines while it is, or as one document at the end.
struct Report {
  bool is_json = false;
  results::Json document = json_head();

  template <typename... Arguments>
  void line(fmt::format_string<Arguments...> text, Arguments&&... arguments) const {
    if (!is_json) say(text, std::forward<Arguments>(arguments)...);
  }
};

// Part of the report, so on standard output.
void report_warnings(const std::vector<run::Warning>& warnings, Report& report) {
  for (const auto& warning : warnings) {
    report.line("warning     {}.\n            {}.\n", warning.sentence, warning.action);
    report.document["warnings"].push_back(text_of(warning));
  }
}

// A GPU that is newer than every nvdisasm here: what it can still do.
void warn_of_new_gpu(const gpu::DeviceInfo& info, Report& report) {
  if (assemble::find_pieces(assemble::toolkit_folders(), {assemble::PieceKind::nvdisasm}).empty()) return;
  if (assemble::nvdisasm_that_reads(isa::Target{info.sm, {}})) return;
  std::string sentence, action;
  try {
    const auto toolchain = chosen_toolchains("ptxas", std::nullopt).front();
    sentence = fmt::format("no nvdisasm here reads sm_{}: what measures takes code of {} by {}, which runs on it",
                           info.sm, target_of(toolchain, info).name(), toolchain.name);
    action = fmt::format("a newer CUDA may read it: {} latest", toolkits_script());
  } catch (const Error& error) {
    sentence = error.what();
    action = error.advice;
  }
  report.line("warning     {}.\n            {}.\n", sentence, action);
  report.document["warnings"].push_back(sentence);
}

// What the driver says; true if there is a GPU to measure on.
bool check_gpu(int device, Report& report) {
  try {
    worker::Worker worker(worker_options(device));
    const auto info = worker.device_info();
    const auto cuda = fmt::format("{}.{}", info.cuda_api_version / 1000, info.cuda_api_version % 1000 / 10);
    report.line("GPU         {} (sm_{}, {} SMs), driver {}, CUDA API {}\n", info.name, info.sm, info.sm_count,
                info.driver_version, cuda);
    report.document["gpu"] = {{"name", info.name},
                              {"sm", info.sm},
                              {"sm_count", info.sm_count},
                              {"driver", info.driver_version},
                              {"cuda", cuda}};
    const auto driver = driver_toolchain(info);
    const auto code = make_assemblers(driver, worker_options(device), 1).front()->origin();
    report.line("toolchain   {}, whose code is {} ({})\n", driver.name,
                code.is_whole_program ? "that of whole programs" : "relocatable, not what programs get", code.way);
    report.document["gpu"]["is_whole_program"] = code.is_whole_program;
    const auto loaded = load_catalogue_for({});
    std::vector<const isa::Form*> forms;
    for (const auto& form : loaded.catalogue.forms) forms.push_back(&form);
    report_warnings(GpuWatch(worker_options(device), info, worker).at_start(), report);
    report_warnings(run::warnings_about_driver(forms, driver, info), report);
    warn_of_new_gpu(info, report);
    return true;
  } catch (const Error& error) {
    report.line("GPU         none: {}\n", error.what());
    if (!error.advice.empty()) report.line("            {}\n", error.advice);
    report.line("            this machine cannot measure; `ptxlat static` and `ptxlat show` work without a GPU\n");
    report.document["gpu"] = nullptr;
    report.document["gpu_problem"] = error.what();
    return false;
  }
}

// Whether hardware counters can be read, the second witness of `opcodes`.
void check_counters(int device, Report& report) {
  try {
    worker::Worker worker(worker_options(device));
    const auto offer = run::open_counters(worker);
    report.line("counters    of {} pipes: {}\n", offer.pipes.size(), fmt::join(offer.pipes, " "));
    report.line("            by {} ({})\n", offer.library, offer.name);
    report.document["counters"] = {{"pipes", offer.pipes}, {"library", offer.library}};
  } catch (const counters::Unavailable& error) {
    report.line("counters    none, so `ptxlat opcodes` finds pipes by contention alone: {}\n", error.what());
    if (!error.advice.empty()) report.line("            {}\n", error.advice);
    report.document["counters"] = nullptr;
    report.document["counters_problem"] = error.what();
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

// What a piece can do; if it is unusable, why, and clears its version.
results::Json check_piece(assemble::ToolkitPiece& piece, const Report& report) {
  results::Json json = {{"kind", to_string(piece.kind)}, {"path", piece.path.string()}};
  const auto toolchains = assemble::toolchains_of({piece});
  if (!toolchains.empty() && piece.kind != assemble::PieceKind::nvrtc) piece.problem = rejection(toolchains.front());
  if (!piece.problem.empty()) {
    while (piece.problem.ends_with('\n')) piece.problem.pop_back();
    report.line("  {:<10}broken: {} {}\n", to_string(piece.kind), piece.path.string(), piece.problem);
    json["problem"] = piece.problem;
    piece.version.clear();
    return json;
  }
  std::string details;
  if (piece.kind != assemble::PieceKind::nvdisasm) {
    const auto [major, minor] = assemble::newest_ptx_of_cuda(piece.version);
    details = fmt::format("PTX {}.{}", major, minor);
    if (piece.kind == assemble::PieceKind::nvrtc && assemble::headers_of(toolchains.front()).empty())
      details += ", without cuda_fp16.h, which the 16-bit types of CUDA C need: get it with " + toolkits_script();
  }
  json["version"] = piece.version;
  if (piece.kind == assemble::PieceKind::ptxas || piece.kind == assemble::PieceKind::nvdisasm) {
    const auto targets = assemble::targets_of(piece.path);
    details += fmt::format("{}{}", details.empty() ? "" : ", ", fmt::join(targets, " "));
    json["targets"] = targets;
  }
  report.line("  {:<10}{:<10}{}\n", to_string(piece.kind), piece.version, details);
  return json;
}

// Every toolkit with its pieces; returns the pieces.
std::vector<assemble::ToolkitPiece> check_toolkits(Report& report) {
  auto pieces =
      assemble::find_pieces(assemble::toolkit_folders(), {assemble::PieceKind::ptxas, assemble::PieceKind::nvjitlink,
                                                          assemble::PieceKind::nvrtc, assemble::PieceKind::nvdisasm});
  std::filesystem::path folder;
  for (auto& piece : pieces) {
    if (piece.folder != folder) {
      report.line("toolkit     {}\n", piece.folder.string());
      report.document["toolkits"].push_back({{"folder", piece.folder.string()}, {"pieces", results::Json::array()}});
    }
    folder = piece.folder;
    report.document["toolkits"].back()["pieces"].push_back(check_piece(piece, report));
  }
  return pieces;
}

void check(int device, const std::string& format) {
  Report report{.is_json = format == "json"};
  report.document["warnings"] = results::Json::array();
  report.document["toolkits"] = results::Json::array();
  const bool has_gpu = check_gpu(device, report);
  if (has_gpu) check_counters(device, report);
  const auto pieces = check_toolkits(report);
  std::vector<std::string> assemblers;
  for (const auto& toolchain : toolchains_of(pieces)) {
    if (toolchain.kind != assemble::ToolchainKind::nvrtc) assemblers.push_back(toolchain.name);
  }
  const bool has_nvdisasm = std::any_of(pieces.begin(), pieces.end(), [](const assemble::ToolkitPiece& piece) {
    return piece.kind == assemble::PieceKind::nvdisasm && !piece.version.empty();
  });
  report.line("toolchain   {}\n",
              assemblers.empty()
                  ? fmt::format("no ptxas and no nvJitLink: run {}, or put a CUDA toolkit's bin folder into PATH",
                                toolkits_script())
                  : fmt::format("{}", fmt::join(assemblers, " ")));
  if (!has_nvdisasm) report.line("nvdisasm    none: run {}\n", toolkits_script());
  const auto loaded = load_catalogue_for({});
  report.line("catalogue   {} forms in {}\n", loaded.catalogue.forms.size(), isa::templates_folder().string());
  report.document["toolchains"] = assemblers;
  report.document["has_nvdisasm"] = has_nvdisasm;
  report.document["catalogue"] = {{"forms", loaded.catalogue.forms.size()},
                                  {"folder", isa::templates_folder().string()}};
  if (report.is_json) print_json(report.document);
  if (!has_nvdisasm || (assemblers.empty() && !has_gpu)) {
    throw Error(ExitCode::missing_tool, "no table can be made here: an assembler or the disassembler is missing",
                "run " + toolkits_script());
  }
}

}  // namespace

void add_doctor(CLI::App& program) {
  auto* command = program.add_subcommand("doctor", "Show what this machine has, what is missing, and how to get it.");
  struct Options {
    int device = 0;
    std::string format = "text";
  };
  auto options = std::make_shared<Options>();
  add_device(*command, options->device);
  add_format(*command, options->format, {"text", "json"});
  command->callback([options] { check(options->device, options->format); });
}

}  // namespace ptxlat::cli
