// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>

#include "infer/machine.h"
#include "kernel/kernel.h"
#include "kernel/readout.h"

namespace ptxlat::probe {

// The maximum number of accesses in one launch of a traced kernel.
inline constexpr std::size_t accesses_per_launch = 4096;

// Launches the kernel of a machine once.
using Launcher = std::function<kernel::LaunchOutcome(const kernel::Launch&)>;

// A launch requested by an inference failed, with the launch's message.
struct LaunchFailed : std::runtime_error {
  explicit LaunchFailed(const kernel::LaunchOutcome& outcome)
      : std::runtime_error(outcome.message), status(outcome.status) {}
  kernel::LaunchStatus status;
};

// The GPU as a machine for inference (infer/machine.h): each answer is a launch of a kernel that gets a list of
// addresses and stores the time of each access. Contract with the kernel: `in` has the addresses, 8 per slot, as
// distances from the first buffer; the parameter after the buffers is their number; word i % 8 of the slot of thread i
// / 8 is the time of access i.
//
// Caches are cold at each launch, so the accesses since `prepare` are repeated each time.
class TracedMachine : public infer::Machine {
 public:
  TracedMachine(infer::MachineInfo info, kernel::Launch launch, Launcher launcher);
  const infer::MachineInfo& info() const override { return info_; }
  void prepare() override { since_prepared_.clear(); }
  // At most info().most_accesses since `prepare`. Throws LaunchFailed.
  std::vector<double> access(const std::vector<infer::Addresses>& list, const std::string& with, int sm) override;

 private:
  infer::MachineInfo info_;
  kernel::Launch launch_;
  Launcher launcher_;
  std::vector<std::uint64_t> since_prepared_;
};

}  // namespace ptxlat::probe
