// SPDX-License-Identifier: Apache-2.0
#include "latency/audits.h"

#include "../sass/window_text.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::latency;

namespace {

const Line op{"IADD3 R3, R3, R5, RZ", 4}, consumer_line{"LOP3.LUT R9, R3, R5, RZ, 0x3c, !PT", 5};

// An experiment with a result, of two steps and two copies, whose windows a test puts together.
struct Windows {
  isa::Form form;
  isa::Input input;
  Experiment experiment;
  std::vector<line::AssembledKernel> kernels;
  std::vector<line::MadeTrial> made;
  TrialNumbers trials;
  int level = 3;

  Windows() {
    form.ptx = "op.u32";
    form.operands = {{"d", "u32", true}, {"a", "u32"}};
    input.prepare = "what makes it more than arithmetic";
    form.inputs = {input};
    experiment.steps = experiment.copies = 2;
    put(Role::overhead, {});
    put(Role::bracket, {op});
    put(Role::differential_base, {consumer_line});
    put(Role::differential, {op, consumer_line});
    put(Role::chain, {op, op});
    put(Role::chain_twice, {op, op, op, op});
    put(Role::stream, {op, op});
    put(Role::stream_twice, {op, op, op, op});
  }

  void put(Role role, const std::vector<Line>& between) {
    line::AssembledKernel kernel;
    kernel.cubin = 0;
    kernel.window = window(between);
    add(role, kernel);
  }
  // A kernel without a window: rejected, or assembled to something else.
  void lose(Role role, const std::string& log, bool has_cubin) {
    line::AssembledKernel kernel;
    if (has_cubin) kernel.cubin = 0;
    kernel.log = log;
    add(role, kernel);
  }
  sass::Window& window_of(Role role) { return *kernels[made[*trials[role]].kernel].window; }
  Audits audit() const {
    isa::Catalogue catalogue;
    catalogue.defaults["u32"] = {{"9", "71"}};
    return latency::audit(catalogue, line::Batch(kernels, made), trials, {&form, "a", &input}, level, experiment);
  }

 private:
  void add(Role role, const line::AssembledKernel& kernel) {
    line::MadeTrial trial;
    trial.kernel = kernels.size();
    kernels.push_back(kernel);
    trials[role] = made.size();
    made.push_back(trial);
  }
};

}  // namespace

TEST_CASE("the windows of an experiment are proven together, and each says what the instruction became") {
  const auto audits = Windows().audit();
  for (const Role role : all_roles) {
    if (role == Role::bridge || role == Role::completion) continue;
    INFO(to_string(role) << ": " << audits[role].reason);
    CHECK(audits[role].is_proven());
  }
  CHECK(audits[Role::differential].sass == std::vector<std::string>{"IADD3"});
  CHECK(audits[Role::chain].sass == std::vector<std::string>{"IADD3"});
}

TEST_CASE("a role that an experiment does not have is no_dependency, not a mistake") {
  const auto audits = Windows().audit();
  CHECK(audits[Role::bridge].verdict == sass::Verdict::no_dependency);
  CHECK(audits[Role::bridge].reason == "not part of this experiment");
}

TEST_CASE("a kernel without a window is rejected, or elided if it has machine code, with the log's message") {
  for (const bool has_cubin : {false, true}) {
    Windows windows;
    windows.lose(Role::differential, "its words", has_cubin);
    const auto audit = windows.audit()[Role::differential];
    CHECK(audit.verdict == (has_cubin ? sass::Verdict::elided : sass::Verdict::rejected));
    CHECK(audit.reason == "its words");
  }
}

TEST_CASE("pairs share their audit: a chain without its longer half is not a chain") {
  Windows windows;
  windows.lose(Role::chain_twice, "too long", false);
  windows.put(Role::stream_twice, {op, op, op});
  const auto audits = windows.audit();
  CHECK(audits[Role::chain].verdict == sass::Verdict::rejected);
  CHECK(audits[Role::chain_twice].verdict == sass::Verdict::rejected);
  CHECK(audits[Role::stream].verdict == sass::Verdict::fused);
  CHECK(audits[Role::stream_twice].reason == audits[Role::stream].reason);
}

TEST_CASE("a differential is worth no more than the window without the instruction") {
  Windows windows;
  windows.put(Role::differential_base, {});
  const auto audit = windows.audit()[Role::differential];
  CHECK(audit.verdict == sass::Verdict::elided);
  CHECK(audit.reason == "the window without the instruction: the consumer is not between the clocks");
}

TEST_CASE("the other windows must have what the differential proved") {
  Windows windows;
  windows.put(Role::bracket, {consumer_line});
  CHECK(windows.audit()[Role::bracket].verdict == sass::Verdict::elided);
}

namespace {

// R3 and R5 are written 2 cycles apart, and the consumer reads both as soon as it can.
const std::vector<Line> conflict{{"IADD3 R3, R3, R5, RZ", 2}, {"IADD3 R5, R5, R7, RZ", 4}, consumer_line};

}  // namespace

