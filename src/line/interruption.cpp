// SPDX-License-Identifier: Apache-2.0
#include "line/interruption.h"

#include "base/error.h"

namespace ptxlat::line {

Interruption::Interruption(const std::atomic<bool>* interrupted, std::chrono::milliseconds grace)
    : interrupted_(interrupted), grace_(grace) {
  if (interrupted_ == nullptr) return;
  watching_ = std::jthread([this](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const auto is_interrupted = [this] { return interrupted_->load(); };
    while (!ended_.wait_for(lock, stop, std::chrono::milliseconds(100), is_interrupted)) {
      if (stop.stop_requested()) return;
    }
    notice();
  });
}

void Interruption::notice() {
  if (!noticed_) noticed_ = std::chrono::steady_clock::now();
}

void Interruption::require_time() {
  if (interrupted_ == nullptr || !*interrupted_) return;
  const std::scoped_lock lock(mutex_);
  notice();
  if (std::chrono::steady_clock::now() >= *noticed_ + grace_) throw Error(ExitCode::interrupted, "interrupted");
}

}  // namespace ptxlat::line
