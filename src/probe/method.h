#pragma once

#include <string>
#include <vector>

#include "line/line.h"
#include "probe/points.h"
#include "probe/probe.h"
#include "results/store.h"

namespace ptxlat::probe {

// Version of the rules that read and audit probes. Bump it whenever they would give a different answer for the same
// kernels.
inline constexpr char probe_version[] = "probe 1";

// A probe to be made at a level.
struct ProbePlan {
  const Probe* probe = nullptr;
  std::vector<Point> points;
  int level = 3;
  std::string recipe;
  std::size_t ptx_bytes = 0;
};
results::CellKey key_of(const ProbePlan& plan);
std::vector<ProbePlan> plan_probes(const std::vector<const Probe*>& probes, int level);

// Measures probes. The plan must outlive it; cells are indices into the plan.
class ProbeMethod : public line::Method {
 public:
  explicit ProbeMethod(const std::vector<ProbePlan>& plan) : plan_(plan) {}
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;

 private:
  const std::vector<ProbePlan>& plan_;
};

}  // namespace ptxlat::probe
