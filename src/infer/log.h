#pragma once

#include <istream>
#include <ostream>

#include "infer/machine.h"

namespace ptxlat::infer {

// The talk with a machine, a JSON object a line: what it is, then each request with its answer. The inference asks the
// same of the same answers, so that a log gives the facts again without the machine.
class LoggedMachine : public Machine {
 public:
  // Both outlive it.
  LoggedMachine(Machine& machine, std::ostream& log);
  const MachineInfo& info() const override { return machine_.info(); }
  void prepare() override;
  std::vector<double> access(const std::vector<Addresses>& list, const std::string& with, int sm) override;
  void touch(const std::vector<Addresses>& list, const std::string& with, int sm) override;

 private:
  Machine& machine_;
  std::ostream& log_;
};

// Error{storage} for what LoggedMachine did not write, and where the inference asks something else than the log's did:
// with another seed, or as another version of the program.
class ReplayedMachine : public Machine {
 public:
  explicit ReplayedMachine(std::istream& log);  // outlives it
  const MachineInfo& info() const override { return info_; }
  void prepare() override;
  std::vector<double> access(const std::vector<Addresses>& list, const std::string& with, int sm) override;
  void touch(const std::vector<Addresses>& list, const std::string& with, int sm) override;

 private:
  std::istream& log_;
  MachineInfo info_;
};

}  // namespace ptxlat::infer
