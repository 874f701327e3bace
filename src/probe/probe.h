#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "infer/series_facts.h"
#include "isa/target.h"
#include "kernel/kernel.h"

namespace ptxlat::probe {

// A quantity that is varied; its values in the order in which they are measured. An axis of names counts them.
struct ProbeAxis {
  std::string name;
  std::string unit;
  std::vector<std::int64_t> values;
  std::vector<std::string> names = {};  // empty where the values are numbers
};

// Texts for a hole, by the names of an axis' values: the instruction that stands for "ca".
struct ProbeTexts {
  std::string axis;
  std::map<std::string, std::string> of_name;
};

// A Buffer whose numbers are expressions (probe/expression.h) of the axes and constants.
struct ProbeBuffer {
  kernel::Buffer::Contents contents = kernel::Buffer::Contents::zeros;
  std::string bytes, stride, seed, read_words;
  bool is_texture = false;
  std::string pitch = "0", box_row = "0", box_rows = "0", swizzle = "0", alignment = "0";
};

// How the words of a point's launches become values (docs/probes.md).
//   per_step    (second clock − first clock) / count, of thread 0
//   throughput  count / (last second clock − first first clock), over all threads
//   span        (last second clock − first first clock) / count, over all threads
//   rate        count / the longest of all threads' (second clock − first clock): for SMs, whose clocks are not one
//   timeline    each word of each thread less the earliest of all: two more axes, `thread` and `word`
//   warps       the same of the first lane of each warp: two more axes, `warp` and `word`
//   scoreboards how many scoreboards the machine code between the clocks sets: read off the code, whatever is launched
//   words       each word of thread 0 as it is / count, median of the launches: one more axis, `word`
//   samples     the words that are read of the buffers / count, after the last launch: one more axis, `sample`
enum class Reader { per_step, throughput, span, rate, timeline, warps, words, samples, scoreboards };

// What is inferred of a kernel's answers (probe/traced_machine.h) instead of reading a series.
//   kind       of infer::MachineInfo
//   space      what its facts begin with
//   bytes      expression: what the kernel makes of the first buffer
//   flush      expression: bytes behind those, which one access each `flush_stride` bytes make everything else cold;
//              of a kernel that takes commands (probe/commanded_machine.h). Empty for one that takes addresses
//   page       expression: bytes within which addresses of memory are those of the program; 0: not known
//   operators  how it can be accessed, by the numbers that the kernel knows them by
struct ProbeInference {
  std::string kind, space, bytes;
  std::string flush = {}, flush_stride = "128", page = "0";
  std::vector<std::string> operators = {};
  std::vector<std::string> leaves_out = {};   // quantities that another probe finds better
  std::vector<std::string> conditional = {};  // quantities that depend on the axes; the others hold at all points
};

// An experiment on the machine as its file describes it: what is varied, how each point is launched, what the audit
// must find and how the words are read. All numbers of a launch are expressions.
struct Probe {
  std::string name;      // the file's
  std::string sentence;  // what it shows, for --list
  std::string cost;      // of the GPU's time, for --list
  isa::Requirement requirement;
  std::vector<ProbeAxis> axes;
  std::map<std::string, std::string> constants;  // names for expressions and holes
  std::map<std::string, ProbeTexts> texts;       // by hole
  std::string threads = "1", ctas = "1", dynamic_shared = "0", carve_out = "0 - 1", bank_bytes = "0",
              persisting_bytes = "0";
  bool large_cluster = false;
  bool keeps_buffers = false;  // no point changes what another one finds in them
  bool may_fail = false;       // a launch that the driver refuses is a point without a value
  std::vector<std::string> parameters;
  std::vector<ProbeBuffer> buffers;
  int launches = 5;

  std::optional<ProbeInference> infer;

  Reader reader = Reader::per_step;
  std::string count = "1";  // steps or operations; for the reader
  std::string series = "value", unit = "cycles";
  std::vector<int> words = {0, 1};      // of each thread's slot
  std::vector<std::string> word_names;  // of the axis `word`
  std::vector<infer::FactRule> facts;   // what is read off the series; holes in their texts are not filled

  // What the machine code must be: exactly so many of each opcode in the window, with the modifiers that it names, and
  // beside those none but the ones named, without modifiers.
  bool whole_kernel = false;  // the window is the kernel, not what is between its two clock reads
  std::map<std::string, std::string> opcodes;
  std::vector<std::string> beside;
  std::vector<std::string> without;  // instead of `beside`: anything may be beside them but these

  std::vector<std::string> module;  // what the kernel needs at module scope
  std::string kernel;               // PTX with holes in double braces (docs/probes.md)
  std::string text;                 // both files, for recipes
};

// Reads `folder`/*.toml, each with the kernel NAME.ptx beside it, in the order of their names. Error{catalogue} names
// the file, the line and what is wrong.
std::vector<Probe> load_probes(const std::vector<std::filesystem::path>& folders);

}  // namespace ptxlat::probe
