// SPDX-License-Identifier: Apache-2.0
#include "pages/memory_map.h"

#include <cstdlib>
#include <sstream>

#include "../results/test_folder.h"
#include "catch.h"
#include "pages/plot.h"
#include "text.h"

using namespace ptxlat;
using namespace ptxlat::pages;

namespace {

using Verdict = results::FactVerdict;

// A machine that has never been built: an L1, two partitions, a TLB.
results::Record invented() {
  results::Record probe;
  probe.kind = results::RecordKind::probe;
  probe.ptx = "l1";
  probe.run = 1;
  probe.facts = {{"chase.ca.l1", "", "21.4", 21, 22, "cycles", "kind", Verdict::measured, ""},
                 {"l1.bytes", "carveout=1024", "3072", 3072, 3072, "bytes", "kind", Verdict::inferred, ""},
                 {"l1.bytes", "carveout=2048", "2048", 2048, 2048, "bytes", "kind", Verdict::inferred, ""},
                 {"l1.line_bytes", "", "48", 48, 48, "bytes", "kind", Verdict::inferred, ""},
                 {"l1.policy", "", "", {}, {}, "text", "kind", Verdict::undetermined, "nothing predicts it"},
                 {"l1.tag_sets", "", "3", 3, 3, "count", "kind", Verdict::contradicted, "two ways"},
                 {"l2.near_hit", "", "100", 90, 110, "cycles", "card", Verdict::measured, ""},
                 {"l2.far_first_read", "", "207", 200, 210, "cycles", "card", Verdict::measured, ""},
                 {"l2.copies_near", "", "0", 0, 0, "count", "kind", Verdict::measured, ""},
                 {"l2.policy", "", "srrip", {}, {}, "text", "kind", Verdict::inferred, ""},
                 {"tlb.l2_sets", "", "17 8 8", {}, {}, "count", "kind", Verdict::inferred, ""}};
  return probe;
}

const MemoryBox* find(const std::vector<MemoryBox>& map, const std::string& name) {
  for (const auto& box : map) {
    if (box.name == name) return &box;
  }
  return nullptr;
}

std::string value_of(const MemoryBox& box, const std::string& quantity) {
  for (const auto& line : box.lines) {
    if (line.quantity == quantity) return line.value;
  }
  return "none";
}

}  // namespace

TEST_CASE("a box of the memory hierarchy has the facts about it, by their names") {
  const auto map = memory_map({invented()});
  const auto* l1 = find(map, "l1");
  REQUIRE(l1);
  CHECK(l1->latency == "21.4 cycles");
  CHECK(l1->latency_of == "chase.ca.l1");
  CHECK(value_of(*l1, "l1.line_bytes") == "48 B");
  REQUIRE(find(map, "near"));
  CHECK(find(map, "near")->latency == "100 cycles");
  CHECK(value_of(*find(map, "far"), "l2.copies_near") == "no");
  CHECK(value_of(*find(map, "l2"), "l2.policy") == "SRRIP");
  CHECK(value_of(*find(map, "tlb2"), "tlb.l2_sets") == "1 of 17, 2 of 8");
}

TEST_CASE("facts under several conditions are a range that says over what") {
  const auto map = memory_map({invented()});
  const auto& size = find(map, "l1")->lines.front();
  CHECK(size.value == "2 to 3 KiB");
  CHECK(size.over == "carveout");
}

TEST_CASE("undetermined, contradicted and missing facts are not in the memory hierarchy") {
  const auto map = memory_map({invented()});
  CHECK(value_of(*find(map, "l1"), "l1.policy") == "none");
  CHECK(value_of(*find(map, "l1"), "l1.tag_sets") == "none");
  CHECK_FALSE(find(map, "shared"));
  CHECK_FALSE(find(map, "memory"));
  CHECK(memory_map({}).empty());
}

TEST_CASE("a partition is near only if there is a far one") {
  auto probe = invented();
  CHECK(find(memory_map({probe}), "near")->title == "Near partition");
  std::erase_if(probe.facts, [](const results::Fact& fact) {
    return fact.quantity == "l2.far_first_read" || fact.quantity == "l2.copies_near";
  });
  CHECK(find(memory_map({probe}), "near")->title == "One partition");
}

TEST_CASE("the text of the memory hierarchy names the quantity behind each value") {
  std::ostringstream out;
  write_memory_text(out, memory_map({invented()}));
  CHECK_THAT(out.str(), Catch::Matchers::Contains("L1 data cache\n  latency ") &&
                            Catch::Matchers::Contains("21.4 cycles") && Catch::Matchers::Contains("chase.ca.l1\n") &&
                            Catch::Matchers::Contains("size, over carveout"));
}

TEST_CASE("the drawing has the boxes that there are, each value as it is in the text, and the names in quotes") {
  const auto script = memory_script(memory_map({invented()}), "it's `x`");
  CHECK_THAT(script, Catch::Matchers::Contains("set label 'Memory hierarchy of it''s `x`'"));
  CHECK_THAT(script,
             Catch::Matchers::Contains("{/:Bold L1 data cache}") && Catch::Matchers::Contains("{/:Bold 21.4 cycles}"));
  CHECK_THAT(script, Catch::Matchers::Contains("set label '2 to 3 KiB'") &&
                         Catch::Matchers::Contains("set label 'over carveout'"));
  CHECK_THAT(script,
             Catch::Matchers::Contains("{/:Bold Far partition}") && Catch::Matchers::Contains("{/:Bold 207 cycles}"));
  CHECK_THAT(script, !Catch::Matchers::Contains("Shared memory"));
}

TEST_CASE("gnuplot draws the memory hierarchy, and nothing if facts describe none") {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) skip("no gnuplot on this machine");
  const TestFolder folder;
  const auto files = write_memory_plot(folder.path, {invented()}, {});
  REQUIRE(files.size() == 1);
  CHECK(files.front().filename() == "memory.svg");
  const auto svg = content_of(files.front());
  CHECK_THAT(svg, Catch::Matchers::Contains("Near partition") && Catch::Matchers::Contains("1 of 17, 2 of 8") &&
                      Catch::Matchers::Contains("</svg>"));
  CHECK(write_memory_plot(folder.path, {}, {}).empty());
}
