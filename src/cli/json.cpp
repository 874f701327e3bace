// SPDX-License-Identifier: Apache-2.0
#include "cli/json.h"

#include "cli/print.h"
#include "latency/method.h"
#include "latency/plan.h"
#include "results/json.h"
#include "run/provenance.h"

namespace ptxlat::cli {

results::Json json_head() {
  constexpr int json_format = 1;
  return {{"format", json_format}, {"version", run::tool_version()}, {"method", latency::method_version}};
}

void print_json(const results::Json& document) { say("{}\n", results::to_line(document)); }

}  // namespace ptxlat::cli
