// SPDX-License-Identifier: Apache-2.0
#include "cli/gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/parallel.h"
#include "cli/print.h"
#include "cli/toolchains.h"
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

void note_code(results::Run& run, line::KernelAssembler& assembler, const assemble::Toolchain& toolchain) {
  run.code = assembler.origin();
  const auto add = [&](const std::vector<run::Warning>& warnings) {
    for (auto& text : printed(warnings)) run.warnings.push_back(std::move(text));
  };
  add(run::warnings_about_code(*run.code, toolchain));
  if (run.device) add(run::warnings_about_target(run.target, *run.device));
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

namespace {

// The numbers in "0,2"; empty for "all". Error{usage} if it is neither.
std::vector<int> numbers_in(const std::string& devices) {
  std::vector<int> numbers;
  if (devices == "all") return numbers;
  const char* const end = devices.data() + devices.size();
  for (const char* at = devices.data();; ++at) {
    constexpr int most = 1023;
    int number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || number < 0 || number > most || (next != end && *next != ','))
      throw Error(ExitCode::usage, "--devices " + devices + " is not a list of GPUs",
                  "write their numbers, such as 0 or 0,2, or all");
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
    if (next == end) break;
    at = next;
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

worker::WorkerOptions for_device(worker::WorkerOptions options, int device) {
  options.device = device;
  return options;
}

// A GPU, or why it cannot be opened.
struct Opened {
  std::unique_ptr<OpenGpu> gpu;
  std::optional<Error> failure;
};

Opened try_to_open(int number, const worker::WorkerOptions& options) {
  Opened opened{std::make_unique<OpenGpu>(for_device(options, number)), {}};
  try {
    opened.gpu->device = opened.gpu->worker.device_info();
  } catch (const Error& error) {
    opened = {nullptr, error};
  }
  return opened;
}

// All GPUs that the driver sees and that can be opened. The first says how many there are; it may be broken although
// the second is not. All others are opened at the same time, since each takes the driver a second.
std::vector<std::unique_ptr<OpenGpu>> open_all(const worker::WorkerOptions& options) {
  std::vector<Opened> all;
  for (int number = 0; number < 2 && (all.empty() || !all.back().gpu); ++number)
    all.push_back(try_to_open(number, options));
  if (!all.back().gpu) throw Error(*all.front().failure);
  const auto tried = all.size();
  all.resize(std::max(tried, static_cast<std::size_t>(all.back().gpu->device.device_count)));
  in_parallel(all.size() - tried,
              [&](std::size_t i) { all[tried + i] = try_to_open(static_cast<int>(tried + i), options); });
  std::vector<std::unique_ptr<OpenGpu>> gpus;
  for (auto& opened : all) {
    if (opened.gpu) {
      gpus.push_back(std::move(opened.gpu));
    } else {
      say(stderr, "warning: a GPU cannot be used: {}.\n         {}\n", opened.failure->what(), opened.failure->advice);
    }
  }
  return gpus;
}

std::vector<std::unique_ptr<OpenGpu>> open_named(const std::vector<int>& numbers,
                                                 const worker::WorkerOptions& options) {
  std::vector<std::unique_ptr<OpenGpu>> gpus;
  for (const int number : numbers) gpus.push_back(std::make_unique<OpenGpu>(for_device(options, number)));
  in_parallel(gpus.size(), [&](std::size_t i) { gpus[i]->device = gpus[i]->worker.device_info(); });
  return gpus;
}

bool is_same_kind(const gpu::DeviceInfo& a, const gpu::DeviceInfo& b) { return a.sm == b.sm && a.name == b.name; }

}  // namespace

void add_devices(CLI::App& command, std::string& devices) {
  command
      .add_option("--devices,--device", devices,
                  "The GPUs to use: their numbers in the driver's order, separated by commas, or all. GPUs of one kind "
                  "share the work for one table. Default: 0.")
      ->type_name("LIST");
}

std::vector<worker::Worker*> GpuKind::workers() const {
  std::vector<worker::Worker*> workers;
  for (const auto& gpu : gpus) workers.push_back(&gpu->worker);
  return workers;
}

std::vector<run::FurtherGpu> GpuKind::further() const {
  std::vector<run::FurtherGpu> further;
  for (std::size_t i = 1; i < gpus.size(); ++i) further.push_back({gpus[i]->device, gpus[i]->warnings});
  return further;
}

worker::WorkerOptions GpuKind::options() const {
  auto options = worker_options(first().device.index);
  for (std::size_t i = 1; i < gpus.size(); ++i) options.spare_devices.push_back(gpus[i]->device.index);
  return options;
}

std::vector<GpuKind> open_gpus(const std::string& devices, const worker::WorkerOptions& options) {
  const auto numbers = numbers_in(devices);
  auto gpus = numbers.empty() ? open_all(options) : open_named(numbers, options);
  in_parallel(gpus.size(),
              [&](std::size_t i) { gpus[i]->watch.emplace(gpus[i]->options, gpus[i]->device, gpus[i]->worker); });
  std::vector<GpuKind> kinds;
  for (auto& gpu : gpus) {
    gpu->warnings = printed(gpu->watch->at_start());
    const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const GpuKind& kind) {
      return is_same_kind(kind.first().device, gpu->device);
    });
    (known == kinds.end() ? kinds.emplace_back() : *known).gpus.push_back(std::move(gpu));
  }
  return kinds;
}

std::vector<GpuKind> open_gpus(const std::string& devices) { return open_gpus(devices, worker_options(0)); }

std::string report_lost(const OpenGpu& gpu, const Error& why) {
  auto text = fmt::format("GPU {} ({}) no longer answers: {}", gpu.device.index, gpu.device.uuid, why.what());
  say(stderr, "\nwarning: {}.\n         Its cells go to the other GPUs of its kind. Look at `nvidia-smi`.\n", text);
  return text;
}

}  // namespace ptxlat::cli
