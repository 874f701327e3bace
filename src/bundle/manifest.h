#pragma once

#include <string>
#include <vector>

#include "assemble/assembler.h"
#include "assemble/toolchain.h"
#include "isa/target.h"

namespace ptxlat::bundle {

// A toolchain and what it assembled for: an old one may not know sm_90a and was given sm_90.
struct BundledToolchain {
  assemble::Toolchain toolchain;  // without its path
  isa::Target target;
};

// Where a bundle comes from.
struct Manifest {
  std::string tool_version;
  std::string git_commit;
  std::string method_version;  // latency/plan.h
  isa::Target target;          // that was asked for
  std::vector<int> levels;
  std::vector<BundledToolchain> toolchains;
  std::string created_utc;  // ISO 8601
  std::string command_line;
};

Bytes manifest_to_json(const Manifest& manifest);
// Throws std::exception for JSON of another shape.
Manifest manifest_from_json(const Bytes& json);

// Whether both are assemblings of the same thing, whenever and however it was asked for.
bool is_same_assembling(const Manifest& x, const Manifest& y);

}  // namespace ptxlat::bundle
