// SPDX-License-Identifier: Apache-2.0

// Pairs of tables that only differ in planted changes: a comparison must find all of it, for the right reason, and
// nothing else.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <sstream>
#include <utility>

#include "../results/test_folder.h"
#include "../tables/cells.h"
#include "base/file.h"
#include "catch.h"
#include "compare/compare_write.h"
#include "results/json.h"
#include "tables/folder.h"

using namespace ptxlat;
using namespace ptxlat::compare;
using namespace ptxlat::tables;

namespace {

struct Planted {
  Cause cause = Cause::unchanged;
  double change = 0;  // of the leading number, 0 where one side has none
};
// ptx and level of each changed row.
using Plan = std::map<std::pair<std::string, int>, Planted>;

class Planter {
 public:
  explicit Planter(unsigned seed) : generator_(seed) {}

  std::vector<results::Record> a, b;
  Plan plan;

  void plant(int count) {
    // So that both tables have issue costs whatever is planted.
    a.push_back(random_cell("anchor", 3));
    b.push_back(a.back());
    for (int i = 0; i < count; ++i) plant_one("op" + std::to_string(i) + ".u32", integer(0, 3));
    std::shuffle(b.begin(), b.end(), generator_);
  }

 private:
  struct Change {
    Cause cause;
    std::function<double(Planter&, results::Record& one, results::Record& other)>
        apply;  // returns the change of the number
  };

  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }

  // Another stall count, at most 15.
  int other_stall(int stall) { return stall > 7 ? stall - integer(1, 5) : stall + integer(1, 5); }

  results::WindowRecord random_window(const std::string& role) {
    const char* opcodes[] = {"IADD3", "IMAD.MOV.U32", "LOP3.LUT", "MUFU.RCP", "FFMA", "@!P0 BRA"};
    results::WindowRecord window;
    window.role = role;
    const int inner = integer(3, 12);
    for (int i = 0; i < inner + 2; ++i) {
      const bool is_clock = i == 0 || i == inner + 1;
      results::SassRecord instruction;
      instruction.offset = 16 * i;
      instruction.text = is_clock
                             ? "CS2R.32 R6, SR_CLOCKLO"
                             : std::string(opcodes[integer(0, 5)]) + " R" + std::to_string(integer(0, 30)) + ", R7";
      instruction.stall_count = integer(1, 15);
      instruction.yields = integer(0, 1) == 1;
      window.sass.push_back(instruction);
    }
    // The second instruction sets a scoreboard that the last but one waits for.
    window.sass[1].write_scoreboard = integer(0, 5);
    window.sass[inner].wait_mask = 1 << window.sass[1].write_scoreboard;
    return window;
  }

  results::Record random_cell(const std::string& ptx, int level) {
    results::Record cell = cell_of(ptx, level, integer(4, 40), "IADD3");
    cell.chapter = integer(0, 1) ? "integer" : "float";
    cell.windows.clear();
    for (const char* role :
         {"overhead", "differential", "differential base", "chain", "chain twice", "stream", "stream twice"}) {
      cell.windows.push_back(random_window(role));
    }
    give(cell, results::metric::issue, integer(1, 8));
    if (integer(0, 1)) {
      const auto cycles = cell.number(results::metric::cycles);
      for (const auto tag : {results::metric::cycles, results::metric::chain, results::metric::static_cycles}) {
        cell.set(tag, cycles, {"chain", "chain twice"});
      }
    }
    if (integer(0, 9) == 0) {
      const auto issue = cell.number(results::metric::issue);
      take_numbers(cell);
      give(cell, results::metric::issue, issue);
    }
    return cell;
  }

  // A window that a number of the cell is made of; none of those that lead nowhere.
  results::WindowRecord& backing(results::Record& cell) {
    const bool has_latency = cell.find(results::metric::cycles) != nullptr;
    const int first = !has_latency || integer(0, 3) == 0 ? 5 : cell.find(results::metric::chain) ? 3 : 1;
    return cell.windows[static_cast<std::size_t>(first + integer(0, 1))];
  }

  results::SassRecord& inner(results::WindowRecord& window, int before_last) {
    return window.sass[static_cast<std::size_t>(integer(1, static_cast<int>(window.sass.size()) - before_last))];
  }

  // Another number of the kind that the cell is there for, half of the time where `always` is false.
  double change_number(results::Record& other, bool always) {
    if (!always && integer(0, 1)) return 0;
    const double change = integer(1, 3);
    if (!other.find(results::metric::cycles)) {
      give(other, results::metric::issue, *other.number(results::metric::issue) + change);
      return change;
    }
    give(other, results::metric::cycles, *other.number(results::metric::cycles) + change);
    return change;
  }

  static void lose(results::Record& cell, sass::Verdict verdict) {
    take_numbers(cell);
    cell.verdict = verdict;
    cell.note = "planted";
  }

  static double rename_registers(Planter&, results::Record&, results::Record& other) {
    for (results::WindowRecord& window : other.windows) {
      for (results::SassRecord& instruction : window.sass) {
        const std::size_t space = instruction.text.rfind(' ');
        instruction.text = instruction.text.substr(0, space) + " R99";
        instruction.reuse = 1;
        instruction.offset += 0x200;
      }
    }
    return 0;
  }

