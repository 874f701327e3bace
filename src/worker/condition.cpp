// SPDX-License-Identifier: Apache-2.0
#include "worker/condition.h"

#include <algorithm>

#include "base/environment.h"
#include "base/error.h"
#include "worker/process.h"
#include "worker/protocol.h"

namespace ptxlat::worker {

nvml::Condition condition_of(const WorkerOptions& options, const std::string& uuid) {
  const auto deadline =
      std::min<std::chrono::milliseconds>(options.start_deadline, scaled_deadline(std::chrono::seconds(10)));
  nvml::Condition unknown;
  try {
    WorkerProcess process(options.program);
    process.send(frame(Kind::ask_condition, uuid), deadline);
    if (const auto reply = process.receive(deadline)) return reply->as<nvml::Condition>();
    unknown.problem = "the process that asks NVML " + process.exit().describe();
  } catch (const Error& error) {
    unknown.problem = error.what();
  }
  return unknown;
}

}  // namespace ptxlat::worker
