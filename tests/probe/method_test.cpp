// SPDX-License-Identifier: Apache-2.0

// Probes down the line, with an assembler whose machine code is known and the stand-in driver.
#include "probe/method.h"

#include "../line/literal_assembler.h"
#include "../worker/environment.h"
#include "catch.h"
#include "isa/rule.h"

using namespace ptxlat;
using namespace ptxlat::probe;
using Values = std::vector<std::optional<double>>;

namespace {

// Instructions of 4 cycles, after a clock read of 1.
Probe chain_probe() {
  Probe probe;
  probe.name = "chain";
  probe.axes = {{"steps", "", {1, 2, 4}}};
  probe.threads = "32";
  probe.count = "steps";
  probe.series = "latency";
  probe.opcodes = {{"IADD3", "steps"}};
  probe.kernel = "{{name}}\n  mov.u32 %clock_1, %clock;\n{{#i steps}}  x %a;\n{{/}}  mov.u32 %clock_2, %clock;\n";
  probe.text = probe.kernel;
  return probe;
}

struct ProbeBench {
  Environment environment;
  worker::Worker worker{test_options()};
  LiteralAssembler assembler;
  LiteralDisassembler disassembler;
  assemble::Toolchain toolchain{assemble::ToolchainKind::ptxas, "ptxas-13.0.88", "13.0.88", {}, 9, 0};

  std::vector<results::Record> make(const std::vector<const Probe*>& probes, worker::Worker* on,
                                    const Names& device = {}) {
    return make(probes, on, device, assembler);
  }
  std::vector<results::Record> make(const std::vector<const Probe*>& probes, worker::Worker* on, const Names& device,
                                    line::KernelAssembler& with) {
    const auto plan = plan_probes(probes, 3, device);
    std::vector<line::Cell> cells;
    for (std::size_t i = 0; i < plan.size(); ++i) cells.push_back({i, 3, plan[i].ptx_bytes});
    const auto workers = on == nullptr ? std::vector<worker::Worker*>{} : std::vector{on};
    const line::Line line{.toolchain = toolchain, .target = {90, ""}, .disassembler = disassembler, .workers = workers};
    line::Gpus gpus(workers);
    line::Interruption interruption(line.interrupted);
    line::Bench bench(line, with, gpus, interruption, 3);
    return ProbeMethod(plan, [this](const auto& name, const auto& log) { logs[name] = log; }).make(bench, cells);
  }
  results::Record make(const Probe& probe) { return make({&probe}, &worker).at(0); }
  std::map<std::string, std::string> logs;
};

}  // namespace

TEST_CASE("a probe becomes a record with a series, its points' machine code shown") {
  ProbeBench bench;
  const auto record = bench.make(chain_probe());
  INFO(record.note);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.kind == results::RecordKind::probe);
  CHECK(record.ptx == "chain");
  CHECK(record.level == 3);
  REQUIRE(record.series.size() == 1);
  CHECK(record.series[0].name == "latency");
  CHECK(record.series[0].values == Values{5, 4.5, 4.25});
  REQUIRE(record.windows.size() == 3);
  CHECK(record.windows[1].role == "steps=2");
  CHECK(record.windows[1].sass.size() == 4);
}

TEST_CASE("each round of a probe is launched by itself, all of its points before the next") {
  ProbeBench bench;
  auto probe = chain_probe();
  probe.rounds = 2;
  const auto record = bench.make(probe);
  REQUIRE(record.series.size() == 1);
  const auto& series = record.series[0];
  REQUIRE(series.axes.size() == 2);
  CHECK(series.axes[0] == results::Axis{"round", "", {1, 2}});
  CHECK(series.values == Values{5, 4.5, 4.25, 5, 4.5, 4.25});
  INFO("the machine code is the same");
  CHECK(record.windows.size() == 3);
}