  static double rename_scoreboards(Planter&, results::Record&, results::Record& other) {
    for (results::WindowRecord& window : other.windows) {
      const int before = window.sass[1].write_scoreboard, after = (before + 1) % 6;
      window.sass[1].write_scoreboard = after;
      window.sass[window.sass.size() - 2].wait_mask = 1 << after;
    }
    return 0;
  }

  static double move_edges(Planter& planter, results::Record&, results::Record& other) {
    for (results::WindowRecord& window : other.windows) {
      for (const std::size_t edge : {std::size_t{0}, window.sass.size() - 2, window.sass.size() - 1}) {
        window.sass[edge].stall_count = planter.integer(1, 15);
      }
      window.sass[0].wait_mask = planter.integer(0, 63);
    }
    return 0;
  }

  static double change_witness_window(Planter& planter, results::Record&, results::Record& other) {
    planter.inner(other.windows[0], 2).text = "OVERHEAD R1";  // in no number
    return 0;
  }

  static double change_opcode(Planter& planter, results::Record&, results::Record& other) {
    planter.inner(planter.backing(other), 2).text = "VIADD R1, R2";
    return planter.change_number(other, false);
  }

  static double change_sass(Planter& planter, results::Record&, results::Record& other) {
    other.sass = {"VIADD", "IMAD"};
    return planter.change_number(other, false);
  }

  static double add_instruction(Planter& planter, results::Record&, results::Record& other) {
    results::WindowRecord& window = planter.backing(other);
    window.sass.insert(window.sass.begin() + 1, window.sass[1]);
    return planter.change_number(other, false);
  }

  static double change_stall(Planter& planter, results::Record&, results::Record& other) {
    results::SassRecord& instruction = planter.inner(planter.backing(other), 3);
    instruction.stall_count = planter.other_stall(instruction.stall_count);
    return planter.change_number(other, false);
  }

  static double change_yield(Planter& planter, results::Record&, results::Record& other) {
    results::SassRecord& instruction = planter.inner(planter.backing(other), 3);
    instruction.yields = !instruction.yields;
    return planter.change_number(other, false);
  }

  static double drop_wait(Planter& planter, results::Record&, results::Record& other) {
    results::WindowRecord& window = planter.backing(other);
    window.sass[window.sass.size() - 2].wait_mask = 0;
    return planter.change_number(other, false);
  }

  static double wait_for_another(Planter& planter, results::Record&, results::Record& other) {
    results::WindowRecord& window = planter.backing(other);
    std::swap(window.sass[1].write_scoreboard, window.sass[2].write_scoreboard);
    return planter.change_number(other, false);
  }

  // Whatever the number is then.
  static double change_consumer(Planter& planter, results::Record& one, results::Record& other) {
    one.consumer = "xor.b32";
    other.consumer = "mul.lo.u32";
    return planter.change_number(other, false);
  }

  // What two surveys of a cell that leaves the SM may differ by.
  static double measure_far_again(Planter& planter, results::Record& one, results::Record& other) {
    if (!one.number(results::metric::cycles)) return 0;
    const double cycles = 600 + planter.integer(0, 400);
    for (auto* cell : {&one, &other}) {
      const double value = cell == &one ? cycles : cycles + planter.integer(-5, 5);
      give(*cell, results::metric::cycles, value);
      give(*cell, results::metric::median, value);
    }
    return 0;
  }

  static double change_number_alone(Planter& planter, results::Record&, results::Record& other) {
    return planter.change_number(other, true);
  }

  void plant_one(const std::string& ptx, int level) {
    static const std::array<Change, 20> changes = {{
        {Cause::unchanged, [](Planter&, results::Record&, results::Record&) { return 0.0; }},
        {Cause::unchanged, rename_registers},
        {Cause::unchanged, rename_scoreboards},
        {Cause::unchanged, move_edges},
        {Cause::unchanged, change_witness_window},
        {Cause::unchanged, measure_far_again},
        {Cause::other_sass, change_opcode},
        {Cause::other_sass, change_sass},
        {Cause::other_sass, add_instruction},
        {Cause::other_stall_counts, change_stall},
        {Cause::other_stall_counts, change_yield},
        {Cause::other_stall_counts, drop_wait},
        {Cause::other_stall_counts, wait_for_another},
        {Cause::other_consumer, change_consumer},
        {Cause::same_code, change_number_alone},
        {Cause::other_verdict,
         [](Planter&, results::Record&, results::Record& other) { return lose(other, sass::Verdict::fused), 0.0; }},
        {Cause::other_verdict,
         [](Planter&, results::Record& one, results::Record&) { return lose(one, sass::Verdict::elided), 0.0; }},
        {Cause::other_verdict,
         [](Planter&, results::Record& one, results::Record& other) {
           return lose(one, sass::Verdict::fused), lose(other, sass::Verdict::fault), 0.0;
         }},
        {Cause::only_in_a, [](Planter&, results::Record&, results::Record&) { return 0.0; }},
        {Cause::only_in_b, [](Planter&, results::Record&, results::Record&) { return 0.0; }},
    }};
    const Change& change = changes[static_cast<std::size_t>(integer(0, static_cast<int>(changes.size()) - 1))];
    results::Record one = random_cell(ptx, level);
    results::Record other = one;
    const double by = change.apply(*this, one, other);
    if (change.cause != Cause::only_in_b) a.push_back(std::move(one));
    if (change.cause != Cause::only_in_a) b.push_back(std::move(other));
    if (change.cause != Cause::unchanged) plan[{ptx, level}] = {change.cause, by};
  }

