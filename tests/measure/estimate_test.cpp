#include "measure/estimate.h"

#include "catch.h"

using namespace ptxlat;

namespace {

// An experiment whose windows take the cycles that a test says, with edges of 3.
struct Laboratory {
  Form form;
  Input input;
  Consumer consumer;
  Experiment experiment;
  CellPlan cell;
  const int steps = 4, copies = 4;
  std::vector<Specimen> specimens;
  SpecimenIndices indices;
  Findings findings;

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
    for (const Role role : {Role::differential, Role::bracket, Role::chain, Role::bridge}) findings[role].sass = {"OP"};
  }

  static constexpr int edges = 3;

  // A window that takes `measured` cycles in every launch and `scheduled` by its stall counts.
  std::size_t add(std::uint32_t measured, int scheduled, int edge_cycles = edges) {
    Specimen specimen;
    specimen.name = "kernel";
    specimen.cubin = 0;
    specimen.window = Window{};
    specimen.schedule.cycles = scheduled;
    specimen.schedule.edge_cycles = edge_cycles;
    LaunchOutcome launch;
    for (int i = 0; i < 9; ++i) launch.samples.push_back({measured, 0, 0, true});
    specimen.launch = launch;
    specimens.push_back(specimen);
    return specimens.size() - 1;
  }
  std::size_t add(std::uint32_t cycles) { return add(cycles, static_cast<int>(cycles)); }

  // A latency of 4 to the consumer and of 4 in the chain.
  void add_plain_experiment() {
    indices[Role::overhead] = add(2);
    indices[Role::bracket] = add(5);
    indices[Role::differential_base] = add(7);
    indices[Role::differential] = add(11);
    indices[Role::chain] = add(18);
    indices[Role::chain_twice] = add(18 + 4 * steps);
  }

  CellRecord estimate() const { return ptxlat::estimate(cell, experiment, specimens, indices, findings); }
};

Audit not_proven(Verdict verdict, const std::string& reason) { return {verdict, reason, {}}; }

void set_samples(Specimen& specimen, const std::vector<std::uint32_t>& cycles) {
  specimen.launch->samples.clear();
  for (const auto c : cycles) specimen.launch->samples.push_back({c, 0, 0, true});
}

bool mentions(const CellRecord& record, const std::string& text) { return record.note.find(text) != std::string::npos; }

}  // namespace

TEST_CASE("the mode is the most frequent value, the smallest of several") {
  CHECK_FALSE(mode_of({}));
  const auto mode = mode_of({{7, 0, 0, true}, {4, 0, 0, true}, {4, 0, 0, true}, {9, 0, 0, true}});
  REQUIRE(mode);
  CHECK(mode->cycles == 4);
  CHECK(mode->share == Approx(0.5));
  CHECK(mode_of({{7, 0, 0, true}, {4, 0, 0, true}})->cycles == 4);
}

TEST_CASE("without a majority the median counts, if all but the slowest launch are near it") {
  const auto elapsed = [](const std::vector<std::uint32_t>& cycles, bool uses_memory = false) {
    std::vector<Sample> samples;
    for (const auto c : cycles) samples.push_back({c, 0, 0, true});
    return elapsed_of(samples, uses_memory);
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
  CHECK(record.verdict == Verdict::proven);
  CHECK(record.overhead == 2);
  CHECK(record.bracket == 3);
  CHECK(record.differential == 4);
  CHECK(record.chain == 4);
  CHECK(record.cycles == 4);
  CHECK(record.static_cycles == 4);
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
  lab.indices[Role::differential] = lab.add(16, 16, Laboratory::edges + 5);
  CHECK(lab.estimate().differential == 4);
}

TEST_CASE("a chain of other machine code than the instruction alone does not lead, and the note has both numbers") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.indices[Role::chain_twice] = lab.add(18 + 8 * lab.steps);
  lab.findings[Role::differential].sass = {"HADD2"};
  lab.findings[Role::chain].sass = {"HFMA2.MMA"};
  const auto record = lab.estimate();
  CHECK(record.cycles == 4);
  CHECK(record.chain == 8);
  for (const char* fact : {"4", "xor.b32", "8"}) CHECK(mentions(record, fact));
}

