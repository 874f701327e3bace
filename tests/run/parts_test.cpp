// SPDX-License-Identifier: Apache-2.0
#include "run/parts.h"

#include <algorithm>
#include <string>

#include "../line/no_tools.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::run;

namespace {

// A record of each cell with the method's name and the cell's number.
struct NamingMethod : line::Method {
  explicit NamingMethod(std::string name) : name_(std::move(name)) {}
  std::vector<results::Record> make(line::Bench&, std::span<const line::Cell> chunk) const override {
    std::vector<results::Record> records;
    for (const auto& cell : chunk) {
      records.emplace_back();
      records.back().ptx = name_ + std::to_string(cell.number);
    }
    return records;
  }
  std::string name_;
};

Part part_of(const NamingMethod& method, std::size_t count) {
  Part part{&method, {}, {}};
  for (std::size_t i = 0; i < count; ++i) {
    part.cells.push_back({i, 3, 1});
    part.keys.push_back({results::RecordKind::hazard, method.name_ + std::to_string(i), {}, {}, 3, {}});
  }
  return part;
}

}  // namespace

TEST_CASE("each part's method gets its own cells by its own numbers, though a chunk has those of several") {
  const NamingMethod a("a"), b("b"), c("c"), d("d");
  const PartsMethod parts({part_of(a, 2), part_of(b, 0), part_of(c, 3), part_of(d, 1)});
  NoDisassembler disassembler;
  NoAssembler assembler;
  const line::Line line{.toolchain = {}, .target = {90, ""}, .disassembler = disassembler};
  const auto names = [&](std::span<const line::Cell> chunk) {
    std::string all;
    for (const auto& record : line::make_chunk(line, parts, assembler, chunk)) all += record.ptx + " ";
    return all;
  };
  const auto& cells = parts.cells();
  REQUIRE(cells.size() == 6);
  CHECK(names(cells) == "a0 a1 c0 c1 c2 d0 ");
  CHECK(names(std::span(cells).subspan(1, 2)) == "a1 c0 ");
  CHECK(names(std::span(cells).last(1)) == "d0 ");
  for (const auto& cell : cells) {
    const auto& key = parts.keys()[cell.number];
    CHECK(names(std::span(&cell, 1)) == key.ptx + " ");
  }
}
