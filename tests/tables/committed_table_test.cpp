// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "base/parallel.h"
#include "catch.h"
#include "compare/compare_facts.h"
#include "compare/compare_write.h"
#include "compare/groups.h"
#include "tables/find_tables.h"
#include "tables/folder.h"
#include "tables/number.h"
#include "tables/operands.h"
#include "text.h"

// Properties of every table committed under tables/: they are the product.

using namespace ptxlat;
using namespace ptxlat::compare;
using namespace ptxlat::tables;

namespace {

std::vector<results::Record> columns_of(const std::filesystem::path& folder) {
  std::vector<results::Record> records;
  for (Cell& cell : read_table(folder).cells) records.push_back(std::move(cell.record));
  return records;
}

const std::filesystem::path h200_folder = PTXLAT_SOURCE_DIR "/tables/sm_90/nvidia-h200/driver-580.159.04";

// Read once: it has a quarter of a million cells.
const std::vector<results::Record>& h200() {
  static const auto records = columns_of(h200_folder);
  return records;
}

bool branches_or_waits(const results::Record& cell) {
  // Tables in a csv have no flags.
  return cell.has_flag(results::flag::static_is_lower_bound) || cell.has_flag(results::flag::branches) ||
         cell.note.find("lower bound") != std::string::npos || cell.note.find("branches") != std::string::npos;
}

// The two families of docs/method.md, section 7, in which the hardware takes longer than the schedule says.
bool is_slow_product(const std::string& instruction) {
  return instruction.find("IMAD.HI") != std::string::npos || instruction.find("IMAD.WIDE") != std::string::npos;
}
bool has_slow_product(const std::vector<std::string>& opcodes) {
  return std::any_of(opcodes.begin(), opcodes.end(), is_slow_product);
}
bool has_slow_product(const results::WindowRecord& window) {
  return std::any_of(window.sass.begin(), window.sass.end(),
                     [](const results::SassRecord& instruction) { return is_slow_product(instruction.text); });
}

// Copies that do not depend on each other wait for their pipe, which stall counts do not show.
bool is_stream(const results::WindowRecord& window) { return window.role.starts_with("stream"); }

bool has_short_stall(const results::WindowRecord& window) {
  for (std::size_t i = 1; i + 2 < window.sass.size(); ++i) {
    if (window.sass[i].stall_count <= 3) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the committed table has a number or a reason in every row, and no number below one cycle") {
  for (const auto& cell : h200()) {
    INFO(cell.ptx << " " << cell.operand << " " << cell.input << " O" << cell.level);
    const bool has_number = cell.find(results::metric::cycles) || cell.find(results::metric::issue);
    if (cell.number(results::metric::cycles)) CHECK(cell.verdict == sass::Verdict::proven);
    if (cell.verdict == sass::Verdict::proven) CHECK(has_number);
    CHECK((cell.number(results::metric::cycles) || !cell.note.empty()));
    if (has_number) CHECK(cell.sass_count > 0);
    for (const auto& number : {cell.number(results::metric::cycles), cell.number(results::metric::issue)}) {
      if (number) CHECK(*number >= 1);
    }
  }
}

TEST_CASE("at least 95 % of the committed table's measurable cells are proven at -O3") {
  int measurable = 0, proven = 0;
  for (const auto& cell : h200()) {
    if (cell.level != 3 || cell.verdict == sass::Verdict::unsupported || cell.verdict == sass::Verdict::no_dependency)
      continue;
    ++measurable;
    proven += cell.verdict == sass::Verdict::proven ? 1 : 0;
  }
  CHECK(proven >= 0.95 * measurable);
}

// Memory, barriers, tensor cores and special registers take their own time, whatever the schedule says.
bool is_arithmetic(const results::Record& cell) {
  static const std::set<std::string> chapters = {
      "comparison and selection",      "extended-precision integer", "floating point", "half-precision comparison",
      "half-precision floating point", "integer arithmetic",         "logic and shift"};
  return chapters.contains(cell.chapter) || cell.ptx.starts_with("cvt.");
}

TEST_CASE("measured equals scheduled in every committed window of fixed latency outside the two known families") {
  int compared = 0;
  const Table table = read_table(h200_folder);
  std::vector<const Cell*> arithmetic;
  for (const Cell& cell : table.cells) {
    if (is_arithmetic(cell.record)) arithmetic.push_back(&cell);
  }
  for (const auto& cell : whole_records(table, arithmetic)) {
    for (const auto& window : cell.windows) {
      if (!window.cycles || window.static_is_lower_bound || is_stream(window)) continue;
      if (has_slow_product(window) || has_short_stall(window)) continue;
      ++compared;
      INFO(cell.ptx << " " << cell.operand << " " << cell.input << " O" << cell.level << " " << window.role);
      CHECK(*window.cycles == window.static_cycles);
    }
  }
  CHECK(compared > 20000);
}

TEST_CASE("a committed cell whose measurement differs from its schedule says so") {
  for (const auto& cell : h200()) {
    if (!cell.number(results::metric::cycles) || !cell.number(results::metric::static_cycles) ||
        branches_or_waits(cell))
      continue;
    INFO(cell.ptx << " " << cell.operand << " " << cell.input << " O" << cell.level);
    CHECK(cell.has_flag(results::flag::schedule_differs) ==
          (*cell.number(results::metric::cycles) != *cell.number(results::metric::static_cycles)));
  }
}

TEST_CASE("the static table of sm_90, made without a GPU, agrees with the H200 where both have the same code") {
  using Row = std::tuple<std::string, std::string, std::string, int>;
  std::map<Row, results::Record> measured;
  for (const auto& cell : h200()) {
    for (const auto operand : operands_of(cell.operand))
      measured.emplace(Row{cell.ptx, std::string(operand), cell.input, cell.level}, cell);
  }
  int compared = 0, equal = 0;
  for (const auto& cell : columns_of(PTXLAT_SOURCE_DIR "/tables/sm_90/static/ptxas-13.0.88")) {
    if (cell.verdict == sass::Verdict::unsupported) continue;
    const std::string operand(operands_of(cell.operand).front());
    const auto found = measured.find(Row{cell.ptx, operand, cell.input, cell.level});
    INFO(cell.ptx << " " << cell.operand << " " << cell.input << " O" << cell.level);
    REQUIRE(found != measured.end());
    const auto& on_card = found->second;
    if (!cell.number(results::metric::static_cycles) || !on_card.number(results::metric::cycles) ||
        cell.sass != on_card.sass)
      continue;
    if (branches_or_waits(cell) || branches_or_waits(on_card) || has_slow_product(cell.sass)) continue;
    ++compared;
    equal += *cell.number(results::metric::static_cycles) == *on_card.number(results::metric::cycles) ? 1 : 0;
    // Two instructions close to each other on one pipe, and a consumer of both, take up to 2 cycles more
    // (docs/method.md, section 7); with different registers the same opcodes can have different stall counts.
    const double other_schedule =
        std::abs(*cell.number(results::metric::static_cycles) -
                 on_card.number(results::metric::static_cycles).value_or(*cell.number(results::metric::static_cycles)));
    CHECK(std::abs(*cell.number(results::metric::static_cycles) - *on_card.number(results::metric::cycles)) <=
          2 + other_schedule);
  }
  CHECK(compared > 600);
  CHECK(equal >= 0.9 * compared);
}

TEST_CASE("where the committed table and the probes' facts measure the same they agree") {
  struct Pair {
    std::string_view ptx, input, metric, quantity;
  };
  // The probes chase pointers of 64 bits; what a table calls a chain is the same.
  constexpr Pair pairs[] = {{"ld.global.b64", "L1 hit", results::metric::chain, "chase.ca.l1"},
                            {"ld.global.b64", "L2 hit", results::metric::cycles, "chase.ca.l2"},
                            {"ld.shared.b32", "", results::metric::cycles, "shared.latency"},
                            {"ld.const.b32", "", results::metric::cycles, "const.l1_latency"}};
  int compared = 0;
  for (const auto& [probe, fact, card] : tables::read_table(h200_folder, {tables::Part::facts}).facts) {
    for (const auto& pair : pairs) {
      if (fact.quantity != pair.quantity || !fact.low || !fact.high) continue;
      for (const auto& cell : h200()) {
        const auto number = cell.number(pair.metric);
        if (cell.ptx != pair.ptx || cell.input != pair.input || cell.level != 3 || !number) continue;
        INFO(cell.ptx << " " << cell.input << " beside " << pair.quantity);
        CHECK(*number >= *fact.low);
        CHECK(*number <= *fact.high);
        ++compared;
      }
    }
  }
  CHECK(compared >= 4);
}

TEST_CASE("the committed table has every row of Arafa et al., Table II, at all four levels") {
  std::map<std::string, std::set<int>> levels;
  for (const auto& cell : h200()) {
    if (cell.number(results::metric::cycles)) levels[cell.ptx].insert(cell.level);
  }
  for (const char* ptx :
       {"add.s32",        "sub.s32",        "min.s32",        "max.s32",        "mul.lo.s32",      "mad.lo.s32",
        "div.s32",        "rem.s32",        "abs.s32",        "div.u32",        "rem.u32",         "and.b32",
        "or.b32",         "not.b32",        "xor.b32",        "cnot.b32",       "shl.b32",         "shr.u32",
        "add.f32",        "sub.f32",        "min.f32",        "max.f32",        "mul.f32",         "mad.rn.f32",
        "fma.rn.f32",     "div.rn.f32",     "add.f64",        "sub.f64",        "min.f64",         "max.f64",
        "mul.f64",        "mad.rn.f64",     "fma.rn.f64",     "div.rn.f64",     "add.f16",         "sub.f16",
        "mul.f16",        "fma.rn.f16",     "add.cc.u32",     "addc.u32",       "sub.cc.u32",      "subc.u32",
        "mad.lo.cc.u32",  "madc.lo.u32",    "rcp.rn.f32",     "sqrt.rn.f32",    "sqrt.approx.f32", "rsqrt.approx.f32",
        "sin.approx.f32", "cos.approx.f32", "lg2.approx.f32", "ex2.approx.f32", "copysign.f32",    "mul24.lo.u32",
        "mad24.lo.u32",   "mul.hi.u32",     "mul.hi.u64",     "sad.u32",        "popc.b32",        "clz.b32",
        "bfe.u32",        "bfi.b32",        "bfind.u32",      "brev.b32"}) {
    INFO(ptx);
    CHECK(levels[ptx] == std::set<int>{0, 1, 2, 3});
  }
}

namespace {

// The cells of a row of Markdown without blanks and backquotes; empty for any other line.
std::vector<std::string> markdown_row(const std::string& line) {
  std::vector<std::string> cells;
  if (!line.starts_with("| ")) return cells;
  for (std::size_t begin = 1, end; (end = line.find('|', begin)) != std::string::npos; begin = end + 1) {
    auto cell = line.substr(begin, end - begin);
    std::erase_if(cell, [](char c) { return c == ' ' || c == '`'; });
    cells.push_back(std::move(cell));
  }
  return cells;
}

// As markdown_row leaves it.
std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

std::string text_of(const std::optional<double>& number) {
  return number ? std::to_string(std::lround(*number)) : std::string{};
}

}  // namespace

TEST_CASE("the rows that README shows are those of the committed table") {
  const auto& table = h200();
  const auto cell_of = [&](const std::string& ptx, const std::string& input, int level) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const results::Record& c) {
      return c.ptx == ptx && c.level == level && without_spaces(c.input) == input && c.number(results::metric::cycles);
    });
    INFO(ptx << " at O" << level);
    REQUIRE(found != table.end());
    return *found;
  };
  std::ifstream readme(PTXLAT_SOURCE_DIR "/README.md");
  int shown = 0;
  for (std::string line; std::getline(readme, line);) {
    const auto row = markdown_row(line);
    INFO(line);
    if (row.size() != 6 || row[0] == "ptx") continue;
    const auto fast = cell_of(row[0], row[1], 3);
    CHECK(row[2] == text_of(cell_of(row[0], row[1], 0).number(results::metric::cycles)));
    CHECK(row[3] == text_of(fast.number(results::metric::cycles)));
    const auto issue = fast.number(results::metric::issue);
    CHECK(row[4] == (issue ? decimal(issue) : ""));
    CHECK(row[5].starts_with(fast.sass.front()));
    ++shown;
  }
  CHECK(shown == 14);
}