TEST_CASE("rounds share as many processes as the probe wants") {
  ProbeBench bench;
  auto probe = chain_probe();
  probe.rounds = 4;
  const auto in_one = bench.make(probe);
  CHECK(bench.worker.times().processes == 1);
  probe.processes = 2;
  const auto in_two = bench.make(probe);
  CHECK(bench.worker.times().processes == 2);
  CHECK(in_two.series[0].values == in_one.series[0].values);
}

TEST_CASE("a point whose machine code is wrong has no value, and the record says which") {
  ProbeBench bench;
  auto probe = chain_probe();
  probe.opcodes = {{"IADD3", "2"}};
  const auto record = bench.make(probe);
  CHECK(record.verdict == sass::Verdict::elided);
  CHECK(record.note == "steps=1: 1 IADD3 instead of 2");
  REQUIRE(record.series.size() == 1);
  CHECK(record.series[0].values == Values{std::nullopt, 4.5, std::nullopt});
}

TEST_CASE("a fault costs its own point") {
  ProbeBench bench;
  bench.environment.set("PTXLAT_STANDIN_FAULT", "steps_2");
  const auto record = bench.make(chain_probe());
  CHECK(record.verdict == sass::Verdict::fault);
  CHECK_THAT(record.note, Catch::Matchers::Contains("steps=2: CUDA_ERROR_ILLEGAL_ADDRESS"));
  REQUIRE(record.series.size() == 1);
  CHECK(record.series[0].values == Values{5, std::nullopt, 4.25});
}

TEST_CASE("a point at which the assembler failed is made again with its probe") {
  struct FailingAssembler : LiteralAssembler {
    bool fails = false;
    assemble::BatchOutcome assemble(const std::vector<line::NamedKernel>& kernels, int level) override {
      auto outcome = LiteralAssembler::assemble(kernels, level);
      outcome.kernels[1] = {std::nullopt, {}, "the assembler failed: or so it says", fails};
      return outcome;
    }
  } assembler;
  const auto probe = chain_probe();
  ProbeBench bench;
  CHECK(is_final(bench.make({&probe}, nullptr, {}, assembler).at(0)));
  assembler.fails = true;
  const auto record = bench.make({&probe}, nullptr, {}, assembler).at(0);
  CHECK(record.verdict == sass::Verdict::rejected);
  CHECK(record.flags == std::vector<std::string>{results::flag::retry});
}

TEST_CASE("a probe that the target or the toolchain does not have is unsupported") {
  ProbeBench bench;
  auto newer = chain_probe(), elsewhere = chain_probe();
  newer.requirement.ptx_major = 99;
  CHECK(bench.make(newer).verdict == sass::Verdict::unsupported);
  CHECK(bench.make(newer).note == "needs PTX 99.0");
  REQUIRE(isa::read_targets("sm_100a", elsewhere.requirement));
  CHECK(bench.make(elsewhere).note == "needs sm_100a");
}

TEST_CASE("a launch that the driver rejects is a point without a value, if a probe may fail") {
  ProbeBench bench;
  auto probe = chain_probe();
  probe.dynamic_shared = "steps / 2 * 200 * 1024";  // 0, 200 KiB, and more than there is
  CHECK(bench.make(probe).verdict == sass::Verdict::fault);
  probe.may_fail = true;
  const auto record = bench.make(probe);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.note.empty());
  CHECK(record.series.at(0).values == Values{5, 4.5, std::nullopt});
}

TEST_CASE(
    "a launch that does not end is a value, if a probe may hang, and a kernel that stores nothing is still a fault") {
  ProbeBench bench;
  auto probe = chain_probe();
  probe.reader = "words";
  probe.words = {0, 1};
  probe.may_hang = true;
  bench.environment.set("PTXLAT_STANDIN_HANG", "steps_2");
  auto impatient = test_options();
  impatient.kernel_deadline = std::chrono::seconds(3);  // for a moment's work of those that do end
  worker::Worker worker(impatient);
  const auto record = bench.make({&probe}, &worker).at(0);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK_THAT(record.note, Catch::Matchers::Contains("steps=2: "));
  const auto& values = record.series.at(0).values;
  REQUIRE(values.size() == 6);
  CHECK(values[2] == hung);
  CHECK_FALSE(values[3]);
  CHECK(values[4]);
  probe.words = {14};
  CHECK(bench.make({&probe}, &worker).at(0).verdict == sass::Verdict::fault);
}

