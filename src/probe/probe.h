#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/target.h"
#include "kernel/kernel.h"

namespace ptxlat::probe {

// A quantity that is varied; its values in the order in which they are measured.
struct ProbeAxis {
  std::string name;
  std::string unit;
  std::vector<std::int64_t> values;
};

// A Buffer whose numbers are expressions (probe/expression.h) of the axes and constants.
struct ProbeBuffer {
  kernel::Buffer::Contents contents = kernel::Buffer::Contents::zeros;
  std::string bytes, stride, seed, read_words;
};

// How the words of a point's launches become values (docs/probes.md).
//   per_step    (second clock − first clock) / count, of thread 0
//   throughput  count / (last second clock − first first clock), over all threads
//   timeline    each word of each thread less the earliest of all: two more axes, `thread` and `word`
enum class Reader { per_step, throughput, timeline };

// What is inferred of a kernel's answers (probe/traced_machine.h) instead of reading a series.
//   kind       of infer::MachineInfo
//   space      what its facts begin with
//   bytes      expression: what the kernel makes of the first buffer
struct ProbeInference {
  std::string kind, space, bytes;
};

// An experiment on the machine as its file describes it: what is varied, how each point is launched, what the audit
// must find and how the words are read. All numbers of a launch are expressions.
struct Probe {
  std::string name;      // the file's
  std::string sentence;  // what it shows, for --list
  std::string cost;      // of the GPU's time, for --list
  isa::Requirement requirement;
  std::vector<ProbeAxis> axes;
  std::map<std::string, std::string> constants;  // names for expressions and holes, from earlier names
  std::string threads, ctas, dynamic_shared, carve_out;
  std::vector<std::string> parameters;
  std::vector<ProbeBuffer> buffers;
  int launches = 5;

  std::optional<ProbeInference> infer;

  Reader reader = Reader::per_step;
  std::string count;  // steps or operations; for the reader
  std::string series, unit;
  std::vector<int> words;  // of each thread's slot

  // What the machine code must be: exactly so many of each opcode (without modifiers) in the window, and beside those
  // none but the ones named.
  bool whole_kernel = false;  // the window is the kernel, not what is between its two clock reads
  std::map<std::string, std::string> opcodes;
  std::vector<std::string> beside;

  std::string kernel;  // PTX with holes in double braces (docs/probes.md)
  std::string text;    // both files, for recipes
};

// Reads `folder`/*.toml, each with the kernel NAME.ptx beside it, in the order of their names. Error{catalogue} names
// the file, the line and what is wrong.
std::vector<Probe> load_probes(const std::vector<std::filesystem::path>& folders);

}  // namespace ptxlat::probe
