// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "base/error.h"
#include "fuzz.h"
#include "memory/infer.h"
#include "memory/l2_talk.h"
#include "memory/machine.h"
#include "memory/prober.h"

namespace ptxlat::fuzz {

namespace {

// Answers with the numbers of the input, over and over; the inference must end whatever they are.
class Answering : public memory::Machine {
 public:
  Answering(memory::MachineInfo info, std::vector<double> answers)
      : info_(std::move(info)), answers_(std::move(answers)) {}
  const memory::MachineInfo& info() const override { return info_; }
  void prepare() override { count(1); }
  std::vector<double> access(const std::vector<memory::Addresses>& list, const std::string&, int) override {
    std::vector<double> cycles;
    for (const auto& addresses : list) {
      count(addresses.count);
      for (std::uint64_t i = 0; i < addresses.count; ++i) cycles.push_back(answers_[next_++ % answers_.size()]);
    }
    return cycles;
  }

 private:
  // The inference has its own limit, which takes minutes.
  void count(std::uint64_t more) {
    constexpr std::uint64_t most = 200'000;
    if (more > most || (asked_ += more) > most) throw Error(ExitCode::failure, "the fuzzer has no more time");
  }

  memory::MachineInfo info_;
  std::vector<double> answers_;
  std::size_t next_ = 0;
  std::uint64_t asked_ = 0;
};

}  // namespace

// The lines of a program that acts as a machine; and those of a log.
void oracle(std::string_view input) {
  std::istringstream lines{std::string(input)};
  std::string first, second;
  std::getline(lines, first);
  std::getline(lines, second);
  std::istringstream log{std::string(input)};
  memory::ReplayedMachine replayed(log);
  try {
    memory::infer(replayed, 1);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): its requests are different
  }
  auto answers = memory::cycles_in(second);
  if (!answers || answers->empty()) return;
  Answering machine(replayed.info(), *std::move(answers));
  memory::infer(machine, 1);
}

}  // namespace ptxlat::fuzz
