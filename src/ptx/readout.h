// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ptxlat::ptx {

// The raw words that the launches of one trial stored.
//   words    [launch][thread][word], the threads and words that its Launch requested. If every thread of every launch
//            stored the same words as the first thread of that launch, only the first thread's are kept
//   buffers  [launch][word], the requested words of all buffers, one buffer after another
struct Readout {
  std::size_t launches = 0;
  std::size_t threads = 0;
  std::size_t words_per_thread = 0;
  bool threads_agree = false;
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> buffers;

  // Whether `words` has the size that the counts say.
  bool has_all_words() const {
    const std::size_t kept = threads_agree && threads > 1 ? 1 : threads;
    if (words_per_thread == 0 || kept == 0 || launches == 0) return words.empty();
    const auto of_launch = words.size() / launches;
    return of_launch * launches == words.size() && of_launch % words_per_thread == 0 &&
           of_launch / words_per_thread == kept;
  }

  std::uint32_t word(std::size_t launch, std::size_t thread, std::size_t index) const {
    const auto kept = threads_agree ? 1 : threads;
    return words[(launch * kept + (threads_agree ? 0 : thread)) * words_per_thread + index];
  }
};

enum class LaunchStatus { ok, fault, timeout };

struct LaunchOutcome {
  LaunchStatus status = LaunchStatus::ok;
  std::string message;       // the driver's message for a fault
  Readout readout;           // empty unless ok
  bool may_be_trap = false;  // a fault of which the driver names no cause, as after `trap`
};

}  // namespace ptxlat::ptx
