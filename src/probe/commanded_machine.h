// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "memory/machine.h"
#include "probe/traced_machine.h"

namespace ptxlat::probe {

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
