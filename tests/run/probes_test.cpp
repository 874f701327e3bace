// SPDX-License-Identifier: Apache-2.0
#include "run/probes.h"

#include "../line/literal_assembler.h"
#include "../results/execute_sql.h"
#include "../results/test_folder.h"
#include "../worker/environment.h"
#include "catch.h"
#include "run/provenance.h"

using namespace ptxlat;
using namespace ptxlat::run;

namespace {

// One instruction between the clocks.
probe::Probe probe_of(const std::string& name) {
  probe::Probe probe;
  probe.name = name;
  probe.series = "latency";
  probe.opcodes = {{"IADD3", "1"}};
  probe.kernel = "{{name}}\n  mov.u32 %clock_1, %clock;\n  x %a;\n  mov.u32 %clock_2, %clock;\n";
  probe.text = probe.kernel + name;
  return probe;
}

struct ProbeTables {
  TestFolder folder;
  results::Store store{folder.path / "ptxlat.sqlite"};
  Environment environment;
  worker::Worker worker{test_options()};
  std::vector<probe::Probe> probes{probe_of("a"), probe_of("b"), probe_of("c")};
  std::size_t finished = 0;

  MadeProbes make(const std::vector<std::size_t>& wanted, const std::atomic<bool>* interrupted = nullptr) {
    std::vector<const probe::Probe*> chosen;
    for (const auto index : wanted) chosen.push_back(&probes[index]);
    const assemble::Toolchain toolchain{assemble::ToolchainKind::ptxas, "ptxas-13.0.88", "13.0.88", {}, 9, 0};
    const isa::Target target{90, ""};
    ProbeJob job{.toolchain = toolchain,
                 .target = target,
                 .run = begin_run(toolchain, target, std::nullopt),
                 .plan = probe::plan_probes(chosen, 3),
                 .disassembler = std::make_unique<LiteralDisassembler>(),
                 .assemblers = {}};
    job.assemblers.push_back(std::make_unique<LiteralAssembler>());
    finished = 0;
    return make_probes(job, store, worker, interrupted, [this](std::size_t count) { finished += count; });
  }
};

}  // namespace

TEST_CASE("probes that the store has are not made again, and each record names the run that made it") {
  ProbeTables tables;
  const auto first = tables.make({0, 2});
  CHECK(first.completed);
  CHECK(first.made == 2);
  CHECK(tables.finished == 2);
  REQUIRE(first.wanted.size() == 2);
  for (const auto& record : first.wanted) {
    CHECK(record.verdict == sass::Verdict::proven);
    CHECK(record.run == first.run.id);
    REQUIRE(record.series.size() == 1);
    CHECK(record.series[0].values == std::vector<std::optional<double>>{5});
  }
  const auto second = tables.make({0, 1});
  CHECK(second.made == 1);
  INFO("those that are there count as done");
  CHECK(tables.finished == 2);
  CHECK(tables.store.records(second.run.table, results::RecordKind::probe).size() == 3);
  REQUIRE(second.wanted.size() == 2);
  CHECK(second.wanted[0].ptx == "a");
  CHECK(second.wanted[0].run == first.run.id);
  CHECK(second.wanted[1].ptx == "b");
  CHECK(second.wanted[1].run == second.run.id);
}

TEST_CASE("a probe whose file has changed is made again") {
  ProbeTables tables;
  tables.make({0});
  tables.probes[0].text += "# another rule";
  CHECK(tables.make({0}).made == 1);
  CHECK(tables.make({0}).made == 0);
}

TEST_CASE("a run that was interrupted says so, and the one that continues it does not") {
  ProbeTables tables;
  const std::atomic<bool> interrupted = true;
  CHECK_FALSE(tables.make({0, 1}, &interrupted).completed);
  CHECK(tables.store.newest_runs().back().was_interrupted);
  CHECK_FALSE(tables.store.newest_runs().back().is_finished());
  CHECK(tables.make({0, 1}).completed);
  CHECK(tables.store.newest_runs().back().is_finished());
}

TEST_CASE("probes are not measured into a store with a damaged run") {
  ProbeTables tables;
  tables.make({0});
  execute(tables.store.file(), "UPDATE runs SET run = '{'");
  CHECK_THROWS_AS(tables.make({1}), Error);
  CHECK(tables.finished == 0);
}
