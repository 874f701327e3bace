// SPDX-License-Identifier: Apache-2.0
#include "probe/traced_machine.h"

#include <cassert>

namespace ptxlat::probe {

TracedMachine::TracedMachine(memory::MachineInfo info, ptx::Launch launch, Launcher launcher)
    : info_(std::move(info)), launch_(std::move(launch)), launcher_(std::move(launcher)) {
  info_.most_accesses = accesses_per_launch;
  launch_.parameters.insert(launch_.parameters.begin(), 0);
}

std::vector<double> TracedMachine::access(const std::vector<memory::Addresses>& list, const std::string&, int) {
  const std::size_t before = since_prepared_.size();
  for (const auto& run : list) {
    for (std::uint64_t i = 0; i < run.count; ++i) since_prepared_.push_back(run.at(i));
  }
  assert(since_prepared_.size() <= accesses_per_launch);
  launch_.input = since_prepared_;
  launch_.input.resize(accesses_per_launch);
  launch_.parameters.front() = since_prepared_.size();
  const auto outcome = launcher_(launch_);
  if (outcome.status != ptx::LaunchStatus::ok) throw LaunchFailed(outcome);
  std::vector<double> cycles;
  for (std::size_t i = before; i < since_prepared_.size(); ++i) {
    const std::size_t words = launch_.output_words.size();
    cycles.push_back(outcome.readout.word(0, i / words, i % words));
  }
  return cycles;
}

}  // namespace ptxlat::probe
