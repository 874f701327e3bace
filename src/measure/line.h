#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "assemble/toolchain.h"
#include "measure/kernel_assembler.h"
#include "measure/plan.h"
#include "measure/worker.h"
#include "results/record.h"
#include "sass/disassembler.h"

namespace ptxlat {

// Seconds spent at each station, summed over threads. Thread-safe.
class StationClock {
 public:
  void add(const std::string& station, std::chrono::steady_clock::duration time);
  std::map<std::string, double> seconds() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, double> seconds_;
};

// What the assembly line needs: everything before `worker` works without a GPU.
//   worker        runs the kernels; null for static tables
//   on_finished   is called with the finished cells of a chunk, from one thread at a time
//   interrupted   when it becomes true, the chunks that are under way are finished and the line stops
struct Line {
  const Catalogue& catalogue;
  const Skeletons& skeletons;
  Toolchain toolchain;
  Target target;
  Disassembler& disassembler;
  Worker* worker = nullptr;
  int launches = 9;
  std::function<void(const std::vector<CellRecord>&)> on_finished;
  const std::atomic<bool>* interrupted = nullptr;
  StationClock* clock = nullptr;
};

// Makes all cells, a chunk at a time on each thread, of which there is one per assembler: expand, assemble, audit, run
// (one chunk at a time), estimate. Returns false if it was interrupted. Throws the first Error that is not one cell's
// own (no GPU, no disassembler, a full disk); cells that were handed to on_finished stay.
bool run_line(const Line& line, const std::vector<std::unique_ptr<KernelAssembler>>& assemblers,
              const std::vector<CellPlan>& cells);

// The records of cells that are one chunk already, all of one level, on this thread and without a GPU: `worker` must be
// null, and on_finished is not called. For a bundle, which is cut into chunks that its columns have in common.
std::vector<CellRecord> make_cells(const Line& line, KernelAssembler& assembler, std::span<const CellPlan> cells);

}  // namespace ptxlat
