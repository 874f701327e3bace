#include "latency/estimate.h"

#include "../sass/window_text.h"
#include "catch.h"
#include "latency/samples.h"

using namespace ptxlat;
using namespace ptxlat::latency;

namespace {

kernel::Readout readout_of(const std::vector<std::uint32_t>& cycles) {
  kernel::Readout readout;
  readout.launches = cycles.size();
  readout.threads = 32;
  readout.words_per_thread = 2;
  readout.threads_agree = true;
  // The clock wraps between the two reads.
  for (const auto c : cycles) readout.words.insert(readout.words.end(), {0xfffffffe, 0xfffffffe + c});
  return readout;
}

// An experiment whose windows take the cycles that a test says, with edges of 3.
struct Laboratory {
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

  Laboratory() {
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
    trial.outcome =
        kernel::LaunchOutcome{kernel::LaunchStatus::ok, {}, readout_of(std::vector<std::uint32_t>(9, measured))};
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
  kernel::LaunchOutcome& outcome(Role role) { return *made[*trials[role]].outcome; }
  void set_samples(Role role, const std::vector<std::uint32_t>& cycles) { outcome(role).readout = readout_of(cycles); }
  // A static table's: nothing was launched.
  void leave_unlaunched() {
    measures = false;
    for (auto& trial : made) trial.outcome.reset();
  }

  results::Record estimate() const {
    return latency::estimate(cell, experiment, line::Batch(kernels, made), trials, audits, measures);
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

TEST_CASE("each witness is computed by its formula, and the chain leads where it is the same code") {
  Laboratory lab;
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
  CHECK(record.consumer == "xor.b32");
  CHECK(record.note.empty());
  CHECK(record.windows.size() == 6);
  CHECK(record.windows[0].samples.size() == 9);
}

TEST_CASE("a cell carries what identifies it") {
  Laboratory lab;
  lab.add_plain_experiment();
  const auto record = lab.estimate();
  CHECK(record.ptx == "op.u32");
  CHECK(record.chapter == "chapter");
  CHECK(record.operand == "a");
  CHECK(record.level == 3);
  CHECK(record.recipe == "recipe");
}

TEST_CASE("stalls of the edges that differ from kernel to kernel do not count") {
  Laboratory lab;
  lab.add_plain_experiment();
  // The first clock's stall of the longer window is 5 cycles longer: so is the measurement.
  lab.trials[Role::differential] = lab.add(16, 16, Laboratory::edges + 5);
  CHECK(differential_of(lab.estimate()) == 4);
}

TEST_CASE("a chain of other machine code than the instruction alone does not lead, and the note has both numbers") {
  Laboratory lab;
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
  Laboratory lab;
  lab.add_plain_experiment();
  lab.trials[Role::chain_twice] = lab.add(18 + 9 * lab.steps, 18 + 6 * lab.steps);
  const auto record = lab.estimate();
  CHECK(cycles_of(record) == 9);
  CHECK(static_of(record) == 6);
  for (const char* fact : {"4", "xor.b32", "9"}) CHECK(mentions(record, fact));
  CHECK(mentions(record, "the schedule says 6"));
}

TEST_CASE("the one witness that is proven leads") {
  Laboratory lab;
  lab.add_plain_experiment();
  auto chain_only = lab, differential_only = lab;
  chain_only.audits[Role::differential] = not_proven(sass::Verdict::fused, "merged");
  CHECK(cycles_of(chain_only.estimate()) == 4);
  CHECK_FALSE(differential_of(chain_only.estimate()));
  differential_only.audits[Role::chain] = not_proven(sass::Verdict::fused, "merged");
  CHECK(cycles_of(differential_only.estimate()) == 4);
  CHECK_FALSE(chain_of(differential_only.estimate()));
}

TEST_CASE("what a bridge costs is taken off the chain") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.audits[Role::chain].sass = {"OP", "SEL"};
  lab.trials[Role::chain_twice] = lab.add(18 + 12 * lab.steps);
  lab.trials[Role::bridge] = lab.add(5 + 8);
  const auto record = lab.estimate();
  CHECK(chain_of(record) == 4);
  CHECK(cycles_of(record) == 4);
}

TEST_CASE("a bridge that became no instruction costs nothing") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.trials[Role::bridge] = lab.add(5 + 8);
  CHECK(chain_of(lab.estimate()) == 4);
}

TEST_CASE("a bridged chain without proof of its parts has no number") {
  Laboratory lab;
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
  Laboratory lab;
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
  Laboratory lab;
  lab.add_plain_experiment();
  lab.audits[Role::chain] = not_proven(sass::Verdict::fused, "merged");
  lab.set_samples(Role::differential, {11, 12, 13, 11, 14, 15});
  const auto record = lab.estimate();
  CHECK(record.verdict == sass::Verdict::unstable);
  CHECK_FALSE(cycles_of(record));
  CHECK(mentions(record, "differential: the most frequent value has 33 % of the launches"));
}

TEST_CASE("exactly half of the launches is no majority") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.set_samples(Role::differential, {11, 11, 14, 15});
  CHECK_FALSE(differential_of(lab.estimate()));
  lab.set_samples(Role::differential, {11, 11, 11, 13, 12});
  CHECK(differential_of(lab.estimate()) == 4);
}

TEST_CASE("faults and time-outs of every window that counts are the cell's verdict, in the driver's words") {
  for (const auto& [status, verdict] : {std::pair{kernel::LaunchStatus::fault, sass::Verdict::fault},
                                        {kernel::LaunchStatus::timeout, sass::Verdict::timeout}}) {
    Laboratory lab;
    lab.add_plain_experiment();
    for (const Role role : {Role::differential, Role::chain, Role::chain_twice})
      lab.outcome(role) = {status, "the driver's words", {}};
    const auto record = lab.estimate();
    CHECK(record.verdict == verdict);
    CHECK_FALSE(cycles_of(record));
    CHECK(mentions(record, "the driver's words"));
  }
}

TEST_CASE("fewer cycles than the schedule takes are no latency") {
  Laboratory lab;
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
  Laboratory lab;
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
  Laboratory lab;
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
  Laboratory lab;
  lab.add_plain_experiment();
  lab.add_stream(9, 9 + lab.copies / 2);
  CHECK_FALSE(issue_of(lab.estimate()));
  CHECK(mentions(lab.estimate(), "no issue: twice the copies take no longer"));
  lab.leave_unlaunched();
  CHECK(issue_of(lab.estimate()) == 0.5);
}

TEST_CASE("a cell without an issue has the reason, and is not proven if there was nothing else to prove") {
  Laboratory lab;
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
  Laboratory lab;
  lab.add_plain_experiment();
  auto bounded = lab, branching = lab;
  bounded.schedule(Role::chain_twice).is_lower_bound = true;
  CHECK(mentions(bounded.estimate(), "static is a lower bound"));
  for (const Role role : {Role::chain, Role::differential}) branching.schedule(role).branches = true;
  CHECK(mentions(branching.estimate(), "it branches"));
}

TEST_CASE(
    "where code branches on values the differential leads, because only a chain's first step has the input class") {
  Laboratory lab;
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

TEST_CASE("the headline names the windows that it was made of") {
  Laboratory lab;
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
  CHECK(from(lab.estimate(), results::metric::cycles) == Roles{"chain", "chain twice", "bridge", "bracket"});
}

TEST_CASE("what a reader must know is a flag and words") {
  Laboratory lab;
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
