// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "line/line.h"
#include "results/store.h"

namespace ptxlat::run {

// The cells that one method makes, in their order, and the key of each number.
struct Part {
  const line::Method* method = nullptr;
  std::vector<line::Cell> cells;
  std::vector<results::CellKey> keys;
};

// Several methods on one line, so that no GPU waits until another one is done with the last cell of a method. The cells
// of all parts are numbered through.
class PartsMethod : public line::Method {
 public:
  // The methods must outlive it.
  explicit PartsMethod(const std::vector<Part>& parts);

  const std::vector<line::Cell>& cells() const { return cells_; }
  const std::vector<results::CellKey>& keys() const { return keys_; }
  std::vector<results::Record> make(line::Bench& bench, std::span<const line::Cell> chunk) const override;

 private:
  std::vector<const line::Method*> methods_;
  std::vector<std::size_t> ends_;  // of each method's numbers
  std::vector<line::Cell> cells_;
  std::vector<results::CellKey> keys_;
};

}  // namespace ptxlat::run
