// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/process.h"
#include "worker/worker.h"

namespace ptxlat::worker {
namespace {

using OwnedWorker = std::unique_ptr<Worker>;

// The processes that the assemblers of a toolchain share: each takes one for a module.
class Pool {
 public:
  //   most  processes at a time
  Pool(WorkerOptions options, assemble::Toolchain toolchain, std::size_t most)
      : options_(std::move(options)), toolchain_(std::move(toolchain)), most_(most) {
    if (!is_driver()) return;
    options_.jit_folder = folder_.path();
    idle_.push_back(std::make_unique<Worker>(options_));
    idle_.back()->begin_opening();
    count_ = 1;
  }

  assemble::ModuleOutcome assemble(const std::string& ptx, const isa::Target& target, int level) {
    return with_worker([&](Worker& worker) {
      auto outcome = worker.assemble(toolchain_, ptx, target, level);
      if (is_driver()) require_same(worker.origin());
      return outcome;
    });
  }

  assemble::CodeOrigin origin() {
    if (!is_driver()) return assemble::origin_of_nvjitlink();
    return with_worker([&](Worker& worker) {
      require_same(worker.origin());
      return worker.origin();
    });
  }

 private:
  bool is_driver() const { return toolchain_.kind == assemble::ToolchainKind::driver; }

  template <typename Action>
  auto with_worker(Action action) -> decltype(action(std::declval<Worker&>())) {
    for (;;) {
      auto worker = take();
      try {
        auto outcome = action(*worker);
        give(std::move(worker));
        return outcome;
      } catch (const Error& error) {
        if (error.exit_code != ExitCode::no_gpu) {
          give(std::move(worker));
          throw;
        }
        if (!can_go_on_without(worker->device())) throw;
      }
    }
  }

  OwnedWorker take() {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return !idle_.empty() || count_ < most_; });
    if (idle_.empty()) {
      ++count_;
      return std::make_unique<Worker>(options_);
    }
    auto worker = std::move(idle_.back());
    idle_.pop_back();
    return worker;
  }

  void give(OwnedWorker worker) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(worker));
    freed_.notify_one();
  }

  // One process could not open its device, or lost it. It is gone: the next is of a spare device, or another process
  // may still do.
  bool can_go_on_without(int device) {
    const std::scoped_lock lock(mutex_);
    --count_;
    freed_.notify_all();
    if (options_.device != device) return true;  // a different assembler was faster
    if (!options_.spare_devices.empty()) {
      options_.device = options_.spare_devices.front();
      options_.spare_devices.erase(options_.spare_devices.begin());
      return true;
    }
    most_ = std::max(count_, std::size_t{1});
    return count_ > 0;
  }

  // All modules of a table are made in one way.
  void require_same(const assemble::CodeOrigin& origin) {
    const std::scoped_lock lock(mutex_);
    if (!origin_) origin_ = origin;
    if (origin_->is_whole_program == origin.is_whole_program) return;
    throw Error(ExitCode::missing_tool, "the driver no longer makes the same kind of code: " + origin.way,
                "Run the command again.");
  }

  WorkerOptions options_;
  const assemble::Toolchain toolchain_;
  TemporaryFolder folder_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::size_t most_, count_ = 0;
  std::vector<OwnedWorker> idle_;
  std::optional<assemble::CodeOrigin> origin_;
};

class PooledAssembler : public assemble::Assembler {
 public:
  explicit PooledAssembler(std::shared_ptr<Pool> pool) : pool_(std::move(pool)) {}

  assemble::ModuleOutcome assemble(const std::string& ptx, const isa::Target& target, int level) override {
    return pool_->assemble(ptx, target, level);
  }
  assemble::CodeOrigin origin() override { return pool_->origin(); }

 private:
  std::shared_ptr<Pool> pool_;
};

}  // namespace

std::vector<std::unique_ptr<assemble::Assembler>> make_worker_assemblers(const WorkerOptions& options,
                                                                         const assemble::Toolchain& toolchain,
                                                                         std::size_t count) {
  const auto processes = toolchain.kind == assemble::ToolchainKind::driver ? (count + 1) / 2 : count;
  const auto pool = std::make_shared<Pool>(options, toolchain, processes);
  std::vector<std::unique_ptr<assemble::Assembler>> assemblers;
  for (std::size_t i = 0; i < count; ++i) assemblers.push_back(std::make_unique<PooledAssembler>(pool));
  return assemblers;
}

}  // namespace ptxlat::worker
