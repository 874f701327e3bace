// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>

#include "memory/machine.h"
#include "ptx/kernel.h"
#include "ptx/readout.h"

namespace ptxlat::probe {

// The maximum number of accesses in one launch of a traced kernel.
inline constexpr std::size_t accesses_per_launch = 4096;

// Launches the kernel of a machine once.
using Launcher = std::function<ptx::LaunchOutcome(const ptx::Launch&)>;

// A launch requested by an inference failed, with the launch's message.
struct LaunchFailed : std::runtime_error {
  explicit LaunchFailed(const ptx::LaunchOutcome& outcome)
      : std::runtime_error(outcome.message), status(outcome.status) {}
  ptx::LaunchStatus status;
};

// The GPU as a machine for inference (memory/machine.h): each answer is a launch of a kernel that gets a list of
// addresses and stores the time of each access. Contract with the kernel: `in` has the addresses, 8 per slot, as
// distances from the first buffer; the parameter after the buffers is their number; word i % 8 of the slot of thread i
// / 8 is the time of access i.
//
// Caches are cold at each launch, so the accesses since `prepare` are repeated each time.
class TracedMachine : public memory::Machine {
 public:
  TracedMachine(memory::MachineInfo info, ptx::Launch launch, Launcher launcher);
  const memory::MachineInfo& info() const override { return info_; }
  void prepare() override { since_prepared_.clear(); }
  // At most info().most_accesses since `prepare`. Throws LaunchFailed.
  std::vector<double> access(const std::vector<memory::Addresses>& list, const std::string& with, int sm) override;

 private:
  memory::MachineInfo info_;
  ptx::Launch launch_;
  Launcher launcher_;
  std::vector<std::uint64_t> since_prepared_;
};

}  // namespace ptxlat::probe
