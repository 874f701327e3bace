// SPDX-License-Identifier: Apache-2.0
#include "pages/plot.h"

#include <cstdlib>

#include "../results/test_folder.h"
#include "catch.h"
#include "text.h"

using namespace ptxlat;
using namespace ptxlat::pages;

namespace {

constexpr auto inferred = results::FactVerdict::inferred;

// A chase along two paths, with a plateau of one of them and a capacity.
results::Record cache_chase() {
  results::Record probe;
  probe.kind = results::RecordKind::probe;
  probe.ptx = "chase";
  probe.run = 1;
  probe.series = {{"latency",
                   "cycles",
                   {{"path", "", {1, 2}}, {"bytes", "bytes", {1024, 2048, 4096}}},
                   {32, 32.5, 280, 250, std::nullopt, 281}}};
  probe.facts = {{"chase.l1", "path=1", "32", 31, 33, "cycles", "kind", inferred, ""},
                 {"l1.bytes", "", "2048", 2048, 3072, "bytes", "kind", inferred, ""},
                 {"l1.ways", "", "4", 4, 4, "count", "kind", inferred, ""}};
  return probe;
}

std::string script_of(const results::Record& probe) { return plot_script(probe, probe.series[0], "Some GPU"); }

void skip_without_gnuplot() {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0) skip("no gnuplot on this machine");
}

}  // namespace

TEST_CASE("a plot has a curve for each value of the further axes, and a gap where a point has no value") {
  const auto script = script_of(cache_chase());
  CHECK_THAT(script, Catch::Matchers::Contains("$curve0 << END\n1024 32\n2048 32.5\n4096 280\nEND\n"));
  CHECK_THAT(script, Catch::Matchers::Contains("$curve1 << END\n1024 250\n2048 NaN\n4096 281\nEND\n"));
  CHECK_THAT(script,
             Catch::Matchers::Contains("title 'path=1' with") && Catch::Matchers::Contains("title 'path=2' with"));
  CHECK_THAT(script, Catch::Matchers::Contains("set title 'chase: latency, Some GPU'\n"));
}

TEST_CASE("an axis of names has a tic for each, and names its curves") {
  auto probe = cache_chase();
  probe.series[0].axes[0].names = {"ca", "cg"};
  probe.series[0].axes[1] = {"state", "", {0, 1, 2}, {"l1", "l2", "dram"}};
  const auto script = script_of(probe);
  CHECK_THAT(script, Catch::Matchers::Contains("set xtics ('l1' 0, 'l2' 1, 'dram' 2)\n"));
  CHECK_THAT(script,
             Catch::Matchers::Contains("title 'path=ca' with") && Catch::Matchers::Contains("title 'path=cg' with"));
  CHECK_THAT(script_of(cache_chase()), !Catch::Matchers::Contains("'l1' 0"));
}

TEST_CASE("bytes have a logarithmic axis with binary units, and cycles a linear one from zero") {
  const auto script = script_of(cache_chase());
  CHECK_THAT(script,
             Catch::Matchers::Contains("set logscale x 2\nset xtics ('1 KiB' 1024, '2 KiB' 2048, '4 KiB' 4096)\n"));
  CHECK_THAT(script, Catch::Matchers::Contains("set ylabel 'latency (cycles)'\nset yrange [0:"));
  CHECK_THAT(script, !Catch::Matchers::Contains("logscale y"));
}

TEST_CASE("values over more than two decades have a logarithmic axis, unless one is zero") {
  auto probe = cache_chase();
  probe.series[0].values = {1, 2, 500, 1, 2, 3};
  CHECK_THAT(script_of(probe), Catch::Matchers::Contains("set logscale y 10\n"));
  probe.series[0].values[0] = 0;
  CHECK_THAT(script_of(probe), !Catch::Matchers::Contains("logscale y"));
}

TEST_CASE(
    "plateaus are horizontal with their range, capacities vertical, in the colour of the only curve they hold for") {
  const auto script = script_of(cache_chase());
  CHECK_THAT(script, Catch::Matchers::Contains(
                         "rectangle from graph 0, first 31 to graph 1, first 33 behind fillcolor rgb '#0072b2'"));
  CHECK_THAT(script, Catch::Matchers::Contains("arrow from graph 0, first 32 to graph 1, first 32 nohead"));
  CHECK_THAT(script, Catch::Matchers::Contains("set label 'chase.l1 path=1: 32 cycles' at graph 1.025"));
  CHECK_THAT(script, Catch::Matchers::Contains(
                         "arrow from first 2048, graph 0 to first 2048, graph 1 nohead dashtype 3 linecolor "
                         "rgb '#555555'"));
  CHECK_THAT(script, Catch::Matchers::Contains("set label 'l1.bytes: 2 KiB' at graph"));
  CHECK_THAT(script, !Catch::Matchers::Contains("l1.ways"));
}

TEST_CASE("a mark outside of the drawing is left out") {
  auto probe = cache_chase();
  probe.facts[0].value = "900";
  probe.facts[1].value = "1000000";
  CHECK_THAT(script_of(probe), !Catch::Matchers::Contains("set label"));
}

TEST_CASE("a name cannot leave its quotes") {
  auto probe = cache_chase();
  probe.ptx = "it's\n`x`";
  CHECK_THAT(script_of(probe), Catch::Matchers::Contains("set title 'it''s `x`: latency, Some GPU'\n"));
}

TEST_CASE("many curves have no names in the legend") {
  auto probe = cache_chase();
  auto& series = probe.series[0];
  series.axes[0].values.clear();
  series.axes[1].values.clear();
  for (int i = 0; i < 20; ++i) series.axes[0].values.push_back(i);
  for (int i = 1; i <= 21; ++i) series.axes[1].values.push_back(i * 1024);
  series.values.assign(20 * 21, 7);
  const auto script = script_of(probe);
  CHECK_THAT(script, Catch::Matchers::Contains("(20 curves, path=0 to path=19)"));
  CHECK_THAT(script, !Catch::Matchers::Contains("title 'path="));
  CHECK_THAT(script, Catch::Matchers::Contains("notitle with lines linecolor rgb '#d55e00'"));
}

TEST_CASE("gnuplot draws each series as an SVG file, and a name that looks like a command is text to it") {
  skip_without_gnuplot();
  const TestFolder folder;
  auto probe = cache_chase();
  results::Record two = cache_chase();
  two.ptx = "l1's `touch owned`";
  two.series.push_back({"one point", "", {{"x", "", {3}}}, {5}});
  two.series.push_back({"nothing", "", {{"x", "", {3}}}, {std::nullopt}});
  const auto files = write_plots(folder.path, {probe, two}, {});
  REQUIRE(files.size() == 3);
  CHECK(files[0].filename() == "chase.svg");
  CHECK(files[2].filename() == "l1_s__touch_owned_-one_point.svg");
  for (const auto& file : files) CHECK_THAT(content_of(file), Catch::Matchers::Contains("</svg>"));
  CHECK_THAT(content_of(files[0]), Catch::Matchers::Contains("chase.l1 path=1: 32 cycles"));
  CHECK_THAT(content_of(files[1]), Catch::Matchers::Contains("`touch owned`"));
}
