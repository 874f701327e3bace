// SPDX-License-Identifier: Apache-2.0

// How the program handles GPUs that a script describes (tests/standin/script.h): numbers that spread, lanes and
// processes that differ, code that is measured once, devices that run out of memory or die.
#include <fstream>
#include <map>

#include "ptxlat_program.h"
#include "tables/folder.h"

using namespace ptxlat;

namespace {

constexpr char popc[] = "popc.b32";

// Runs add.u32, popc.b32 and fma.rn.f32 at one level with a script.
struct Told {
  explicit Told(const std::string& script) {
    std::ofstream(program.folder() / "script.toml") << script;
    program.set("PTXLAT_STANDIN_SCRIPT", (program.folder() / "script.toml").string());
  }

  Ended run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"run",       "--filter", "/^(add.u32|popc.b32|fma.rn.f32)$/", "-O", "3",
                                       "--threads", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return program.run(arguments);
  }
  std::size_t processes() const { return lines_of(program.folder() / "script.toml.processes").size(); }

  // The cell of popc.b32; all others must be proven and have a number.
  results::Record popc_among_neighbours() const {
    results::Record found;
    for (const auto& cell : records_in(program.table())) {
      INFO(cell.ptx << " " << cell.operand << ": " << to_string(cell.verdict) << " " << cell.note);
      if (cell.ptx == popc) {
        found = cell;
        continue;
      }
      CHECK(cell.verdict == sass::Verdict::proven);
      CHECK(cell.number(results::metric::cycles));
    }
    REQUIRE(found.ptx == popc);
    UNSCOPED_INFO("popc.b32: " << to_string(found.verdict) << " " << found.note);
    return found;
  }

  PtxlatProgram program;
};

// Two forms that become the same machine code from different PTX, and one that does not.
constexpr char synonyms[] = R"(
chapter = "integer arithmetic"
section = "9.7.1"

[[op]]
name       = "first"
syntax     = "first.u32 {d:u32}, {a:u32}, {b:u32}"
around     = "add.u32 {d}, {a}, {b};"
dependence = ["a"]

[[op]]
name       = "second"
syntax     = "second.u32 {d:u32}, {a:u32}, {b:u32}"
around     = "add.s32 {d}, {a}, {b};"
dependence = ["a"]
inputs     = [{name = "nine", b = "9"}]

[[op]]
name       = "third"
syntax     = "third.u32 {d:u32}, {a:u32}, {b:u32}"
around     = "sub.u32 {d}, {a}, {b};"
dependence = ["a"]
)";

// Runs the synonyms and returns their cycles by form and input.
std::map<std::string, double> run_synonyms(const Told& told) {
  const auto mine = told.program.write_catalogue(synonyms);
  REQUIRE(told.program
              .run({"run", "--filter", "/^(first|second|third)/", "--catalogue", mine.string(), "-O", "3", "--threads",
                    "1", "--repeat", "0"})
              .status == 0);
  std::map<std::string, double> cycles;
  for (const auto& cell : records_in(told.program.table())) {
    INFO(cell.ptx << " " << cell.input << ": " << to_string(cell.verdict) << " " << cell.note);
    REQUIRE(cell.number(results::metric::cycles));
    cycles[cell.ptx.substr(0, cell.ptx.find('.')) + " " + cell.input] = *cell.number(results::metric::cycles);
  }
  for (const auto& [name, value] : cycles) UNSCOPED_INFO(name << ": " << value);
  return cycles;
}

}  // namespace

TEST_CASE("launches that spread widely make only their cell unstable") {
  Told told(R"(rule = [{kernel = "popc_b32", spread = [40, 90, 140, 190, 240, 290, 340, 390, 440]}])");
  told.program.require_tools();
  REQUIRE(told.run({"--repeat", "0"}).status == 0);
  const auto cell = told.popc_among_neighbours();
  CHECK(cell.verdict == sass::Verdict::unstable);
  CHECK_FALSE(cell.number(results::metric::cycles));
}

TEST_CASE("lanes that see different clocks are noted with their cell") {
  Told told(R"(rule = [
    {kernel = "^chain_twice_popc", lanes = [120, 124]},
    {kernel = "^(chain|differential)_popc", lanes = [80, 84]},
  ])");
  told.program.require_tools();
  REQUIRE(told.run({"--repeat", "0"}).status == 0);
  CHECK(has(told.popc_among_neighbours().note, "the lanes took different paths"));
}

TEST_CASE("a cell that a second process measures differently is reported and loses its number") {
  Told told(R"(rule = [{process = 1, kernel = "^(chain_twice|differential)_popc", cycles = 900}])");
  told.program.require_tools();
  const auto ended = told.run({"--repeat", "1"});
  REQUIRE(ended.status == 0);
  CHECK(told.processes() == 2);
  CHECK(has(ended.err, "repeated in a second process: 5 of 6 cells agree"));
  CHECK(has(ended.err, "differs: popc.b32 a"));
  const auto cell = told.popc_among_neighbours();
  CHECK(cell.verdict == sass::Verdict::unstable);
  CHECK_FALSE(cell.number(results::metric::cycles));
}

