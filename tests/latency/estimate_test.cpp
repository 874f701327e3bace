// SPDX-License-Identifier: Apache-2.0
#include "latency/estimate.h"

#include "../sass/window_text.h"
#include "catch.h"
#include "latency/samples.h"

using namespace ptxlat;
using namespace ptxlat::latency;

namespace {

ptx::Readout readout_of(const std::vector<std::uint32_t>& cycles) {
  ptx::Readout readout;
  readout.launches = cycles.size();
  readout.threads = 32;
  readout.words_per_thread = 2;
  readout.threads_agree = true;
  // The clock wraps between the two reads.
  for (const auto c : cycles) readout.words.insert(readout.words.end(), {0xfffffffe, 0xfffffffe + c});
  return readout;
}

// An experiment whose windows take the cycles that a test says, with edges of 3.
struct TestBench {
  isa::Form form;
  isa::Input input;
  isa::Consumer consumer;
  Experiment experiment;
  CellPlan cell;
  const int steps = 4, copies = 4;
  std::vector<line::AssembledKernel> kernels;
  std::vector<line::MadeTrial> made;
  TrialNumbers trials;
  Audits audits;
  bool measures = true;

  TestBench() {
    form.ptx = "op.u32";
    form.chapter = "chapter";
    form.operands = {{"d", "u32", true}, {"a", "u32"}};
    consumer.name = "xor.b32";
    experiment.consumer = &consumer;
    experiment.steps = steps;
    experiment.copies = copies;
    cell.variant = {&form, "a", &input};
    cell.level = 3;
    cell.recipe = "recipe";
    for (const Role role : {Role::differential, Role::bracket, Role::chain, Role::bridge}) audits[role].sass = {"OP"};
  }

  static constexpr int edges = 3;

  // A window that takes `measured` cycles in every launch and `scheduled` by its stall counts.
  std::size_t add(std::uint32_t measured, int scheduled, int edge_cycles = edges) {
    line::AssembledKernel kernel;
    kernel.name = "kernel";
    kernel.cubin = 0;
    kernel.window = sass::Window{};
    kernel.schedule.cycles = scheduled;
    kernel.schedule.edge_cycles = edge_cycles;
    line::MadeTrial trial;
    trial.kernel = kernels.size();
    trial.outcome = ptx::LaunchOutcome{ptx::LaunchStatus::ok, {}, readout_of(std::vector<std::uint32_t>(9, measured))};
    kernels.push_back(kernel);
    made.push_back(trial);
    return made.size() - 1;
  }
  std::size_t add(std::uint32_t cycles) { return add(cycles, static_cast<int>(cycles)); }

  // A latency of 4 to the consumer and of 4 in the chain.
  void add_plain_experiment() {
    trials[Role::overhead] = add(2);
    trials[Role::bracket] = add(5);
    trials[Role::differential_base] = add(7);
    trials[Role::differential] = add(11);
    trials[Role::chain] = add(18);
    trials[Role::chain_twice] = add(18 + 4 * steps);
  }
  void add_stream(std::uint32_t shorter, std::uint32_t longer) {
    trials[Role::stream] = add(shorter);
    trials[Role::stream_twice] = add(longer);
  }

  sass::StaticSchedule& schedule(Role role) { return kernels[*trials[role]].schedule; }
  sass::Window& window(Role role) { return *kernels[*trials[role]].window; }
  ptx::LaunchOutcome& outcome(Role role) { return *made[*trials[role]].outcome; }
  void set_samples(Role role, const std::vector<std::uint32_t>& cycles) { outcome(role).readout = readout_of(cycles); }
  // A static table's: nothing was launched.
  void leave_unlaunched() {
    measures = false;
    for (auto& trial : made) trial.outcome.reset();
  }

  results::Record estimate(const TrialNumbers& survey = {}) const {
    return latency::estimate(cell, experiment, line::Batch(kernels, made), trials, audits, measures, survey);
  }

