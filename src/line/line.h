// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "assemble/toolchain.h"
#include "line/batch.h"
#include "line/chunks.h"
#include "line/kernel_assembler.h"
#include "line/station_clock.h"
#include "results/record.h"
#include "sass/disassembler.h"
#include "worker/worker.h"

namespace ptxlat::line {

// What the assembly line needs: everything before `worker` works without a GPU.
//   worker        runs the kernels; null for static tables
//   launches      of each trial that does not specify a number
//   on_finished   called with the finished records of a chunk, from one thread at a time
//   interrupted   when it becomes true, the chunks in progress are finished and the line stops
struct Line {
  assemble::Toolchain toolchain;
  isa::Target target;
  sass::Disassembler& disassembler;
  worker::Worker* worker = nullptr;
  int launches = 9;
  std::function<void(std::vector<results::Record>)> on_finished = {};
  const std::atomic<bool>* interrupted = nullptr;
  StationClock* clock = nullptr;
};

// The GPU, used by one chunk at a time, and the code that has run on it.
struct Gpu {
  std::mutex mutex;
  MeasuredCode measured;
};

// The stations of the line for one chunk: its trials are added to the batch, assembled and run.
class Bench {
 public:
  Bench(const Line& line, KernelAssembler& assembler, Gpu& gpu, int level)
      : line_(line), assembler_(assembler), gpu_(gpu), level_(level) {}

  const assemble::Toolchain& toolchain() const { return line_.toolchain; }
  const isa::Target& target() const { return line_.target; }
  // Whether trials are run: without a GPU there is only the schedule.
  bool measures() const { return line_.worker != nullptr; }
  int level() const { return level_; }
  // A second bench like this one, with an empty batch.
  Bench at_level(int level) const { return {line_, assembler_, gpu_, level}; }

  const Batch& batch() const { return batch_; }
  std::size_t add(const kernel::Trial& trial, const std::string& label) { return batch_.add(trial, label); }
  // Assembles what was added since the last call.
  void assemble();
  // Runs the marked trials, by their numbers; does nothing without a GPU.
  void run(const std::vector<bool>& wanted);
  // Launches the kernel of an assembled trial now, with a different launch; keeps no result. For experiments whose next
  // launch depends on the previous result. Requires a GPU.
  kernel::LaunchOutcome launch(std::size_t trial, const kernel::Launch& launch, int launches);
  // Launches kernels of a cubin that is not the batch's, such as a patched one. Requires a GPU.
  std::vector<kernel::LaunchOutcome> launch(const worker::LaunchBatch& batch);
  // Launches the only kernel of such a cubin, with hardware counters read around the launch. The line's worker must
  // have opened them.
  worker::CountOutcome count(const worker::LaunchBatch& batch);
  Stopwatch time(const char* station) const { return {line_.clock, station}; }

 private:
  const Line& line_;
  KernelAssembler& assembler_;
  Gpu& gpu_;
  int level_;
  Batch batch_;
};

// One kind of experiment: plans its trials and interprets their readouts. Called by several threads at a time.
class Method {
 public:
  virtual ~Method() = default;
  // The records of a chunk's cells, all of the bench's level.
  virtual std::vector<results::Record> make(Bench& bench, std::span<const Cell> chunk) const = 0;
};

// Makes all cells, a chunk at a time on each thread, with one thread per assembler. Returns false if it was
// interrupted. Throws the first Error that does not belong to a cell (no GPU, no disassembler, a full disk); records
// already handed to on_finished are kept.
bool run_line(const Line& line, const Method& method, const std::vector<std::unique_ptr<KernelAssembler>>& assemblers,
              std::span<const Cell> cells);

// Makes the records of cells that already form one chunk, all of one level, on this thread and without a GPU: `worker`
// must be null, and on_finished is not called. For a bundle, whose columns share their chunks.
std::vector<results::Record> make_chunk(const Line& line, const Method& method, KernelAssembler& assembler,
                                        std::span<const Cell> chunk);

}  // namespace ptxlat::line
