// SPDX-License-Identifier: Apache-2.0
#include "probe/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace ptxlat::probe {

CommandedMachine::CommandedMachine(memory::MachineInfo info, memory::Addresses flush, ptx::Launch launch,
                                   Launcher launcher, std::uint64_t& launches)
    : info_(std::move(info)),
      flush_(flush),
      launch_(std::move(launch)),
      launcher_(std::move(launcher)),
      launches_(launches) {
  info_.most_accesses = launch_.buffers.at(1).bytes / sizeof(std::uint32_t);
  launch_.parameters.insert(launch_.parameters.begin(), {0, 0, 0});
}

std::uint64_t CommandedMachine::number_of(const std::string& operation) const {
  const auto found = std::find(info_.operators.begin(), info_.operators.end(), operation);
  return found == info_.operators.end() ? 0 : static_cast<std::uint64_t>(found - info_.operators.begin());
}

ptx::LaunchOutcome CommandedMachine::launch(std::vector<std::uint64_t> commands, std::uint64_t answers, int sm) {
  constexpr int attempts = 4;
  launch_.parameters[0] = commands.size() / 4;
  launch_.parameters[1] = static_cast<std::uint64_t>(sm);
  launch_.input = std::move(commands);
  launch_.buffers[1].read_words = answers;
  for (int attempt = 1;; ++attempt) {
    launch_.parameters[2] = ++launches_;
    auto outcome = launcher_(launch_);
    if (outcome.status != ptx::LaunchStatus::ok) throw LaunchFailed(outcome);
    if (outcome.readout.word(0, 0, 1) == launches_) return outcome;
    if (attempt == attempts)
      throw LaunchFailed({ptx::LaunchStatus::fault, fmt::format("no CTA was placed on SM {}", sm), {}});
  }
}

void CommandedMachine::prepare() { touch({flush_}, info_.usual_operator(), 0); }

std::vector<double> CommandedMachine::access(const std::vector<memory::Addresses>& list, const std::string& with,
                                             int sm) {
  std::vector<std::uint64_t> commands;
  std::uint64_t answers = 0;
  for (const auto& run : list) {
    commands.insert(commands.end(),
                    {run.base, static_cast<std::uint64_t>(run.stride), run.count, number_of(with) + 256 * answers});
    answers += run.count;
  }
  assert(answers <= info_.most_accesses);
  const auto outcome = launch(std::move(commands), answers, sm);
  return {outcome.readout.buffers.begin(), outcome.readout.buffers.end()};
}

void CommandedMachine::touch(const std::vector<memory::Addresses>& list, const std::string& with, int sm) {
  std::vector<std::uint64_t> commands;
  for (const auto& run : list)
    commands.insert(commands.end(),
                    {run.base, static_cast<std::uint64_t>(run.stride), run.count, number_of(with) + 256 * untimed});
  launch(std::move(commands), 0, sm);
}

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
