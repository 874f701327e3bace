// SPDX-License-Identifier: Apache-2.0
#include "site/site.h"

#include "fuzz.h"
#include "results/json.h"
#include "tables/compression.h"
#include "tables/folder.h"

namespace ptxlat::fuzz {

// The site of a table with rows, probes, opcodes.csv and contention.csv; its run.json has a target of its own.
void site(std::string_view input) {
  const auto parts = parts_of(input, 4);
  const auto folder = scratch_file("site/latency.jsonl.zst", tables::zstd(parts[0])).parent_path();
  results::Run run;
  run.kind = "measured";
  run.table = "fuzz";
  auto json = results::to_json(run);
  json["jsonl_crc32"] = tables::checksum_of(parts[0]);
  scratch_file("site/run.json", results::to_line(json));
  scratch_file("site/probes.jsonl.zst", tables::zstd(parts[1]));
  scratch_file("site/opcodes.csv", parts[2]);
  scratch_file("site/contention.csv", parts[3]);
  site::data_files(site::read_tables({folder.string()}), {}, {"1.2.3", "abc"}, true);
}

}  // namespace ptxlat::fuzz
