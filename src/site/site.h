// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "site/folder.h"
#include "site/tables.h"

namespace ptxlat::site {

// The program that made the site, for its last line.
struct SiteOrigin {
  std::string tool_version, git_commit;
};

// Figures of papers, for the pages of forms and facts: csv files of the page's folder.
inline constexpr const char* published_forms_name = "published_forms.csv";
inline constexpr const char* published_facts_name = "published_facts.csv";

// The data of a site as files below data/. Their names are ours and numbered; the names of tables and forms are only in
// the data.
SiteFiles data_files(const SiteTables& tables, const SiteFiles& published, const SiteOrigin& origin, bool has_plots);

}  // namespace ptxlat::site