TEST_CASE("a window with a register-bank conflict is contaminated, and so is the one it is subtracted from") {
  Windows windows;
  windows.put(Role::differential, conflict);
  const auto own = windows.audit();
  CHECK(own[Role::differential].verdict == sass::Verdict::contaminated);
  CHECK(own[Role::differential].reason.find("R3 and R5 are in one register bank") == 0);
  INFO("its code is proven all the same");
  CHECK(own[Role::differential].sass.size() == 2);

  Windows based;
  based.put(Role::differential_base, conflict);
  based.put(Role::differential, {op, conflict[0], conflict[1], consumer_line});
  const auto audit = based.audit()[Role::differential];
  CHECK(audit.verdict == sass::Verdict::contaminated);

  Windows chained;
  chained.put(Role::chain, {op, op, op});
  chained.put(Role::chain_twice, {conflict[0], conflict[1], op, op, op, op, op});
  chained.experiment.steps = 2;
  for (const Role role : {Role::chain, Role::chain_twice}) {
    CHECK(chained.audit()[role].verdict == sass::Verdict::contaminated);
    CHECK(chained.audit()[role].reason.find("register bank") != std::string::npos);
  }
}

TEST_CASE("a window whose second clock waits for a register is contaminated, but a stream is seen by its end") {
  Windows windows;
  const TrialNumbers& trials = windows.trials;
  const auto waits = [&] { return any_clock_waits(line::Batch(windows.kernels, windows.made), trials); };
  CHECK_FALSE(waits());
  for (const Role role : {Role::stream, Role::stream_twice, Role::chain_twice, Role::differential_base}) {
    auto& code = windows.window_of(role).instructions;
    code[code.size() - 2].control.read_scoreboard = 0;
    code.back().control.wait_mask = 0x1;
    CHECK(waits() == (role == Role::chain_twice || role == Role::differential_base));
  }
  const auto audits = windows.audit();
  CHECK(audits[Role::stream].is_proven());
  for (const Role role : {Role::chain, Role::chain_twice, Role::differential, Role::differential_base})
    CHECK(audits[role].verdict == sass::Verdict::contaminated);
  CHECK(audits[Role::differential].reason.find("the window without the instruction: the second clock waits") == 0);
  CHECK(audits[Role::bracket].is_proven());
}

TEST_CASE("a window is missing where a kernel was assembled, not where it was rejected") {
  const auto is_missing = [](Role role, bool has_cubin) {
    Windows windows;
    windows.lose(role, "the two clock reads are different instructions", has_cubin);
    return any_window_is_missing(line::Batch(windows.kernels, windows.made), windows.trials);
  };
  CHECK(is_missing(Role::chain, true));
  CHECK_FALSE(is_missing(Role::chain, false));
  CHECK_FALSE(is_missing(Role::stream, true));
}

TEST_CASE("how wide a load or a store must be is known from its form") {
  Windows windows;
  const Line load{"LDS.64 R3, [R5]", 4};
  windows.put(Role::differential, {load, consumer_line});
  CHECK(windows.audit()[Role::differential].is_proven());
  windows.form.opcode = "ld.global.nc";
  windows.form.operands = {{"d", "b128", true}, {"a", "u32"}};
  CHECK(windows.audit()[Role::differential].reason == "it moves 8 bytes where the instruction moves 16");
  windows.form.operands = {{"d", "f32", true, false, 2}, {"a", "u32"}};
  CHECK(windows.audit()[Role::differential].is_proven());
  windows.form.operands = {{"d", "b128", true}, {"a", "u32"}};
  windows.form.opcode = "ldmatrix";
  CHECK(windows.audit()[Role::differential].is_proven());
}

TEST_CASE("a uniform operand is in its register before the first clock, but below -O2 and where lanes may differ") {
  const Line from_lane{"R2UR UR4, R2", 10}, uniform_op{"IADD3 R3, R3, UR4, RZ", 4};
  Windows windows;
  windows.put(Role::differential, {from_lane, uniform_op, consumer_line});
  CHECK(windows.audit()[Role::differential].is_proven());
  windows.form.inputs.front().values["a"] = {"8", "8", false, true};
  CHECK(windows.audit()[Role::differential].is_proven());
  windows.input.values["a"] = {"8", "8", false, true};
  const auto audit = windows.audit()[Role::differential];
  CHECK(audit.verdict == sass::Verdict::contaminated);
  CHECK(audit.reason.starts_with("prepares an operand between the clocks"));
  windows.level = 1;
  CHECK(windows.audit()[Role::differential].is_proven());
  windows.level = 2;
  CHECK_FALSE(windows.audit()[Role::differential].is_proven());
  windows.put(Role::differential, {uniform_op, consumer_line});
  CHECK(windows.audit()[Role::differential].is_proven());
}
