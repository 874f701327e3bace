// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "latency/plan.h"
#include "line/line.h"
#include "results/run.h"
#include "results/store.h"
#include "sass/disassembler.h"

namespace ptxlat::run {

// One table to make: the plan, and its assemblers.
struct TableJob {
  ptx::LoadedCatalogue loaded;
  assemble::Toolchain toolchain;
  isa::Target target;
  results::Run run;  // as it begins
  std::vector<latency::CellPlan> plan;
  std::unique_ptr<sass::Disassembler> disassembler;
  std::vector<std::unique_ptr<line::KernelAssembler>> assemblers;  // one per thread
};

// The result of measuring a sample of the cells again in a second process.
struct Repetition {
  std::size_t repeated = 0;
  std::vector<results::Record> differing;
};

//   worker       null for a static table
//   repeat       share of the cells that is measured again; empty for the default (run/repeated_cells.h)
//   sm_clock     measures the SMs' clock in MHz; called if there is anything to be made
//   at_end       what to note as warnings of the run, from the clock that sm_clock gave; called if anything was made
//   on_planned   is called once with how many of the planned cells the store has already, before anything is made
//   on_finished  with the finished records of a chunk, which are in the store, from one thread at a time
struct SessionOptions {
  worker::Worker* worker = nullptr;
  std::optional<double> repeat;
  const std::atomic<bool>* interrupted = nullptr;
  std::function<std::optional<double>()> sm_clock = {};
  std::function<std::vector<std::string>(std::optional<double> sm_clock_mhz)> at_end = {};
  std::function<void(std::size_t known)> on_planned = {};
  std::function<void(const std::vector<results::Record>&)> on_finished = {};
};

//   run         the table's run: this one, or the previous one if all cells already existed
//   runs        all runs that records of the table name
//   repetition  empty if nothing was repeated
//   completed   false if it was interrupted; every finished record is in the store
struct MadeTable {
  results::Run run;
  std::vector<results::Run> runs;
  std::vector<results::Record> records;
  std::optional<Repetition> repetition;
  std::size_t made = 0;
  double wall_seconds = 0;
  bool completed = false;
};

// Takes the plan without the cells in the store, sends it down the line, repeats a sample in a second process, marks
// differing cells as unstable, and stores the run with its records. Throws what run_line throws.
MadeTable make_table(TableJob& job, results::Store& store, const SessionOptions& options);

}  // namespace ptxlat::run
