// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/target.h"
#include "ptx/kernel.h"
#include "series/series_facts.h"

namespace ptxlat::probe {

// A quantity to vary, with its values in the order of measurement. An axis with names numbers them.
struct ProbeAxis {
  std::string name;
  std::string unit;
  std::vector<std::int64_t> values;
  std::vector<std::string> names = {};  // empty if the values are numbers
};

// Texts for a hole, by the names of an axis' values: the instruction that "ca" means.
struct ProbeTexts {
  std::string axis;
  std::map<std::string, std::string> of_name;
};

// An axis of the words that are read from the buffers, in their order: the last is the fastest.
//   count  expression; the number of names, if it has any
//   from   the first value; each further one is `step` more
struct SampleAxis {
  std::string name, count;
  double from = 0, step = 1;
  std::vector<std::string> names;
};

// The paper that a probe repeats in kind, and what of it.
struct ProbeSource {
  std::string paper;  // of paper_names
  std::string item;   // "figure 6"
};
// Keys of [source] that --paper knows: Mei and Chu, Arafa et al., the GT200 report, Wong et al., RealWorldTech.
inline constexpr std::array<const char*, 5> paper_names = {"mei", "arafa", "gt200", "ispass", "kanter"};

// A Buffer whose numbers are expressions (base/expression.h) of the axes and constants.
struct ProbeBuffer {
  ptx::Buffer::Contents contents = ptx::Buffer::Contents::zeros;
  std::string bytes, stride, seed, read_words;
  bool is_texture = false;
  std::string pitch = "0", box_row = "0", box_rows = "0", swizzle = "0", alignment = "0";
};

// The first word of a point that may hang, if it does: the kernel stores 1 if it passes, and 2 if it gave up.
inline constexpr double hung = 3;

// A machine to infer from a kernel's answers (probe/machines.h) instead of reading a series.
//   kind       of memory::MachineInfo
//   space      its facts begin with this
//   bytes      expression: the accessible bytes, from the beginning of the first buffer
//   flush      expression: bytes after those, where one access every `flush_stride` bytes makes everything else cold;
//              for a kernel that takes commands (probe/machines.h). Empty for one that takes addresses
//   page       expression: bytes within which addresses of memory are those of the program; 0: not known
//   operators  ways to access it; the kernel knows them by number
struct ProbeInference {
  std::string kind, space, bytes;
  std::string flush = {}, flush_stride = "128", page = "0";
  std::vector<std::string> operators = {};
  std::vector<std::string> leaves_out = {};   // quantities that a different probe finds better
  std::vector<std::string> conditional = {};  // quantities that depend on the axes; all others hold at all points
};

// An experiment on the machine as its file describes it: what varies, how each point is launched, what the audit must
// find and how the words are read. All numbers of a launch are expressions.
struct Probe {
  std::string name;      // the file's
  std::string sentence;  // what it shows, for --list
  std::string cost;      // of the GPU's time, for --list
  isa::Requirement requirement;
  std::vector<ProbeSource> sources;
  std::vector<ProbeAxis> axes;
  std::map<std::string, std::string> constants;  // names for expressions and holes
  std::map<std::string, ProbeTexts> texts;       // by hole
  std::string threads = "1", ctas = "1", dynamic_shared = "0", carve_out = "0 - 1", bank_bytes = "0",
              persisting_bytes = "0";
  bool large_cluster = false;
  bool keeps_buffers = false;         // no point changes what a later one finds in them
  bool may_fail = false;              // a launch that the driver rejects is a point without a value
  bool may_hang = false;              // a launch that traps or misses its deadline has the first word hung
  std::string succession = "stream";  // of ptx::Succession, by name; may have holes
  std::vector<std::string> parameters;
  std::vector<ProbeBuffer> buffers;
  int launches = 5;
  int rounds = 1;     // how many times the whole series is measured: a fact must come out the same in each
  int processes = 1;  // that share the rounds equally: where the driver puts code and memory differs between them

  std::optional<ProbeInference> infer;

  std::string reader = "per_step";  // the name of a Reader (probe/readers.h)
  std::string count = "1";          // steps or operations; for the reader
  std::string series = "value", unit = "cycles";
  std::vector<int> words = {0, 1};      // of each thread's slot
  std::vector<std::string> word_names;  // of the axis `word`
  std::vector<SampleAxis> sample_axes;  // of the reader `samples`; empty: one axis, `sample`
  std::vector<series::FactRule> facts;  // facts to read off the series; holes in their texts are not filled

  // The required machine code: exactly this many of each opcode in the window, with the modifiers that it names, and in
  // addition only the named ones, without modifiers.
  bool whole_kernel = false;  // the window is the whole kernel, not only the code between its two clock reads
  std::map<std::string, std::string> opcodes;
  std::string registers;  // expression: the registers of a thread; empty: any
  std::vector<std::string> beside;
  std::vector<std::string> without;  // instead of `beside`: everything except these is allowed

  std::vector<std::string> module;  // declarations at module scope
  std::string kernel;               // PTX with holes in double braces (docs/probes.md)
  std::string text;                 // both files, for recipes
};

// Reads `folder`/*.toml, each with its kernel NAME.ptx, in the order of their names. Error{catalogue} names the file,
// the line and what is wrong.
std::vector<Probe> load_probes(const std::vector<std::filesystem::path>& folders);

}  // namespace ptxlat::probe