  // The windows of `roles` again, `later` cycles later in each launch.
  TrialNumbers add_survey(const std::vector<std::pair<Role, std::vector<std::uint32_t>>>& later) {
    TrialNumbers survey;
    for (const auto& [role, cycles] : later) {
      auto trial = made[*trials[role]];
      const auto base = elapsed_cycles(trial.outcome->readout).front();
      std::vector<std::uint32_t> elapsed;
      for (int launch = 0; launch < surveyed_lines; ++launch)
        elapsed.push_back(base + cycles[static_cast<std::size_t>(launch) % cycles.size()]);
      trial.outcome->readout = readout_of(elapsed);
      made.push_back(trial);
      survey[role] = made.size() - 1;
    }
    return survey;
  }
};

sass::Audit not_proven(sass::Verdict verdict, const std::string& reason) { return {verdict, reason, {}}; }

std::optional<double> differential_of(const results::Record& record) {
  return record.number(results::metric::differential);
}
std::optional<double> chain_of(const results::Record& record) { return record.number(results::metric::chain); }
std::optional<double> cycles_of(const results::Record& record) { return record.number(results::metric::cycles); }
std::optional<double> static_of(const results::Record& record) { return record.number(results::metric::static_cycles); }
std::optional<double> issue_of(const results::Record& record) { return record.number(results::metric::issue); }

using Roles = std::vector<std::string>;
Roles from(const results::Record& record, std::string_view tag) {
  const results::Metric* found = record.find(tag);
  REQUIRE(found != nullptr);
  return found->from;
}

bool mentions(const results::Record& record, const std::string& text) {
  return record.note.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("where the second clock waits for a fence itself, the fence's stall is no edge") {
  TestBench bench;
  bench.trials[Role::differential_base] = bench.add(2, 2, 1 + 1);
  bench.trials[Role::differential] = bench.add(20, 12, 1 + 6);
  bench.schedule(Role::differential_base).last_edge_cycles = 1;
  bench.schedule(Role::differential).last_edge_cycles = 6;
  CHECK(bench.estimate().number(results::metric::cycles) == 13);
  bench.schedule(Role::differential).waits_for_last = true;
  const auto record = bench.estimate();
  CHECK(record.number(results::metric::cycles) == 18);
  CHECK(record.number(results::metric::static_cycles) == 10);
}

TEST_CASE("the mode is the most frequent value, the smallest of several") {
  CHECK_FALSE(mode_of({}));
  const auto mode = mode_of({7, 4, 4, 9});
  REQUIRE(mode);
  CHECK(mode->cycles == 4);
  CHECK(mode->share == Approx(0.5));
  CHECK(mode_of({7, 4})->cycles == 4);
}

TEST_CASE("without a majority the median counts, if all but the slowest launch are near it") {
  const auto elapsed = [](const std::vector<std::uint32_t>& cycles, bool uses_memory = false) {
    return elapsed_of(cycles, uses_memory);
  };
  CHECK(elapsed({900, 261, 265, 263, 262}) == 263);
  CHECK_FALSE(elapsed({900, 261, 265, 300, 262}));
  CHECK(elapsed({260, 260, 260, 900, 800}) == 260);
  CHECK(elapsed({270, 261, 300, 262, 400}, true) == 261);
  CHECK_FALSE(elapsed({}));
}

TEST_CASE("of values that take turns, the fastest counts, whichever was first") {
  const auto elapsed = [](const std::vector<std::uint32_t>& cycles) { return elapsed_of(cycles, false); };
  // ld.local.b128 and st.local.b128 with divergent offsets, on an H200.
  CHECK(elapsed({71, 75, 71, 75, 71, 75, 71, 75, 71}) == 71);
  CHECK(elapsed({75, 71, 75, 71, 75, 71, 75, 71, 75}) == 71);
  CHECK(elapsed({373, 383, 373, 381, 373, 383, 373, 381, 373}) == 373);
  CHECK(elapsed({266, 256, 264, 256, 266, 256, 264, 256, 266}) == 256);
  INFO("a few fast launches are not every other one");
  CHECK(elapsed({2992, 2999, 2999, 2999, 2992, 2999, 2999, 2999, 2992}) == 2999);
}

TEST_CASE("each witness is computed by its formula, and the chain leads if it is the same code") {
  TestBench lab;
  lab.add_plain_experiment();
  const auto record = lab.estimate();
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.number(results::metric::overhead) == 2);
  CHECK(record.number(results::metric::bracket) == 3);
  CHECK(differential_of(record) == 4);
  CHECK(chain_of(record) == 4);
  CHECK(cycles_of(record) == 4);
  CHECK(static_of(record) == 4);
  CHECK(record.sass == std::vector<std::string>{"OP"});
  CHECK(record.sass_count == 1);
  CHECK(record.measure == results::Measure::dependent);
  CHECK(record.consumer == results::itself);
  CHECK(record.differential_consumer == "xor.b32");
  CHECK(record.note.empty());
  CHECK(record.windows.size() == 6);
  CHECK(record.windows[0].samples.size() == 9);
}

TEST_CASE("a cell carries what identifies it") {
  TestBench lab;
  lab.add_plain_experiment();
  const auto record = lab.estimate();
  CHECK(record.ptx == "op.u32");
  CHECK(record.chapter == "chapter");
  CHECK(record.operand == "a");
  CHECK(record.level == 3);
  CHECK(record.recipe == "recipe");
}

TEST_CASE("stalls of the edges that differ from kernel to kernel do not count") {
  TestBench lab;
  lab.add_plain_experiment();
  // The first clock's stall of the longer window is 5 cycles longer: so is the measurement.
  lab.trials[Role::differential] = lab.add(16, 16, TestBench::edges + 5);
  CHECK(differential_of(lab.estimate()) == 4);
}

TEST_CASE(
    "a chain whose machine code is not that of the instruction alone does not lead, and the note has both numbers") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.trials[Role::chain_twice] = lab.add(18 + 8 * lab.steps);
  lab.audits[Role::differential].sass = {"HADD2"};
  lab.audits[Role::chain].sass = {"HFMA2.MMA"};
  const auto record = lab.estimate();
  CHECK(cycles_of(record) == 4);
  CHECK(chain_of(record) == 8);
  for (const char* fact : {"4", "xor.b32", "8"}) CHECK(mentions(record, fact));
}

TEST_CASE("where the witnesses disagree on the same code the chain leads and the note has both") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.trials[Role::chain_twice] = lab.add(18 + 9 * lab.steps, 18 + 6 * lab.steps);
  const auto record = lab.estimate();
  CHECK(cycles_of(record) == 9);
  CHECK(static_of(record) == 6);
  for (const char* fact : {"4", "xor.b32", "9"}) CHECK(mentions(record, fact));
  CHECK(mentions(record, "the schedule says 6"));
}

