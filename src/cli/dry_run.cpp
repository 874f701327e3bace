// SPDX-License-Identifier: Apache-2.0
#include "cli/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_set>

#include "cli/json.h"
#include "cli/print.h"

namespace ptxlat::cli {

void print_dry_run(const DryRun& run, const std::vector<results::CellKey>& things, const std::string& store,
                   const std::string& format) {
  std::unordered_set<std::string> finished;
  if (std::filesystem::exists(store)) finished = results::Store(store).finished(run.table);
  const auto known =
      std::count_if(things.begin(), things.end(), [&](const auto& key) { return finished.contains(key.text()); });
  const auto missing = static_cast<double>(things.size()) - static_cast<double>(known);
  const auto cores = std::max<std::size_t>(1, run.assemblers / 2);
  const double seconds = run.seconds_of_each * missing / static_cast<double>(cores);
  if (format == "json") {
    auto document = json_head(run.table);
    if (run.forms > 0) document["forms"] = run.forms;
    document[run.things] = things.size();
    document["in_store"] = known;
    if (run.unsupported > 0) document["unsupported"] = run.unsupported;
    document["seconds"] = std::ceil(seconds);
    return print_json(document);
  }
  constexpr double in_minutes = 90;
  const auto of_forms = run.forms > 0 ? fmt::format(" of {} forms", run.forms) : "";
  const auto time =
      seconds < in_minutes ? fmt::format("{:.0f} s", std::ceil(seconds)) : fmt::format("{:.0f} min", seconds / 60);
  const auto on_cores = run.assemblers > 0 ? fmt::format(" on {} cores", cores) : "";
  const auto others = run.unsupported > 0 ? fmt::format("; and {} that the target does not have", run.unsupported) : "";
  say("{}/{}: {} {}{}, {} of them already in {}; about {}{}{}\n", run.folder, run.table, things.size(), run.things,
      of_forms, known, store, time, on_cores, others);
}

}  // namespace ptxlat::cli