TEST_CASE("where the witnesses disagree on the same code the chain leads and the note has both") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.indices[Role::chain_twice] = lab.add(18 + 9 * lab.steps, 18 + 6 * lab.steps);
  const auto record = lab.estimate();
  CHECK(record.cycles == 9);
  CHECK(record.static_cycles == 6);
  for (const char* fact : {"4", "xor.b32", "9"}) CHECK(mentions(record, fact));
  CHECK(mentions(record, "the schedule says 6"));
}

TEST_CASE("the one witness that is proven leads") {
  Laboratory lab;
  lab.add_plain_experiment();
  auto chain_only = lab, differential_only = lab;
  chain_only.findings[Role::differential] = not_proven(Verdict::fused, "merged");
  CHECK(chain_only.estimate().cycles == 4);
  CHECK_FALSE(chain_only.estimate().differential);
  differential_only.findings[Role::chain] = not_proven(Verdict::fused, "merged");
  CHECK(differential_only.estimate().cycles == 4);
  CHECK_FALSE(differential_only.estimate().chain);
}

TEST_CASE("what a bridge costs is taken off the chain") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.findings[Role::chain].sass = {"OP", "SEL"};
  lab.indices[Role::chain_twice] = lab.add(18 + 12 * lab.steps);
  lab.indices[Role::bridge] = lab.add(5 + 8);
  const auto record = lab.estimate();
  CHECK(record.chain == 4);
  CHECK(record.cycles == 4);
}

TEST_CASE("a bridge that became no instruction costs nothing") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.indices[Role::bridge] = lab.add(5 + 8);
  CHECK(lab.estimate().chain == 4);
}

TEST_CASE("a bridged chain without proof of its parts has no number") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.findings[Role::chain].sass = {"OP", "SEL"};
  lab.indices[Role::bridge] = lab.add(5 + 8);
  auto no_bridge = lab;
  no_bridge.findings[Role::bridge] = not_proven(Verdict::contaminated, "more");
  CHECK_FALSE(no_bridge.estimate().chain);
  CHECK(no_bridge.estimate().cycles == 4);  // the differential's
  lab.findings[Role::differential] = not_proven(Verdict::fused, "merged");
  CHECK_FALSE(lab.estimate().chain);
  CHECK_FALSE(lab.estimate().cycles);
}

TEST_CASE("without proof there is no number but a verdict and its reason") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.findings[Role::differential] = not_proven(Verdict::elided, "hoisted");
  lab.findings[Role::chain] = not_proven(Verdict::fused, "two steps became one");
  const auto record = lab.estimate();
  CHECK(record.verdict == Verdict::elided);
  CHECK_FALSE(record.cycles);
  CHECK_FALSE(record.static_cycles);
  CHECK_FALSE(record.differential);
  CHECK_FALSE(record.chain);
  CHECK(record.note == "hoisted; chain: two steps became one");
  CHECK(record.windows.size() == 6);  // the machine code is kept
}

TEST_CASE("a window without a majority is unstable and gives no number") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.findings[Role::chain] = not_proven(Verdict::fused, "merged");
  set_samples(lab.specimens[*lab.indices[Role::differential]], {11, 12, 13, 11, 14, 15});
  const auto record = lab.estimate();
  CHECK(record.verdict == Verdict::unstable);
  CHECK_FALSE(record.cycles);
  CHECK(mentions(record, "differential: the most frequent value has 33 % of the launches"));
}

TEST_CASE("exactly half of the launches is no majority") {
  Laboratory lab;
  lab.add_plain_experiment();
  set_samples(lab.specimens[*lab.indices[Role::differential]], {11, 11, 14, 15});
  CHECK_FALSE(lab.estimate().differential);
  set_samples(lab.specimens[*lab.indices[Role::differential]], {11, 11, 11, 13, 12});
  CHECK(lab.estimate().differential == 4);
}

TEST_CASE("faults and time-outs of every window that counts are the cell's verdict, in the driver's words") {
  for (const auto& [status, verdict] :
       {std::pair{LaunchStatus::fault, Verdict::fault}, {LaunchStatus::timeout, Verdict::timeout}}) {
    Laboratory lab;
    lab.add_plain_experiment();
    for (const auto index :
         {lab.indices[Role::differential], lab.indices[Role::chain], lab.indices[Role::chain_twice]}) {
      lab.specimens[*index].launch = LaunchOutcome{status, "the driver's words", {}};
    }
    const auto record = lab.estimate();
    CHECK(record.verdict == verdict);
    CHECK_FALSE(record.cycles);
    CHECK(mentions(record, "the driver's words"));
  }
}

