#include "measure/worker.h"

#include "error.h"
#include "measure/worker_process.h"
#include "measure/worker_protocol.h"

namespace ptxlat {

using worker::Kind;

// How an attempt to run what remains of a batch ended.
struct Worker::Ending {
  enum class Why { finished, process_ended_itself, loading_failed, kernel_failed } why;
  WorkerDeath death;
};

Worker::Worker(WorkerOptions options) : options_(std::move(options)) {}

Worker::~Worker() = default;

void Worker::restart() {
  process_.reset();
  device_is_open_ = false;
}

int Worker::process_id() const { return process_ ? process_->pid() : 0; }

void Worker::start_process() {
  if (!process_ || process_->pid() < 0) {
    restart();
    process_ = std::make_unique<WorkerProcess>(options_.program);
  }
}

// Apart from the requests that need a device, because starting the driver takes from tenths of a second to many seconds
// (a cold GPU, many workers at once) and must not count against a kernel's or an assembler's deadline.
void Worker::open_device() {
  for (bool is_retry = false;; is_retry = true) {
    start_process();
    if (device_is_open_) return;
    worker::Writer request(Kind::open);
    request.put(options_.device);
    process_->send(request.frame(), options_.start_deadline);
    if (process_->receive(options_.start_deadline)) {
      device_is_open_ = true;
      return;
    }
    if (!process_->death().from_outside() || is_retry)
      throw Error(ExitCode::no_gpu, "the process that opens the GPU " + process_->death().describe(),
                  "`nvidia-smi` may say more; `ptxlat static` needs no GPU.");
  }
}

DeviceInfo Worker::device_info() {
  open_device();
  worker::Writer request(Kind::info);
  request.put(options_.device);
  process_->send(request.frame(), options_.start_deadline);
  if (auto reply = process_->receive(options_.start_deadline)) return worker::decode_device(*reply);
  throw Error(ExitCode::no_gpu, "the process that asks the driver about the GPU " + process_->death().describe());
}

// Kernels run one after the other, each synchronised and its samples sent before the next starts. That costs about ten
// microseconds a kernel against one synchronisation for all, and in return a fault or a hang costs its own kernel only.
Worker::Ending Worker::run_remaining(const LaunchBatch& batch, std::vector<LaunchOutcome>& outcomes) {
  open_device();
  process_->send(worker::encode_launch(batch, outcomes.size()), options_.start_deadline);
  if (!process_->receive(options_.start_deadline)) return {Ending::Why::loading_failed, process_->death()};
  while (outcomes.size() < batch.kernels.size()) {
    auto reply = process_->receive(options_.kernel_deadline);
    if (!reply) return {Ending::Why::kernel_failed, process_->death()};
    bool process_ends = false;
    outcomes.push_back(worker::decode_outcome(*reply, process_ends));
    if (process_ends) {
      restart();
      return {Ending::Why::process_ended_itself, {}};
    }
  }
  return {Ending::Why::finished, {}};
}

std::vector<LaunchOutcome> Worker::launch(const LaunchBatch& batch) {
  std::vector<LaunchOutcome> outcomes;
  outcomes.reserve(batch.kernels.size());
  std::optional<std::size_t> retried;  // the kernel that was current when a process was killed from outside
  while (outcomes.size() < batch.kernels.size()) {
    const auto [why, death] = run_remaining(batch, outcomes);
    if (why == Ending::Why::finished || why == Ending::Why::process_ended_itself) continue;
    if (death.from_outside() && retried != outcomes.size()) {
      retried = outcomes.size();
      continue;
    }
    const bool loading = why == Ending::Why::loading_failed;
    const LaunchOutcome lost{death.deadline ? LaunchStatus::timeout : LaunchStatus::fault,
                             (loading ? "loading the module " : "the kernel ") + death.describe(),
                             {}};
    outcomes.resize(loading ? batch.kernels.size() : outcomes.size() + 1, lost);
  }
  return outcomes;
}

template <typename Outcome>
Outcome Worker::ask(const Toolchain& toolchain, const std::vector<std::uint8_t>& request,
                    Outcome (*decode)(worker::Reader&)) {
  for (bool is_retry = false;; is_retry = true) {
    if (toolchain.kind == ToolchainKind::driver) {
      open_device();
    } else {
      start_process();
    }
    process_->send(request, options_.assemble_deadline);
    if (auto reply = process_->receive(options_.assemble_deadline)) return decode(*reply);
    const WorkerDeath death = process_->death();
    if (death.from_outside() && !is_retry) continue;
    return {std::nullopt, died_assembling(toolchain, death)};
  }
}

ModuleOutcome Worker::assemble(const Toolchain& toolchain, const std::string& ptx, const Target& target, int level) {
  return ask(toolchain, worker::encode_assemble(toolchain, ptx, target, level), worker::decode_module);
}

CompileOutcome Worker::compile(const Toolchain& nvrtc, const std::string& program,
                               const std::vector<std::string>& options) {
  return ask(nvrtc, worker::encode_compile(nvrtc, program, options), worker::decode_compiled);
}

}  // namespace ptxlat
