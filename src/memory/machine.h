// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "base/error.h"

// The interface through which the structure of a memory is inferred: accesses with known latencies, and nothing else.
// Nothing in this room knows an architecture, a driver or a kernel.

namespace ptxlat::memory {

// `count` addresses from `base` on, `stride` bytes apart.
struct Addresses {
  std::uint64_t base = 0;
  std::int64_t stride = 0;
  std::uint64_t count = 1;
  std::uint64_t at(std::uint64_t i) const { return base + i * static_cast<std::uint64_t>(stride); }
  bool operator==(const Addresses&) const = default;
};

// A machine's properties that are known before its first access.
//   kind       "cache", "tlb", "banks", "constant", "l2" or "branch"
//   space      its facts begin with this: "l1"
//   bytes      addresses are below this
//   operators  ways to access it, "ca", "cg"; the first is the usual one
struct MachineInfo {
  std::string kind;
  std::string space;
  std::uint64_t bytes = 0;
  std::vector<std::string> operators;
  int sms = 1;
  std::uint64_t most_accesses = unlimited;  // between two calls of prepare
  std::uint64_t page_bytes = 0;             // within a page, addresses are those of memory; 0: unknown

  std::string usual_operator() const { return operators.empty() ? std::string{} : operators.front(); }
  static constexpr std::uint64_t unlimited = std::uint64_t{1} << 32;
};

// Something with a memory: a GPU, a model of one, a separate program. Each access waits for the previous one.
class Machine {
 public:
  virtual ~Machine() = default;
  virtual const MachineInfo& info() const = 0;
  // Nothing is cached afterwards.
  virtual void prepare() = 0;
  // The cycles of each access, in order. Error if the machine is gone.
  virtual std::vector<double> access(const std::vector<Addresses>& list, const std::string& with, int sm) = 0;
  // Untimed accesses, in any order and as fast as the machine can: to fill or to evict.
  virtual void touch(const std::vector<Addresses>& list, const std::string& with, int sm) { access(list, with, sm); }
};

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

// The inference makes different requests from those in a log: with a different seed, or a different version of the
// program.
struct OtherDialogue : Error {
  using Error::Error;
};

// Error{storage} if LoggedMachine did not write it. Its answers throw OtherDialogue.
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
