// SPDX-License-Identifier: Apache-2.0

// `kill -9` at any moment, then the same command again: the same table, and no finished cell measured twice.
#include <random>
#include <set>
#include <sstream>

#include "ptxlat_program.h"
#include "results/store.h"
#include "tables/table.h"
#include "wait_until.h"

using namespace ptxlat;

namespace {

// More cells than one chunk of the line holds, so that some are finished while others are not.
const std::vector<std::string> several_chunks{"run",        "--filter", "/^(add|sub|and|min|fma)\\./",
                                              "-O",         "3",        "--threads",
                                              "2",          "--repeat", "0",
                                              "--launches", "3",        "--format",
                                              "none"};

const std::string& undisturbed_csv() {
  static const std::string csv = [] {
    PtxlatProgram program;
    program.require_tools();
    REQUIRE(program.run(several_chunks).status == 0);
    return program.csv();
  }();
  return csv;
}

// Names the first line that differs, not two whole tables.
void check_same_table(const PtxlatProgram& program) {
  std::istringstream mine(program.csv()), wanted(undisturbed_csv());
  std::string line, wanted_line;
  while (std::getline(wanted, wanted_line)) {
    std::getline(mine, line);
    REQUIRE(line == wanted_line);
  }
  CHECK_FALSE(std::getline(mine, line));
}

// "bracket_add_u32_" for add.u32: how the kernels that are a form's own begin; what stands between the clocks of others
// (the overhead, the base) is shared.
std::string own_kernel(const std::string& ptx) {
  std::string name = ptx;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name + "_";
}

bool is_kernel_of(const std::string& kernel, const std::string& ptx) {
  for (const char* role : {"bracket_", "differential_", "chain_", "chain_twice_"}) {
    const auto start = role + own_kernel(ptx);
    // What follows is the kernel's number, or else it belongs to a form with a longer name.
    if (kernel.starts_with(start) && kernel.find_first_not_of("0123456789", start.size()) == std::string::npos)
      return true;
  }
  return false;
}

using CellName = std::tuple<std::string, std::string, std::string>;

std::set<CellName> cells_of(const std::vector<results::Record>& records) {
  std::set<CellName> cells;
  for (const auto& record : records) cells.emplace(record.ptx, record.operand, record.input);
  return cells;
}

std::set<CellName> finished_cells(const PtxlatProgram& program) {
  if (!std::filesystem::exists(program.store())) return {};
  return cells_of(
      results::Store(program.store()).records("sm_90/stand-in-h200/driver-0.0.standin", results::RecordKind::latency));
}

// A line of /proc/PID/status.
std::string status_of(pid_t process, const std::string& name) {
  for (const auto& line : lines_of("/proc/" + std::to_string(process) + "/status")) {
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  }
  return {};
}

// Whether a signal to the process was not delivered yet.
bool is_pending(pid_t process, int signal) {
  const auto pending = std::strtoull(status_of(process, "ShdPnd").c_str(), nullptr, 16);
  return (pending >> (signal - 1) & 1) != 0;
}

// Finishes the interrupted run, and checks that cells in the store were left alone.
void check_continuation(PtxlatProgram& program) {
  const auto finished = finished_cells(program);
  std::filesystem::remove(program.launch_log());
  REQUIRE(program.run(several_chunks).status == 0);
  check_same_table(program);

  std::set<std::string> complete, incomplete;
  for (const auto& cell : cells_of(records_in(program.table()))) {
    (finished.contains(cell) ? complete : incomplete).insert(std::get<0>(cell));
  }
  const auto log = lines_of(program.launch_log());
  const std::set<std::string> launched(log.begin(), log.end());
  for (const auto& ptx : complete) {
    if (incomplete.contains(ptx)) continue;
    for (const auto& kernel : launched) {
      if (is_kernel_of(kernel, ptx)) FAIL(ptx << " was finished and " << kernel << " ran again");
    }
  }
}

}  // namespace

TEST_CASE(
    "kill -9 of the supervisor at any moment: the same command makes the same table and measures no finished cell "
    "twice") {
  PtxlatProgram first;
  first.require_tools();
  undisturbed_csv();
  std::mt19937 random(2);
  for (int round = 0; round < 3; ++round) {
    PtxlatProgram program;
    program.require_tools();
    const auto child = program.start(several_chunks);
    if (round == 0) {
      signal_in_mid_run(program, child, SIGKILL);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 2500));
      ::kill(child, SIGKILL);
    }
    program.wait_for(child);
    check_continuation(program);
  }
}

TEST_CASE("workers die with a supervisor that is killed") {
  PtxlatProgram program;
  program.require_tools();
  const auto child = program.start(several_chunks);
  signal_in_mid_run(program, child, SIGSTOP);
  const auto workers = workers_of(child);
  ::kill(child, SIGKILL);
  program.wait_for(child);
  CHECK_FALSE(workers.empty());
  const auto alive = [&] {
    return std::any_of(workers.begin(), workers.end(), [](pid_t worker) {
      const auto stat = content_of("/proc/" + std::to_string(worker) + "/stat");
      return !stat.empty() && stat.find(") Z ") == std::string::npos;
    });
  };
  wait_until([&] { return !alive(); });
}

