// SPDX-License-Identifier: Apache-2.0

// Which forms are the same machine code, and that each is measured once: in a run by many threads, and after a run that
// was killed.
#include "loops/measured_codes.h"

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "../ptx/shipped_catalogue.h"
#include "catch.h"
#include "isa/catalogue.h"

using namespace ptxlat;
using namespace ptxlat::loops;

namespace {

Code code(const std::vector<std::string>& texts, int stall_count = 1) {
  Code made;
  for (const auto& text : texts) {
    sass::ControlWord control;
    control.stall_count = stall_count;
    made.push_back({0, {}, control, text});
  }
  return made;
}

std::string code_of(const Code& one, const std::string& ptx = "add.u32", const ptx::Launch& launch = {}) {
  return code_of_copies(shipped().catalogue, isa::variants_of(shipped_form(ptx)).front(), {one}, launch);
}

results::Record record_of(const std::string& ptx, const std::string& code) {
  results::Record record;
  record.kind = results::RecordKind::throughput;
  record.ptx = ptx;
  record.code = code;
  record.windows.emplace_back().role = "loop of 112";
  return record;
}

void give(results::Record& record, double throughput) {
  record.set(results::metric::throughput, throughput, {"loop of 112"});
  record.series = {{"warps", "results/clk/SM", {{"warps", "warps", {32}}}, {throughput}}};
}

}  // namespace

TEST_CASE("code is the same whatever its registers are, but not if other ones of them are equal") {
  const auto fma = code_of(code({"FFMA R9, R7, R8, R7"}));
  CHECK(code_of(code({"FFMA R2, R4, R6, R4"})) == fma);
  CHECK(code_of(code({"FFMA R9, R7, R8, R6"})) != fma);
  CHECK(code_of(code({"FFMA.FTZ R9, R7, R8, R7"})) != fma);
  CHECK(code_of(code({"FFMA R9, R7, 2, R7"})) != fma);
  CHECK(code_of(code({"FFMA R9, R7, R8, RZ"})) != fma);
  // The assembler's schedule is a part of code of several instructions, and not of a copy of one.
  CHECK(code_of(code({"FFMA R9, R7, R8, R7"}, 5)) == fma);
  const std::vector<std::string> two{"POPC R2, R2", "POPC R4, R3"};
  CHECK(code_of(code(two, 1)) != code_of(code(two, 5)));
  const std::vector<Code> turns{code({"HADD2 R1, R2, R3"}), code({"HFMA2.MMA R1, R2, 1, 1, R3"})};
  const auto variant = isa::variants_of(shipped_form("add.f16x2")).front();
  CHECK(code_of_copies(shipped().catalogue, variant, turns, {}) !=
        code_of_copies(shipped().catalogue, variant, {turns[0]}, {}));
}

TEST_CASE("code that accesses memory is the same in the same memory, with the same values if it computes with them") {
  ptx::Launch zeros, ones;
  zeros.uses_memory = ones.uses_memory = true;
  zeros.input = {0, 0};
  ones.input = {1, 1};
  const auto load = code({"LDG.E R2, desc[UR4][R2.64]"}), atomic = code({"ATOMG.E.ADD R2, desc[UR4][R2.64], R5"});
  CHECK(code_of(load, "ld.global.u32", zeros) == code_of(load, "ld.global.f32", ones));
  CHECK(code_of(load, "ld.global.u32", zeros) != code_of(load, "ld.shared.u32", zeros));
  CHECK(code_of(atomic, "atom.global.add.u32", zeros) == code_of(atomic, "atom.global.add.u32", zeros));
  CHECK(code_of(atomic, "atom.global.add.u32", zeros) != code_of(atomic, "atom.global.add.u32", ones));
  // Arithmetic takes as long with any values.
  zeros.uses_memory = ones.uses_memory = false;
  CHECK(code_of(code({"POPC R2, R2"}), "popc.b32", zeros) == code_of(code({"POPC R2, R2"}), "popc.b32", ones));
}

TEST_CASE("each code is measured for one form, whose result the others take; what has no code is always measured") {
  MeasuredCodes measured({});
  std::atomic<int> count{0};
  std::vector<results::Record> records;
  for (int i = 0; i < 16; ++i)
    records.push_back(record_of("form" + std::to_string(i), i == 0 ? "" : i % 2 == 0 ? "even" : "odd"));
  {
    std::vector<std::jthread> threads;
    for (auto& record : records) {
      threads.emplace_back([&] {
        measured.put(record, [&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
          give(record, 100 + ++count);
        });
      });
    }
  }
  CHECK(count == 3);
  std::map<std::string, std::set<double>> results;
  std::map<std::string, int> own;
  for (const auto& record : records) {
    results[record.code].insert(record.number(results::metric::throughput).value());
    const auto& as = record.windows.front().measured_as;
    if (as.empty()) ++own[record.code];
    REQUIRE(record.series.size() == 1);
    CHECK(record.series.front().values.front() == record.number(results::metric::throughput));
  }
  CHECK(own == std::map<std::string, int>{{"", 1}, {"even", 1}, {"odd", 1}});
  for (const auto& [code, values] : results) CHECK(values.size() == 1);
}

TEST_CASE("an earlier run's results are taken, except failures, which may not happen again") {
  auto known = record_of("a", "code"), shared = record_of("b", "other code"), failed = record_of("c", "faulty");
  give(known, 64);
  give(shared, 32);
  shared.windows.front().measured_as = "z";
  failed.verdict = sass::Verdict::fault;
  MeasuredCodes measured({known, shared, failed});
  int count = 0;
  const auto put = [&](const std::string& code) {
    auto record = record_of("d", code);
    measured.put(record, [&] {
      ++count;
      give(record, 1);
    });
    return record;
  };
  CHECK(put("code").number(results::metric::throughput) == 64);
  CHECK(put("code").windows.front().measured_as == "a");
  CHECK(put("other code").windows.front().measured_as == "z");
  CHECK(count == 0);
  CHECK(put("faulty").number(results::metric::throughput) == 1);
  CHECK(count == 1);
}

TEST_CASE("forms that share a measurement share that a part of its launches failed, until the next run") {
  MeasuredCodes measured({});
  std::vector<results::Record> records;
  for (const char* ptx : {"a", "b"}) {
    records.push_back(record_of(ptx, "code"));
    measured.put(records.back(), [&] {
      give(records.back(), 64);
      records.back().add_flag(results::flag::retry);
    });
    CHECK_FALSE(is_final(records.back()));
  }
  int count = 0;
  auto later = record_of("c", "code");
  MeasuredCodes(records).put(later, [&] { ++count; });
  CHECK(count == 1);
}
