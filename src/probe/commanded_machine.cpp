#include "probe/commanded_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace ptxlat::probe {

CommandedMachine::CommandedMachine(infer::MachineInfo info, std::optional<infer::Addresses> flush,
                                   kernel::Launch launch, Launcher launcher, std::uint64_t& launches)
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

kernel::LaunchOutcome CommandedMachine::launch(std::vector<std::uint64_t> commands, std::uint64_t answers, int sm) {
  constexpr int attempts = 4;
  launch_.parameters[0] = commands.size() / 4;
  launch_.parameters[1] = static_cast<std::uint64_t>(sm);
  launch_.input = std::move(commands);
  launch_.buffers[1].read_words = answers;
  for (int attempt = 1;; ++attempt) {
    launch_.parameters[2] = ++launches_;
    auto outcome = launcher_(launch_);
    if (outcome.status != kernel::LaunchStatus::ok) throw LaunchFailed(outcome);
    if (outcome.readout.word(0, 0, 1) == launches_) return outcome;
    if (attempt == attempts)
      throw LaunchFailed({kernel::LaunchStatus::fault, fmt::format("no CTA was placed on SM {}", sm), {}});
  }
}

void CommandedMachine::prepare() {
  since_prepared_.clear();
  if (flush_) touch({*flush_}, info_.usual_operator(), 0);
}

std::vector<double> CommandedMachine::execute(const std::vector<infer::Addresses>& list, const std::string& with,
                                              bool is_timed, int sm) {
  auto all = since_prepared_;
  for (const auto& run : list) all.push_back({run, number_of(with), is_timed});
  std::vector<std::uint64_t> words;
  std::uint64_t answers = 0, before = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [run, operation, has_answers] = all[i];
    if (i == since_prepared_.size()) before = answers;
    const auto place = has_answers ? answers : untimed;
    words.insert(words.end(), {run.base, static_cast<std::uint64_t>(run.stride), run.count, operation + 256 * place});
    if (has_answers) answers += run.count;
  }
  if (list.empty()) before = answers;
  assert(answers <= info_.most_accesses);
  const auto outcome = launch(std::move(words), answers, sm);
  if (!flush_) since_prepared_ = std::move(all);
  return {outcome.readout.buffers.begin() + static_cast<std::ptrdiff_t>(before), outcome.readout.buffers.end()};
}

std::vector<double> CommandedMachine::access(const std::vector<infer::Addresses>& list, const std::string& with,
                                             int sm) {
  return execute(list, with, true, sm);
}

void CommandedMachine::touch(const std::vector<infer::Addresses>& list, const std::string& with, int sm) {
  execute(list, with, false, sm);
}

}  // namespace ptxlat::probe
