// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "counters/find.h"
#include "worker/process.h"
#include "worker/protocol.h"

namespace ptxlat::worker {

namespace {

// Adds the time until the end of its scope.
class Spent {
 public:
  explicit Spent(double& seconds) : seconds_(seconds) {}
  ~Spent() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count(); }
  Spent(const Spent&) = delete;  // its destructor does the work
  Spent& operator=(const Spent&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// Whether a process that ended may have been killed or stopped by somebody: a new one may answer.
bool may_be_disturbed(const WorkerExit& exit) { return exit.from_outside() || exit.deadline; }

// Runs an action of the counters. An Error only costs their numbers.
template <typename Action>
auto or_unavailable(Action action) {
  try {
    return action();
  } catch (const Error& error) {
    throw counters::Unavailable(error.what(), error.advice, error.exit_code);
  }
}

}  // namespace

WorkerTimes operator-(const WorkerTimes& later, const WorkerTimes& earlier) {
  return {later.processes - earlier.processes, later.starting - earlier.starting, later.loading - earlier.loading,
          later.running - earlier.running};
}

// How an attempt to run the rest of a batch ended.
struct Worker::Ending {
  enum class Why { finished, process_ended_itself, loading_failed, kernel_failed } why;
  WorkerExit exit;
};

Worker::Worker(WorkerOptions options) : options_(std::move(options)) {}

Worker::~Worker() = default;

void Worker::restart() {
  const Spent spent(times_.starting);
  process_.reset();
  device_is_open_ = is_opening_ = false;
  counters_are_open_ = false;
  has_launched_ = false;
}

int Worker::process_id() const { return process_ ? process_->pid() : 0; }

void Worker::start_process() {
  if (!process_ || process_->pid() < 0) {
    restart();
    process_ = standby_ ? std::move(standby_) : std::make_unique<WorkerProcess>(options_.program);
  }
}

// A new process does all that it can do without the GPU before it is needed.
void Worker::prepare_standby() {
  if (!options_.expects_faults || standby_) return;
  standby_ = std::make_unique<WorkerProcess>(options_.program);
  standby_->send(frame(Kind::prepare), options_.start_deadline);
}

void Worker::ask_to_open() {
  ++times_.processes;
  if (options_.jit_folder.empty()) {
    process_->send(frame(Kind::open, options_.device), options_.start_deadline);
    return;
  }
  OpenJitRequest request{options_.device, {}, options_.jit_folder.string()};
  for (const auto& library : counters::cupti_libraries()) request.libcuptis.push_back(library.string());
  process_->send(frame(Kind::open_jit, request), options_.start_deadline);
}

void Worker::begin_opening() {
  start_process();
  if (device_is_open_ || is_opening_) return;
  ask_to_open();
  is_opening_ = true;
}

const assemble::CodeOrigin& Worker::origin() {
  open_device();
  return origin_;
}

// Separate from the requests that need a device, because starting the driver takes from tenths of a second to many
// seconds (a cold GPU, many workers at once) and must not count against a kernel's or an assembler's deadline.
void Worker::open_device() {
  for (bool is_retry = false;; is_retry = true) {
    start_process();
    if (device_is_open_) return;
    const Spent spent(times_.starting);
    if (!is_opening_) ask_to_open();
    is_opening_ = false;
    if (const auto reply = process_->receive(options_.start_deadline)) {
      if (reply->kind() == Kind::opened_jit) origin_ = reply->as<assemble::CodeOrigin>();
      device_is_open_ = true;
      prepare_standby();
      return;
    }
    if (!may_be_disturbed(process_->exit()) || is_retry)
      throw Error(ExitCode::no_gpu, "the process that opens the GPU " + process_->exit().describe(),
                  "`nvidia-smi` may say more; `ptxlat static` needs no GPU.");
  }
}

gpu::DeviceInfo Worker::device_info() {
  for (bool is_retry = false;; is_retry = true) {
    open_device();
    process_->send(frame(Kind::info, options_.device), options_.start_deadline);
    if (auto reply = process_->receive(options_.start_deadline)) return reply->as<gpu::DeviceInfo>();
    if (!may_be_disturbed(process_->exit()) || is_retry)
      throw Error(ExitCode::no_gpu, "the process that asks the driver about the GPU " + process_->exit().describe());
  }
}

// Kernels run one after another, each synchronised and its readout sent before the next starts. That costs about ten
// microseconds per kernel compared with one synchronisation for all, and in return a fault or a hang only costs its own
// kernel.
Worker::Ending Worker::run_remaining(const LaunchBatch& batch, std::vector<ptx::LaunchOutcome>& outcomes) {
  open_device();
  const auto first = batch.kernels.begin() + static_cast<std::ptrdiff_t>(outcomes.size());
  const LaunchBatch remaining{batch.cubin, {first, batch.kernels.end()}, false, batch.keeps_module};
  {
    const Spent spent(times_.loading);
    process_->send(frame(Kind::launch, remaining), options_.start_deadline);
    if (!process_->receive(options_.start_deadline)) return {Ending::Why::loading_failed, process_->exit()};
  }
  const auto receive = [&] {
    const Spent spent(times_.running);
    return process_->receive(options_.kernel_deadline);
  };
  while (outcomes.size() < batch.kernels.size()) {
    const auto reply = receive();
    if (!reply) return {Ending::Why::kernel_failed, process_->exit()};
    auto outcome = reply->as<Outcome>();
    // An earlier kernel may still hold the memory: a context keeps the local memory that a kernel once needed.
    if (outcome.lacks_memory && has_launched_) {
      restart();
      return {Ending::Why::process_ended_itself, {}};
    }
    has_launched_ = true;
    outcomes.push_back(std::move(outcome.launch));
    if (outcome.process_ends) {
      restart();
      return {Ending::Why::process_ended_itself, {}};
    }
  }
  return {Ending::Why::finished, {}};
}

std::vector<ptx::LaunchOutcome> Worker::launch(const LaunchBatch& batch) {
  std::vector<ptx::LaunchOutcome> outcomes;
  outcomes.reserve(batch.kernels.size());
  std::optional<std::size_t> retried;  // the kernel that was current when a process was killed or stopped
  while (outcomes.size() < batch.kernels.size()) {
    if (batch.stops_at_failure && !outcomes.empty() && outcomes.back().status != ptx::LaunchStatus::ok) {
      outcomes.resize(batch.kernels.size(), ptx::LaunchOutcome(outcomes.back()));
      break;
    }
    const auto [why, exit] = run_remaining(batch, outcomes);
    if (why == Ending::Why::finished || why == Ending::Why::process_ended_itself) continue;
    // A process that was stopped, or starved on a busy host, misses its deadline, too.
    if (may_be_disturbed(exit) && retried != outcomes.size()) {
      retried = outcomes.size();
      continue;
    }
    const bool loading = why == Ending::Why::loading_failed;
    const ptx::LaunchOutcome lost{exit.deadline ? ptx::LaunchStatus::timeout : ptx::LaunchStatus::fault,
                                  (loading ? "loading the module " : "the kernel ") + exit.describe(),
                                  {}};
    outcomes.resize(loading ? batch.kernels.size() : outcomes.size() + 1, lost);
  }
  // A dead GPU must not become the verdict of a kernel: opening it throws.
  if (!outcomes.empty() && !device_is_open_) open_device();
  return outcomes;
}

counters::Offer Worker::open_counters(const std::filesystem::path& library) {
  restart();  // a library opened earlier would stay loaded
  cupti_ = library;
  return or_unavailable([&] {
    open_device();
    process_->send(frame(Kind::open_counters, library.string()), options_.start_deadline);
    auto reply = process_->receive(options_.start_deadline);
    if (!reply) throw Error(ExitCode::missing_tool, "the process that opens it " + process_->exit().describe());
    counters_are_open_ = true;
    return reply->as<counters::Offer>();
  });
}

// Counts these batches in one session. Returns those whose outcomes are final: all, or those that failed; none if the
// process ended and any of several may be the cause.
std::vector<std::size_t> Worker::count_together(const std::vector<LaunchBatch>& batches,
                                                const std::vector<std::size_t>& session,
                                                std::vector<CountOutcome>& outcomes) {
  std::vector<LaunchBatch> request;
  for (const auto number : session) request.push_back(batches[number]);
  if (!process_ || process_->pid() < 0 || !counters_are_open_) open_counters(cupti_);
  std::vector<std::size_t> failed;
  const auto lose = [&](std::size_t number) {
    const auto exit = process_->exit();
    restart();
    const auto status = exit.deadline ? ptx::LaunchStatus::timeout : ptx::LaunchStatus::fault;
    outcomes[number] = {{status, "counting the kernel " + exit.describe(), {}}, {}};
    failed.push_back(number);
  };
  process_->send(frame(Kind::count, request), options_.start_deadline);
  for (const auto number : session) {
    const bool loaded = process_->receive(options_.kernel_deadline).has_value();
    const auto reply = loaded ? process_->receive(options_.kernel_deadline) : std::nullopt;
    if (!reply) {
      lose(number);
      return failed;
    }
    auto outcome = reply->as<Outcome>();
    outcomes[number] = {std::move(outcome.launch), {}};
    if (outcomes[number].launch.status != ptx::LaunchStatus::ok) failed.push_back(number);
    if (outcome.process_ends) {
      restart();
      return failed;
    }
  }
  const auto reply = process_->receive(options_.kernel_deadline);
  if (!reply) {
    lose(session.front());
    return session.size() == 1 ? failed : std::vector<std::size_t>{};
  }
  if (!failed.empty()) return failed;
  auto counts = reply->as<std::vector<counters::Counts>>();
  if (counts.empty()) counts.resize(session.size());  // a library that counts nothing
  if (counts.size() != session.size())
    throw counters::Unavailable(fmt::format("CUPTI counted {} kernels instead of {}", counts.size(), session.size()),
                                {});
  for (std::size_t i = 0; i < session.size(); ++i) outcomes[session[i]].counts = std::move(counts[i]);
  return session;
}

std::vector<CountOutcome> Worker::count(const std::vector<LaunchBatch>& batches) {
  std::size_t most_in_session = 32;
  std::vector<CountOutcome> outcomes(batches.size());
  std::vector<std::size_t> left(batches.size());
  std::iota(left.begin(), left.end(), 0);
  return or_unavailable([&] {
    while (!left.empty()) {
      const auto size = std::min(most_in_session, left.size());
      const std::vector session(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(size));
      const auto settled = count_together(batches, session, outcomes);
      if (settled.empty()) most_in_session = 1;
      std::erase_if(left,
                    [&](auto number) { return std::find(settled.begin(), settled.end(), number) != settled.end(); });
    }
    return std::move(outcomes);
  });
}

template <typename Outcome>
Outcome Worker::ask(const assemble::Toolchain& toolchain, const Bytes& request) {
  for (bool is_retry = false;; is_retry = true) {
    if (toolchain.kind == assemble::ToolchainKind::driver) {
      open_device();
    } else {
      start_process();
    }
    process_->send(request, options_.assemble_deadline);
    if (auto reply = process_->receive(options_.assemble_deadline)) {
      auto outcome = reply->as<Outcome>();
      // What the library still holds would be missing for the next module.
      if (outcome.lacked_memory) restart();
      return outcome;
    }
    const WorkerExit exit = process_->exit();
    if (may_be_disturbed(exit) && !is_retry) continue;
    return {std::nullopt, ended_assembling(toolchain, exit), true};
  }
}

assemble::ModuleOutcome Worker::assemble(const assemble::Toolchain& toolchain, const std::string& ptx,
                                         const isa::Target& target, int level) {
  return ask<assemble::ModuleOutcome>(
      toolchain, frame(Kind::assemble, AssembleRequest{toolchain.kind, toolchain.path.string(), ptx, target, level}));
}

assemble::CompileOutcome Worker::compile(const assemble::Toolchain& nvrtc, const std::string& program,
                                         const std::vector<std::string>& options) {
  return ask<assemble::CompileOutcome>(nvrtc,
                                       frame(Kind::compile, CompileRequest{nvrtc.path.string(), program, options}));
}

}  // namespace ptxlat::worker
