// SPDX-License-Identifier: Apache-2.0
#include "site/folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"

namespace ptxlat::site {

namespace {

namespace fs = std::filesystem;

// Lists the files of a site, one a line, after a sentence for people.
constexpr const char* manifest_name = "ptxlat-site.txt";
constexpr const char* manifest_head =
    "A site made by `ptxlat report`, which replaces these files when it makes it again:";
constexpr const char* front_name = "index.html";

std::vector<std::string> files_of_site(const fs::path& folder) {
  std::istringstream in(read_file(folder / manifest_name));
  std::vector<std::string> files;
  std::string line;
  if (!std::getline(in, line) || line != manifest_head) return files;
  while (std::getline(in, line)) {
    if (is_name_beneath(line)) files.push_back(line);
  }
  return files;
}

// The first of the names that is a file in the folder; empty if none is.
template <typename Texts>
fs::path first_in(const fs::path& folder, const Texts& names) {
  std::error_code ignored;
  for (const char* name : names) {
    if (fs::is_regular_file(folder / name, ignored)) return folder / name;
  }
  return {};
}

constexpr std::array library_names{"chart.min.js", "chart.umd.min.js",  "chart.umd.js",
                                   "Chart.min.js", "dist/chart.min.js", "dist/chart.umd.js"};
constexpr std::array licence_names{"LICENSE.md", "LICENSE", "LICENSE.txt", "copyright"};
constexpr const char* library_advice =
    "Install Debian's package libjs-chart.js, or name a folder that has chart.min.js and its licence with --library.";

}  // namespace

fs::path page_folder() {
  const auto has_page = [](const fs::path& folder) {
    std::error_code ignored;
    // A site that was made of it has a page, too, and may lie in a build folder.
    return fs::is_regular_file(folder / front_name, ignored) && !fs::exists(folder / manifest_name, ignored);
  };
  if (const char* chosen = std::getenv("PTXLAT_SITE"); chosen != nullptr && *chosen != '\0') {
    if (has_page(chosen)) return chosen;
    throw Error(ExitCode::catalogue, fmt::format("PTXLAT_SITE has no {} to make sites of: {}", front_name, chosen),
                "Set it to the folder site of the ptxlat sources, or unset it.");
  }
  if (auto found = data_folder("site", has_page); !found.empty()) return found;
  throw Error(ExitCode::catalogue, "the folder site was not found above " + program_folder().string(),
              "Set PTXLAT_SITE to the folder site of the ptxlat sources.");
}

SiteFiles page_files(const fs::path& folder) {
  SiteFiles files;
  for (const auto& entry : entries_of(folder)) {
    const auto name = entry.filename().generic_string();
    if (fs::is_directory(entry)) {
      for (auto& [below, content] : page_files(entry))
        files.emplace(fmt::format("{}/{}", name, below), std::move(content));
    } else if (fs::is_regular_file(entry)) {
      files.emplace(name, read_file(entry));
    }
  }
  return files;
}

PlotLibrary plot_library(const fs::path& folder) {
  const fs::path debian = "/usr/share/javascript/chart.js", debian_licence = "/usr/share/doc/libjs-chart.js";
  const auto script = first_in(folder.empty() ? debian : folder, library_names);
  const auto licence = first_in(folder.empty() ? debian_licence : folder, licence_names);
  std::string missing;
  if (script.empty()) {
    missing = folder.empty() ? "the plot library Chart.js is not installed"
                             : fmt::format("{} has no chart.min.js", folder.string());
  } else if (licence.empty()) {
    missing = fmt::format("the licence of {} is missing", script.string());
  }
  if (missing.empty())
    return {{{"library/chart.js", read_file(script)}, {"library/LICENCE.txt", read_file(licence)}}, ""};
  if (!folder.empty()) throw Error(ExitCode::missing_tool, missing, library_advice);
  return {{}, fmt::format("{}: the site has no plots. {}", missing, library_advice)};
}

void require_site_or_empty(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(folder, ignored))) return;
  if (!fs::is_directory(folder, ignored)) {
    throw Error(ExitCode::storage, fmt::format("{} is not a folder", folder.string()),
                "Name a folder that is empty or new with -o.");
  }
  if (fs::is_empty(folder, ignored)) return;
  if (fs::is_regular_file(folder / manifest_name, ignored) && !files_of_site(folder).empty()) return;
  throw Error(ExitCode::storage, fmt::format("{} has files and is not a site that ptxlat made", folder.string()),
              "Name an empty or new folder with -o; nothing was changed.");
}

void write_folder(const fs::path& folder, const SiteFiles& files) {
  require_site_or_empty(folder);
  std::error_code ignored;
  std::vector<std::string> before;
  if (fs::exists(folder / manifest_name, ignored)) before = files_of_site(folder);
  // The list first, so that whatever is written after it is known to be the site's.
  std::vector<NamedContent> written{{manifest_name, fmt::format("{}\n", manifest_head)}};
  for (const auto& [path, content] : files) {
    written.front().second += path + '\n';
    if (path != front_name) written.emplace_back(path, content);
  }
  if (const auto front = files.find(front_name); front != files.end()) written.emplace_back(*front);
  replace_files(folder, written);
  for (const auto& path : before) {
    if (!files.contains(path)) remove_file(folder, path);
  }
}

}  // namespace ptxlat::site