TEST_CASE("kill -9 of the workers in mid-run costs nothing") {
  PtxlatProgram first;
  first.require_tools();
  undisturbed_csv();
  std::mt19937 random(3);
  for (int round = 0; round < 2; ++round) {
    PtxlatProgram program;
    program.require_tools();
    const auto child = program.start(several_chunks);
    std::this_thread::sleep_for(std::chrono::milliseconds(200 + random() % 1000));
    std::size_t killed = 0;
    for (const auto worker : workers_of(child)) killed += ::kill(worker, SIGKILL) == 0 ? 1 : 0;
    INFO(killed << " workers were killed");
    const auto ended = program.wait_for(child);
    INFO(ended.err);
    CHECK(ended.status == 0);
    check_same_table(program);
  }
}

TEST_CASE("Ctrl-C ends with 130, keeps finished cells, and the same command continues") {
  PtxlatProgram program;
  program.require_tools();
  const auto child = program.start(several_chunks);
  signal_in_mid_run(program, child, SIGINT);
  const auto ended = program.wait_for(child);
  CHECK(ended.status == 130);
  CHECK(ended.err.find("every finished cell is kept in ptxlat.sqlite") != std::string::npos);
  check_continuation(program);
}

TEST_CASE("two signals at once are one request to end, and one that comes later ends the program at once") {
  PtxlatProgram program;
  program.require_tools();
  program.set("PTXLAT_STANDIN_DELAY_MS", "100");
  SECTION("at once") {
    program.set("PTXLAT_DEADLINE_FACTOR", "1");  // or chunks in progress are waited for longer
    const auto child = program.start(several_chunks);
    // As `timeout` does, to the program and to its process group; the system would make one of two of a kind.
    signal_in_mid_run(program, child, SIGSTOP);
    wait_until([&] { return has_ended(child) || status_of(child, "State").starts_with('T'); });
    ::kill(child, SIGINT);
    ::kill(child, SIGTERM);
    ::kill(child, SIGCONT);
    CHECK(says(program.wait_for(child), "every finished cell is kept"));
    program.set("PTXLAT_STANDIN_DELAY_MS", "0");
    check_continuation(program);
  }
  SECTION("later") {
    const auto child = program.start(several_chunks);
    signal_in_mid_run(program, child, SIGINT);
    wait_until([&] { return !is_pending(child, SIGINT); });
    std::this_thread::sleep_for(std::chrono::seconds(1));
    REQUIRE_FALSE(has_ended(child));
    ::kill(child, SIGINT);
    CHECK_FALSE(says(program.wait_for(child), "every finished cell is kept"));
  }
}

TEST_CASE("Ctrl-C does not wait long for chunks that need the GPU") {
  PtxlatProgram program;
  program.require_tools();
  program.set("PTXLAT_STANDIN_DELAY_MS", "400");  // then the chunks of 16 threads need minutes
  program.set("PTXLAT_DEADLINE_FACTOR", "1");     // of the 5 s that chunks may take
  auto command = several_chunks;
  *(std::find(command.begin(), command.end(), "--threads") + 1) = "16";
  const auto child = program.start(command);
  const auto launches = [&] { return lines_of(program.launch_log()).size(); };
  wait_until([&] { return has_ended(child) || launches() >= 8; });
  REQUIRE_FALSE(has_ended(child));
  const auto before = launches();
  ::kill(child, SIGINT);
  CHECK(program.wait_for(child).status == 130);
  CHECK(launches() - before < 100);  // thirteen of them take 5 s
  program.set("PTXLAT_STANDIN_DELAY_MS", "0");
  check_continuation(program);
}

TEST_CASE("a run that is killed again and again makes progress and leaves no files behind") {
  PtxlatProgram program;
  program.require_tools();
  const auto temporary = program.folder() / "temporary";
  std::filesystem::create_directory(temporary);
  program.set("TMPDIR", temporary.string());
  const auto all = static_cast<std::size_t>(std::count(undisturbed_csv().begin(), undisturbed_csv().end(), '\n'));
  bool has_ended_by_itself = false;
  for (int round = 0; round < 8 && !has_ended_by_itself; ++round) {
    const auto before = finished_cells(program).size();
    const auto child = program.start(several_chunks);
    wait_until([&] { return has_ended(child) || finished_cells(program).size() >= before + all / 4; });
    ::kill(child, SIGKILL);
    has_ended_by_itself = program.wait_for(child).status == 0;
  }
  CHECK(has_ended_by_itself);
  check_same_table(program);
  for (const auto& entry : std::filesystem::directory_iterator(temporary)) {
    // The stand-in driver's JIT, in a process that was killed, leaves its own, as a real driver may.
    const auto name = entry.path().filename().string();
    INFO(name << " is left");
    CHECK(name.starts_with("ptxlat-standin-"));
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(program.folder() / "ptxlat-tables"))
    CHECK_FALSE(entry.path().filename().string().starts_with('.'));
}
