// SPDX-License-Identifier: Apache-2.0

// What no headline of a table may be made of: a window with a register-bank conflict, one whose second clock waits for
// a register, an access narrower than the instruction's; and fewer cycles than the schedule takes. The rules are tested
// here on records written by hand. Over the committed tables they run with `test_report "[table]"`.
#include <algorithm>
#include <filesystem>
#include <map>

#include "catch.h"
#include "sass/audit.h"
#include "sass/hidden_waits.h"
#include "tables/folder.h"

using namespace ptxlat;
using namespace ptxlat::tables;

namespace {

sass::Window window_from(const results::WindowRecord& record) {
  sass::Window window;
  for (const auto& line : record.sass) {
    sass::Instruction instruction;
    instruction.offset = line.offset;
    instruction.text = line.text;
    instruction.control = {line.stall_count,     line.yields,    line.write_scoreboard,
                           line.read_scoreboard, line.wait_mask, line.reuse};
    window.instructions.push_back(std::move(instruction));
  }
  return window;
}

// Bytes that a load or a store with this spelling moves for a lane: "ld.shared.v2.f32" 8; 0 for everything else.
int moved_bytes(const std::string& ptx) {
  const auto name = ptx.substr(0, ptx.find('.'));
  if (name != "ld" && name != "ldu" && name != "st") return 0;
  const auto type = ptx.substr(ptx.rfind('.') + 1);
  const auto digit = type.find_first_of("0123456789");
  if (digit == std::string::npos || type.find_first_not_of("0123456789", digit) != std::string::npos) return 0;
  int bytes = std::stoi(type.substr(digit)) / 8;
  for (const int elements : {2, 4, 8}) {
    if (ptx.find(".v" + std::to_string(elements) + ".") != std::string::npos) bytes *= elements;
  }
  return bytes;
}

// What is wrong with the windows that the cell's headline is made of, one line each.
std::vector<std::string> faults_of(const results::Record& cell) {
  const auto* cycles = cell.find(results::metric::cycles);
  if (cycles == nullptr) return {};
  std::vector<std::string> faults;
  const auto add = [&](const std::string& role, const std::string& fault) {
    if (!fault.empty()) faults.push_back(role + ": " + fault);
  };
  for (const auto& record : cell.windows) {
    if (std::find(cycles->from.begin(), cycles->from.end(), record.role) == cycles->from.end()) continue;
    const auto window = window_from(record);
    add(record.role, sass::bank_conflict(window));
    add(record.role, sass::clock_waits(window));
  }
  add("sass", sass::narrowed_access(cell.sass, moved_bytes(cell.ptx)));
  return faults;
}

// Tables in a csv have no flags.
bool branches(const results::Record& cell) {
  return cell.has_flag(results::flag::branches) || cell.note.find("branches") != std::string::npos;
}

bool is_below_schedule(const results::Record& cell) {
  const auto cycles = cell.number(results::metric::cycles), least = cell.number(results::metric::static_cycles);
  return cycles && least && *cycles < *least && !branches(cell);
}

results::SassRecord line(const std::string& text, int stall_count, int write_scoreboard = 7, int wait_mask = 0,
                         int read_scoreboard = 7) {
  results::SassRecord record;
  record.text = text;
  record.stall_count = stall_count;
  record.write_scoreboard = write_scoreboard;
  record.wait_mask = wait_mask;
  record.read_scoreboard = read_scoreboard;
  return record;
}

// A cell whose differential leads.
results::Record cell_of(const std::string& ptx, const std::vector<results::SassRecord>& code) {
  results::Record cell;
  cell.ptx = ptx;
  cell.sass = {"LDS.64"};
  results::WindowRecord window;
  window.role = "differential";
  window.sass = code;
  cell.windows = {window};
  cell.set(results::metric::cycles, 8, {"differential", "differential base"});
  cell.set(results::metric::static_cycles, 6);
  return cell;
}

const results::SassRecord first_clock = line("CS2R.32 R12, SR_CLOCKLO", 2),
                          second_clock = line("CS2R.32 R13, SR_CLOCKLO", 5);
const std::vector<results::SassRecord> conflict = {first_clock, line("LOP3.LUT R11, R6, R8, RZ, 0xc0, !PT", 2),
                                                   line("LOP3.LUT R7, R7, R9, RZ, 0xc0, !PT", 4),
                                                   line("IADD3 R7, R10, R11, R7", 2), second_clock};
const std::vector<results::SassRecord> waiting = {first_clock, line("SHFL.BFLY PT, R16, R13, R14, 0x1f", 2, 1, 0, 0),
                                                  line("CS2R.32 R13, SR_CLOCKLO", 5, 7, 1)};

}  // namespace

TEST_CASE("a headline's windows have no register-bank conflict, no waiting clock and no narrowed access") {
  CHECK(faults_of(cell_of("and.b64", conflict)).size() == 1);
  CHECK(faults_of(cell_of("shfl.sync.bfly.b32", waiting)).size() == 1);
  CHECK(faults_of(cell_of("ld.shared.b128", {first_clock, second_clock})).size() == 1);
  CHECK(faults_of(cell_of("ld.shared.v2.f64", {first_clock, second_clock})).size() == 1);
  CHECK(faults_of(cell_of("ld.shared.v2.f32", {first_clock, second_clock})).empty());
  INFO("of another window it does not matter");
  auto chained = cell_of("and.b64", conflict);
  chained.set(results::metric::cycles, 6, {"chain", "chain twice"});
  CHECK(faults_of(chained).empty());
}

TEST_CASE("no headline is below what its schedule takes, unless the code branches") {
  auto cell = cell_of("membar.cta", {});
  CHECK_FALSE(is_below_schedule(cell));
  cell.set(results::metric::cycles, 5);
  CHECK(is_below_schedule(cell));
  cell.note = "it branches: static is the sum of the straight line";
  CHECK_FALSE(is_below_schedule(cell));
}

TEST_CASE("no headline of a committed table is made of such windows") {
  const Table table = read_table(PTXLAT_SOURCE_DIR "/tables/sm_90/nvidia-h200/driver-580.159.04");
  std::vector<const Cell*> cells;
  for (const Cell& cell : table.cells) cells.push_back(&cell);
  for (const auto& cell : whole_records(table, cells)) {
    for (const auto& fault : faults_of(cell)) {
      INFO(cell.ptx << " " << cell.operand << " " << cell.input << " O" << cell.level << " " << fault);
      CHECK(fault.empty());
    }
  }
}

TEST_CASE("no headline of a committed table is below what its schedule takes") {
  for (const auto& folder : std::filesystem::directory_iterator(PTXLAT_SOURCE_DIR "/tables/sm_90/nvidia-h200")) {
    const Table table = read_table(folder.path());
    if (table.spellings.empty()) continue;  // older than the rule
    for (const Cell& cell : table.cells) {
      INFO(folder.path().filename().string() << ": " << cell.record.ptx << " " << cell.record.operand << " "
                                             << cell.record.input << " O" << cell.record.level);
      CHECK_FALSE(is_below_schedule(cell.record));
    }
  }
}
