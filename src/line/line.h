// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assemble/toolchain.h"
#include "line/batch.h"
#include "line/chunks.h"
#include "line/gpus.h"
#include "line/interruption.h"
#include "line/kernel_assembler.h"
#include "line/station_clock.h"
#include "results/record.h"
#include "sass/arrivals.h"
#include "sass/disassembler.h"
#include "worker/worker.h"

namespace ptxlat::line {

// The measured card that is nearest to a target without one: what its results take where stall counts do not say it.
//   table            "sm_90/nvidia-h200/driver-580.159.04", and where it is
//   error            of what is estimated from it, as a share, which nine of ten estimates do not exceed
//   interlock_error  the same where the hardware holds back what the assembler planned with fewer cycles
struct NearestCard {
  std::string table;
  sass::Arrivals arrivals;
  double error = 0, interlock_error = 0;
  std::filesystem::path folder = {};
  int sm = 0;
};

// The parts of an assembly line: everything before `worker` works without a GPU.
//   workers       run the kernels, one for each GPU, all of one kind; empty for static tables
//   card          for estimates beside the schedule's numbers; may be null
//   launches      of each trial that does not specify a number
//   on_share      called before each on_finished with the share of all cells' PTX that is done: about the share of the
//                 time, because most of it goes into assembling
//   on_finished   called with the finished records of a chunk, from one thread at a time
//   interrupted   when it becomes true, chunks in progress are finished if that takes no more than a few seconds, and
//                 the line stops
//   on_gpu_lost   called once for a GPU that no longer answers, from any thread
//   gpu_use       gets the use of each GPU at the end; may be null
struct Line {
  assemble::Toolchain toolchain;
  isa::Target target;
  sass::Disassembler& disassembler;
  std::vector<worker::Worker*> workers = {};
  const NearestCard* card = nullptr;
  int launches = 9;
  std::function<void(double share)> on_share = {};
  std::function<void(std::vector<results::Record>)> on_finished = {};
  const std::atomic<bool>* interrupted = nullptr;
  StationClock* clock = nullptr;
  std::function<void(std::size_t gpu, const Error& why)> on_gpu_lost = {};
  std::vector<GpuUse>* gpu_use = nullptr;
};

// The stations of the line for one chunk: its trials are added to the batch, assembled and run, all on one GPU unless a
// method begins with cells of their own. What assembles or uses a GPU throws Error{interrupted} if the line was
// interrupted some seconds ago.
class Bench {
 public:
  //   not_on  a GPU to be avoided if there is a different one
  Bench(const Line& line, KernelAssembler& assembler, Gpus& gpus, Interruption& interruption, int level,
        std::optional<std::size_t> not_on = {})
      : line_(line), assembler_(assembler), gpus_(gpus), interruption_(interruption), level_(level), not_on_(not_on) {}

  const assemble::Toolchain& toolchain() const { return line_.toolchain; }
  const isa::Target& target() const { return line_.target; }
  // Whether trials are run: without a GPU there is only the schedule.
  bool measures() const { return !line_.workers.empty(); }
  const NearestCard* card() const { return line_.card; }
  int level() const { return level_; }
  // The GPU that this bench uses: the first that was free; 0 if it has not used one.
  std::size_t gpu() const { return gpu_.value_or(0); }
  // The next launch takes the first GPU that is free then: for a cell whose launches are not compared with earlier
  // ones.
  void begin_cell() {
    goes_on_ = goes_on_ || gpu_;
    gpu_.reset();
  }
  // The other GPUs of the line.
  std::vector<std::size_t> other_gpus() const;
  // A second bench like this one, with an empty batch.
  Bench at_level(int level) const;
  // A second bench with this one's assembled trials, not yet run, for this GPU.
  Bench on_gpu(std::size_t gpu) const;

  const Batch& batch() const { return batch_; }
  std::size_t add(const ptx::Trial& trial, const std::string& label) { return batch_.add(trial, label); }
  // Assembles what was added since the last call, as one module or as some that have at most so many kernels each. Each
  // has a fixed cost, but a GPU loads a whole module for each patched kernel.
  void assemble(std::size_t kernels_per_module = one_module);
  // Runs the marked trials, by their numbers; does nothing without a GPU. This and the following throw Error{no_gpu} if
  // the GPU is lost.
  void run(const std::vector<bool>& wanted);
  // What follows runs in a new process on the bench's GPU.
  void begin_process();
  // Launches the kernel of an assembled trial now, with a different launch; keeps no result. For experiments whose next
  // launch depends on the previous result. Requires a GPU.
  ptx::LaunchOutcome launch(std::size_t trial, const ptx::Launch& launch, int launches);
  // Launches kernels of a cubin that is not the batch's, such as a patched one. Requires a GPU.
  std::vector<ptx::LaunchOutcome> launch(const worker::LaunchBatch& batch);
  // Launches the only kernel of each such cubin, with hardware counters read around the launch. The line's workers must
  // have opened them.
  std::vector<worker::CountOutcome> count(const std::vector<worker::LaunchBatch>& batches);
  Stopwatch time(const char* station) const { return {line_.clock, station}; }

 private:
  // Calls work(turn) with the bench's GPU.
  template <typename Work>
  auto use_gpu(const Work& work);

  const Line& line_;
  KernelAssembler& assembler_;
  Gpus& gpus_;
  Interruption& interruption_;
  int level_;
  std::optional<std::size_t> not_on_, gpu_;
  bool goes_on_ = false;  // an earlier cell of the chunk has had its turns
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
// interrupted. A chunk whose GPU is lost is made again on another one. Throws the first Error that does not belong to a
// cell (no GPU is left, no disassembler, a full disk); records already handed to on_finished are kept.
bool run_line(const Line& line, const Method& method, const std::vector<std::unique_ptr<KernelAssembler>>& assemblers,
              std::span<const Cell> cells);

// The same, with the records of all cells in memory, for the cells of one answer. Error{interrupted} if it was.
std::vector<results::Record> made_records(Line line, const Method& method,
                                          const std::vector<std::unique_ptr<KernelAssembler>>& assemblers,
                                          std::span<const Cell> cells);

// Makes the records of cells that already form one chunk, all of one level, on this thread and without a GPU: `workers`
// must be empty, and on_finished is not called. For a bundle, whose configurations share their chunks.
std::vector<results::Record> make_chunk(const Line& line, const Method& method, KernelAssembler& assembler,
                                        std::span<const Cell> chunk);

}  // namespace ptxlat::line
