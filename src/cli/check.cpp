// SPDX-License-Identifier: Apache-2.0
#include "run/check.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/screen.h"
#include "cli/selection.h"
#include "cli/toolchains.h"

namespace ptxlat::cli {

namespace {

struct CheckOptions {
  Selection selection;
  int threads = 0;
  std::string format = "text";
};

results::Json rejections_to_json(const assemble::Toolchain& toolchain, std::size_t forms,
                                 const std::vector<run::Rejection>& rejections) {
  auto document = json_head();
  document["toolchain"] = toolchain.name;
  document["forms"] = forms;
  document["rejected"] = results::Json::array();
  for (const auto& rejection : rejections) {
    document["rejected"].push_back({{"ptx", rejection.form->ptx},
                                    {"file", rejection.form->where.file},
                                    {"line", rejection.form->where.line},
                                    {"target", rejection.target.name()},
                                    {"words", rejection.words}});
  }
  return document;
}

// Compiles the CUDA C functions, each for the target for which it is tried.
void compile_for_check(isa::Catalogue& catalogue, const std::vector<const isa::Form*>& forms,
                       const assemble::Toolchain& toolchain, const std::optional<isa::Target>& target) {
  std::map<std::string, std::vector<const isa::Form*>> by_target;
  for (const auto* form : forms) {
    if (!form->cuda) continue;
    const auto oldest = target ? target : run::oldest_target(form->requirement);
    if (oldest) by_target[oldest->name()].push_back(form);
  }
  for (const auto& [name, members] : by_target)
    cuda::apply_compiled(catalogue.forms, compile_cuda(members, toolchain, *isa::target_from_name(name)));
}

void check(const CheckOptions& options, const assemble::Toolchain& toolchain) {
  const auto& selection = options.selection;
  std::optional<isa::Target> target;
  if (!selection.target.empty()) target = target_of(toolchain, target_from(selection.target));
  auto loaded = load_catalogue_for(selection);
  const auto forms = selected_forms(loaded.catalogue, selection, false, target);
  compile_for_check(loaded.catalogue, forms, toolchain, target);
  const int threads =
      options.threads > 0 ? options.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  Progress progress(std::cerr, progress_to(), forms.size());
  const auto assemblers = make_assemblers(toolchain, worker_options(0), threads);
  const run::CheckLine line{.loaded = loaded,
                            .toolchain = toolchain,
                            .target = target,
                            .interrupted = &heed_interrupts(),
                            .on_finished = [&](std::size_t count) { progress.advance(count); }};
  const auto rejections = run::check_forms(line, assemblers, forms);
  progress.finish();
  if (options.format == "json") print_json(rejections_to_json(toolchain, forms.size(), rejections));
  for (const auto& rejection : rejections) {
    if (options.format != "json")
      say("{}:{}: {} ({}): {}\n", rejection.form->where.file, rejection.form->where.line, rejection.form->ptx,
          rejection.target.name(), rejection.words);
  }
  if (*line.interrupted) throw Error(ExitCode::interrupted, "interrupted before every form was tried");
  if (!rejections.empty()) {
    throw Error(ExitCode::failure,
                fmt::format("{} rejected {} of {} forms", toolchain.name, rejections.size(), forms.size()),
                "correct the entries' rules, operands or requirements");
  }
  remark("{} accepts all {} forms\n", toolchain.name, forms.size());
}

}  // namespace

void add_check(CLI::App& program) {
  auto* command =
      program.add_subcommand("check", "Assemble every form of the catalogue once and print those that are rejected.");
  auto options = std::make_shared<CheckOptions>();
  add_form_filters(*command, options->selection);
  add_target(*command, options->selection.target,
             "Only forms that this target has, assembled for it. Default: all, each for the oldest target that "
             "has it.");
  add_toolchain(*command, options->selection.toolchain, Toolchains::one, "the newest ptxas");
  add_threads(*command, options->threads, "one");
  add_catalogue(*command, options->selection);
  add_format(*command, options->format, {"text", "json"});
  command->callback([options] {
    for (const auto& toolchain : chosen_toolchains(options->selection.toolchain, std::nullopt))
      check(*options, toolchain);
  });
}

}  // namespace ptxlat::cli
