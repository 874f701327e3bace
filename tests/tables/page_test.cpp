// SPDX-License-Identifier: Apache-2.0
#include "tables/page.h"

#include <sstream>

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::tables;

namespace {

const Grid grid = {{{"ptx"}, {"empty"}, {"kept", false, true}, {"cycles", true}, {"code of A", false, false, true}},
                   {{code("add.u32"), "", "", "4", code("IADD3:4")},
                    {code("shfl d|p", Colour::bold), "", "", {"≥17", Colour::red}, ""}}};

std::string rendered(const PageStyle& style) {
  std::ostringstream out;
  Page page(out, style);
  page.heading(2, {"Title"});
  page.list({{"first ", code("a")}, {"second"}});
  page.table(grid);
  page.left_out(2);
  return out.str();
}

}  // namespace

TEST_CASE("a page for a terminal has aligned columns, without those that are empty, and details below their row") {
  CHECK(rendered({}) ==
        "Title\n"
        "first a\n"
        "second\n"
        "\n"
        "ptx       kept  cycles\n"
        "add.u32              4\n"
        "    IADD3:4\n"
        "shfl d|p           ≥17\n");
}

TEST_CASE("a page in Markdown has the same blocks, code as code, and details as columns") {
  CHECK(rendered({PageFormat::markdown}) ==
        "## Title\n"
        "\n"
        "- first `a`\n"
        "- second\n"
        "\n"
        "| ptx | kept | cycles | code of A |\n"
        "|---|---|--:|---|\n"
        "| `add.u32` |  | 4 | `IADD3:4` |\n"
        "| `shfl d\\|p` |  | ≥17 |  |\n");
}

TEST_CASE("colours take no room, and Markdown has none") {
  const std::string coloured = rendered({PageFormat::text, true});
  CHECK(coloured.find("\x1b[1mshfl d|p\x1b[0m           \x1b[31m≥17\x1b[0m\n") != std::string::npos);
  CHECK(rendered({PageFormat::markdown, true}).find('\x1b') == std::string::npos);
}

TEST_CASE("a list that is cut says how many rows are left out") {
  std::ostringstream out;
  Page page(out, {PageFormat::text, false, 2});
  CHECK(page.shown(5) == 2);
  CHECK(page.shown(1) == 1);
  page.left_out(5);
  page.left_out(2);
  CHECK(out.str() == "… 3 more rows\n");
}

TEST_CASE("a field that is wider than its column moves the rest of its row") {
  const std::vector<Heading> columns = {{"ptx"}, {"O3", true}};
  CHECK(aligned_heads(columns, {5, 4}) == "ptx      O3\n");
  CHECK(aligned_row(columns, {5, 4}, {"add", "15"}) == "add      15\n");
  CHECK(aligned_row(columns, {5, 4}, {"fma.rn.f32", "4"}) == "fma.rn.f32     4\n");
}
