// SPDX-License-Identifier: Apache-2.0

// `kill -9` at any moment, then the same command again: the same table, and no finished cell measured twice.
#include <random>
#include <set>
#include <sstream>

#include "ptxlat_program.h"
#include "report/table.h"
#include "results/store.h"

using namespace ptxlat;

namespace {

// More cells than one chunk of the line holds, so that some are finished while others are not.
const std::vector<std::string> several_chunks{"run",        "--filter", "/^(add|sub|and|min|fma)\\./",
                                              "-O",         "3",        "--threads",
                                              "2",          "--repeat", "0",
                                              "--launches", "3",        "--format",
                                              "none"};

struct Undisturbed {
  std::string csv;
  std::chrono::steady_clock::duration time{};
};

const Undisturbed& undisturbed() {
  static const Undisturbed run = [] {
    PtxlatProgram program;
    program.require_tools();
    const auto begin = std::chrono::steady_clock::now();
    REQUIRE(program.run(several_chunks).status == 0);
    return Undisturbed{program.csv(), std::chrono::steady_clock::now() - begin};
  }();
  return run;
}

const std::string& undisturbed_csv() { return undisturbed().csv; }

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

// Finishes the interrupted run, and checks that cells in the store were left alone.
void check_continuation(PtxlatProgram& program) {
  std::set<CellName> finished;
  if (std::filesystem::exists(program.store()))
    finished = cells_of(results::Store(program.store())
                            .records("sm_90/stand-in-h200/driver-0.0.standin", results::RecordKind::latency));
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
  for (int i = 0; i < 500 && alive(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(alive());
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
  const auto child = program.start(several_chunks);
  signal_in_mid_run(program, child, SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // or the system would make one of them
  ::kill(child, SIGINT);  // as `timeout` does, to the program and to its process group
  SECTION("at once") {
    CHECK(says(program.wait_for(child), "every finished cell is kept"));
    program.set("PTXLAT_STANDIN_DELAY_MS", "0");
    check_continuation(program);
  }
  SECTION("later") {
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
  auto command = several_chunks;
  *(std::find(command.begin(), command.end(), "--threads") + 1) = "16";
  const auto child = program.start(command);
  std::this_thread::sleep_for(std::chrono::seconds(4));
  REQUIRE_FALSE(has_ended(child));
  const auto begin = std::chrono::steady_clock::now();
  ::kill(child, SIGINT);
  while (!has_ended(child) && std::chrono::steady_clock::now() - begin < std::chrono::seconds(40))
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(has_ended(child));
  ::kill(child, SIGKILL);
  CHECK(program.wait_for(child).status == 130);
  program.set("PTXLAT_STANDIN_DELAY_MS", "0");
  check_continuation(program);
}

TEST_CASE("a run that is killed again and again makes progress and leaves no files behind") {
  PtxlatProgram program;
  program.require_tools();
  const auto temporary = program.folder() / "temporary";
  std::filesystem::create_directory(temporary);
  program.set("TMPDIR", temporary.string());
  // Enough to start and to finish a chunk, not enough for all of them.
  const auto pause = undisturbed().time * 2 / 3;
  bool has_ended_by_itself = false;
  for (int round = 0; round < 12 && !has_ended_by_itself; ++round) {
    const auto child = program.start(several_chunks);
    const auto deadline = std::chrono::steady_clock::now() + pause;
    while (!has_ended(child) && std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
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
