// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>
#include <ostream>

#include "memory/machine.h"

namespace ptxlat::memory {

// The dialogue with a machine, one JSON object per line: its description, then each request with its answer. Given the
// same answers, the inference makes the same requests, so a log gives the facts again without the machine.
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

// Error{storage} if LoggedMachine did not write it, and if the inference makes different requests from those in the
// log: with a different seed, or a different version of the program.
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

}  // namespace ptxlat::memory
