// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assemble/assembler.h"
#include "gpu/device.h"

namespace ptxlat::results {

// Version of the files of a table (docs/table-format.md says what counts as a change).
inline constexpr int table_format = 4;

// The bundle that a table's machine code came from.
struct BundleOrigin {
  std::string file;      // its name
  std::string checksum;  // CRC-32 of the file, 8 hexadecimal digits
  std::uint64_t size = 0;
  std::string created_utc;  // ISO 8601
  std::string tool_version;
  std::string git_commit;
  std::string command_line;
};

// The provenance of the records of one invocation. A resumed table has records of several runs; each record names its
// run by `id`.
struct Run {
  int format = table_format;
  int id = 0;          // in the store; 0 until it is saved
  std::string table;   // folder below the tables folder: "sm_90/nvidia-h200/driver-580.159.04"
  std::string kind;    // "measured" or "static"
  std::string method;  // version of the rules that made the numbers: "method 15"
  std::string rules;   // of opcodes and pairs, which change on their own: "machine 7", "hazard 8"; empty in the rest
  std::string toolchain;
  std::optional<assemble::CodeOrigin> code;  // of its kernels; empty in tables before method 24, and without kernels
  std::string nvrtc;                         // compiled the CUDA C forms, "nvrtc-13.0.88"; empty if there are none
  std::string cupti;                         // read hardware counters, "cupti-130001"; empty if none did
  std::string target;                        // "sm_90"
  std::string plan;                          // latency::name_of_plan of the whole plan; empty for probes and opcodes
  std::string shard;                         // the part of the plan that it makes, "3/16"; empty: all of it
  std::optional<gpu::DeviceInfo> device;     // empty for static tables
  std::optional<double> sm_clock_mhz;        // measured: clock64 against globaltimer, under load
  std::string card;                          // the table that a static table's estimates come from; may be empty
  std::optional<BundleOrigin> bundle;        // empty if it was assembled in the run
  std::string tool_version;
  std::string git_commit;
  std::string command_line;
  std::uint64_t seed = 0;
  int launches = 0;         // of each kernel; 0 for static tables
  std::string started_utc;  // ISO 8601
  std::string finished_utc;
  bool was_interrupted = false;  // it finished, but without all of its cells
  std::vector<std::string> warnings;
  std::map<std::string, std::string> environment;  // variables that affect the JIT: CUDA_*, PTXLAT_*
  std::map<std::string, double> station_seconds;   // expand, assemble, audit, run, … summed over threads, and wall

  // A killed run has no end.
  bool is_finished() const { return !finished_utc.empty() && !was_interrupted; }
};

}  // namespace ptxlat::results