TEST_CASE("the one witness that is proven leads") {
  TestBench lab;
  lab.add_plain_experiment();
  auto chain_only = lab, differential_only = lab;
  chain_only.audits[Role::differential] = not_proven(sass::Verdict::fused, "merged");
  CHECK(cycles_of(chain_only.estimate()) == 4);
  CHECK_FALSE(differential_of(chain_only.estimate()));
  differential_only.audits[Role::chain] = not_proven(sass::Verdict::fused, "merged");
  CHECK(cycles_of(differential_only.estimate()) == 4);
  CHECK_FALSE(chain_of(differential_only.estimate()));
}

TEST_CASE("the cost of a bridge is subtracted from the chain") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.audits[Role::chain].sass = {"OP", "SEL"};
  lab.trials[Role::chain_twice] = lab.add(18 + 12 * lab.steps);
  lab.trials[Role::bridge] = lab.add(5 + 8);
  const auto record = lab.estimate();
  CHECK(chain_of(record) == 4);
  CHECK(cycles_of(record) == 4);
}

TEST_CASE("a bridged chain does not lead: after the bridge an instruction may wait longer than it takes") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.audits[Role::chain].sass = {"OP", "SEL"};
  lab.trials[Role::chain_twice] = lab.add(18 + 15 * lab.steps);
  lab.trials[Role::bridge] = lab.add(5 + 8);
  const auto record = lab.estimate();
  CHECK(chain_of(record) == 7);
  CHECK(differential_of(record) == 4);
  CHECK(cycles_of(record) == 4);
  CHECK(static_of(record) == 4);
  CHECK(mentions(record, "4 to xor.b32, 7 in a chain"));
}

TEST_CASE("a bridge that became no instruction costs nothing") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.trials[Role::bridge] = lab.add(5 + 8);
  CHECK(chain_of(lab.estimate()) == 4);
}

TEST_CASE("a bridged chain without proof of its parts has no number") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.audits[Role::chain].sass = {"OP", "SEL"};
  lab.trials[Role::bridge] = lab.add(5 + 8);
  auto no_bridge = lab;
  no_bridge.audits[Role::bridge] = not_proven(sass::Verdict::contaminated, "more");
  CHECK_FALSE(chain_of(no_bridge.estimate()));
  CHECK(cycles_of(no_bridge.estimate()) == 4);  // the differential's
  lab.audits[Role::differential] = not_proven(sass::Verdict::fused, "merged");
  CHECK_FALSE(chain_of(lab.estimate()));
  CHECK_FALSE(cycles_of(lab.estimate()));
}

TEST_CASE("without proof there is no number but a verdict and its reason") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.audits[Role::differential] = not_proven(sass::Verdict::elided, "hoisted");
  lab.audits[Role::chain] = not_proven(sass::Verdict::fused, "two steps became one");
  const auto record = lab.estimate();
  CHECK(record.verdict == sass::Verdict::elided);
  CHECK_FALSE(cycles_of(record));
  CHECK_FALSE(static_of(record));
  CHECK_FALSE(differential_of(record));
  CHECK_FALSE(chain_of(record));
  CHECK(record.note == "hoisted; chain: two steps became one");
  CHECK(record.windows.size() == 6);  // the machine code is kept
}

TEST_CASE("a window without a majority is unstable and gives no number") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.audits[Role::chain] = not_proven(sass::Verdict::fused, "merged");
  lab.set_samples(Role::differential, {11, 12, 13, 11, 14, 15});
  const auto record = lab.estimate();
  CHECK(record.verdict == sass::Verdict::unstable);
  CHECK_FALSE(cycles_of(record));
  CHECK(mentions(record, "differential: the most frequent value has 33 % of the launches"));
}

TEST_CASE("exactly half of the launches is not a majority") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.set_samples(Role::differential, {11, 11, 14, 15});
  CHECK_FALSE(differential_of(lab.estimate()));
  lab.set_samples(Role::differential, {11, 11, 11, 13, 12});
  CHECK(differential_of(lab.estimate()) == 4);
}

TEST_CASE("faults and time-outs of every window that counts are the cell's verdict, in the driver's words") {
  for (const auto& [status, verdict] : {std::pair{ptx::LaunchStatus::fault, sass::Verdict::fault},
                                        {ptx::LaunchStatus::timeout, sass::Verdict::timeout}}) {
    TestBench lab;
    lab.add_plain_experiment();
    for (const Role role : {Role::differential, Role::chain, Role::chain_twice})
      lab.outcome(role) = {status, "the driver's words", {}};
    const auto record = lab.estimate();
    CHECK(record.verdict == verdict);
    CHECK_FALSE(cycles_of(record));
    CHECK(mentions(record, "the driver's words"));
  }
}

