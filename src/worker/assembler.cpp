// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

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

  WorkerSocket& socket(std::size_t index) { return *sockets_[index]; }
  void close_socket(std::size_t index) { sockets_[index].reset(); }

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
    // A process that did not receive its sockets is useless: each assembler then starts its own.
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

class SharingAssembler : public assemble::Assembler {
 public:
  SharingAssembler(std::shared_ptr<SharedProcess> shared, std::size_t index, const WorkerOptions& options,
                   const assemble::Toolchain& toolchain)
      : shared_(std::move(shared)), index_(index), options_(options), toolchain_(toolchain) {}

  assemble::ModuleOutcome assemble(const std::string& ptx, const isa::Target& target, int level) override {
    for (;;) {
      try {
        return assemble_on_device(ptx, target, level);
      } catch (const Error& error) {
        if (error.exit_code != ExitCode::no_gpu || options_.spare_devices.empty()) throw;
      }
      options_.device = options_.spare_devices.front();
      options_.spare_devices.erase(options_.spare_devices.begin());
      alone_ = make_worker_assembler(options_, toolchain_);
    }
  }

 private:
  assemble::ModuleOutcome assemble_on_device(const std::string& ptx, const isa::Target& target, int level) {
    if (alone_) return alone_->assemble(ptx, target, level);
    shared_->start();
    WorkerSocket& socket = shared_->socket(index_);
    const Bytes request =
        frame(Kind::assemble, AssembleRequest{toolchain_.kind, toolchain_.path.string(), ptx, target, level});
    bool missed_deadline = !socket.send(request, options_.assemble_deadline);
    if (!missed_deadline)
      if (auto reply = socket.receive(options_.assemble_deadline, missed_deadline))
        return reply->as<assemble::ModuleOutcome>();

    shared_->close_socket(index_);
    alone_ = make_worker_assembler(options_, toolchain_);
    if (missed_deadline) shared_->kill();  // one of its threads hangs; all other assemblers see the hang-up
    return alone_->assemble(ptx, target, level);
  }

  std::shared_ptr<SharedProcess> shared_;
  std::size_t index_;
  WorkerOptions options_;
  assemble::Toolchain toolchain_;
  std::unique_ptr<assemble::Assembler> alone_;  // once the shared process has ended
};

}  // namespace

std::unique_ptr<assemble::Assembler> make_worker_assembler(const WorkerOptions& options,
                                                           const assemble::Toolchain& toolchain) {
  return std::make_unique<WorkerAssembler>(options, toolchain);
}

std::vector<std::unique_ptr<assemble::Assembler>> make_worker_assemblers(const WorkerOptions& options,
                                                                         const assemble::Toolchain& toolchain,
                                                                         std::size_t count) {
  const auto shared = std::make_shared<SharedProcess>(options, toolchain.kind, count);
  std::vector<std::unique_ptr<assemble::Assembler>> assemblers;
  for (std::size_t i = 0; i < count; ++i)
    assemblers.push_back(std::make_unique<SharingAssembler>(shared, i, options, toolchain));
  return assemblers;
}

}  // namespace ptxlat::worker
