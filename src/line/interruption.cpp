// SPDX-License-Identifier: Apache-2.0
#include "line/interruption.h"

#include "base/error.h"

namespace ptxlat::line {

void Interruption::require_time() {
  if (interrupted_ == nullptr || !*interrupted_) return;
  const std::scoped_lock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (!noticed_) noticed_ = now;
  if (now >= *noticed_ + grace_) throw Error(ExitCode::interrupted, "interrupted");
}

}  // namespace ptxlat::line