TEST_CASE("fewer cycles than the schedule takes are not a latency") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.add_stream(9, 9 + 2 * lab.copies);
  lab.trials[Role::chain_twice] = lab.add(18 + 4 * 4 - 6, 18 + 4 * 4);
  const auto record = lab.estimate();
  CHECK(record.verdict == sass::Verdict::contaminated);
  CHECK_FALSE(cycles_of(record));
  CHECK_FALSE(static_of(record));
  CHECK(mentions(record, "2.5 cycles are measured, and the schedule alone takes 4"));
  INFO("what the windows say stays");
  CHECK(chain_of(record) == 2.5);
  CHECK(issue_of(record) == 2);
  INFO("a lower bound is one too, but the sum of a straight line is not");
  auto waits = lab, branches = lab;
  waits.schedule(Role::chain_twice).is_lower_bound = true;
  CHECK_FALSE(cycles_of(waits.estimate()));
  branches.audits[Role::differential] = not_proven(sass::Verdict::fused, "merged");
  branches.schedule(Role::chain_twice).branches = true;
  CHECK(cycles_of(branches.estimate()) == 2.5);
}

TEST_CASE("without launches there are static numbers and no measured ones") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.add_stream(9, 9 + 2 * lab.copies);
  lab.leave_unlaunched();
  const auto record = lab.estimate();
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(static_of(record) == 4);
  CHECK(issue_of(record) == 2);
  for (const auto& measured : {results::metric::cycles, results::metric::overhead, results::metric::bracket,
                               results::metric::differential, results::metric::chain})
    CHECK_FALSE(record.number(measured));
}

TEST_CASE("code that leaves every wait to the hardware is proven without a static number, and has a measured one") {
  TestBench lab;
  lab.add_plain_experiment();
  for (auto& kernel : lab.kernels) kernel.schedule = {0, true, false, 0};
  const auto measured = lab.estimate();
  CHECK(cycles_of(measured));
  CHECK_FALSE(static_of(measured));
  lab.leave_unlaunched();
  const auto record = lab.estimate();
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK_FALSE(static_of(record));
  CHECK(record.note == "no schedule: the assembler leaves every wait to the hardware");
}

TEST_CASE("a schedule may issue two instructions a cycle, as Maxwell does, but no launch is believed that") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.add_stream(9, 9 + lab.copies / 2);
  CHECK_FALSE(issue_of(lab.estimate()));
  CHECK(mentions(lab.estimate(), "no issue: twice the copies take no longer"));
  lab.leave_unlaunched();
  CHECK(issue_of(lab.estimate()) == 0.5);
}

TEST_CASE("a cell without an issue has the reason, and is not proven if there was nothing else to prove") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.add_stream(9, 9 + 2 * lab.copies);
  CHECK_FALSE(mentions(lab.estimate(), "issue"));
  lab.audits[Role::stream] = not_proven(sass::Verdict::fused, "copies share a part");
  CHECK(mentions(lab.estimate(), "no issue: fused, copies share a part"));

  INFO("a store: nothing can depend on it");
  lab.form.operands = {{"a", "u32"}};
  lab.trials = {};
  lab.audits = {};
  lab.add_stream(54, 35);
  CHECK(lab.estimate().verdict == sass::Verdict::unstable);
  CHECK(mentions(lab.estimate(), "twice the copies take no longer"));
}

TEST_CASE("a static number that is a lower bound or a straight line says so") {
  TestBench lab;
  lab.add_plain_experiment();
  auto bounded = lab, branching = lab;
  bounded.schedule(Role::chain_twice).is_lower_bound = true;
  CHECK(mentions(bounded.estimate(), "static is a lower bound"));
  for (const Role role : {Role::chain, Role::differential}) branching.schedule(role).branches = true;
  CHECK(mentions(branching.estimate(), "it branches"));
}

TEST_CASE(
    "where code branches on values the differential leads, because only a chain's first step has the input class") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.set_samples(Role::chain_twice, std::vector<std::uint32_t>(9, 18 + 4 * 4 + 40));
  const auto straight = lab.estimate();
  REQUIRE(chain_of(straight));
  CHECK(cycles_of(straight) == chain_of(straight));
  lab.schedule(Role::chain).branches = true;
  const auto branching = lab.estimate();
  CHECK(cycles_of(branching) == differential_of(branching));
  CHECK(cycles_of(branching) != chain_of(branching));
}

TEST_CASE("the headline names the windows behind it") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.add_stream(9, 17);
  const auto chained = lab.estimate();
  CHECK(from(chained, results::metric::cycles) == Roles{"chain", "chain twice"});
  CHECK(from(chained, results::metric::static_cycles) == Roles{"chain", "chain twice"});
  CHECK(from(chained, results::metric::issue) == Roles{"stream", "stream twice"});

  auto alone = lab;
  alone.audits[Role::chain] = not_proven(sass::Verdict::fused, "merged");
  CHECK(from(alone.estimate(), results::metric::cycles) == Roles{"differential", "differential base"});

  lab.audits[Role::chain].sass = {"OP", "SEL"};
  lab.trials[Role::bridge] = lab.add(5 + 2);
  CHECK(from(lab.estimate(), results::metric::cycles) == Roles{"differential", "differential base"});
  lab.set_samples(Role::differential, {11, 12, 13, 14, 15, 16});  // the chain alone has a number
  CHECK(from(lab.estimate(), results::metric::cycles) == Roles{"chain", "chain twice", "bridge", "bracket"});
}

