// SPDX-License-Identifier: Apache-2.0
#include "memory/log.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "base/hash.h"
#include "memory/talk.h"

namespace ptxlat::memory {

namespace {

std::string next_line(std::istream& log) {
  std::string line;
  if (!std::getline(log, line)) throw Error(ExitCode::storage, "the log ends before the inference does");
  return line;
}

// Stores a long request as its hash: a replay generates it again and only needs to know that it is the same. Otherwise
// a GPU's log would mostly consist of addresses.
std::string in_log(const std::string& request) {
  constexpr std::size_t longest = 400;
  if (request.size() <= longest) return request;
  Hash hash;
  hash.add(std::string_view(request));
  return fmt::format("{{\"request\": \"{:016x}\", \"bytes\": {}}}", hash.value(), request.size());
}

void expect(std::istream& log, const std::string& request) {
  const std::string line = next_line(log);
  if (line != in_log(request))
    throw Error(ExitCode::storage, fmt::format("the inference asks {:.80}, but the log has {:.80}", request, line),
                "Replay a log with the seed and the version of ptxlat that it was made with.");
}

}  // namespace

LoggedMachine::LoggedMachine(Machine& machine, std::ostream& log) : machine_(machine), log_(log) {
  log_ << info_line(machine.info()) << '\n';
}

void LoggedMachine::prepare() {
  machine_.prepare();
  log_ << prepare_request << '\n';
}

std::vector<double> LoggedMachine::access(const std::vector<Addresses>& list, const std::string& with, int sm) {
  auto cycles = machine_.access(list, with, sm);
  log_ << in_log(access_request(list, with, sm)) << '\n' << cycles_line(cycles) << '\n';
  return cycles;
}

void LoggedMachine::touch(const std::vector<Addresses>& list, const std::string& with, int sm) {
  machine_.touch(list, with, sm);
  log_ << in_log(touch_request(list, with, sm)) << '\n';
}

ReplayedMachine::ReplayedMachine(std::istream& log) : log_(log) {
  const std::string line = next_line(log);
  try {
    info_ = info_in(line);
  } catch (const std::exception& error) {
    throw Error(ExitCode::storage, fmt::format("not a log of a machine ({}): {:.80}", error.what(), line));
  }
}

void ReplayedMachine::prepare() { expect(log_, std::string(prepare_request)); }

void ReplayedMachine::touch(const std::vector<Addresses>& list, const std::string& with, int sm) {
  expect(log_, touch_request(list, with, sm));
}

std::vector<double> ReplayedMachine::access(const std::vector<Addresses>& list, const std::string& with, int sm) {
  expect(log_, access_request(list, with, sm));
  const std::string answer = next_line(log_);
  if (auto cycles = cycles_for(list, answer)) return *std::move(cycles);
  throw Error(ExitCode::storage, fmt::format("the log has no answer to an access but {:.80}", answer));
}

}  // namespace ptxlat::memory
