// SPDX-License-Identifier: Apache-2.0

// Several GPUs of one machine, all of them the stand-in's (tests/standin/script.h).
#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "ptxlat_program.h"
#include "text.h"

using namespace ptxlat;

namespace {

constexpr char four[] = R"(
[[device]]
[[device]]
uuid = "01010203-0405-0607-0809-0a0b0c0d0e0f"
[[device]]
uuid = "02010203-0405-0607-0809-0a0b0c0d0e0f"
[[device]]
uuid = "03010203-0405-0607-0809-0a0b0c0d0e0f"
)";
const std::string third = "GPU-02010203-0405-0607-0809-0a0b0c0d0e0f";

// Of the only table there.
std::string run_json_below(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == "run.json") return content_of(entry.path());
  }
  return {};
}

struct Machine {
  explicit Machine(const std::string& script) {
    program.require_tools();
    std::ofstream(program.folder() / "script.toml") << script;
    program.set("PTXLAT_STANDIN_SCRIPT", (program.folder() / "script.toml").string());
    // Each kernel takes a while, so that the GPUs take turns.
    program.set("PTXLAT_STANDIN_DELAY_MS", "1");
  }

  Ended run(const std::string& devices, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"run", "--devices", devices, "--format", "none", "--threads", "4", "-O", "3"};
    arguments.insert(arguments.end(), {"--filter", "/^(add|sub|popc)\\.[bsu]/"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return program.run(arguments);
  }

  // How many of the table's records each GPU measured.
  std::map<std::string, int> share_of_each() const {
    const auto table = tables::read_table(program.table());
    std::map<int, std::string> gpu_of_run;
    for (const auto& run : table.runs) gpu_of_run[run.id] = run.device->uuid;
    std::map<std::string, int> shares;
    for (const auto& record : records_in(program.table())) {
      if (record.number(results::metric::cycles)) ++shares[gpu_of_run[record.run]];
    }
    return shares;
  }

  PtxlatProgram program;
};

// The table of one healthy GPU.
const std::string& healthy_csv() {
  static const std::string csv = [] {
    Machine machine(four);
    REQUIRE(machine.run("0").status == 0);
    CHECK(machine.share_of_each().size() == 1);
    return machine.program.csv();
  }();
  return csv;
}

}  // namespace

TEST_CASE("GPUs of one kind share a table, and each cell says which one measured it") {
  Machine all(four);
  REQUIRE(all.run("all").status == 0);
  CHECK(all.program.csv() == healthy_csv());
  CHECK(all.share_of_each().size() == 4);
}

TEST_CASE("a GPU that dies costs no cell: the others repeat its work") {
  const std::string dies = "[[rule]]\ndevice = 2\nlaunch = 5\ndie = \"gpu\"\n";
  Machine machine(four + dies);
  const auto ended = machine.run("0,1,2,3");
  REQUIRE(ended.status == 0);
  CHECK(has(ended.err, third + ") no longer answers"));
  CHECK(machine.program.csv() == healthy_csv());
  CHECK(machine.share_of_each().count(third) == 0);
  CHECK(machine.share_of_each().size() == 3);
}

TEST_CASE("the first GPU may die too, although the driver assembles there") {
  Machine machine(std::string(four) + "[[rule]]\ndevice = 0\nlaunch = 5\ndie = \"gpu\"\n");
  REQUIRE(machine.run("0,1").status == 0);
  CHECK(machine.program.csv() == healthy_csv());
}

TEST_CASE("if all GPUs die, the run keeps what it has, and the next one continues") {
  Machine machine(std::string(four) + "[[rule]]\nlaunch = 5\ndie = \"gpu\"\n");
  CHECK(machine.run("0,1").status == static_cast<int>(ExitCode::no_gpu));
  for (const char* number : {"0", "1"})
    std::filesystem::remove(machine.program.folder() / ("script.toml.gone." + std::string(number)));
  std::ofstream(machine.program.folder() / "script.toml") << four;
  REQUIRE(machine.run("0,1").status == 0);
  CHECK(machine.program.csv() == healthy_csv());
}

TEST_CASE("different kinds get a table each") {
  const std::string script =
      std::string(four) + "[[device]]\nname = \"Stand-in H100\"\nuuid = \"04010203-0405-0607-0809-0a0b0c0d0e0f\"\n";
  Machine machine(script);
  REQUIRE(machine.run("1,4").status == 0);
  CHECK(std::filesystem::exists(machine.program.table() / "latency.csv"));
  CHECK(std::filesystem::exists(machine.program.folder() /
                                "ptxlat-tables/sm_90/stand-in-h100/driver-0.0.standin/latency.csv"));
}