TEST_CASE("a launch that traps is a value, if a probe may hang, and one that faults is not") {
  ProbeBench bench;
  auto probe = chain_probe();
  probe.reader = "words";
  probe.words = {0, 1};
  probe.may_hang = true;
  bench.environment.set("PTXLAT_STANDIN_TRAP", "steps_2");
  const auto trapped = bench.make(probe);
  CHECK(trapped.verdict == sass::Verdict::proven);
  CHECK(trapped.series.at(0).values.at(2) == hung);
  bench.environment.set("PTXLAT_STANDIN_TRAP", "nothing");
  bench.environment.set("PTXLAT_STANDIN_FAULT", "steps_2");
  worker::Worker other(test_options());
  CHECK(bench.make({&probe}, &other).at(0).verdict == sass::Verdict::fault);
}

TEST_CASE("the facts that a probe's file asks for are read off its series") {
  ProbeBench bench;
  auto probe = chain_probe();
  series::FactRule least;
  least.quantity = "chain.least";
  least.model = "minimum";
  least.how = "a chain";
  auto each = least;
  each.quantity = "chain.each";
  each.model = "median";
  each.by = {"steps"};
  probe.facts = {least, each};
  const auto record = bench.make(probe);
  REQUIRE(record.facts.size() == 4);
  CHECK(record.facts[0].quantity == "chain.least");
  CHECK(record.facts[0].value == "4.25");
  CHECK(record.facts[1].condition == "steps=1");
  CHECK(record.facts[1].value == "5");
  probe.opcodes = {{"IADD3", "2"}};
  const auto elided = bench.make(probe);
  REQUIRE(elided.facts.size() == 4);
  INFO("a point that is not run has no fact, and the others keep theirs");
  CHECK(elided.facts[1].verdict == results::FactVerdict::undetermined);
  CHECK(elided.facts[2].value == "4.5");
  INFO("without a GPU there is no series");
  CHECK(bench.make({&probe}, nullptr).at(0).facts.empty());
}

TEST_CASE("a given fact needs no series, and is undetermined if the driver does not report it") {
  ProbeBench bench;
  auto probe = chain_probe();
  series::FactRule given;
  given.quantity = "bw.ideal";
  given.model = "given";
  given.value = "2 * memory_bus_bits / 8";
  given.unit = "GB/s";
  given.scope = "card";
  given.how = "two edges";
  probe.facts = {given};
  const auto record = bench.make({&probe}, &bench.worker, {{"memory_bus_bits", 6144}}).at(0);
  REQUIRE(record.facts.size() == 1);
  CHECK(record.facts[0].value == "1536");
  CHECK(record.facts[0].low == 1536);
  CHECK(record.facts[0].unit == "GB/s");
  CHECK(record.facts[0].scope == "card");
  CHECK(record.facts[0].verdict == results::FactVerdict::measured);
  CHECK(record.facts[0].how == "two edges");
  const auto unknown = bench.make({&probe}, nullptr, {{"memory_bus_bits", 0}}).at(0).facts.at(0);
  CHECK(unknown.value.empty());
  CHECK(unknown.verdict == results::FactVerdict::undetermined);
  CHECK(unknown.how == "two edges; the driver does not report it");
}

