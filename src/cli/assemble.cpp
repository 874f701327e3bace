// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <thread>

#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "bundle/cells.h"
#include "bundle/make.h"
#include "cli/bundled.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/selection.h"
#include "cli/tables.h"
#include "cli/toolchains.h"
#include "run/provenance.h"

namespace ptxlat::cli {

namespace {

struct AssembleOptions {
  Selection selection;
  std::optional<results::Shard> shard;
  std::string output;
  int threads = 0;  // 0: one per core
};

bundle::Manifest manifest_of(const AssembleOptions& options) {
  const auto& selection = options.selection;
  bundle::Manifest manifest;
  manifest.tool_version = run::tool_version();
  manifest.git_commit = run::git_commit();
  manifest.method_version = latency::method_version;
  manifest.target = target_from(selection.target);
  manifest.levels = selection.levels;
  std::sort(manifest.levels.begin(), manifest.levels.end());
  manifest.levels.erase(std::unique(manifest.levels.begin(), manifest.levels.end()), manifest.levels.end());
  require_levels(manifest.levels, assemble::ToolchainKind::ptxas);
  for (auto& toolchain : chosen_toolchains(selection.toolchain, std::nullopt))
    manifest.toolchains.push_back({toolchain, target_of(toolchain, manifest.target)});
  manifest.created_utc = run::utc_now();
  manifest.command_line = run::command_line();
  return manifest;
}

// CUDA C functions are compiled for each toolchain.
void add_forms(const std::vector<const isa::Form*>& forms, bundle::BundleOrder& order) {
  std::vector<isa::Form> functions;
  for (const auto* form : forms) {
    if (form->cuda) functions.push_back(*form);
    if (!form->cuda) order.forms.push_back(form);
  }
  for (const auto& [toolchain, target] : order.manifest.toolchains) {
    const auto compiled = compile_cuda(forms, toolchain, target);
    if (!functions.empty()) bundle::add_functions(order.files, toolchain.name, compiled);
    cuda::apply_compiled(order.cuda_forms.emplace_back(functions), compiled);
  }
}

using Verdicts = std::map<std::string, std::size_t>;

void print_summary(const bundle::Manifest& manifest, const std::vector<Verdicts>& verdicts) {
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    std::vector<std::string> parts;
    for (const auto& [verdict, count] : verdicts[i]) parts.push_back(fmt::format("{} {}", count, verdict));
    if (!parts.empty()) say(stderr, "  {:<18} {}\n", manifest.toolchains[i].toolchain.name, fmt::join(parts, ", "));
  }
}

void assemble(const AssembleOptions& options) {
  // Each of the many threads would keep freed memory in its own arena: 2.1 GB after half an hour.
  mallopt(M_ARENA_MAX, 2);
  const auto started = std::chrono::steady_clock::now();
  // An older bundle is replaced, and nothing else.
  if (std::filesystem::exists(options.output)) bundle::open_bundle(options.output);
  const auto& selection = options.selection;
  const auto loaded = load_catalogue_for(selection);
  const auto manifest = manifest_of(options);
  const auto forms = selected_forms(loaded.catalogue, selection, is_core_only(selection), std::nullopt);
  if (forms.empty())
    throw Error(ExitCode::unknown_name, "nothing is left to assemble", "`ptxlat list` lists all forms");
  std::size_t cells = 0;
  std::optional<Progress> progress;
  std::vector<Verdicts> verdicts(manifest.toolchains.size());
  std::size_t failures = 0;
  const auto threads = static_cast<std::size_t>(
      options.threads > 0 ? options.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  auto pace = sass::nvdisasm_pace(static_cast<int>(threads));
  pace.batch_threads = 1;  // the configurations of a chunk have already gathered
  sass::Nvdisasm nvdisasm(assemble::nvdisasm_for(manifest.target), pace, cache_folder());
  bundle::BundleOrder order{.manifest = manifest,
                            .shard = options.shard.value_or(results::Shard{}),
                            .loaded = loaded,
                            .forms = {},
                            .cuda_forms = {},
                            .files = files_of(selection),
                            .nvdisasm = nvdisasm,
                            .make_assemblers = {},
                            .threads = threads,
                            .on_finished = {},
                            .on_planned = {},
                            .interrupted = &heed_interrupts()};
  add_forms(forms, order);
  order.make_assemblers = [](const bundle::BundledToolchain& bundled, std::size_t count) {
    return make_kernel_assemblers(bundled.toolchain, bundled.target, worker_options(0), static_cast<int>(count));
  };
  order.on_finished = [&](std::size_t toolchain, const std::vector<results::Record>& finished) {
    for (const auto& cell : finished) ++verdicts[toolchain][to_string(cell.verdict)];
    failures += failures_in(finished);
    progress->advance(finished.size());
  };
  order.on_planned = [&](std::size_t planned, std::size_t finished) {
    cells = planned;
    progress.emplace(std::cerr, progress_to(), cells);
    if (finished == 0) return;
    say(stderr, "{} of {} cells are already in {}.part\n", finished, cells, options.output);
    progress->advance(finished);
  };
  const bool completed = bundle::make_bundle(order, options.output);
  progress->finish();
  if (!completed) {
    throw Error(ExitCode::interrupted, fmt::format("interrupted; finished work is kept in {}.part", options.output),
                "rerun the same command to continue");
  }
  print_summary(manifest, verdicts);
  warn_of_failures(failures);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  remark("{} cells in {:.1f} s ({:.0f} a second)\n{}: {:.1f} MB\n", cells, wall, static_cast<double>(cells) / wall,
         options.output, static_cast<double>(std::filesystem::file_size(options.output)) / 1e6);
}

}  // namespace

void add_assemble(CLI::App& program) {
  auto* command = program.add_subcommand(
      "assemble", "Make a bundle of machine code, to be measured with `run --bundle` on a machine without toolkits.");
  auto options = std::make_shared<AssembleOptions>();
  options->selection.target = "sm_90a";
  add_selection(*command, options->selection);
  add_target(*command, options->selection.target, "The architecture to assemble for. Default: sm_90a.");
  command
      ->add_option("-o,--output", options->output,
                   "The bundle to write. Until it is complete it is called FILE.part; rerun the same command to "
                   "continue from it after Ctrl-C or a full disk.")
      ->required()
      ->type_name("FILE");
  add_shard(
      *command, options->shard,
      "Put only part K of N parts of equal cost into the bundle, e.g. 3/16, for machines that each make one shard of a "
      "table (`ptxlat run --help`). Default: everything.");
  add_threads(*command, options->threads, "one");
  command->callback([options] { assemble(*options); });
}

}  // namespace ptxlat::cli
