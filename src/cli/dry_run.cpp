// SPDX-License-Identifier: Apache-2.0
#include "cli/dry_run.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/json.h"
#include "cli/print.h"

namespace ptxlat::cli {

void print_dry_run(const DryRun& run, const std::string& store, const std::string& format) {
  if (format == "json") {
    auto document = json_head(run.table);
    if (run.forms > 0) document["forms"] = run.forms;
    document[run.things] = run.count;
    document["in_store"] = run.known;
    document["seconds"] = std::ceil(run.seconds);
    return print_json(document);
  }
  constexpr double in_minutes = 90;
  const auto of_forms = run.forms > 0 ? fmt::format(" of {} forms", run.forms) : "";
  const auto time = run.seconds < in_minutes ? fmt::format("{:.0f} s", std::ceil(run.seconds))
                                             : fmt::format("{:.0f} min", run.seconds / 60);
  const auto on_cores = run.cores > 0 ? fmt::format(" on {} cores", run.cores) : "";
  say("{}/{}: {} {}{}, {} of them already in {}; about {}{}\n", run.folder, run.table, run.count, run.things, of_forms,
      run.known, store, time, on_cores);
}

}  // namespace ptxlat::cli