namespace {

// An experiment without a consumer: what waits is in the catalogue.
TestBench waiting_for(const std::string& before, const std::string& completion, isa::Completion kind) {
  TestBench lab;
  lab.trials[Role::differential_base] = lab.add(7);
  lab.trials[Role::differential] = lab.add(11);
  lab.experiment.consumer = nullptr;
  lab.form.operands = {{"a", "u32"}};
  lab.input.before = before;
  lab.input.completion = completion;
  lab.input.completion_is = kind;
  return lab;
}

void check_measure(const results::Record& record, results::Measure measure, const std::string& consumer) {
  INFO(consumer);
  CHECK(record.number(results::metric::cycles) == 4);
  CHECK(record.measure == measure);
  CHECK(record.consumer == consumer);
}

}  // namespace

TEST_CASE("a differential's number is until its consumer, or until the first of several results") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.audits[Role::chain] = not_proven(sass::Verdict::fused, "merged");
  check_measure(lab.estimate(), results::Measure::dependent, "xor.b32");
  CHECK(lab.estimate().differential_consumer.empty());
  const Line first{"LDS R10, [R2]", 2, 0}, second{"LDS R11, [R2+0x4]", 2, 1};
  const Line consumer{"LOP3.LUT R9, R10, R5, RZ, 0x3c, !PT", 5, 7, 1};
  lab.window(Role::differential_base) = window({consumer});
  lab.window(Role::differential) = window({first, second, consumer});
  check_measure(lab.estimate(), results::Measure::first_of_several, "xor.b32");
  // A subroutine may wait, and is not seen.
  lab.schedule(Role::differential).branches = true;
  check_measure(lab.estimate(), results::Measure::dependent, "xor.b32");
}

TEST_CASE("the catalogue's completion says what the number is, and names the instruction that waits") {
  using isa::Completion, results::Measure;
  check_measure(waiting_for("", "cp.async.wait_all;", Completion::wait).estimate(), Measure::completion,
                "cp.async.wait_all");
  check_measure(waiting_for("fence;", "commit; wait_group 0;", Completion::wait).estimate(), Measure::completion,
                "wait_group");
  const auto loop = "WAIT_{#}: mbarrier.try_wait.b64 {p0}, [{m}], 0;\n  @!{p0} bra WAIT_{#};";
  check_measure(waiting_for("", loop, Completion::wait).estimate(), Measure::completion, "mbarrier.try_wait.b64");
  check_measure(
      waiting_for("", "ld.volatile.b32 {t0}, [{a}]; add.u32 {t1}, {t0}, 1;", Completion::read_back).estimate(),
      Measure::round_trip, "ld.volatile.b32");
  check_measure(waiting_for("", "cvt.u32.u8 {t0}, %byte; xor.b32 {t0}, {t0}, 1;", Completion::use).estimate(),
                Measure::dependent, "cvt.u32.u8");
}

TEST_CASE("a fence completes by itself, and a branch adds its time") {
  auto lab = waiting_for("st.volatile.global.u32 [%memory], {t0};", "", isa::Completion::wait);
  lab.audits[Role::differential].sass = {"MEMBAR.SC.GPU", "ERRBAR"};
  check_measure(lab.estimate(), results::Measure::completion, results::itself);
  lab.audits[Role::differential].sass = {"BRA"};
  check_measure(lab.estimate(), results::Measure::added_time, "");
}

TEST_CASE("a record without a latency has an issue cost only, or no measure") {
  TestBench lab;
  lab.form.operands = {{"a", "u32"}};
  lab.experiment.consumer = nullptr;
  lab.add_stream(9, 17);
  CHECK(lab.estimate().measure == results::Measure::issue_only);
  CHECK(lab.estimate().consumer.empty());
  lab.add_stream(9, 9);
  CHECK_FALSE(lab.estimate().measure);
}

namespace {

// The streams of fma.rn.f32 on an H200 with driver 580.
const std::vector<Line> four_ffma = {{"FFMA R9, R8, R9, R11", 1},
                                     {"FFMA R13, R10, R13, R15", 1},
                                     {"FFMA R17, R12, R17, R19", 1},
                                     {"FFMA R21, R14, R21, R23", 1},
                                     {"@P0 BRA 0x3e0", 6}};
const std::vector<Line> eight_ffma = {
    {"FFMA R17, R12, R17, R19", 1}, {"FFMA R21, R14, R21, R23", 1}, {"FFMA R25, R16, R25, R27", 1},
    {"FFMA R29, R18, R29, R31", 1}, {"FFMA R33, R20, R33, R35", 1}, {"FFMA R37, R22, R37, R24", 1},
    {"FFMA R13, R15, R13, R10", 1}, {"FFMA R9, R11, R9, R8", 1},    {"@P0 BRA 0x600", 6}};

// An experiment with these streams, which take this many cycles.
TestBench streaming(const std::string& opcode, const std::vector<Line>& shorter, std::uint32_t shorter_cycles,
                    const std::vector<Line>& longer, std::uint32_t longer_cycles) {
  TestBench lab;
  lab.add_plain_experiment();
  lab.add_stream(shorter_cycles, longer_cycles);
  lab.window(Role::stream) = window(shorter);
  lab.window(Role::stream_twice) = window(longer);
  for (const Role role : {Role::stream, Role::stream_twice}) lab.schedule(role) = static_schedule(lab.window(role));
  for (const Role role : {Role::differential, Role::chain}) lab.audits[role].sass = {opcode};
  return lab;
}

}  // namespace

