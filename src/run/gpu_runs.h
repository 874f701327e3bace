// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "results/record.h"
#include "results/run.h"
#include "results/store.h"

namespace ptxlat::run {

// A GPU that helps the first one of an invocation: one of the same kind.
struct FurtherGpu {
  gpu::DeviceInfo device;
  std::vector<std::string> warnings = {};
};

// An invocation has a run for each of its GPUs, and a record names the run of the GPU that measured it. A cell that was
// measured on several GPUs has several records: that of the GPU with the lowest number belongs to the table, each other
// one to that GPU's own table, "gpus/GPU-…" below the table. Used by one thread at a time.
class GpuRuns {
 public:
  // The run of the first GPU, as it begins. The store must outlive it; Error{storage} if what it has is damaged.
  GpuRuns(results::Store& store, const results::Run& first, const std::vector<FurtherGpu>& further);

  // By GPU; for the shared table, not for the GPUs' own tables.
  results::Run& of(std::size_t gpu) { return runs_[gpu]; }
  std::size_t size() const { return runs_.size(); }

  // Saves the runs as they are, which gives them their ids.
  void save();
  // Saves them as ended now.
  void end(bool completed);
  // Lets each record name its run, and saves them in their tables. Leaves those of the table itself.
  void save_records(std::vector<results::Record>& records);

 private:
  results::Run& own(std::size_t gpu);

  results::Store& store_;
  std::vector<results::Run> runs_;
  std::vector<results::Run> own_;             // by GPU; without id if it has no record
  std::map<std::string, std::size_t> first_;  // the table's GPU of each cell that several GPUs measured, by its key
};

// The table of what belongs to this run's GPU alone: "gpus/GPU-…" below the run's table.
std::string own_table(const results::Run& run);
// The newest runs of all such tables below a table.
std::vector<results::Run> own_tables(const results::Store& store, const std::string& table);

}  // namespace ptxlat::run
