// SPDX-License-Identifier: Apache-2.0
#include "line/chunks.h"

#include <algorithm>
#include <iterator>

#include "catch.h"

using namespace ptxlat::line;

namespace {

std::vector<Cell> cells_of(std::size_t count, int level, std::size_t text) {
  return std::vector<Cell>(count, Cell{0, level, text});
}

// Numbered in their order.
std::vector<Cell> numbered(std::vector<Cell> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i].number = i;
  return cells;
}

std::vector<std::size_t> sizes(const std::vector<Cell>& cells, std::size_t threads) {
  Chunks chunks(numbered(cells), threads);
  std::vector<std::size_t> found;
  std::size_t expected = 0;
  for (auto chunk = chunks.next(); !chunk.empty(); chunk = chunks.next()) {
    for (const auto& cell : chunk) {
      CHECK(cell.number == expected++);
      CHECK(cell.level == chunk.front().level);
    }
    found.push_back(chunk.size());
  }
  CHECK(expected == cells.size());
  CHECK(chunks.next().empty());
  return found;
}

}  // namespace

TEST_CASE("chunks hold as much text as pays for a module, and less towards the end") {
  const auto found = sizes(cells_of(10'000, 3, 17'500), 4);
  CHECK(*std::max_element(found.begin(), found.end()) == 100);
  const auto growing = std::find(found.begin(), found.end(), 100);
  CHECK(std::is_sorted(found.begin(), growing));
  CHECK(std::is_sorted(found.rbegin(), std::make_reverse_iterator(growing)));
  CHECK(found[found.size() - 2] == 8);
}

TEST_CASE("the first chunk of each thread is short, so that little is lost by an early kill") {
  const auto found = sizes(cells_of(10'000, 3, 17'500), 4);
  CHECK(std::vector(found.begin(), found.begin() + 9) == std::vector<std::size_t>{8, 8, 8, 8, 17, 17, 17, 17, 34});
}

TEST_CASE("a chunk of long kernels has fewer cells, and one cell at least") {
  const auto found = sizes(cells_of(1'000, 3, 150'000), 1);
  CHECK(found.front() == 1);
  CHECK(*std::max_element(found.begin(), found.end()) == 11);
  CHECK(sizes(cells_of(3, 3, 2'000'000), 1) == std::vector<std::size_t>{1, 1, 1});
}

TEST_CASE("a chunk ends where the next level begins") {
  auto cells = cells_of(5, 0, 100);
  const auto others = cells_of(7, 3, 100);
  cells.insert(cells.end(), others.begin(), others.end());
  CHECK(sizes(cells, 4) == std::vector<std::size_t>{5, 7});
}

TEST_CASE("a chunk ends where a different GPU is to be avoided") {
  auto cells = cells_of(6, 3, 100);
  for (std::size_t i = 2; i < 6; ++i) cells[i].not_on = 1;
  CHECK(sizes(cells, 1) == std::vector<std::size_t>{2, 4});
}

TEST_CASE("cells without kernels need no chunk of their own") {
  CHECK(sizes(cells_of(1'000, 0, 0), 32) == std::vector<std::size_t>{1'000});
  CHECK(sizes({}, 32).empty());
}

TEST_CASE(
    "what fills a chunk by itself comes after the first chunk of each thread, so that nobody waits for it at the end") {
  auto cells = cells_of(100, 3, 50'000);
  cells.push_back({0, 3, most_text_per_chunk});
  cells.push_back({0, 2, 3 * most_text_per_chunk});
  Chunks chunks(numbered(cells), 4);
  for (int thread = 0; thread < 4; ++thread) CHECK(chunks.next().size() == 3);
  for (const std::size_t number : {100, 101}) {
    const auto alone = chunks.next();
    REQUIRE(alone.size() == 1);
    CHECK(alone.front().number == number);
  }
  CHECK(chunks.next().front().number == 12);
}
