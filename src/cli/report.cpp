// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/table_names.h"
#include "run/provenance.h"
#include "site/site.h"
#include "tables/folder.h"
#include "tables/published.h"

namespace ptxlat::cli {

namespace {

struct ReportOptions {
  std::vector<std::string> tables;
  std::string folder;
  std::string library;
};

// Brief tables, and those of the Python wheel.
void note_missing_code(const site::SiteTables& tables) {
  const auto missing = std::count_if(tables.begin(), tables.end(),
                                     [](const auto& table) { return !table->rows.empty() && !table->lines; });
  if (missing == 0) return;
  say(stderr, "{} of {} tables {} shown without machine code, because {} no {}\n", missing, tables.size(),
      missing == 1 ? "is" : "are", missing == 1 ? "its folder has" : "their folders have", tables::jsonl_name);
}

void make_site(const ReportOptions& options) {
  // Before the work, which takes half a minute for many tables.
  site::require_site_or_empty(options.folder);
  const auto page = site::page_folder();
  auto files = site::page_files(page);
  site::SiteFiles published;
  for (const char* name : {site::published_forms_name, site::published_facts_name, tables::published_throughput_name}) {
    if (auto file = files.extract(name)) published.insert(std::move(file));
  }
  const auto library = site::plot_library(options.library);
  std::vector<std::string> folders;
  for (const auto& name : options.tables) {
    for (const auto& table : tables_named(name, Take::all)) folders.push_back(table.folder);
  }
  const auto tables = site::read_tables(folders);
  files.merge(site::SiteFiles(library.files));
  files.merge(site::data_files(tables, published, {run::tool_version(), run::git_commit()}, library.missing.empty()));
  std::uint64_t bytes = 0;
  for (const auto& [path, content] : files) bytes += content.size();
  site::write_folder(options.folder, files);
  note_missing_code(tables);
  if (!library.missing.empty()) say(stderr, "warning: {}\n", library.missing);
  remark("{} table{}, {} files, {:.1f} MB\n", tables.size(), tables.size() == 1 ? "" : "s", files.size(),
         static_cast<double>(bytes) / 1e6);
  say("{}\n", (std::filesystem::path(options.folder) / "index.html").string());
}

}  // namespace

void add_report(CLI::App& program) {
  auto* command = program.add_subcommand(
      "report",
      "Make a web site of tables: search, machine code, comparisons, plots. It works from a disk, without a server.");
  auto options = std::make_shared<ReportOptions>();
  command
      ->add_option(
          "tables", options->tables,
          "Tables: folders, folders above them, globs in quotes ('tables/sm_90/*/*'), or names, which stand for "
          "all tables that they fit (nvidia-h200).")
      ->required()
      ->type_name("TABLES");
  add_output_folder(*command, "-o,--output", options->folder,
                    "The folder of the site: a new or empty one, or a site that is to be made again.")
      ->required();
  command
      ->add_option("--library", options->library,
                   "The folder with the plot library Chart.js (chart.min.js) and its licence. Default: that of "
                   "Debian's package libjs-chart.js; without it, the site has no plots.")
      ->type_name("FOLDER");
  command->callback([options] { make_site(*options); });
}

}  // namespace ptxlat::cli
