// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "assemble/assembler.h"
#include "assemble/toolchain.h"
#include "isa/target.h"

namespace ptxlat::bundle {

// A toolchain and its target: an old one that does not know sm_90a gets sm_90.
struct BundledToolchain {
  assemble::Toolchain toolchain;  // without its path
  isa::Target target;
};

// The provenance of a bundle.
struct Manifest {
  std::string tool_version;
  std::string git_commit;
  std::string method_version;  // latency/plan.h
  isa::Target target;          // as requested
  std::vector<int> levels;
  std::vector<BundledToolchain> toolchains;
  std::string shard;        // "3/16"; empty: all cells of the plan
  std::string plan;         // of a shard: hash of the whole plan, equal for all of its shards
  std::string created_utc;  // ISO 8601
  std::string command_line;
};

Bytes manifest_to_json(const Manifest& manifest);
// Throws std::exception for JSON of a different shape.
Manifest manifest_from_json(const Bytes& json);

// Whether both describe the same contents, regardless of time and command line.
bool is_same_assembling(const Manifest& x, const Manifest& y);

}  // namespace ptxlat::bundle