TEST_CASE("an issue cost says where the register banks are what it is, and nothing where they are not") {
  const auto limited = streaming("FFMA", four_ffma, 14, eight_ffma, 21).estimate();
  CHECK(issue_of(limited) == 1.75);
  CHECK(mentions(limited, "issue: 4 copies read 7 registers from one bank, one a cycle"));
  CHECK(limited.flags == std::vector<std::string>{results::flag::register_banks});
  // Slower for a different reason, or as the schedule says.
  for (const std::uint32_t longer : {18u, 22u, 30u}) {
    const auto other = streaming("FFMA", four_ffma, 14, eight_ffma, longer).estimate();
    INFO(longer);
    CHECK(issue_of(other));
    CHECK_FALSE(mentions(other, "bank"));
  }
  auto unlaunched = streaming("FFMA", four_ffma, 14, eight_ffma, 21);
  unlaunched.leave_unlaunched();
  CHECK(issue_of(unlaunched.estimate()) == 1);
  CHECK_FALSE(mentions(unlaunched.estimate(), "bank"));
}

TEST_CASE(
    "by the schedule, the moves that copies come with are left out; measured, they make the cost an upper bound") {
  const Line sum{"FFMA2 R12, R12.F32x2.HI_LO, R14.F32x2.HI_LO, R16.F32x2.HI_LO", 2},
      move{"IMAD.MOV.U32 R20, RZ, RZ, R12", 2};
  const std::vector<Line> shorter{sum, sum, sum, sum, move},
      longer{sum, sum, sum, sum, move, sum, sum, sum, sum, move, move};
  auto lab = streaming("FFMA2", shorter, 12, longer, 24);
  const auto measured = lab.estimate();
  CHECK(issue_of(measured) == 3);
  CHECK(mentions(measured, "issue: 4 copies come with 2 moves"));
  CHECK(measured.flags == std::vector<std::string>{results::flag::issue_is_upper_bound});
  lab.leave_unlaunched();
  CHECK(issue_of(lab.estimate()) == 2);
  CHECK_FALSE(mentions(lab.estimate(), "issue"));
  INFO("between the copies there is always a move");
  auto apart = streaming("FFMA2", {sum, move, sum, move, sum, move, sum}, 16,
                         {sum, move, sum, move, sum, move, sum, move, sum, move, sum, move, sum, move, sum, move}, 34);
  apart.leave_unlaunched();
  CHECK(issue_of(apart.estimate()) == 4.5);
  CHECK(mentions(apart.estimate(), "issue: 4 copies come with 5 moves"));
  INFO("moves that belong to the instruction count");
  for (const Role role : {Role::differential, Role::chain}) lab.audits[role].sass = {"FFMA2", "IMAD.MOV.U32"};
  CHECK(issue_of(lab.estimate()) == 3);
}

TEST_CASE("by the schedule, the issue cost of copies that wait is a lower bound") {
  Line popc{"POPC R12, R12", 2};
  popc.write_scoreboard = 0;
  const std::vector<Line> shorter(4, popc), longer(8, popc);
  auto lab = streaming("POPC", shorter, 40, longer, 72);
  CHECK_FALSE(mentions(lab.estimate(), "lower bound"));
  lab.leave_unlaunched();
  CHECK(issue_of(lab.estimate()) == 2);
  CHECK(mentions(lab.estimate(), "issue is a lower bound"));
  auto plain = streaming("FFMA", four_ffma, 14, eight_ffma, 18);
  plain.leave_unlaunched();
  CHECK_FALSE(mentions(plain.estimate(), "issue is a lower bound"));
}

TEST_CASE("an issue cost names the opcodes that its copies took turns on") {
  const Line add{"IADD3 R13, R12, R13, RZ", 1}, multiply_add{"IMAD.IADD R9, R8, 0x1, R9", 1};
  const std::vector<Line> shorter{multiply_add, add, multiply_add, add};
  std::vector<Line> longer = shorter;
  longer.insert(longer.end(), shorter.begin(), shorter.end());
  auto lab = streaming("IADD3", shorter, 10, longer, 14);
  CHECK(issue_of(lab.estimate()) == 1);
  CHECK(mentions(lab.estimate(), "issue: IADD3 and IMAD.IADD take turns"));
  CHECK(lab.estimate().flags == std::vector<std::string>{results::flag::takes_turns});
  lab.leave_unlaunched();
  CHECK(mentions(lab.estimate(), "take turns"));
  // One instruction that has both itself has no turns.
  for (const Role role : {Role::differential, Role::chain}) lab.audits[role].sass = {"IADD3", "IMAD.IADD"};
  CHECK_FALSE(mentions(lab.estimate(), "turns"));
  lab.audits[Role::stream] = not_proven(sass::Verdict::fused, "copies share a part");
  for (const Role role : {Role::differential, Role::chain}) lab.audits[role].sass = {"IADD3"};
  CHECK_FALSE(mentions(lab.estimate(), "turns"));
}

