#include "measure/repeated_cells.h"

#include <algorithm>

#include "catch.h"

using namespace ptxlat;

namespace {

// Cells of one form, told apart by their level.
struct Cells {
  Form form;
  Input input;
  std::vector<CellPlan> plan;

  explicit Cells(int count) {
    form.ptx = "add.u32";
    for (int level = 0; level < count; ++level) plan.push_back({{&form, "a", &input}, level, {}, 0});
  }
};

CellRecord record_of(int level, double cycles) {
  CellRecord record;
  record.ptx = "add.u32";
  record.operand = "a";
  record.level = level;
  record.cycles = cycles;
  return record;
}

std::vector<int> levels(const RepeatedCells& sample) {
  std::vector<int> found;
  for (const auto& cell : sample.cells) found.push_back(cell.level);
  return found;
}

}  // namespace

TEST_CASE("a sample is a fiftieth, at most a thousand, or the share that is asked for") {
  const Cells few(120), many(60'000);
  CHECK(sample_of(few.plan, std::nullopt, 1).cells.size() == 3);
  CHECK(sample_of(many.plan, std::nullopt, 1).cells.size() == 1'000);
  CHECK(sample_of(many.plan, 0.02, 1).cells.size() == 1'200);
  CHECK(sample_of(few.plan, 1.0, 1).cells.size() == 120);
  CHECK(sample_of(few.plan, 0.0, 1).cells.empty());
  CHECK(sample_of({}, std::nullopt, 1).cells.empty());
}

TEST_CASE("a sample has no cell twice, keeps the plan's order, and is another with another seed") {
  const Cells cells(1'000);
  const auto sample = levels(sample_of(cells.plan, 0.1, 1));
  CHECK(std::is_sorted(sample.begin(), sample.end()));
  CHECK(std::adjacent_find(sample.begin(), sample.end()) == sample.end());
  CHECK(sample == levels(sample_of(cells.plan, 0.1, 1)));
  CHECK(sample != levels(sample_of(cells.plan, 0.1, 2)));
}

TEST_CASE("a sample remembers its own cells and no others") {
  const Cells cells(3);
  auto sample = sample_of(cells.plan, 1.0, 1);
  CHECK(sample.noted(record_of(1, 0)) == nullptr);
  sample.note(record_of(1, 4));
  sample.note(record_of(7, 4));
  REQUIRE(sample.noted(record_of(1, 0)) != nullptr);
  CHECK(sample.noted(record_of(1, 0))->cycles == 4);
  CHECK(sample.noted(record_of(2, 0)) == nullptr);
  CHECK(sample.noted(record_of(7, 0)) == nullptr);
}
