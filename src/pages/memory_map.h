// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "results/record.h"

namespace ptxlat::pages {

// The memory hierarchy that facts describe, box by box. Every value comes from a fact; quantities without a fact, or
// with only an undetermined or contradicted one, are left out. The possible boxes are fixed here, but none of their
// numbers.
struct MemoryLine {
  std::string label;     // "size"
  std::string value;     // "53 to 149 KiB"
  std::string over;      // "carveout": the conditions over which the value is a range; empty if it is not one
  std::string quantity;  // "l1.bytes", the fact that it comes from
};
struct MemoryBox {
  std::string name;        // "l1"
  std::string title;       // "L1 data cache"
  std::string latency;     // "33 cycles"; may be empty
  std::string latency_of;  // "chase.ca.l1"
  std::vector<MemoryLine> lines;
};

// Boxes without latency and lines are left out.
std::vector<MemoryBox> memory_map(const std::vector<results::Record>& records);

// For people: each box with its lines, and the quantity behind each.
void write_memory_text(std::ostream& out, const std::vector<MemoryBox>& map);

// The boxes as a script for gnuplot that writes `plot.svg`. `machine` is for the title; it may be empty.
std::string memory_script(const std::vector<MemoryBox>& map, const std::string& machine);

// The quantities of facts that the map asks for. Another name would leave its place empty.
std::vector<std::string> map_quantities();

}  // namespace ptxlat::pages
