#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "measure/plan.h"

namespace ptxlat {

// Bytes of PTX that are assembled together: enough to pay for a module, little enough to keep every core busy and to
// lose little. A hundred cells have the most, as a rule; of wgmma a dozen or two. Towards the end less, so that the
// threads finish together.
inline constexpr std::size_t most_text_per_chunk = 1'750'000;
inline constexpr std::size_t least_text_per_chunk = 150'000;

// Gives out a plan's cells in their order, chunk by chunk: of one level, and no more of their text than a thread's
// share of what is left. Thread-safe.
class Chunks {
 public:
  // The cells must outlive it.
  Chunks(std::span<const CellPlan> cells, std::size_t threads);

  // Empty when all are given out.
  std::span<const CellPlan> next();

 private:
  std::span<const CellPlan> cells_;  // that are left
  std::size_t threads_;
  std::mutex mutex_;
  std::size_t text_ = 0;  // of all that are left
};

}  // namespace ptxlat
