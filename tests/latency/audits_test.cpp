#include "latency/audits.h"

#include "../sass/window_text.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::latency;

namespace {

const Line op{"IADD3 R3, R3, R5, RZ", 4}, consumer{"LOP3.LUT R9, R3, R5, RZ, 0x3c, !PT", 5};

// An experiment with a result, of two steps and two copies, whose windows a test puts together.
struct Windows {
  isa::Form form;
  isa::Input input;
  Experiment experiment;
  std::vector<line::AssembledKernel> kernels;
  std::vector<line::MadeTrial> made;
  TrialNumbers trials;

  Windows() {
    form.ptx = "op.u32";
    form.operands = {{"d", "u32", true}, {"a", "u32"}};
    input.prepare = "what makes it more than arithmetic";
    experiment.steps = experiment.copies = 2;
    put(Role::overhead, {});
    put(Role::bracket, {op});
    put(Role::differential_base, {consumer});
    put(Role::differential, {op, consumer});
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
  Audits audit() const { return latency::audit(line::Batch(kernels, made), trials, {&form, "a", &input}, experiment); }

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

TEST_CASE("a role that an experiment does not have is no dependency, and no mistake") {
  const auto audits = Windows().audit();
  CHECK(audits[Role::bridge].verdict == sass::Verdict::no_dependency);
  CHECK(audits[Role::bridge].reason == "not part of this experiment");
}

TEST_CASE("a kernel without a window is rejected, or elided where there is machine code of it, in the log's words") {
  for (const bool has_cubin : {false, true}) {
    Windows windows;
    windows.lose(Role::differential, "its words", has_cubin);
    const auto audit = windows.audit()[Role::differential];
    CHECK(audit.verdict == (has_cubin ? sass::Verdict::elided : sass::Verdict::rejected));
    CHECK(audit.reason == "its words");
  }
}

TEST_CASE("pairs share their audit: a chain without its longer half is none") {
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

TEST_CASE("what the differential proved, the other windows must have") {
  Windows windows;
  windows.put(Role::bracket, {consumer});
  CHECK(windows.audit()[Role::bracket].verdict == sass::Verdict::elided);
}
