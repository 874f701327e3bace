// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptxlat::site {

// The files of a site by their paths in its folder: "index.html", "data/names.js".
using SiteFiles = std::map<std::string, std::string>;

// The page's own files: HTML, style sheets, scripts and published figures. The folder is $PTXLAT_SITE, or share/ptxlat/
// of the installation, or site/ above the program. Error{catalogue} if there is none.
std::filesystem::path page_folder();
SiteFiles page_files(const std::filesystem::path& folder);

// The plot library, Chart.js, which is not a part of ptxlat, with its licence: from `folder`, or if that is empty from
// where Debian's libjs-chart.js puts it. Returns no files, and why in `missing`, if there is none; for a named folder
// that is Error{missing_tool}.
struct PlotLibrary {
  SiteFiles files;
  std::string missing;
};
PlotLibrary plot_library(const std::filesystem::path& folder);

// Error{storage} if `folder` has files and is not a site that this program made.
void require_site_or_empty(const std::filesystem::path& folder);

// Writes the files, index.html last, and removes those of the site that was there before; files that are not the site's
// stay. Error{storage} if it cannot, or in the case above.
void write_folder(const std::filesystem::path& folder, const SiteFiles& files);

}  // namespace ptxlat::site
