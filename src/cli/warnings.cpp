// SPDX-License-Identifier: Apache-2.0
#include "cli/warnings.h"

#include <fmt/format.h>

#include "cli/print_text.h"
#include "worker/condition.h"

namespace ptxlat::cli {

std::vector<std::string> printed(const std::vector<run::Warning>& warnings) {
  std::vector<std::string> texts;
  for (const auto& warning : warnings) {
    say(stderr, "warning: {}.\n         {}.\n", warning.sentence, warning.action);
    texts.push_back(text_of(warning));
  }
  return texts;
}

GpuWatch::GpuWatch(const worker::WorkerOptions& options, const gpu::DeviceInfo& device, const worker::Worker& worker)
    : options_(options),
      device_(device),
      own_process_(worker.process_id()),
      before_(worker::condition_of(options, device.uuid)) {}

std::vector<run::Warning> GpuWatch::at_start() const { return run::warnings_before(before_, {own_process_}); }

std::vector<run::Warning> GpuWatch::at_end(std::optional<double> sm_clock_mhz) const {
  return run::warnings_after(before_, worker::condition_of(options_, device_.uuid), device_, sm_clock_mhz);
}

}  // namespace ptxlat::cli
