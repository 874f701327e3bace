// SPDX-License-Identifier: Apache-2.0
#include "worker/counted_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <utility>

#include "base/file.h"
#include "base/process.h"
#include "counters/ncu.h"
#include "worker/launch.h"
#include "worker/protocol.h"

namespace ptxlat::worker {

namespace {

constexpr char kernels_name[] = "kernels", outcomes_name[] = "outcomes";

void append(std::ofstream& out, const Bytes& frame) {
  out.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
  out.flush();  // the next kernel may end the process
}

// The whole messages of a file of frames.
std::vector<Message> messages_in(const std::filesystem::path& file) {
  std::vector<Message> messages;
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return messages;
  const auto text = read_file(file);
  Bytes bytes(text.begin(), text.end());
  while (auto message = take_message(bytes)) messages.push_back(std::move(*message));
  return messages;
}

}  // namespace

int count_main(const std::filesystem::path& kernels, const std::filesystem::path& outcomes, int device) {
  try {
    const auto requests = messages_in(kernels);
    std::ofstream out(outcomes, std::ios::binary);
    OpenDevice opened(device);
    for (const auto& batch : requests.at(0).as<std::vector<LaunchBatch>>()) {
      // After a fault every driver call would fail again, those of destructors, too.
      if (!run_kernels(opened, batch, [&](const Bytes& frame) { append(out, frame); })) _exit(1);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ptxlat worker: %s\n", error.what());
    return 1;
  }
}

std::vector<CountOutcome> count_below_ncu(const counters::Offer& ncu, const WorkerOptions& options,
                                          const std::vector<LaunchBatch>& batches) {
  const TemporaryFolder folder;
  {
    std::ofstream out(folder.path() / kernels_name, std::ios::binary);
    append(out, frame(Kind::count, batches));
  }
  const auto counts = counters::count_with_ncu(
      ncu, {options.program.string(), "worker", kernels_name, outcomes_name, fmt::format("{}", options.device)},
      folder.path(), options.start_deadline + static_cast<int>(batches.size()) * options.kernel_deadline);
  std::vector<CountOutcome> outcomes;
  bool are_ok = true;
  for (const auto& message : messages_in(folder.path() / outcomes_name)) {
    if (message.kind() != Kind::outcome) continue;
    outcomes.push_back({message.as<Outcome>().launch, {}});
    are_ok = are_ok && outcomes.back().launch.status == ptx::LaunchStatus::ok;
  }
  if (outcomes.size() < batches.size() && are_ok) {
    outcomes.push_back({{ptx::LaunchStatus::fault, "counting the kernel ended the program below ncu", {}}, {}});
    are_ok = false;
  }
  if (!are_ok) return outcomes;
  if (counts.size() != batches.size())
    throw counters::Unavailable(fmt::format("ncu counted {} kernels instead of {}", counts.size(), batches.size()), {});
  for (std::size_t i = 0; i < counts.size(); ++i) outcomes[i].counts = counts[i];
  return outcomes;
}

}  // namespace ptxlat::worker
