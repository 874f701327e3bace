// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "fuzz.h"
#include "worker/protocol.h"

namespace ptxlat::fuzz {

// A message as each of the contents that either side expects. A supervisor's caller and a worker turn a std::exception
// into words.
void worker(std::string_view input) {
  const auto read = [&](auto content) {
    try {
      worker::Message(Bytes(input.begin(), input.end())).as<decltype(content)>();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): as above
    }
  };
  read(worker::LaunchBatch{});
  read(worker::Outcome{});
  read(worker::AssembleRequest{});
  read(worker::CompileRequest{});
  read(worker::ErrorReply{});
  read(assemble::ModuleOutcome{});
  read(assemble::CompileOutcome{});
  read(gpu::DeviceInfo{});
  read(counters::Offer{});
  read(counters::Counts{});
  read(nvml::Condition{});
}

}  // namespace ptxlat::fuzz