namespace {

std::vector<results::Record> h200_with_cuda(const std::string& version) {
  return columns_of(PTXLAT_SOURCE_DIR "/tables/sm_90/nvidia-h200/ptxas-" + version);
}

}  // namespace

TEST_CASE("the rows of the page on Table II are those of the committed table") {
  const auto check = [](const std::string& ptx, const std::string& input, int level, const std::string& cycles) {
    for (const auto& cell : h200()) {
      const auto number = cell.number(results::metric::cycles);
      if (cell.ptx != ptx || without_spaces(cell.input) != input || cell.level != level || !number) continue;
      CHECK(cycles == text_of(number));
      return;
    }
    FAIL_CHECK("no such row: " << ptx);
  };
  std::ifstream page(PTXLAT_SOURCE_DIR "/docs/findings/table-ii.md");
  int of_the_paper = 0, of_the_suite = 0;
  for (std::string line; std::getline(page, line);) {
    const auto row = markdown_row(line);
    INFO(line);
    if (row.size() == 11 && line.find('`') != std::string::npos) {
      check(row[6], row[7], 0, row[8]);
      check(row[6], row[7], 3, row[9]);
      ++of_the_paper;
    }
    if (row.size() == 8 && row[5].find_first_of("0123456789") == 0) {
      check(row[4], "", 0, row[5]);
      check(row[4], "", 3, row[6]);
      ++of_the_suite;
    }
  }
  CHECK(of_the_paper == 68);
  CHECK(of_the_suite == 36);
}