TEST_CASE("what a reader must know is a flag and words") {
  TestBench lab;
  lab.add_plain_experiment();
  CHECK(lab.estimate().flags.empty());
  const auto check = [](const results::Record& record, const char* flag, const std::string& words) {
    INFO(flag << ": " << record.note);
    CHECK(record.flags == std::vector<std::string>{flag});
    CHECK(mentions(record, words));
  };
  SECTION("launches that spread") {
    lab.set_samples(Role::overhead, {200, 201, 203, 202, 900});
    check(lab.estimate(), results::flag::spread, "launches spread over 3 cycles");
  }
  SECTION("lanes that left each other") {
    auto& readout = lab.outcome(Role::chain).readout;
    readout.threads_agree = false;
    readout.threads = 1;
    check(lab.estimate(), results::flag::diverged, "lanes took different paths");
  }
  SECTION("code that branches") {
    for (const Role role : {Role::chain, Role::differential}) lab.schedule(role).branches = true;
    check(lab.estimate(), results::flag::branches, "it branches");
  }
  SECTION("a wait for a scoreboard") {
    lab.schedule(Role::chain_twice).is_lower_bound = true;
    check(lab.estimate(), results::flag::static_is_lower_bound, "static is a lower bound");
  }
  SECTION("a schedule that says something else") {
    lab.schedule(Role::chain_twice).cycles -= 4;
    check(lab.estimate(), results::flag::schedule_differs, "the schedule says 3");
  }
  SECTION("witnesses that disagree") {
    lab.trials[Role::chain_twice] = lab.add(18 + 9 * 4);
    check(lab.estimate(), results::flag::witnesses_differ, "4 to xor.b32, 9 in a chain");
  }
  SECTION("a stream without a number") {
    lab.add_stream(9, 9);
    check(lab.estimate(), results::flag::no_issue, "no issue: twice the copies take no longer");
  }
  SECTION("registers of one bank") {
    lab.audits[Role::differential] = not_proven(sass::Verdict::contaminated, "registers");
    lab.kernels[*lab.trials[Role::differential]].window =
        window({{"IADD3 R3, R3, R5, RZ", 2}, {"IADD3 R5, R5, R7, RZ", 4}, {"LOP3.LUT R9, R3, R5, RZ, 0x3c, !PT", 5}});
    check(lab.estimate(), results::flag::bank_conflict, "register-bank conflict: differential");
  }
  SECTION("no schedule") {
    for (auto& kernel : lab.kernels) kernel.schedule = {0, true, false, 0};
    lab.leave_unlaunched();
    check(lab.estimate(), results::flag::no_schedule, "leaves every wait to the hardware");
  }
}

TEST_CASE("the spread of a record is its widest, of windows without a majority, slowest launch aside") {
  results::Record record;
  CHECK(spread_of(record) == 0);
  results::WindowRecord steady, few, many;
  steady.mode_share = 0.6;
  steady.samples = {10, 10, 10, 90, 95};
  few.samples = {20, 22, 21, 400};
  many.samples = {30, 35, 400, 31};
  record.windows = {steady};
  CHECK(spread_of(record) == 0);
  record.windows = {steady, few};
  CHECK(spread_of(record) == 2);
  record.windows = {steady, few, many};
  CHECK(spread_of(record) == 5);
}

TEST_CASE("elapsed cycles are those of the first thread, across the wrap of the clock") {
  CHECK(elapsed_cycles(readout_of({4, 7})) == std::vector<std::uint32_t>{4, 7});
  CHECK(elapsed_cycles({}).empty());
}

TEST_CASE("a headline that leaves the SM is the median of its survey") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.audits[Role::chain] = not_proven(sass::Verdict::elided, "no chain");
  const auto record = lab.estimate(lab.add_survey({{Role::differential, {300, 310, 320, 330, 340}}}));
  CHECK(cycles_of(record) == 324);
  CHECK(differential_of(record) == 324);
  CHECK(record.number(results::metric::least) == 304);
  CHECK(record.number(results::metric::median) == 324);
  CHECK(record.number(results::metric::p95) == 344);
  CHECK(record.number(results::metric::most) == 344);
  CHECK_FALSE(record.number(results::metric::far_cycles));
  CHECK(from(record, results::metric::cycles) == Roles{"differential", "differential base"});
  CHECK(record.has_flag(results::flag::survey));
  CHECK(mentions(record, "median over 1024 lines from 16 SMs"));
  // The evidence: how many launches took how long.
  REQUIRE(record.series.size() == 1);
  CHECK(record.series[0].axes[0].values == std::vector<double>{304, 314, 324, 334, 344});
  CHECK(record.series[0].values[0] == 205);
}

TEST_CASE("both windows of a chain are surveyed on the same lines, and their difference counts") {
  TestBench lab;
  lab.add_plain_experiment();
  const auto survey = lab.add_survey({{Role::chain, {1200, 1600, 1240}}, {Role::chain_twice, {2400, 3200, 2480}}});
  const auto record = lab.estimate(survey);
  CHECK(cycles_of(record) == 304);
  CHECK(chain_of(record) == 304);
  CHECK(differential_of(record) == 4);
  CHECK(record.number(results::metric::most) == 314);
  CHECK(record.number(results::metric::far_cycles) == 404);
  CHECK_THAT(*record.number(results::metric::far_share), Catch::Matchers::WithinAbs(0.33, 0.01));
}