TEST_CASE("equal code on equal operands is measured once, different code or operands separately") {
  Told plain(""), told(R"(rule = [
    {kernel = "^(chain_twice|differential)_(first|second)_u32", operand = {index = 1, bits = 9}, cycles = 700},
    {kernel = "^(chain_twice|differential)_second_u32", cycles = 800},
    {kernel = "^(chain_twice|differential)_third_u32", cycles = 900},
  ])");
  told.program.require_tools();
  const auto by_schedule = run_synonyms(plain), cycles = run_synonyms(told);
  // The second form's kernels are never launched with the first one's operands, so no rule reaches them.
  CHECK(cycles.at("first ") == by_schedule.at("first "));
  CHECK(cycles.at("second ") == by_schedule.at("first "));
  CHECK(cycles.at("second nine") > 10 * by_schedule.at("second nine"));
  CHECK(cycles.at("third ") > cycles.at("second nine"));
}

TEST_CASE("a device without memory ends the run with the driver's words") {
  Told told("device = [{memory = 16}]");
  told.program.require_tools();
  const auto ended = told.run();
  CHECK(ended.status == 6);
  CHECK(has(ended.err, "CUDA_ERROR_OUT_OF_MEMORY: out of memory"));
}

TEST_CASE("a launch that runs out of memory costs its own cell") {
  Told told(R"(rule = [{kernel = "popc_b32", out_of_memory = true}])");
  told.program.require_tools();
  REQUIRE(told.run({"--repeat", "0"}).status == 0);
  const auto cell = told.popc_among_neighbours();
  CHECK(cell.verdict == sass::Verdict::fault);
  CHECK(has(cell.note, "CUDA_ERROR_OUT_OF_MEMORY"));
}

TEST_CASE("a kernel that ends its process costs its own cell") {
  for (const std::string how : {"exit", "crash"}) {
    INFO(how);
    Told told("rule = [{kernel = \"popc_b32\", die = \"" + how + "\"}]");
    told.program.require_tools();
    REQUIRE(told.run({"--repeat", "0"}).status == 0);
    const auto cell = told.popc_among_neighbours();
    CHECK(cell.verdict == sass::Verdict::fault);
    CHECK(has(cell.note, "the kernel died of signal 6") == (how == "crash"));
    CHECK(told.processes() > 1);
  }
}

TEST_CASE("a process that is killed once from outside costs nothing") {
  Told told(R"(rule = [{kernel = "^chain_popc", process = 0, launch = 2, die = "kill"}])");
  told.program.require_tools();
  REQUIRE(told.run({"--repeat", "0"}).status == 0);
  CHECK(told.processes() == 2);
  CHECK(told.popc_among_neighbours().verdict == sass::Verdict::proven);
}

TEST_CASE("of several devices the chosen one is measured") {
  Told told(R"(
    device = [{name = "Stand-in A"}, {name = "Stand-in B"}]
    rule = [{device = 1, kernel = "^(chain_twice|differential)_popc", cycles = 900}])");
  told.program.require_tools();
  std::map<std::string, double> cycles;
  for (const std::string device : {"0", "1"}) {
    REQUIRE(told.run({"--repeat", "0", "--device", device}).status == 0);
    const std::string name = device == "0" ? "stand-in-a" : "stand-in-b";
    const auto folder = told.program.folder() / "ptxlat-tables/sm_90" / name / "driver-0.0.standin";
    const auto table = tables::read_table(folder);
    REQUIRE(table.run.device);
    CHECK(table.run.device->name == (device == "0" ? "Stand-in A" : "Stand-in B"));
    for (const auto& cell : records_in(folder))
      if (cell.ptx == popc) cycles[device] = cell.number(results::metric::cycles).value_or(0);
  }
  CHECK(cycles["0"] > 0);
  CHECK(cycles["1"] > cycles["0"] + 100);
  const auto none = told.run({"--device", "2"});
  CHECK(none.status == 6);
  CHECK(has(none.err, "there is no GPU 2: the driver sees 2"));

  // As a batch system gives them.
  told.program.set("CUDA_VISIBLE_DEVICES", "1");
  std::filesystem::remove_all(told.program.folder() / "ptxlat-tables");
  std::filesystem::remove(told.program.store());
  REQUIRE(told.run({"--repeat", "0"}).status == 0);
  const auto folder = told.program.folder() / "ptxlat-tables/sm_90/stand-in-b/driver-0.0.standin";
  REQUIRE(std::filesystem::exists(folder));
  for (const auto& cell : records_in(folder))
    if (cell.ptx == popc) CHECK(cell.number(results::metric::cycles) == cycles["1"]);
}

TEST_CASE("a script with a mistake leaves no device and says where the mistake is") {
  Told told("[[rule]]\nkernel = \"popc\"\ncycle = 4\n");
  told.program.require_tools();
  const auto ended = told.run();
  CHECK(ended.status == 6);
  CHECK(has(ended.err, "script.toml:3: unknown key \"cycle\""));
}
