// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "latency/plan.h"
#include "line/line.h"
#include "results/run.h"
#include "results/store.h"
#include "run/gpu_runs.h"
#include "sass/disassembler.h"

namespace ptxlat::run {

// Sends the cells that the store does not have down the line and commits their records, chunk by chunk. `keys` are
// those of the method's cells, by Cell::number; the line's on_finished is set here.
//   runs         at their start; get their numbers, and their end time when everything is done
//   on_finished  may be empty; called with how many more cells are now in the store: once at the start, then after each
//                chunk
// Throws what run_line throws.
struct Made {
  std::size_t made = 0;
  bool completed = false;  // false if it was interrupted; every finished record is in the store
};
Made make_missing(line::Line line, const line::Method& method,
                  const std::vector<std::unique_ptr<line::KernelAssembler>>& assemblers,
                  std::span<const line::Cell> cells, std::span<const results::CellKey> keys, results::Store& store,
                  GpuRuns& runs, const std::function<void(std::size_t)>& on_finished);

// One table to make: the plan, and its assemblers.
//   run      as it begins, on the first GPU
//   further  the other GPUs that measure for the same table, in the order of the session's workers
struct TableJob {
  ptx::LoadedCatalogue loaded;
  assemble::Toolchain toolchain;
  isa::Target target;
  results::Run run;
  std::vector<latency::CellPlan> plan;
  std::unique_ptr<sass::Disassembler> disassembler;
  std::vector<std::unique_ptr<line::KernelAssembler>> assemblers;  // one per thread
  std::vector<FurtherGpu> further = {};
};

// The result of measuring a sample of the cells again in a second process.
struct Repetition {
  std::size_t repeated = 0;
  std::vector<results::Record> differing;
};

//   workers      one for each GPU; empty for a static table
//   card         of a static table, for estimates; may be null
//   repeat       share of the cells that is measured again; empty for the default (run/repeated_cells.h)
//   sm_clock     measures the clock of a GPU's SMs in MHz; called for each GPU if there is anything to be made, by
//                several threads
//   at_end       the warnings to note for a GPU's run, from the clock that sm_clock gave; called if anything was made
//   on_gpu_lost  as in Line; the message is also a warning of the GPU's run
//   on_planned   called once with how many of the planned cells the store already has, before anything is made
//   on_share     as in Line, of the cells that are missing
//   on_finished  called with the finished records of a chunk, which are in the store, from one thread at a time
struct SessionOptions {
  std::vector<worker::Worker*> workers = {};
  const line::NearestCard* card = nullptr;
  std::optional<double> repeat = {};
  const std::atomic<bool>* interrupted = nullptr;
  std::function<std::optional<double>(std::size_t gpu)> sm_clock = {};
  std::function<std::vector<std::string>(std::size_t gpu, std::optional<double> sm_clock_mhz)> at_end = {};
  std::function<std::string(std::size_t gpu, const Error& why)> on_gpu_lost = {};
  std::function<void(std::size_t known)> on_planned = {};
  std::function<void(double share)> on_share = {};
  std::function<void(const std::vector<results::Record>&)> on_finished = {};
};

//   run         the table's run: this one, or the previous one if all cells already existed
//   own         the newest runs of the tables that belong to one GPU, of all GPUs but the first
//   repetition  empty if nothing was repeated
//   completed   false if it was interrupted; every finished record is in the store
struct MadeTable {
  results::Run run;
  std::vector<results::Run> own;
  std::optional<Repetition> repetition;
  std::size_t made = 0;
  double wall_seconds = 0;
  bool completed = false;
};

// Takes the plan without the cells in the store, sends it down the line, repeats a sample in a second process (on
// another GPU if there is one), marks differing cells as unstable, and stores the runs with their records. Throws what
// run_line throws.
MadeTable make_table(TableJob& job, results::Store& store, const SessionOptions& options);

}  // namespace ptxlat::run