TEST_CASE("a number of another process may differ as its launches do, and a survey's median by a fiftieth") {
  TestBench lab;
  lab.add_plain_experiment();
  CHECK(tolerance_of(lab.estimate()) == 0);
  const auto surveyed = lab.estimate(lab.add_survey({{Role::chain, {1200, 1240}}, {Role::chain_twice, {2400, 2480}}}));
  CHECK(tolerance_of(surveyed) == 0.02 * *cycles_of(surveyed));
  lab.set_samples(Role::differential, {30, 40, 50, 60, 70, 80, 90, 100, 110});
  CHECK(tolerance_of(lab.estimate()) == 70);
}

TEST_CASE("a survey in which every line takes as long, or that failed, changes nothing") {
  TestBench lab;
  lab.add_plain_experiment();
  const auto survey = lab.add_survey({{Role::chain, {0}}, {Role::chain_twice, {0}}});
  CHECK(lab.estimate(survey) == lab.estimate());
  lab.made[*survey[Role::chain]].outcome = ptx::LaunchOutcome{ptx::LaunchStatus::fault, "a fault", {}};
  CHECK(lab.estimate(survey) == lab.estimate());
}

namespace {

// What a real operand's path would be: a constant is made before it.
sass::OperandPath path_after_a_constant(int cycles) { return {{"OP"}, {"MOV"}, {}, cycles, true}; }

}  // namespace

TEST_CASE("what is beside the path is left out where the GPU took its stall counts, or if it only brings constants") {
  TestBench lab;
  lab.add_plain_experiment();
  const line::Batch batch(lab.kernels, lab.made);
  Numbers measured{lab.experiment, batch, lab.trials, lab.audits, Source::measured, path_after_a_constant(2)};
  CHECK(took_its_schedule_beside(measured));
  measured.leaves_out_beside = true;
  CHECK(measured.differential() == 4 - 2);
  measured.path->before = {"SHF.L.U32"};
  CHECK(took_its_schedule_beside(measured));
  measured.path->before.clear();
  CHECK_FALSE(took_its_schedule_beside(measured));  // nothing is beside it

  // Something waited: only what is known to be over when the path begins can be left out.
  TestBench waits;
  waits.add_plain_experiment();
  waits.trials[Role::differential] = waits.add(20, 11);
  const line::Batch with_wait(waits.kernels, waits.made);
  Numbers late{waits.experiment, with_wait, waits.trials, waits.audits, Source::measured, path_after_a_constant(2)};
  CHECK(took_its_schedule_beside(late));
  late.path->before = {"SHF.L.U32"};
  CHECK_FALSE(took_its_schedule_beside(late));
  late.path->before = {"MOV"};
  late.path->among = {"MOV"};
  CHECK_FALSE(took_its_schedule_beside(late));
}

TEST_CASE("a static number under a scoreboard has an estimate from the nearest card, and others have none") {
  TestBench lab;
  lab.add_plain_experiment();
  lab.audits[Role::chain] = not_proven(sass::Verdict::fused, "merged");
  lab.leave_unlaunched();
  lab.window(Role::differential_base) = window({{"FADD R11, R2, R3", 2}});
  lab.window(Role::differential) = window({{"MUFU.RCP R10, R2", 8, 0}, {"FADD R11, R10, R3", 2, 7, 1}});
  for (const Role role : {Role::differential, Role::differential_base})
    lab.schedule(role) = sass::static_schedule(lab.window(role));
  lab.form.inputs = {lab.input};
  lab.form.dependence = {"a"};
  const line::NearestCard card{"sm_90/card/driver", {{"MUFU.RCP", {false, 17}}, {"FADD.X", {true, 9}}}, 0.05, 0.15};
  const auto made = [&](const TestBench& bench, const line::NearestCard* from) {
    return latency::estimate(bench.cell, bench.experiment, line::Batch(bench.kernels, bench.made), bench.trials,
                             bench.audits, bench.measures, {}, from);
  };
  const auto record = made(lab, &card);
  CHECK(static_of(record) == 8);
  CHECK(record.number(results::metric::estimate) == 17);
  CHECK(record.number(results::metric::estimate_error) == 1);
  CHECK_FALSE(made(lab, nullptr).number(results::metric::estimate));
  const line::NearestCard other{"sm_90/card/driver", {{"MUFU.LG2", {false, 17}}}, 0.05, 0.15};
  CHECK_FALSE(made(lab, &other).number(results::metric::estimate));
  // Other values than the usual ones may take longer.
  auto denormal = lab;
  denormal.form.inputs.push_back(denormal.input);
  denormal.form.inputs.back().name = "denormal";
  denormal.cell.variant = {&denormal.form, "a", &denormal.form.inputs.back()};
  CHECK_FALSE(made(denormal, &card).number(results::metric::estimate));

  INFO("an interlock marks the schedule as a lower bound");
  auto held = lab;
  held.window(Role::differential) = window({{"FADD.X R10, R2, R3", 4}, {"FADD R11, R10, R3", 2}});
  held.schedule(Role::differential) = sass::static_schedule(held.window(Role::differential));
  const auto marked = made(held, &card);
  CHECK(static_of(marked) == 4);
  CHECK(marked.number(results::metric::estimate) == 7);
  CHECK(marked.number(results::metric::estimate_error) == 2);
  CHECK(marked.has_flag(results::flag::static_is_lower_bound));
}
