// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

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

// The GPU as a machine that can be accessed from any SM, with progressions of addresses, and whose memory persists from
// one launch to the next (second-level cache). Contract with the kernel, which has a CTA on each SM:
//   in          commands of four 64-bit words, one after another; each: base and stride of addresses, as distances
//               from the first buffer; their count; and operator + 256 × place, where place is that of the first
//               answer, or `untimed` for accesses that all threads make at once, without timing
//   parameters  after the buffers: how many commands there are; the SM that executes them; the launch's number, from 1,
//               so that only one CTA on that SM does so
//   answers     cycles, 32-bit words from the beginning of the second buffer
//   output      word 1 of the first slot is the launch's number if the SM had a CTA; otherwise it is launched again
class CommandedMachine : public memory::Machine {
 public:
  static constexpr std::uint64_t untimed = 0xffffffff;

  // `flush` are the accesses that make everything else cold. `launches` is the number of launches with the same buffers
  // so far, and is incremented: successive machines share it, and it outlives them.
  CommandedMachine(memory::MachineInfo info, memory::Addresses flush, ptx::Launch launch, Launcher launcher,
                   std::uint64_t& launches);
  const memory::MachineInfo& info() const override { return info_; }
  void prepare() override;
  // At most info().most_accesses. Throws LaunchFailed.
  std::vector<double> access(const std::vector<memory::Addresses>& list, const std::string& with, int sm) override;
  void touch(const std::vector<memory::Addresses>& list, const std::string& with, int sm) override;

 private:
  std::uint64_t number_of(const std::string& operation) const;
  ptx::LaunchOutcome launch(std::vector<std::uint64_t> commands, std::uint64_t answers, int sm);

  memory::MachineInfo info_;
  memory::Addresses flush_;
  ptx::Launch launch_;
  Launcher launcher_;
  std::uint64_t& launches_;
};

}  // namespace ptxlat::probe
