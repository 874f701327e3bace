#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "sass/verdict.h"

namespace ptxlat {

// The names that tables use: lower case with underscores.
const char* to_string(Verdict verdict);
std::optional<Verdict> verdict_from(const std::string& name);

// One SASS instruction of a window with its control word (method.md, section 5).
struct SassRecord {
  int offset = 0;    // bytes from the start of the kernel
  std::string text;  // "IADD3 R0, R2, R3, RZ"
  int stall_count = 0;
  bool yields = false;
  int write_scoreboard = 7;  // 7 = none
  int read_scoreboard = 7;
  int wait_mask = 0;
  int reuse = 0;

  bool operator==(const SassRecord&) const = default;
};

// One kernel of a cell: what was assembled, what the audit said of it and what the GPU measured.
//   role  "overhead", "bracket", "differential", "differential base", "chain", "chain twice", "bridge", "completion",
//         "stream", "stream twice"
struct WindowRecord {
  std::string role;
  Verdict verdict = Verdict::proven;
  std::string reason;                  // why, where not proven
  std::vector<SassRecord> sass;        // both clock reads included
  int static_cycles = 0;               // sum of stall counts from the first clock read up to the second
  bool static_is_lower_bound = false;  // something in the window waits on a scoreboard or branches
  std::optional<double> cycles;        // mode of the samples
  double mode_share = 0;               // 0…1
  std::vector<std::uint32_t> samples;  // elapsed cycles, launch by launch
  std::string measured_as;             // the form for which the same machine code was run; empty: run for this cell

  bool operator==(const WindowRecord&) const = default;
};

// One cell: a row of a table, and everything known about it. Numbers that do not exist are empty, never a sentinel.
struct CellRecord {
  std::string ptx;
  std::string chapter;
  std::string operand;
  std::string input;
  int level = 0;
  std::optional<double> cycles;
  std::optional<double> bracket;
  std::optional<double> overhead;
  std::optional<double> differential;
  std::optional<double> chain;
  std::optional<double> static_cycles;
  std::optional<double> issue;    // cycles that one more independent copy takes
  std::vector<std::string> sass;  // opcodes that the PTX instruction became, in program order
  int sass_count = 0;
  Verdict verdict = Verdict::proven;
  std::string note;

  std::string consumer;   // producer and consumer belong together (method.md, trap 8)
  std::string recipe;     // hash of the PTX of all its kernels: same recipe, same experiment
  double elapsed_ns = 0;  // cycles at the device's SM clock; 0 where not known
  std::vector<WindowRecord> windows;

  bool operator==(const CellRecord&) const = default;
};

// Version of the files of a table (docs/table-format.md says what counts as a change).
inline constexpr int table_format = 2;

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

// Where a table comes from.
struct Provenance {
  int format = table_format;
  std::string table;  // folder below the tables folder: "sm_90/nvidia-h200/driver-580.159.04"
  std::string kind;   // "measured" or "static"
  std::string toolchain;
  std::string nvrtc;                   // that compiled the forms of CUDA C, "nvrtc-13.0.88"; empty if there are none
  std::string target;                  // "sm_90"
  std::optional<DeviceInfo> device;    // empty for static tables
  std::optional<BundleOrigin> bundle;  // empty where it was assembled in the run
  std::string tool_version;
  std::string git_commit;
  std::string command_line;
  std::uint64_t seed = 0;
  std::string started_utc;  // ISO 8601
  std::string finished_utc;
  std::map<std::string, std::string> environment;  // variables that change the JIT: CUDA_*, PTXLAT_*
  std::map<std::string, double> station_seconds;   // expand, assemble, audit, run, … summed over threads, and wall
};

}  // namespace ptxlat