TEST_CASE("a GPU that nothing here knows runs older code of its major number, and the table says so") {
  const auto run_on = [](int sm, const std::vector<std::string>& arguments) {
    Machine machine(fmt::format("[[device]]\nname = \"New\"\nsm = {}\n", sm));
    auto ended = machine.program.run(arguments);
    const auto folder = machine.program.folder() / "ptxlat-tables" / fmt::format("sm_{}", sm);
    return std::pair(ended, std::filesystem::exists(folder) ? run_json_below(folder) : std::string());
  };
  const std::vector<std::string> run = {"run", "--filter", "popc.b32", "-O", "3", "--tables", "ptxlat-tables"};
  const auto [runs, table] = run_on(122, run);
  INFO(runs.err);
  CHECK(runs.status == 0);
  CHECK_THAT(table, Catch::Matchers::Contains("The machine code is of sm_121, which runs on sm_122"));
  const auto [known, whole] = run_on(122, {"doctor"});
  CHECK_THAT(known.out, Catch::Matchers::Contains("what measures takes code of sm_121"));

  const auto [fails, nothing] = run_on(130, run);
  CHECK(fails.status == static_cast<int>(ExitCode::missing_tool));
  CHECK_THAT(fails.err, Catch::Matchers::Contains("`measure --static` work"));
  CHECK(nothing.empty());
  const auto [unknown, none] = run_on(130, {"doctor"});
  CHECK_THAT(unknown.out, Catch::Matchers::Contains("nothing can be measured on New"));
}

TEST_CASE("GPUs of one kind that disagree are found by the repeated sample") {
  Machine machine(std::string(four) +
                  "[[rule]]\ndevice = 1\nkernel = \"^(differential|chain_twice)_popc\"\ncycles = 900\n");
  const auto ended = machine.run("0,1", {"--repeat", "1"});
  REQUIRE(ended.status == 0);
  const auto records = records_in(machine.program.table());
  const auto popc = std::find_if(records.begin(), records.end(), [](const auto& r) { return r.ptx == "popc.b32"; });
  REQUIRE(popc != records.end());
  INFO(popc->note);
  CHECK(popc->verdict == sass::Verdict::unstable);
  CHECK(popc->has_flag(results::flag::gpus_differ));
  CHECK(has(popc->note, "GPU-01010203"));
}

TEST_CASE("what leaves the SM is measured on each GPU and compared by device") {
  // The longer the line's number, the longer the load: each GPU has its own distances.
  const auto far = [](int device, int first) {
    return "[[rule]]\ndevice = " + std::to_string(device) + "\nkernel = \"_ld_global_u32\"\nspread = [" +
           std::to_string(first) + ", " + std::to_string(first + 20) + ", " + std::to_string(first + 40) + "]\n";
  };
  Machine machine(std::string(four) + far(0, 500) + far(1, 700));
  REQUIRE(machine.program
              .run({"run", "--devices", "0,1", "--format", "none", "--filter", "ld.global.u32", "--filter", "add.u32",
                    "-O", "3", "--repeat", "0"})
              .status == 0);
  const auto own = machine.program.table() / "gpus/GPU-01010203-0405-0607-0809-0a0b0c0d0e0f";
  REQUIRE(std::filesystem::exists(own / "latency.csv"));
  for (const auto& record : records_in(own)) CHECK(record.ptx == "ld.global.u32");
  const auto compared =
      machine.program.run({"compare", "--by", "device", machine.program.table().string(), "--format", "csv"});
  REQUIRE(compared.status == 0);
  INFO(compared.out);
  CHECK(has(compared.out, "ld.global.u32"));
  CHECK_FALSE(has(compared.out, "add.u32"));
}

TEST_CASE("probes run on each GPU, and the facts of the further ones are in tables of their own") {
  Machine machine(four);
  REQUIRE(machine.program.run({"probe", "branch", "--devices", "0,3", "--format", "none"}).status == 0);
  CHECK(std::filesystem::exists(machine.program.table() / "facts.csv"));
  CHECK(std::filesystem::exists(machine.program.table() / "gpus/GPU-03010203-0405-0607-0809-0a0b0c0d0e0f/facts.csv"));
}

TEST_CASE("a malformed list of GPUs is rejected, and a missing GPU is named") {
  Machine machine(four);
  CHECK(machine.run("some").status == static_cast<int>(ExitCode::usage));
  CHECK(machine.run("0,,1").status == static_cast<int>(ExitCode::usage));
  const auto ended = machine.run("0,7");
  CHECK(ended.status == static_cast<int>(ExitCode::no_gpu));
  CHECK(has(ended.err, "there is no GPU 7"));
}
