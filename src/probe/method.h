// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "line/line.h"
#include "probe/points.h"
#include "probe/probe.h"
#include "results/store.h"

namespace ptxlat::probe {

// Version of the rules that read, audit and infer. Bump it whenever they would give a different answer for the same
// kernels.
inline constexpr char probe_version[] = "probe 4";

// A probe to run at a level.
//   device  what the probe's expressions know about the GPU
struct ProbePlan {
  const Probe* probe = nullptr;
  Names device;
  std::vector<Point> points;
  int level = 3;
  std::string recipe;
  std::size_t ptx_bytes = 0;
};
results::CellKey key_of(const ProbePlan& plan);
std::vector<ProbePlan> plan_probes(const std::vector<const Probe*>& probes, int level, const Names& device = {});

// The dialogue with the GPU behind an inference (memory/machine.h): the probe's name, with the point's role if it has
// axes, and the log. Called from one thread at a time.
using OnLog = std::function<void(const std::string& name, const std::string& log)>;

// The facts of an earlier record, read off its series again with the current probe's rules, for points that this probe
// has. Values reported by the driver are kept. False if today's probe varies something else: then the facts are still
// the earlier ones.
bool read_facts_again(const Probe& probe, results::Record& record);

// The facts of an inference again, from the logs of its points: role and log. False if today's inference asks for
// something else than is in the logs: then the facts are still the earlier ones.
bool infer_facts_again(const Probe& probe, const std::vector<std::pair<std::string, std::string>>& logs,
                       results::Record& record);

// Measures probes. The plan must outlive it; cells are indices into the plan. `on_log` may be empty.
class ProbeMethod : public line::Method {
 public:
  explicit ProbeMethod(const std::vector<ProbePlan>& plan, OnLog on_log = {})
      : plan_(plan), on_log_(std::move(on_log)) {}
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;

 private:
  const std::vector<ProbePlan>& plan_;
  OnLog on_log_;
};

}  // namespace ptxlat::probe