  std::mt19937 generator_;
};

void check_against(const Plan& plan, const Comparison& comparison) {
  CHECK(comparison.rows.size() == plan.size());
  for (const Difference& row : comparison.rows) {
    INFO(row.record().ptx << " O" << row.record().level << ": " << to_string(row.cause));
    const auto planted = plan.find({row.record().ptx, row.record().level});
    REQUIRE(planted != plan.end());
    CHECK(row.cause == planted->second.cause);
    CHECK(leading_of(comparison, row).change().value_or(0) == planted->second.change);
  }
}

// What a program that reads the JSON finds.
Plan plan_in(const std::string& text) {
  Plan plan;
  const std::map<std::string, Cause> causes = {{"other_sass", Cause::other_sass},
                                               {"other_stall_counts", Cause::other_stall_counts},
                                               {"other_consumer", Cause::other_consumer},
                                               {"same_code", Cause::same_code},
                                               {"other_verdict", Cause::other_verdict},
                                               {"only_in_a", Cause::only_in_a},
                                               {"only_in_b", Cause::only_in_b}};
  const results::Json document = results::Json::parse(text);
  for (const results::Json& row : document.at("comparisons").at(0).at("rows")) {
    const results::Json& side = row.at("a").is_null() ? row.at("b") : row.at("a");
    const double change = row.at("change").is_null() ? 0 : row.at("change").get<double>();
    plan[{row.at("ptx"), side.at("opt")}] = {causes.at(row.at("cause")), change};
  }
  return plan;
}

}  // namespace

TEST_CASE("a comparison finds each planted change with its cause, and nothing else") {
  const TestFolder folder;
  for (unsigned seed = 0; seed < 12; ++seed) {
    INFO("seed " << seed);
    Planter planter(seed);
    planter.plant(400);
    for (const auto& [name, records] : {std::pair{"a", planter.a}, std::pair{"b", planter.b}}) {
      results::Run run = run_of();
      run.table = name;
      write_table(folder.path, table_from(run, {}, records));
    }
    const Table a = read_table(folder.path / "a"), b = read_table(folder.path / "b");
    const Side side_a{&a, std::nullopt, "A", "a"}, side_b{&b, std::nullopt, "B", "b"};
    check_against(planter.plan, compare_tables(side_a, side_b));

    std::ostringstream json;
    write_json(json, {compare_all({side_a, side_b})});
    const Plan found = plan_in(json.str());
    REQUIRE(found.size() == planter.plan.size());
    for (const auto& [key, planted] : planter.plan) {
      REQUIRE(found.contains(key));
      CHECK(found.at(key).cause == planted.cause);
      CHECK(found.at(key).change == planted.change);
    }
  }
}

// For the site, whose rule must find the same (tests/site/browser.sh): two tables, and the cause of each form at each
// level.
TEST_CASE("write planted tables", "[.]") {
  const char* const folder = std::getenv("PTXLAT_PLANTED");
  REQUIRE(folder != nullptr);
  Planter planter(2026);
  planter.plant(400);
  for (const auto& [name, records] : {std::pair{"a", planter.a}, std::pair{"b", planter.b}}) {
    results::Run run = run_of();
    run.table = name;
    write_table(folder, table_from(run, {}, records));
  }
  results::Json causes = results::Json::object();
  for (const auto& [key, planted] : planter.plan) causes[std::to_string(key.second)][key.first] = words(planted.cause);
  replace_file(std::filesystem::path(folder) / "causes.json", causes.dump());
}

TEST_CASE("in the opposite direction, causes are the same and numbers change back") {
  Planter planter(77);
  planter.plant(400);
  const Table a = table_of(planter.a), b = table_of(planter.b);
  Plan mirrored;
  for (auto [key, planted] : planter.plan) {
    if (planted.cause == Cause::only_in_a) {
      planted.cause = Cause::only_in_b;
    } else if (planted.cause == Cause::only_in_b) {
      planted.cause = Cause::only_in_a;
    }
    planted.change = -planted.change;
    mirrored[key] = planted;
  }
  check_against(mirrored, compare_tables({&b, std::nullopt, "b", "b"}, {&a, std::nullopt, "a", "a"}));
}

TEST_CASE("a table against itself differs in nothing") {
  Planter planter(5);
  planter.plant(300);
  const Table a = table_of(planter.a), same = table_of(planter.a);
  CHECK(compare_tables({&a, std::nullopt, "a", "a"}, {&same, std::nullopt, "b", "b"}).rows.empty());
}
