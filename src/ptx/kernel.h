// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"

namespace ptxlat::ptx {

// The unit of assembly: one kernel as PTX.
//   text           complete except for its name, the hole {{name}}, so that trials that need the same kernel have equal
//                  texts
//   module         declarations at module scope, in this order: kernels with the same needs have equal texts
//   operand_loads  the loads before the first clock, in order, each by the register that it is for; empty for one in a
//                  text of the catalogue. In a window they would count as the instruction's
//   whole          the audit looks at the whole kernel, not only between its two clock reads
struct Kernel {
  std::string text;
  std::vector<std::string> module;
  std::vector<std::string> operand_loads;
  bool whole = false;
  bool operator==(const Kernel&) const = default;
};

// Memory contract between kernels, launcher and the stand-in driver: a kernel takes (out, in, memory, parameters) or
// the first few of them.
//   out, in      addresses of slots of slot_bytes each, one per thread: thread t of CTA c has slot c × threads + t.
//                An input slot has up to 8 operands, 8 bytes each, at 8 × operand index. An output slot has 16 words of
//                32 bits, zero before each launch; the kernel and the reader of its Readout agree on their meaning
//   memory       the objects made by the host (gpu/buffers.h), reset before the launches of each kernel that uses
//                memory; 0 for other kernels
//   parameters   parameter_bytes by value, 8 bytes each. If memory is used: the address of the launch's line of scratch
//                memory and the SM or cluster that should run it (any_place: any). Then the addresses of the buffers in
//                order, then Launch::parameters, then zeros
inline constexpr int slot_bytes = 64;
inline constexpr int words_per_slot = slot_bytes / 4;
inline constexpr int operands_per_slot = 8;
// In kernels with a loop whose number of rounds a launch may choose, the operand that has it.
inline constexpr int slot_of_rounds = 0;
inline constexpr int parameter_bytes = 1024;
inline constexpr std::uint64_t any_place = 0xffffffff;
inline constexpr int every_sm = 0;

// Device memory for a launch, described rather than sent: it may have gigabytes.
//   ring         64-bit words: every `stride` bytes there is the address of the next such place, and the last place has
//                the address of the first. A pointer chase starts at the beginning
//   permutation  the same places in a random order, one cycle through all of them
//   random       words of 64 bits from the seed
//   self         each 64-bit word holds its own address, so that any lane can chase any place
// If it is a texture, the handle of a one-dimensional texture of 32-bit words comes before its address, and a chase's
// places hold the index of the next place's first word. If it is a tensor (pitch is not 0), the address of a tensor map
// of 128 bytes comes before its address: rows of `pitch` bytes, each byte an element, as many whole rows as the buffer
// has.
//   box_row, box_rows  the size of one copy: bytes of a row and rows, at most 256 of each
//   swizzle            bytes within which chunks of 16 are permuted in shared memory: 32, 64, 128, or 0 for none
struct Buffer {
  enum class Contents { zeros, random, ring, permutation, self };
  std::uint64_t bytes = 0;
  Contents contents = Contents::zeros;
  std::uint64_t stride = 0;  // bytes; for ring and permutation, at least 8
  std::uint64_t seed = 1;
  std::uint64_t read_words = 0;  // number of 32-bit words at its beginning to read back
  bool is_texture = false;
  std::uint64_t pitch = 0;
  std::uint64_t box_row = 0;
  std::uint64_t box_rows = 0;
  std::uint64_t swizzle = 0;
  std::uint64_t alignment = 0;  // bytes: it begins at a multiple of this power of two; 0: the driver's choice
  bool operator==(const Buffer&) const = default;
};

// How launches of a kernel follow each other.
//   stream        each is put into the stream as soon as it can be
//   graph         as the nodes of a graph, which is launched once
//   synchronised  the host waits for each to end
enum class Succession { stream, graph, synchronised };

// How a kernel is launched and what is read afterwards. Two trials with equal machine code and equal launches are one
// measurement.
//   threads       of a CTA, 1…1024
//   ctas          of the grid; one cluster if the kernel says .reqnctapercluster; every_sm: one for each SM, of which
//                 all are read
//   carve_out     percent of an SM's first-level memory for shared memory; -1: the driver's choice
//   uses_memory   whether the kernel uses memory: each launch uses a different line of it
//   places        on how many SMs (or clusters), spread over the GPU, the launches of a kernel that uses memory take
//                 turns: one at a time, in a grid that has a CTA for each SM. A launch that did not fit on its SM
//                 leaves its slots zero. 0: the GPU chooses
//   evicts_l2     whether the second-level cache has none of its memory before each launch
//   input         the bits of its operands, [slot × operands_per_slot + operand]; empty: not read
//   bank_bytes    bank width of shared memory, 4 or 8, for GPUs that can choose; 0: the driver's choice
//   large_cluster     whether its clusters may have more than the 8 CTAs that fit on every GPU of the architecture
//   keeps_buffers     whether the next launch of the same kernel finds the buffers as this one leaves them, not reset
//   persisting_bytes  bytes at the beginning of the first buffer that the second-level cache should keep; 0: none
//   succession        how its launches follow each other
//   round             separates launches that are otherwise equal, to measure again
//   output_ctas       CTAs whose threads are read, from the first
//   output_step       from one thread that is read to the next, within the CTAs that are read
//   output_words      of each thread's slot, by index
struct Launch {
  int threads = 32;
  int ctas = 1;
  int dynamic_shared = 0;  // bytes per CTA
  int carve_out = -1;
  bool uses_memory = false;
  int places = 0;
  int bank_bytes = 0;
  bool large_cluster = false;
  bool keeps_buffers = false;
  std::uint64_t persisting_bytes = 0;
  bool evicts_l2 = false;
  Succession succession = Succession::stream;
  int round = 0;
  std::vector<std::uint64_t> input;
  std::vector<Buffer> buffers;
  std::vector<std::uint64_t> parameters;
  int output_ctas = 1;
  int output_step = 1;
  std::vector<int> output_words = {0, 1};
  bool operator==(const Launch&) const = default;
};

// One kernel with its launch and its role in an experiment; an experiment is a list of trials.
//   is_run    false if it is only assembled, so that the code of different trials can be compared with it
//   launches  number of runs; 0: as many as the run says
struct Trial {
  std::string role;
  Kernel kernel;
  Launch launch;
  bool is_run = true;
  int launches = 0;
  bool operator==(const Trial&) const = default;
};

// For recipes and for distinguishing measurements.
void add(Hash& hash, const Launch& launch);
void add(Hash& hash, const Kernel& kernel);
void add(Hash& hash, const Trial& trial);

}  // namespace ptxlat::ptx
