// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "memory/machine.h"

namespace ptxlat::memory {

// The shell with a command, whose standard input and output are one socket. It is killed at the end of the scope.
struct OracleProcess {
  explicit OracleProcess(const std::string& command);
  ~OracleProcess();
  OracleProcess(const OracleProcess&) = delete;  // owns a process
  OracleProcess& operator=(const OracleProcess&) = delete;

  pid_t pid = -1;
  int socket = -1;
};

// A program that acts as a machine: it describes itself and answers accesses, one JSON object per line, as in
// docs/inference.md. Its standard error is this program's.
class Oracle : public Machine {
 public:
  // The shell runs `command`. Error{missing_tool} if it does not describe itself within `deadline`, which also applies
  // to each answer.
  Oracle(const std::string& command, std::chrono::milliseconds deadline);

  const MachineInfo& info() const override { return info_; }
  void prepare() override;
  std::vector<double> access(const std::vector<Addresses>& list, const std::string& with, int sm) override;

 private:
  std::string answer_to(std::string request);
  std::string read_line();
  [[noreturn]] void fail(const std::string& what) const;

  std::string command_;
  std::chrono::milliseconds deadline_;
  OracleProcess process_;
  std::string received_;
  MachineInfo info_;
};

}  // namespace ptxlat::memory
