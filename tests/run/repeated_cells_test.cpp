// SPDX-License-Identifier: Apache-2.0
#include "run/repeated_cells.h"

#include <algorithm>

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::run;

namespace {

// Cells of one form, distinguished by their level.
struct Cells {
  isa::Form form;
  isa::Input input;
  std::vector<latency::CellPlan> plan;

  explicit Cells(int count) {
    form.ptx = "add.u32";
    for (int level = 0; level < count; ++level) plan.push_back({{&form, "a", &input}, level, {}, 0});
  }

  RepeatedCells sample(std::optional<double> share, std::uint64_t seed) const {
    return sample_of(plan, latency::line_cells(plan), share, seed);
  }
};

results::Record record_of(int level, double cycles) {
  results::Record record;
  record.ptx = "add.u32";
  record.operand = "a";
  record.level = level;
  record.set(results::metric::cycles, cycles);
  return record;
}

std::vector<int> levels(const RepeatedCells& sample) {
  std::vector<int> found;
  for (const auto& cell : sample.cells) found.push_back(cell.level);
  return found;
}

}  // namespace

TEST_CASE("a sample is a fiftieth, at most a thousand, or the requested share") {
  const Cells few(120), many(60'000);
  CHECK(few.sample(std::nullopt, 1).cells.size() == 3);
  CHECK(many.sample(std::nullopt, 1).cells.size() == 1'000);
  CHECK(many.sample(0.02, 1).cells.size() == 1'200);
  CHECK(few.sample(1.0, 1).cells.size() == 120);
  CHECK(few.sample(0.0, 1).cells.empty());
  CHECK(Cells(0).sample(std::nullopt, 1).cells.empty());
}

TEST_CASE("a sample has no cell twice, keeps the plan's order, and differs with a different seed") {
  const Cells cells(1'000);
  const auto sample = levels(cells.sample(0.1, 1));
  CHECK(std::is_sorted(sample.begin(), sample.end()));
  CHECK(std::adjacent_find(sample.begin(), sample.end()) == sample.end());
  CHECK(sample == levels(cells.sample(0.1, 1)));
  CHECK(sample != levels(cells.sample(0.1, 2)));
}

TEST_CASE("a sample remembers its own cells and no others") {
  const Cells cells(3);
  auto sample = cells.sample(1.0, 1);
  CHECK(sample.noted(record_of(1, 0)) == nullptr);
  sample.note(record_of(1, 4));
  sample.note(record_of(7, 4));
  REQUIRE(sample.noted(record_of(1, 0)) != nullptr);
  CHECK(sample.noted(record_of(1, 0))->number(results::metric::cycles) == 4);
  CHECK(sample.noted(record_of(2, 0)) == nullptr);
  CHECK(sample.noted(record_of(7, 0)) == nullptr);
}

TEST_CASE("a sample of missing cells has no cell that is already there") {
  const Cells cells(100);
  auto missing = latency::line_cells(cells.plan);
  missing.erase(missing.begin(), missing.begin() + 90);
  const auto sample = sample_of(cells.plan, missing, 1.0, 1);
  REQUIRE(sample.cells.size() == 10);
  for (const auto& cell : sample.cells) CHECK(cell.number >= 90);
}
