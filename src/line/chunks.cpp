// SPDX-License-Identifier: Apache-2.0
#include "line/chunks.h"

#include <algorithm>

namespace ptxlat::line {

Chunks::Chunks(std::span<const Cell> cells, std::size_t threads) : cells_(cells), threads_(threads) {
  for (const auto& cell : cells) text_ += cell.ptx_bytes;
}

std::span<const Cell> Chunks::next() {
  const std::scoped_lock lock(mutex_);
  // Twice as much for each thread's next chunk.
  const auto doublings = std::min<std::size_t>(given_++ / threads_, 8);
  const auto growing = std::min(least_text_per_chunk << doublings, most_text_per_chunk);
  const auto most = std::clamp(text_ / threads_, least_text_per_chunk, growing);
  std::size_t size = 0, text = 0;
  const auto fits = [&](const Cell& cell) {
    return cell.level == cells_.front().level && cell.not_on == cells_.front().not_on;
  };
  while (size < cells_.size() && fits(cells_[size]) && (size == 0 || text + cells_[size].ptx_bytes <= most)) {
    text += cells_[size++].ptx_bytes;
  }
  text_ -= text;
  const auto chunk = cells_.first(size);
  cells_ = cells_.subspan(size);
  return chunk;
}

}  // namespace ptxlat::line
