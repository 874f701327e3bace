// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "base/error.h"
#include "worker/process.h"
#include "worker/worker.h"

namespace ptxlat::worker {
namespace {

class WorkerAssembler : public assemble::Assembler {
 public:
  WorkerAssembler(const WorkerOptions& options, const assemble::Toolchain& toolchain)
      : worker_(options), toolchain_(toolchain) {}

  assemble::ModuleOutcome assemble(const std::string& ptx, const isa::Target& target, int level) override {
    return worker_.assemble(toolchain_, ptx, target, level);
  }

 private:
  Worker worker_;
  assemble::Toolchain toolchain_;
};

// One process and a socket to it for each assembler. The process starts at once: the driver takes a second, in which
// the caller has something else to do.
class SharedProcess {
 public:
  SharedProcess(const WorkerOptions& options, assemble::ToolchainKind kind, std::size_t count)
      : options_(options), kind_(kind), other_ends_(count, -1) {
    for (int& other_end : other_ends_) sockets_.push_back(std::make_unique<WorkerSocket>(other_end));
    begin();
  }
  ~SharedProcess() { close_other_ends(); }
  SharedProcess(const SharedProcess&) = delete;  // owns file descriptors
  SharedProcess& operator=(const SharedProcess&) = delete;

  const WorkerOptions& options() const { return options_; }
  WorkerSocket& socket(std::size_t index) { return *sockets_[index]; }

  // Waits until it has started. Error{no_gpu} if the driver does not start; every assembler that calls this gets it
  // (and tries the driver once more). Not std::call_once: an exception that passes through pthread_once aborts a
  // program that links libgcc statically. If the process ends during the start, every assembler sees a hang-up.
  void start() {
    const std::scoped_lock lock(starting_);
    if (is_started_) return;
    if (!process_) begin();
    try {
      if (kind_ == assemble::ToolchainKind::driver) process_->receive(options_.start_deadline);
    } catch (...) {
      process_.reset();
      throw;
    }
    process_->send(frame(Kind::channels, static_cast<std::uint32_t>(other_ends_.size())), options_.start_deadline);
    // A process that did not receive its sockets is useless, and so would be its successor (`ulimit -n`).
    if (!process_->send_descriptors(other_ends_, options_.start_deadline)) process_->kill_now();
    close_other_ends();
    is_started_ = true;
  }

  void kill() { process_->kill_now(); }

 private:
  void begin() {
    process_.emplace(options_.program);
    if (kind_ == assemble::ToolchainKind::driver)
      process_->send(frame(Kind::open, options_.device), options_.start_deadline);
  }

  void close_other_ends() {
    for (const int other_end : other_ends_) close(other_end);
    other_ends_.clear();
  }

  WorkerOptions options_;
  assemble::ToolchainKind kind_;
  std::vector<int> other_ends_;
  std::vector<std::unique_ptr<WorkerSocket>> sockets_;
  std::mutex starting_;
  bool is_started_ = false;
  std::optional<WorkerProcess> process_;
};

// The process that all assemblers share now. Whoever sees its end first starts its successor; the others find that.
class SharedProcesses {
 public:
  using Process = std::shared_ptr<SharedProcess>;

  SharedProcesses(const WorkerOptions& options, assemble::ToolchainKind kind, std::size_t count)
      : kind_(kind), count_(count), now_(std::make_shared<SharedProcess>(options, kind, count)) {}

  Process now() {
    const std::scoped_lock lock(mutex_);
    return now_;
  }

  void replace(const Process& ended) {
    const std::scoped_lock lock(mutex_);
    if (now_ == ended) now_ = std::make_shared<SharedProcess>(ended->options(), kind_, count_);
  }

  // Goes on with the next of the spare devices. False if there is none.
  bool leave_device(int device) {
    const std::scoped_lock lock(mutex_);
    auto options = now_->options();
    if (options.device != device) return true;  // a different assembler was faster
    if (options.spare_devices.empty()) return false;
    options.device = options.spare_devices.front();
    options.spare_devices.erase(options.spare_devices.begin());
    now_ = std::make_shared<SharedProcess>(options, kind_, count_);
    return true;
  }

