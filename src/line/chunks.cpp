// SPDX-License-Identifier: Apache-2.0
#include "line/chunks.h"

#include <algorithm>

namespace ptxlat::line {

Chunks::Chunks(std::span<const Cell> cells, std::size_t threads) : threads_(threads), all_(cells.begin(), cells.end()) {
  const auto is_long = [](const Cell& cell) { return cell.ptx_bytes >= most_text_per_chunk; };
  const auto first_other = std::stable_partition(all_.begin(), all_.end(), is_long);
  long_ = {all_.begin(), first_other};
  others_ = {first_other, all_.end()};
  for (const auto& cell : others_) text_ += cell.ptx_bytes;
}

std::span<const Cell> Chunks::next() {
  const std::scoped_lock lock(mutex_);
  const bool had_first = given_ >= threads_ || others_.empty();
  return take(had_first && !long_.empty() ? long_ : others_);
}

std::span<const Cell> Chunks::take(std::span<const Cell>& from) {
  // Twice as much for each thread's next chunk.
  const auto doublings = std::min<std::size_t>(given_++ / threads_, 8);
  const auto growing = std::min(least_text_per_chunk << doublings, most_text_per_chunk);
  const auto most = std::clamp(text_ / threads_, least_text_per_chunk, growing);
  std::size_t size = 0, text = 0;
  const auto fits = [&](const Cell& cell) {
    return cell.level == from.front().level && cell.not_on == from.front().not_on;
  };
  while (size < from.size() && fits(from[size]) && (size == 0 || text + from[size].ptx_bytes <= most)) {
    text += from[size++].ptx_bytes;
  }
  if (&from == &others_) text_ -= text;
  const auto chunk = from.first(size);
  from = from.subspan(size);
  return chunk;
}

}  // namespace ptxlat::line
