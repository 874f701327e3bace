// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace ptxlat::line {

// A cell to be made, as far as the line needs to know it.
//   number     which of the method's cells it is
//   ptx_bytes  length of all its kernels' text: the cost of assembling grows with it
//   alike      cells of lower levels that may have the same machine code: they are made with this one
//   not_on     a GPU that should not make it, if there is a different one
struct Cell {
  std::size_t number = 0;
  int level = 0;
  std::size_t ptx_bytes = 0;
  std::vector<std::size_t> alike = {};
  std::optional<std::size_t> not_on = {};
};

// Bytes of PTX that are assembled together: enough to be worth a module, few enough to keep every core busy and to lose
// little. Usually that is a hundred cells, or a dozen or two of wgmma. The first chunks have less, so that a run that
// is killed every few seconds still makes progress; so have the last, so that the threads finish together.
inline constexpr std::size_t most_text_per_chunk = 1'750'000;
inline constexpr std::size_t least_text_per_chunk = 150'000;

// Gives out cells in order, chunk by chunk: each of one level and one GPU to avoid, and with no more text than a
// thread's share of the rest. Cells that fill a chunk by themselves come as soon as each thread has had a first chunk:
// assembling a `yn` takes eight seconds, in which all others would wait for the end. Thread-safe.
class Chunks {
 public:
  Chunks(std::span<const Cell> cells, std::size_t threads);

  // Valid as long as this object is. Empty when none are left.
  std::span<const Cell> next();

 private:
  std::span<const Cell> take(std::span<const Cell>& from);

  std::size_t threads_;
  std::vector<Cell> all_;
  std::span<const Cell> long_, others_;  // that are left
  std::mutex mutex_;
  std::size_t text_ = 0;   // of all others that are left
  std::size_t given_ = 0;  // chunks
};

}  // namespace ptxlat::line
