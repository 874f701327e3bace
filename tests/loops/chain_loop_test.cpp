// SPDX-License-Identifier: Apache-2.0

// Loops of dependent copies: what their machine code proves, and what a machine's curves say.
#include "loops/chain_loop.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "../ptx/shipped_catalogue.h"
#include "catch.h"
#include "isa/catalogue.h"
#include "latency/experiment.h"
#include "opcodes/in_flight.h"
#include "opcodes/opcode_rows.h"
#include "sass/instruction.h"

using namespace ptxlat;
using namespace ptxlat::loops;
using namespace ptxlat::opcodes;

namespace {

sass::Window loop_with(int copies, const std::vector<std::string>& more = {},
                       const std::string& copy = "FFMA R0, R0, R1, R1") {
  sass::Window window;
  const auto add = [&](const std::string& text) { window.instructions.push_back({0, {}, {}, text}); };
  add("CS2R.32 R8, SR_CLOCKLO");
  for (int i = 0; i < copies; ++i) add(copy);
  for (const auto& text : more) add(text);
  for (const char* text :
       {"IADD3 R4, R4, 0x1, RZ", "ISETP.GE.U32.AND P0, PT, R4, 0x8, PT", "@!P0 BRA 0x100", "CS2R.32 R9, SR_CLOCKLO"})
    add(text);
  return window;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// An SM whose schedulers issue an instruction every `interval` cycles, and whose results are there after `latency`.
results::Record curves_of(double interval, double latency) {
  results::Record record;
  record.kind = results::RecordKind::in_flight;
  record.sass = {"FFMA"};
  results::Series series{
      "chains", "results/clk/SM", {{"chains", "", {1, 2, 4}}, {"warps", "warps", {1, 4, 8, 16}}}, {}};
  for (const double chains : series.axes[0].values) {
    for (const double warps : series.axes[1].values) {
      const double round = std::max(latency, std::ceil(warps / 4) * chains * interval);
      series.values.emplace_back(32 * warps * chains / round);
    }
  }
  record.series = {series};
  return record;
}

}  // namespace

TEST_CASE("a longer loop with more copies and nothing else proves what each copy is") {
  const auto code = code_of_loops(loop_with(48), loop_with(112), 48, 112);
  CHECK(code.opcode == "FFMA");
  CHECK(code.problem.empty());
}

TEST_CASE("copies that ptxas merges, changes or does not repeat alone are noticed") {
  const auto problem = [](const sass::Window& shorter, const sass::Window& longer) {
    const auto code = code_of_loops(shorter, longer, 48, 112);
    CHECK(code.opcode.empty());
    return code.problem;
  };
  CHECK(problem(loop_with(1), loop_with(1)) == "ptxas left the copies out");
  CHECK(problem(loop_with(48), loop_with(80)) == "64 more copies became 32 FFMA");
  CHECK(problem(loop_with(48), loop_with(112, {"MOV R1, R2"})) == "64 more copies became 64 FFMA, 1 MOV");
  CHECK(problem(loop_with(48, {"MOV R1, R2"}), loop_with(112)) == "64 more copies became 64 FFMA, -1 MOV");
  INFO("unrolled by half: the shorter one has fewer copies than it should");
  CHECK(problem(loop_with(24), loop_with(88)) == "64 more copies became 64 FFMA");
}

TEST_CASE("a chain's result is its next source; chains share everything else") {
  const auto variant = latency::chain_without_bridge(shipped(), shipped_form("fma.rn.f32"));
  REQUIRE(variant);
  const auto trial = latency::expand_chain_loop(shipped(), *variant, {2, 3, 8}, 1024);
  const auto& text = trial.kernel.text;
  CHECK(trial.launch.threads == 1024);
  for (const char* chain : {"%v_a", "%v_a_c1"}) {
    INFO(text);
    CHECK(count(text, std::string("fma.rn.f32 ") + chain + ", " + chain + ", ") == 3);
  }
  CHECK_FALSE(latency::chain_without_bridge(shipped(), shipped_form("setp.eq.f32")));
  CHECK_FALSE(latency::chain_without_bridge(shipped(), shipped_form("cvt.rn.f64.s32")));
}

TEST_CASE("the fewest instructions in flight that reach the throughput are latency over interval, for all schedulers") {
  CHECK(fewest_in_flight(curves_of(2, 8), 64) == 16.0);
  CHECK(fewest_in_flight(curves_of(1, 4), 128) == 16.0);
  CHECK(fewest_in_flight(curves_of(1, 16), 128) == 64.0);
  CHECK_FALSE(fewest_in_flight(curves_of(1, 1000), 128));
}

TEST_CASE("an opcode has a latency to the nearest consumer on each pipe, its own first") {
  std::vector<results::Opcode> rows(4);
  rows[0].name = "FFMA";
  rows[0].pipe = "fma";
  rows[1].name = "LOP3.LUT";
  rows[1].pipe = "alu";
  rows[2].name = "STG.E";
  rows[2].pipe = "lsu";
  rows[3].name = "BAR.SYNC";
  const auto pair = [](const char* consumer, const char* slot, std::optional<double> schedule,
                       std::optional<double> measured) {
    return results::Pair{"FFMA", consumer, slot, schedule, measured, {}, "exact", {}};
  };
  add_pairs(rows, {pair("FFMA", "a", 4, 4), pair("LOP3.LUT", "a", 5, {}), pair("LOP3.LUT", "b", 6, 6),
                   pair("LOP3.LUT", "war", 1, 1), pair("STG.E", "b", {}, 7.5), pair("BAR.SYNC", "a", 13, 13),
                   pair("POPC", "a", 2, 2), pair("STG.E", "a", 8, 2)});
  // Nearer than any schedule is where it does not wait for it.
  CHECK(text_of(rows[0].latencies) == "fma:4 alu:5 lsu:7.5");
  CHECK(rows[1].latencies.empty());
}

TEST_CASE("a warpgroup's result is awaited, whatever its copies' schedule says; a warp's of fixed latency is not") {
  const auto arrival_of = [](const std::string& ptx, const std::string& instruction) {
    isa::Form form;
    form.ptx = ptx;
    isa::Variant variant;
    variant.form = &form;
    results::Record record;
    record.kind = results::RecordKind::throughput;
    record.ptx = ptx;
    record.sass = {std::string(sass::opcode_of(instruction))};
    results::WindowRecord window;
    window.sass = {{0, instruction}};
    record.windows = {window};
    const std::vector<results::Record> records{record};
    const auto rows = opcode_rows({{record.sass.front(), variant, 128}}, {records, {}, {}, {}, {}, {}});
    REQUIRE(rows.size() == 1);
    return rows.front().arrival;
  };
  CHECK(arrival_of("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "HGMMA.64x8x16.F32 R24, gdesc[UR4], R24") ==
        results::Arrival::scoreboard);
  CHECK(arrival_of("wgmma.fence.sync.aligned", "WARPGROUP.ARRIVE") == results::Arrival::none);
  CHECK(arrival_of("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "HMMA.16816.F16 R4, R4, R8, R10") ==
        results::Arrival::fixed);
}