TEST_CASE("without launches there are static numbers and no measured ones") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.indices[Role::stream] = lab.add(9);
  lab.indices[Role::stream_twice] = lab.add(9 + 2 * lab.copies);
  for (auto& specimen : lab.specimens) specimen.launch.reset();
  const auto record = lab.estimate();
  CHECK(record.verdict == Verdict::proven);
  CHECK(record.static_cycles == 4);
  CHECK(record.issue == 2);
  for (const auto& measured : {record.cycles, record.overhead, record.bracket, record.differential, record.chain})
    CHECK_FALSE(measured);
}

TEST_CASE("code that leaves every wait to the hardware is proven without a static number, and has a measured one") {
  Laboratory lab;
  lab.add_plain_experiment();
  for (auto& specimen : lab.specimens) specimen.schedule = {0, true, false, 0};
  const auto measured = lab.estimate();
  CHECK(measured.cycles);
  CHECK_FALSE(measured.static_cycles);
  for (auto& specimen : lab.specimens) specimen.launch.reset();
  const auto record = lab.estimate();
  CHECK(record.verdict == Verdict::proven);
  CHECK_FALSE(record.static_cycles);
  CHECK(record.note == "no schedule: the assembler leaves every wait to the hardware");
}

TEST_CASE("a schedule may issue two instructions a cycle, as Maxwell does, but no launch is believed that") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.indices[Role::stream] = lab.add(9);
  lab.indices[Role::stream_twice] = lab.add(9 + lab.copies / 2);
  CHECK_FALSE(lab.estimate().issue);
  CHECK(mentions(lab.estimate(), "no issue: twice the copies take no longer"));
  for (auto& specimen : lab.specimens) specimen.launch.reset();
  CHECK(lab.estimate().issue == 0.5);
}

TEST_CASE("a cell without an issue has the reason, and is not proven if there was nothing else to prove") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.indices[Role::stream] = lab.add(9);
  lab.indices[Role::stream_twice] = lab.add(9 + 2 * lab.copies);
  CHECK_FALSE(mentions(lab.estimate(), "issue"));
  lab.findings[Role::stream] = not_proven(Verdict::fused, "copies share a part");
  CHECK(mentions(lab.estimate(), "no issue: fused, copies share a part"));

  INFO("a store: nothing can depend on it");
  lab.form.operands = {{"a", "u32"}};
  lab.indices = {};
  lab.findings = {};
  lab.indices[Role::stream] = lab.add(54);
  lab.indices[Role::stream_twice] = lab.add(35);
  CHECK(lab.estimate().verdict == Verdict::unstable);
  CHECK(mentions(lab.estimate(), "twice the copies take no longer"));
}

TEST_CASE("a static number that is a lower bound or a straight line says so") {
  Laboratory lab;
  lab.add_plain_experiment();
  auto bounded = lab, branching = lab;
  bounded.specimens[*lab.indices[Role::chain_twice]].schedule.is_lower_bound = true;
  CHECK(mentions(bounded.estimate(), "static is a lower bound"));
  for (const auto index : {lab.indices[Role::chain], lab.indices[Role::differential]}) {
    branching.specimens[*index].schedule.branches = true;
  }
  CHECK(mentions(branching.estimate(), "it branches"));
}

TEST_CASE(
    "where code branches on values the differential leads, because only a chain's first step has the input class") {
  Laboratory lab;
  lab.add_plain_experiment();
  auto& twice = lab.specimens[*lab.indices[Role::chain_twice]];
  for (auto& sample : twice.launch->samples) sample.elapsed_cycles += 40;
  const auto straight = lab.estimate();
  REQUIRE(straight.chain);
  CHECK(straight.cycles == straight.chain);
  lab.specimens[*lab.indices[Role::chain]].schedule.branches = true;
  const auto branching = lab.estimate();
  CHECK(branching.cycles == branching.differential);
  CHECK(branching.cycles != branching.chain);
}

TEST_CASE("lanes that left each other are told") {
  Laboratory lab;
  lab.add_plain_experiment();
  lab.specimens[*lab.indices[Role::chain]].launch->samples[0].lanes_agree = false;
  CHECK(mentions(lab.estimate(), "lanes took different paths"));
}