 private:
  assemble::ToolchainKind kind_;
  std::size_t count_;
  std::mutex mutex_;
  Process now_;
};

class SharingAssembler : public assemble::Assembler {
 public:
  SharingAssembler(std::shared_ptr<SharedProcesses> processes, std::size_t index, const assemble::Toolchain& toolchain)
      : processes_(std::move(processes)), index_(index), toolchain_(toolchain) {}

  assemble::ModuleOutcome assemble(const std::string& ptx, const isa::Target& target, int level) override {
    const Bytes request =
        frame(Kind::assemble, AssembleRequest{toolchain_.kind, toolchain_.path.string(), ptx, target, level});
    for (int ends_seen = 0;;) {
      // One that is alone would keep the sockets of a process that the others replace in the meantime.
      const auto process = alone_ ? nullptr : processes_->now();
      const int device = alone_ ? device_ : process->options().device;
      try {
        if (alone_) return alone_->assemble(ptx, target, level);
        process->start();
        if (auto outcome = assemble_in(*process, request)) return *std::move(outcome);
      } catch (const Error& error) {
        if (error.exit_code != ExitCode::no_gpu || !processes_->leave_device(device)) throw;
        if (alone_) go_on_alone();
        continue;
      }
      processes_->replace(process);
      // Two ends that nobody claims, such as those that the out-of-memory killer makes, may be this module's doing.
      if (!alone_ && ++ends_seen == 2) go_on_alone();
    }
  }

 private:
  // Empty if the process has ended; if this module ended it, the assembler goes on alone.
  std::optional<assemble::ModuleOutcome> assemble_in(SharedProcess& process, const Bytes& request) {
    WorkerSocket& socket = process.socket(index_);
    const auto deadline = process.options().assemble_deadline;
    bool missed_deadline = !socket.send(request, deadline);
    std::optional<Message> reply;
    if (!missed_deadline) reply = socket.receive(deadline, missed_deadline);
    if (missed_deadline) process.kill();  // one of its threads hangs; all other assemblers see the hang-up
    if (missed_deadline || (reply && reply->kind() == Kind::crashed)) {
      go_on_alone();
      return std::nullopt;
    }
    if (!reply) return std::nullopt;
    auto outcome = reply->as<assemble::ModuleOutcome>();
    // The memory may have gone to the module of another thread.
    if (outcome.lacked_memory) {
      go_on_alone();
      return std::nullopt;
    }
    return outcome;
  }

  void go_on_alone() {
    const auto options = processes_->now()->options();
    device_ = options.device;
    alone_ = make_worker_assembler(options, toolchain_);
  }

  std::shared_ptr<SharedProcesses> processes_;
  std::size_t index_;
  assemble::Toolchain toolchain_;
  std::unique_ptr<assemble::Assembler> alone_;  // once a module of its own has ended the shared process
  int device_ = 0;                              // of `alone_`
};

}  // namespace

std::unique_ptr<assemble::Assembler> make_worker_assembler(const WorkerOptions& options,
                                                           const assemble::Toolchain& toolchain) {
  return std::make_unique<WorkerAssembler>(options, toolchain);
}

std::vector<std::unique_ptr<assemble::Assembler>> make_worker_assemblers(const WorkerOptions& options,
                                                                         const assemble::Toolchain& toolchain,
                                                                         std::size_t count) {
  constexpr std::size_t threads_of_process = 32, most_processes = 4;
  const auto processes = std::clamp(count / threads_of_process, std::size_t{1}, most_processes);
  std::vector<std::unique_ptr<assemble::Assembler>> assemblers;
  for (std::size_t process = 0; process < processes; ++process) {
    const auto share = count / processes + (process < count % processes ? 1 : 0);
    const auto shared = std::make_shared<SharedProcesses>(options, toolchain.kind, share);
    for (std::size_t i = 0; i < share; ++i)
      assemblers.push_back(std::make_unique<SharingAssembler>(shared, i, toolchain));
  }
  return assemblers;
}

}  // namespace ptxlat::worker