TEST_CASE("an inference asks the GPU and ends in facts under its condition") {
  ProbeBench bench;
  auto probe = chain_probe();
  probe.axes = {{"carveout_percent", "", {100, 80}}};
  probe.constants["steps"] = "1";
  probe.threads = "512";
  probe.words = {0, 1, 2, 3, 4, 5, 6, 7};
  probe.buffers = {{ptx::Buffer::Contents::zeros, "65536", "0", "1", "0"}};
  probe.infer = ProbeInference{"cache", "l1", "65536"};
  probe.infer->conditional = {"sector_bytes", "policy"};
  probe.infer->leaves_out = {"ways"};
  const auto record = bench.make(probe);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.series.empty());
  const auto of = [&](const std::string& quantity) {
    return std::count_if(record.facts.begin(), record.facts.end(),
                         [&](const results::Fact& fact) { return fact.quantity == quantity; });
  };
  CHECK(of("l1.sector_bytes") == 2);
  CHECK(of("l1.line_bytes") == 1);
  CHECK(of("l1.ways") == 0);
  REQUIRE_FALSE(record.facts.empty());
  CHECK(record.facts.front().condition == "carveout_percent=100");
  REQUIRE(bench.logs.size() == 2);
  CHECK_THAT(bench.logs.at("chain carveout_percent=80"), Catch::Matchers::StartsWith("{\"kind\":\"cache\""));
  CHECK(record.facts.back().condition == "carveout_percent=80");
  for (const auto& fact : record.facts) {
    CHECK(fact.quantity.starts_with("l1."));
    INFO("the stand-in's memory has no levels");
    CHECK(fact.verdict == results::FactVerdict::undetermined);
  }
  {
    ProbeBench faulting;
    faulting.environment.set("PTXLAT_STANDIN_FAULT", "chain");
    const auto faulted = faulting.make(probe);
    INFO("a fault costs the probe, and not the command");
    CHECK(faulted.verdict == sass::Verdict::fault);
    CHECK_THAT(faulted.note, Catch::Matchers::Contains("carveout_percent=100: CUDA_ERROR_ILLEGAL_ADDRESS"));
    CHECK(faulted.facts.empty());
    CHECK(faulting.logs.empty());
  }
  probe.opcodes = {{"LDG", "7"}};
  INFO("a kernel that is not what it should be is not asked");
  CHECK(bench.make(probe).facts.empty());
}

TEST_CASE("a kernel that takes commands and never says that it was on the SM costs its probe") {
  ProbeBench bench;
  auto probe = chain_probe();
  probe.constants["steps"] = "1";
  probe.axes.clear();
  probe.buffers = {{ptx::Buffer::Contents::zeros, "8192", "0", "1", "0"},
                   {ptx::Buffer::Contents::zeros, "4096", "0", "1", "0"}};
  probe.infer = ProbeInference{.kind = "l2", .space = "l2", .bytes = "4096"};
  for (const char* flush : {"128", "4096"}) {
    probe.infer->flush = flush;
    const auto record = bench.make(probe);
    CHECK(record.verdict == sass::Verdict::fault);
    CHECK(record.note == "chain: no CTA was placed on SM 0");
    CHECK(record.facts.empty());
  }
}

TEST_CASE("without a GPU a probe has its machine code but no series") {
  ProbeBench bench;
  const auto probe = chain_probe();
  const auto records = bench.make({&probe}, nullptr);
  REQUIRE(records.size() == 1);
  CHECK(records[0].series.empty());
  CHECK(records[0].windows.size() == 3);
}

TEST_CASE("a recipe changes with the probe's text and its launches, and a record has its plan's key") {
  const auto recipe = [](auto change) {
    auto probe = chain_probe();
    change(probe);
    return plan_probes({&probe}, 3).at(0).recipe;
  };
  const auto before = recipe([](Probe&) {});
  CHECK(recipe([](Probe&) {}) == before);
  CHECK(recipe([](Probe& p) { p.text += "# another rule"; }) != before);
  CHECK(recipe([](Probe& p) { p.threads = "64"; }) != before);
  ProbeBench bench;
  const auto probe = chain_probe();
  CHECK(results::key_of(bench.make(probe)).text() == key_of(plan_probes({&probe}, 3).at(0)).text());
}
