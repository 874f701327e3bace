// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "line/line.h"
#include "opcodes/contention.h"
#include "opcodes/counting.h"
#include "opcodes/in_flight.h"
#include "opcodes/operand_cost.h"
#include "opcodes/throughput.h"
#include "ptx/skeleton.h"
#include "results/run.h"
#include "results/store.h"
#include "run/gpu_runs.h"
#include "tables/shared_rows.h"

namespace ptxlat::run {

// Measures SASS opcodes on GPUs of one kind, from the forms that become them.
//   run       as it begins, on the first GPU
//   further   the other GPUs
//   workers   run patched code, and nothing else; one for each GPU
//   counting  run it with hardware counters, and nothing else; one for each GPU
struct OpcodeJob {
  ptx::LoadedCatalogue loaded;
  assemble::Toolchain toolchain;
  isa::Target target;
  results::Run run;
  std::vector<FurtherGpu> further = {};
  std::vector<const isa::Form*> forms;
  int level = 3;
  std::vector<worker::Worker*> workers;
  std::vector<worker::Worker*> counting;
  std::unique_ptr<sass::Disassembler> disassembler;
  std::vector<std::unique_ptr<line::KernelAssembler>> assemblers;
};

//   throughput   of the forms of the job: one for each distinct machine code
//   spellings    which of these each form has
//   contention   of pairs of the opcodes that these became; only of this job's
//   counters     of these opcodes, as are operand_costs and in_flight
//   not_counted  why hardware counters were not read, or not completely; empty if they were. Also a warning of the run
//   completed    false if it was interrupted: then there are only the records of the stages that are whole, and every
//                finished one is in the store
struct MadeOpcodes {
  results::Run run;
  std::vector<results::Record> throughput, contention, counters, operand_costs, in_flight;
  std::vector<tables::Spelling> spellings;
  std::optional<counters::Unavailable> not_counted;
  bool completed = false;
};

// A stage's time, in seconds.
//   stations  summed over the threads, as in run.json
//   gpus      of each, from the stage's start
//   workers   of each GPU, in this stage
struct StageTimes {
  double wall = 0;
  std::map<std::string, double> stations;
  std::vector<line::GpuUse> gpus;
  std::vector<worker::WorkerTimes> workers;
};

// Called before each stage with its name and its number of cells, then with how many more of these are done, and, if
// any were made, at its end.
struct OpcodeProgress {
  std::function<void(const std::string& stage, std::size_t cells)> on_stage = {};
  std::function<void(std::size_t)> on_finished = {};
  std::function<void(const StageTimes&)> on_stage_end = {};
  std::function<std::string(std::size_t gpu, const Error& why)> on_gpu_lost = {};  // as in SessionOptions
};

// Measures what the store does not have: the throughput of the forms, then the contention of their opcodes, the cost of
// their operands, their throughput against instructions in flight, and their pipes by hardware counters, if available.
// Throws what run_line throws.
MadeOpcodes make_opcodes(OpcodeJob& job, results::Store& store, const std::atomic<bool>* interrupted,
                         const OpcodeProgress& progress);

//   hazards    of this job's forms with their consumers
//   registers  the experiment with register numbers
//   completed  false if it was interrupted: then there are no hazards, and every finished record is in the store
struct MadePairs {
  results::Run run;
  std::vector<results::Record> hazards, registers;
  bool completed = false;
};

// Measures what the store does not have: the hazards of the job's forms, and the rule of the register banks. The job's
// workers run patched code; it counts nothing. Throws what run_line throws.
MadePairs make_pairs(OpcodeJob& job, results::Store& store, const std::atomic<bool>* interrupted,
                     const OpcodeProgress& progress);

}  // namespace ptxlat::run
