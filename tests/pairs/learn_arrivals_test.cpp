// SPDX-License-Identifier: Apache-2.0

// What the windows of a latency table tell about the arrival of results. The machines are invented: what is learned of
// them must be what they were made with.
#include "pairs/learn_arrivals.h"

#include <algorithm>
#include <random>

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::pairs;

namespace {

struct Issued {
  std::string text;
  int stall_count = 2;
  int write_scoreboard = sass::ControlWord::no_scoreboard;
  int wait_mask = 0;
};

// Between two clock reads.
sass::Window timed(std::vector<Issued> code) {
  code.insert(code.begin(), {"CS2R.32 R8, SR_CLOCKLO", 1});
  code.push_back({"CS2R.32 R9, SR_CLOCKLO"});
  sass::Window made;
  for (const auto& one : code)
    made.instructions.push_back(
        {0,
         {},
         {.stall_count = one.stall_count, .write_scoreboard = one.write_scoreboard, .wait_mask = one.wait_mask},
         one.text});
  return made;
}

results::WindowRecord recorded(const sass::Window& window, double cycles) {
  results::WindowRecord made;
  made.role = "differential";
  made.cycles = cycles;
  for (const auto& one : window.instructions) {
    results::SassRecord sass;
    sass.text = one.text;
    sass.stall_count = one.control.stall_count;
    sass.write_scoreboard = one.control.write_scoreboard;
    sass.wait_mask = one.control.wait_mask;
    made.sass.push_back(sass);
  }
  return made;
}

results::Record made_record(const std::string& form, const sass::Window& window, double cycles) {
  results::Record one;
  one.ptx = form;
  one.level = 3;
  one.windows = {recorded(window, cycles)};
  return one;
}

// On the machine.
results::Record on_machine(const std::string& form, const sass::Window& window, const sass::Arrivals& machine) {
  return made_record(form, window, *sass::expected_cycles(window, machine));
}

const results::ArrivalTime* arrival_row(const std::vector<results::ArrivalTime>& rows, const std::string& opcode) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.opcode == opcode; });
  return found == rows.end() ? nullptr : &*found;
}

sass::Window scoreboarded(const std::string& opcode, int distance) {
  return timed({{opcode + " R10, R2", distance, 0}, {"FADD R11, R10, R3", 2, 7, 1}});
}
sass::Window scheduled(const std::string& opcode, int distance) {
  return timed({{opcode + " R10, R2, R3", distance},
                {"LOP3.LUT R11, R10, R5, RZ, 0x3c, !PT", 4},
                {"IADD3 R12, R11, R5, RZ", 2}});
}

}  // namespace

TEST_CASE("what is learned of an invented machine is what it was made with") {
  std::mt19937 random(7);
  const auto between = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  for (int machines = 0; machines < 50; ++machines) {
    const sass::Arrivals machine = {{"MUFU.RCP", {false, static_cast<double>(between(16, 60))}},
                                    {"MUFU.LG2", {false, static_cast<double>(between(16, 60))}},
                                    {"FMUL.X", {true, static_cast<double>(between(6, 14))}}};
    std::vector<results::Record> table;
    for (const char* form : {"a", "b", "c"}) {
      table.push_back(on_machine(form, scoreboarded("MUFU.RCP", between(1, 15)), machine));
      table.push_back(on_machine(form, scoreboarded("MUFU.LG2", between(1, 15)), machine));
      table.push_back(on_machine(form, scheduled("FMUL.X", between(4, 5)), machine));
      table.push_back(on_machine(form, scheduled("FMUL", between(4, 5)), machine));
    }
    const auto rows = learned_arrivals(table);
    REQUIRE(rows.size() == machine.size());
    for (const auto& row : rows) {
      const auto& truth = machine.at(row.opcode);
      CHECK(row.cycles == truth.cycles);
      CHECK((row.held == results::Held::interlock) == truth.is_interlocked);
    }
    CHECK(arrivals_in(rows).size() == rows.size());
  }
}

TEST_CASE("an opcode that comes as scheduled in one window is not interlocked, and one form is no evidence") {
  const sass::Arrivals machine = {{"FMUL.X", {true, 9}}};
  // What reads its result comes as scheduled here.
  const auto usual = on_machine("d", scheduled("FMUL", 4), {});
  const auto late = [&](const char* form, int distance) {
    return on_machine(form, scheduled("FMUL.X", distance), machine);
  };
  CHECK(learned_arrivals({usual, late("a", 4), late("a", 5)}).empty());
  std::vector<results::Record> contradicted{usual, late("a", 4), late("b", 4)};
  CHECK(learned_arrivals(contradicted).size() == 1);
  contradicted.push_back(on_machine("c", scheduled("FMUL.X", 4), {}));
  CHECK(learned_arrivals(contradicted).empty());
}

TEST_CASE("usual values count before others, and the most frequent arrival before rare ones") {
  const auto code = scoreboarded("POPC", 8);
  const auto with = [&](double cycles, const std::string& input) {
    auto one = on_machine("popc.b32", code, {{"POPC", {false, cycles}}});
    one.input = input;
    return one;
  };
  const auto rows = learned_arrivals({with(300, "divergent"), with(300, "divergent"), with(300, "divergent"),
                                      with(17, ""), with(17, ""), with(19, "")});
  REQUIRE(arrival_row(rows, "POPC") != nullptr);
  CHECK(arrival_row(rows, "POPC")->cycles == 17);
  CHECK(arrival_row(rows, "POPC")->high == 19);
  CHECK(arrival_row(rows, "POPC")->windows == 3);
}

TEST_CASE("what leaves the SM has no arrival") {
  auto near = on_machine("ld.global.b32", scoreboarded("LDG.E", 4), {{"LDG.E", {false, 31}}});
  CHECK(learned_arrivals({near}).size() == 1);
  auto far = on_machine("ld.global.cg.b32", scoreboarded("LDG.E", 4), {{"LDG.E", {false, 270}}});
  far.add_flag(results::flag::survey);
  CHECK(learned_arrivals({near, far}).empty());
}

TEST_CASE("windows without optimisation, without proof and with unknown waits teach nothing") {
  auto one = on_machine("a", scoreboarded("POPC", 8), {{"POPC", {false, 17}}});
  one.level = 0;
  auto two = on_machine("a", scoreboarded("POPC", 8), {{"POPC", {false, 17}}});
  two.windows.front().verdict = sass::Verdict::unstable;
  auto three = made_record(
      "a", timed({{"POPC R10, R2", 2, 0}, {"BAR.SYNC.DEFER_BLOCKING 0x0", 2}, {"FADD R11, R10, R3", 2, 7, 1}}), 60);
  CHECK(learned_arrivals({one, two, three}).empty());
}