TEST_CASE("the rows of the page on Table III are those of the committed tables of CUDA 11.8 and 13.0") {
  const auto old_table = h200_with_cuda("11.8.89"), new_table = h200_with_cuda("13.0.88");
  const auto cycles_of = [](const std::vector<results::Record>& table, const std::string& ptx,
                            const std::string& input) {
    for (const auto& cell : table) {
      if (cell.ptx == ptx && cell.level == 3 && without_spaces(cell.input) == input)
        return text_of(cell.number(results::metric::cycles));
    }
    return std::string("no such row");
  };
  std::ifstream page(PTXLAT_SOURCE_DIR "/docs/findings/table-iii.md");
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    const auto row = markdown_row(line);
    if (row.size() != 7 || line.find('`') == std::string::npos) continue;
    INFO(line);
    const std::size_t at = row[0].find('.') == std::string::npos ? 1 : 0;  // after the name that the paper has for it
    CHECK(row[at + 2] == cycles_of(old_table, row[at], row[at + 1]));
    CHECK(row[at + 3] == cycles_of(new_table, row[at], row[at + 1]));
    ++rows;
  }
  CHECK(rows == 20);
}

TEST_CASE("the rows of the page on Table IV are those of the committed tables of CUDA 11.8 and 13.0") {
  using Key = std::tuple<std::string, std::string, std::string>;
  const auto functions_of = [](const std::string& version) {
    std::map<Key, results::Record> functions;
    for (const auto& cell : h200_with_cuda(version)) {
      if (!cell.chapter.starts_with("CUDA C")) continue;
      std::istringstream operands(cell.operand);  // that share the row
      for (std::string operand; operands >> operand;)
        functions.emplace(Key{without_spaces(cell.ptx), operand, without_spaces(cell.input)}, cell);
    }
    return functions;
  };
  const auto before = functions_of("11.8.89"), after = functions_of("13.0.88");
  const auto shown = [](const std::optional<double>& number) { return number ? text_of(number) : std::string("–"); };
  std::ifstream page(PTXLAT_SOURCE_DIR "/docs/findings/table-iv.md");
  int rows = 0;
  for (std::string line; std::getline(page, line);) {
    const auto row = markdown_row(line);
    if (row.size() != 8 || line.find('`') == std::string::npos) continue;
    INFO(line);
    const Key key{row[0], row[1], row[2]};
    const auto old_row = before.find(key), new_row = after.find(key);
    REQUIRE((old_row != before.end() && new_row != after.end()));
    CHECK(row[4] == shown(old_row->second.number(results::metric::cycles)));
    CHECK(row[5] == shown(new_row->second.number(results::metric::cycles)));
    CHECK(row[6] == shown(new_row->second.number(results::metric::issue)));
    ++rows;
  }
  CHECK(rows > 70);
}
