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

results::Json json_head(const std::string& table) {
  auto document = json_head();
  document["table"] = table;
  return document;
}

void put_throughput(results::Json& cell, const tables::RowThroughput& throughput) {
  results::put(cell, "throughput", throughput.throughput);
  results::put(cell, "unit", throughput.unit);
  results::put(cell, "pattern", throughput.pattern);
  results::put(cell, "saturates_at", throughput.saturates_at);
  results::put(cell, "pipe", throughput.pipe);
}

void print_json(const results::Json& document) { say("{}\n", results::to_line(document)); }

}  // namespace ptxlat::cli
