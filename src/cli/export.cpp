// SPDX-License-Identifier: Apache-2.0
#include "simulator/export.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/table_names.h"
#include "run/provenance.h"

namespace ptxlat::cli {

namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  std::string table, target, folder;
  std::vector<std::string> bases;
};

simulator::Bases read_bases(const std::vector<std::string>& files) {
  simulator::Bases bases;
  for (const auto& file : files) {
    const auto name = fs::path(file).filename().string();
    if (!bases.emplace(name, read_file(file, ExitCode::usage, "name a configuration with --base")).second)
      throw Error(ExitCode::usage, fmt::format("there are two configurations called {}", name));
  }
  return bases;
}

void write(const fs::path& folder, const simulator::Export& exported) {
  std::vector<NamedContent> files(exported.files.begin(), exported.files.end());
  files.emplace_back(simulator::evidence_name, simulator::evidence_csv(exported));
  files.emplace_back(simulator::left_out_name, simulator::left_out_csv(exported));
  replace_files(folder, files);
}

void export_table(const ExportOptions& options) {
  const auto target = simulator::find_target(options.target);
  const auto bases = read_bases(options.bases);
  const auto made_by = fmt::format("ptxlat {} ({})", run::tool_version(), run::git_commit());
  const auto table = tables::read_table(table_named(options.table), simulator::asked_parts);
  if (tables::is_static(table))
    throw Error(ExitCode::unknown_name,
                fmt::format("{} is a static table, which has no measured cycles", options.table),
                "name a measured one, such as nvidia-h200");
  const auto exported = simulator::export_tables(target, table, bases, made_by);
  write(options.folder, exported);
  for (const auto& left : exported.left_out) remark("left out: {} {}: {}\n", left.file, left.option, left.reason);
  remark("{} options exported, {} left out\n", exported.exported.size(), exported.left_out.size());
  for (const auto& [path, content] : exported.files) say("{}\n", (fs::path(options.folder) / path).string());
}

}  // namespace

void add_export(CLI::App& program) {
  auto* command = program.add_subcommand(
      "export", "Write the configuration of a GPU simulator from a table, with the row behind each figure.");
  auto options = std::make_shared<ExportOptions>();
  command->add_option("table", options->table, fmt::format("The table: {}.", table_name_help))
      ->required()
      ->type_name("TABLE");
  command
      ->add_option("--target", options->target,
                   "The simulator: accel-sim, gpgpu-sim or ppt-gpu, or a data file of your own (docs/export.md).")
      ->required()
      ->type_name("NAME");
  add_output_folder(*command, "-o,--output", options->folder,
                    "The folder for the configuration. Existing files are replaced.")
      ->required();
  command
      ->add_option("--base", options->bases,
                   "A configuration to lay the exported options over: it keeps what was not measured. Can be repeated; "
                   "the name of the file says which one it is. Default: none.")
      ->type_name("FILE");
  command->callback([options] { export_table(*options); });
}

}  // namespace ptxlat::cli
