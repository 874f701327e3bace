#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "infer/machine.h"

namespace ptxlat::infer {

// The shell with a command, whose standard input and output are one socket. It is killed at the end of the scope.
struct OracleProcess {
  explicit OracleProcess(const std::string& command);
  ~OracleProcess();
  OracleProcess(const OracleProcess&) = delete;  // owns a process
  OracleProcess& operator=(const OracleProcess&) = delete;

  pid_t pid = -1;
  int socket = -1;
};

// A program that is a machine: it says what it is and answers accesses, a JSON object a line each, as docs/inference.md
// has it. Its standard error is this program's.
class Oracle : public Machine {
 public:
  // `command` is given to the shell. Error{missing_tool} if it does not say what it is within `deadline`, which holds
  // for each answer too.
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

}  // namespace ptxlat::infer
