// SPDX-License-Identifier: Apache-2.0

// What the catalogue's words become in the kernels: vectors, objects, texts around the instruction, streams.
#include <set>

#include "little_catalogue.h"
#include "shipped_catalogue.h"

using namespace ptxlat;
using namespace ptxlat::ptx;
using namespace ptxlat::latency;
using Lines = std::vector<std::string>;
using Catch::Matchers::Contains;

TEST_CASE("a vector has its own registers, in braces even if there is only one") {
  const LittleCatalogue little(R"(syntax = "x {d:u32[2]}, {a:u32[1]}, {b:u32}")");
  const auto text = little.kernel(Role::differential, "a");
  CHECK(window_lines(text).front() == "x {%v_d_0, %v_d_1}, {%v_a_0}, %v_b;");
  for (const char* name : {"%v_d_0", "%v_d_1", "%v_a_0", "%v_b"})
    CHECK_THAT(text, Contains(std::string(".reg .b32 ") + name + ";"));
  // Both results are kept: one by the consumer, the other by a store.
  CHECK(count_of(behind_the_clock(text) + window_lines(text).back(), "%v_d_0") == 1);
  CHECK(count_of(behind_the_clock(text) + window_lines(text).back(), "%v_d_1") == 1);
}

TEST_CASE("an object adds its texts: at module scope, in the kernel, before the loop, in every pass") {
  const LittleCatalogue little(R"(syntax = "x {d:u32}, [{a:near}], [{b:near}]")");
  const ptx::Trial trial = little.experiment("a").trials[Role::differential];
  CHECK(trial.kernel.module == Lines{".const .b32 table[8];"});
  CHECK(trial.launch.dynamic_shared == 4096);
  CHECK(count_of(trial.kernel.text, ".const .b32 table") == 0);
  CHECK(count_of(trial.kernel.text, ".shared .b8 bytes[64];") == 1);
  CHECK(trial.kernel.text.find("first %near_u;") < trial.kernel.text.find("PASS:"));
  CHECK(count_of(trial.kernel.text, "first %near_u;") == 1);
  for (const std::string name : {"%v_a", "%v_b"}) {
    const auto make = "mov.u64 " + name + "_u, bytes; add.u64 " + name + ", " + name + "_u, " + name + "_offset;";
    CHECK(trial.kernel.text.find(make) > trial.kernel.text.find("PASS:"));
    CHECK(trial.kernel.text.find(make) < trial.kernel.text.find("mov.u32 %clock_1"));
  }
  CHECK_FALSE(trial.launch.uses_memory);
}

TEST_CASE("a kernel knows what each of its loads before the first clock is for") {
  const LittleCatalogue little(
      "syntax = \"x {d:u32}, {a:u32}, {g:pred}, {b:b128}, [{c:far}]\"\n"
      "values = {g = \"1\"}\ndependence = [\"a\"]\n"
      "prepare = \"ld.volatile.global.u32 {t0}, [%memory]; ld.shared.u32 {t1}, [bytes];\"\n");
  auto experiment = little.experiment("a");
  const Lines loads{"%v_a", "%v_g", "%v_b", "%v_b", "%v_c", ""};
  const auto& kernel = experiment.trials[Role::differential].kernel;
  CHECK(kernel.operand_loads == loads);
  CHECK(count_of(before_the_clock(kernel.text), "ld.volatile.global") == loads.size());
  // A clock's register that is set before the loop is no clock.
  change_clocks(little.loaded, little.variant("a"), Clocks::reserved, experiment);
  CHECK(experiment.trials[Role::differential].kernel.operand_loads == loads);
}

TEST_CASE("each lane has its own address, as far from its neighbours' as an operand is wide") {
  const LittleCatalogue little(R"(syntax = "x {d:u32[4]}, [{a:far}]")");
  const ptx::Trial trial = little.experiment("a").trials[Role::differential];
  CHECK(trial.launch.uses_memory);
  REQUIRE_THAT(trial.kernel.text, Contains("ld.volatile.global.b64 %v_a_offset, [%in+0];"));
  for (std::size_t lane = 0; lane < 32; ++lane) CHECK(trial.launch.input[8 * lane] == 16 * lane);
}

TEST_CASE("the place of the SM matters for a release beyond its CTA, in any memory") {
  const auto uses_memory = [](const std::string& name) {
    const LittleCatalogue little("syntax = \"" + name + " {d:u32}, {a:u32}\"");
    return little.experiment("a").trials[Role::differential].launch.uses_memory;
  };
  CHECK_FALSE(uses_memory("x"));
  CHECK_FALSE(uses_memory("x.release.cta"));
  CHECK(uses_memory("x.release.gpu"));
  CHECK(uses_memory("x.acq_rel"));
}

TEST_CASE("a chain goes through an address as an offset that is zero but unknown to the compiler") {
  const LittleCatalogue little(R"(syntax = "x {d:u32}, [{a:far}]")");
  const ptx::Trial trial = little.experiment("a").trials[Role::chain];
  const auto lines = window_lines(trial.kernel.text);
  const int steps = chain_steps(little.form());
  REQUIRE(std::ssize(lines) == 2 * steps);
  for (int step = 0; step < steps; ++step) {
    CHECK(lines[2 * step] == "x %v_d, [%v_a];");
    CHECK(lines[2 * step + 1] == "cvt.u64.u32 %step, %v_d; and.b64 %step, %step, %zero; add.u64 %v_a, %base, %step;");
  }
  CHECK_THAT(before_the_clock(trial.kernel.text),
             Contains("mov.b64 %base, %v_a;") && Contains("global.b64 %zero, [%in+"));
  CHECK_THAT(little.kernel(Role::bridge, "a"), Contains("cvt.u64.u32 %step, %x;"));
}

TEST_CASE("an object that is not an address carries no dependence and needs no value") {
  const LittleCatalogue little(R"(syntax = "x {d:u32}, {a:u32}, {p:policy}")");
  CHECK(little.form().dependence == Lines{"a"});
  const auto text = little.kernel(Role::differential, "a");
  CHECK_THAT(text, Contains("createpolicy %v_p;"));
  CHECK(count_of(text, "%v_p_offset") == 0);
}

TEST_CASE("a class with a different object has that object's texts") {
  const LittleCatalogue little("syntax = \"x {d:u32}, [{a:near}]\"\ninputs = [{name = \"far\", a = \"@far\"}]");
  CHECK_THAT(little.kernel(Role::differential, "a", 0), Contains("bytes"));
  const ptx::Trial far = little.experiment("a", 1).trials[Role::differential];
  CHECK(count_of(far.kernel.text, "bytes") == 0);
  CHECK((far.kernel.module.empty() && far.launch.uses_memory));
}

TEST_CASE("a chain that crosses reads the result before the last one as its second source") {
  const LittleCatalogue little(R"(syntax = "x {d:u32}, {a:u32}, {b:u32}, {c:b64}")");
  auto experiment = little.experiment("b");
  REQUIRE(cross_chains(little.loaded, little.variant("b"), experiment));
  CHECK(window_lines(experiment.trials[Role::chain].kernel.text) ==
        Lines{"x %v_a, %v_a, %v_b, %v_c;", "x %v_b, %v_b, %v_a, %v_c;", "x %v_a, %v_a, %v_b, %v_c;",
              "x %v_b, %v_b, %v_a, %v_c;"});
  CHECK_FALSE(cross_chains(little.loaded, little.variant("b"), experiment));  // it does already
  auto other = little.experiment("c");
  CHECK_FALSE(cross_chains(little.loaded, little.variant("c"), other));
  const LittleCatalogue alone(R"(syntax = "x {d:u32}, {a:u32}")");
  auto single = alone.experiment("a");
  CHECK_FALSE(cross_chains(alone.loaded, alone.variant("a"), single));
}

TEST_CASE("a consumer with an input of its own is the only one there, and has no chain") {
  const auto& form = shipped_form("setp.lt.u32");
  REQUIRE(form.inputs.back().name == "to a guard");
  const isa::Variant guard{&form, "a", &form.inputs.back()}, value{&form, "a", &form.inputs.front()};
  const auto consumers = consumers_for(shipped().catalogue, guard);
  REQUIRE(consumers.size() == 1);
  CHECK(consumers.front()->name == "guarded.add.u32");
  for (const auto* consumer : consumers_for(shipped().catalogue, value)) CHECK(consumer->input.empty());
  const auto experiment = expand(shipped(), guard, consumers.front());
  CHECK(experiment.trials[Role::chain].kernel.text.empty());
  CHECK_THAT(experiment.trials[Role::differential].kernel.text, Contains("@%v_d add.u32 %k, %k, 21;"));
  CHECK(shipped_form("add.u32").inputs.back().name.empty());
  INFO("some are for one opcode's forms");
  CHECK(shipped_form("cvt.rn.bf16.f32").inputs.back().name == "to a conversion");
  CHECK(shipped_form("add.rn.bf16").inputs.back().name.empty());
}

TEST_CASE("a chain through an accumulator repeats the instruction as it stands") {
  const LittleCatalogue little("syntax = \"x {d:f32[2]}, {a:u32}\"\ninout = [\"d\"]");
  const auto text = little.kernel(Role::chain, "d");
  const auto lines = window_lines(text);
  for (int step = 0; step < chain_steps(little.form()); ++step) CHECK(lines.at(step) == "x {%v_d_0, %v_d_1}, %v_a;");
  CHECK_THAT(before_the_clock(text), Contains("ld.volatile.global.b32 %v_d_0") && Contains("b32 %v_d_1"));
}

TEST_CASE("the texts around an instruction are in their places, with their holes filled") {
  const LittleCatalogue little(R"(syntax = "x {d:u32[2]}, {a:u32}"
prepare    = "prepare {a}, {t1};"
before     = "before {d.0}, {#};"
completion = "completion {d}, {t0};"
cleanup    = "cleanup {p1};"
around     = "{op} L_{#}:")");
  const auto text = little.kernel(Role::differential, "");
  CHECK(window_lines(text) ==
        Lines{"before %v_d_0, 0;", "x {%v_d_0, %v_d_1}, %v_a; L_1:", "completion {%v_d_0, %v_d_1}, %t0;"});
  CHECK(text.find("prepare %v_a, %t1;") > text.find("PASS:"));
  CHECK(text.find("prepare %v_a, %t1;") < text.find("mov.u32 %clock_1"));
  CHECK(text.find("cleanup %p1;") > text.find("mov.u32 %clock_2, %clock;"));
  CHECK(text.find("cleanup %p1;") < text.find("@%again bra PASS"));
  for (const char* scratch : {".reg .b32 %t0;", ".reg .b32 %t1;", ".reg .pred %p1;"})
    CHECK(count_of(text, scratch) == 1);
  CHECK(count_of(text, "%t2") == 0);
}

TEST_CASE("a wait is compared with the wait alone and with what precedes it") {
  const LittleCatalogue little("syntax = \"x {a:u32}\"\nbefore = \"before;\"\ncompletion = \"wait;\"");
  const auto experiment = little.experiment("");
  CHECK(experiment.consumer == nullptr);
  const auto window = [&](Role role) { return window_lines(experiment.trials[role].kernel.text); };
  CHECK(window(Role::differential) == Lines{"before;", "x %v_a;", "wait;"});
  CHECK(window(Role::differential_base) == Lines{"before;"});
  CHECK(window(Role::completion) == Lines{"before;", "wait;"});
  CHECK(experiment.trials[Role::bracket].kernel.text.empty());
}

TEST_CASE("the copies of a stream have numbers, results and sources of their own") {
  const LittleCatalogue little("syntax = \"x {d:u32}, {a:u32}, {b:u32}\"\naround = \"{op} L_{#}:\"");
  const auto text = little.kernel(Role::stream, "a");
  const auto lines = window_lines(text);
  REQUIRE(lines.size() == 5);
  CHECK(lines.back() == "@%leave bra LEFT;");
  for (std::size_t copy = 0; copy < 4; ++copy) {
    const auto n = std::to_string(copy);
    CHECK(lines[copy] == "x %v_d_c" + n + ", %v_a_c" + n + ", %v_b_c" + n + "; L_" + n + ":");
    CHECK_THAT(before_the_clock(text), Contains("ld.volatile.global.b32 %v_a_c" + n + ", ["));
    CHECK_THAT(behind_the_clock(text), Contains("st.volatile.global.b32 [%out+32], %v_d_c" + n + ";"));
    INFO("needed on both sides of the branch, so that no copy moves to one of them");
    CHECK_THAT(behind_the_clock(text), Contains("st.volatile.global.b32 [%out+48], %v_d_c" + n + ";"));
  }
  CHECK(window_lines(little.kernel(Role::stream_twice, "a")).size() == 9);
}

TEST_CASE("a stream has as many copies as a thread has registers for, and none where a copy cannot follow a copy") {
  const auto copies = [](const std::string& entry) {
    const LittleCatalogue little(entry);
    return little.experiment(isa::variants_of(little.form()).front().operand).copies;
  };
  CHECK(copies("syntax = \"x {d:u32}, {a:u32}\"") == 4);
  CHECK(copies("syntax = \"x {d:u32[15]}, {a:u32}\"") == 4);
  CHECK(copies("syntax = \"x {d:u32[16]}, {a:u32}\"") == 2);
  CHECK(copies("syntax = \"x {d:u32[32]}, {a:u32}\"") == 1);
  INFO("65 of them work one behind the other on one accumulator");
  CHECK(copies("syntax = \"x {d:u32[65]}, {a:u32}\"\ninout = [\"d\"]") == 2);
  CHECK(copies("syntax = \"x {d:u32}, {a:u32}\"\nnot_streamable = \"it would hang\"") == 0);
  CHECK(copies("syntax = \"x {d:u32}|{d1:pred}, {a:u32}\"") == 2);
}

TEST_CASE("a wide vector goes to and from memory four registers at a time, and is repeated less often") {
  const LittleCatalogue little("syntax = \"x {d:f32[16]}, {a:u32}\"\ninout = [\"d\"]\ncompletion = \"wait;\"");
  CHECK(chain_steps(little.form()) == 2);
  const ptx::Trial trial = little.experiment("d").trials[Role::chain_twice];
  CHECK(count_of(trial.kernel.text, "x {%v_d_0,") == 4);
  CHECK(count_of(trial.kernel.text, "ld.volatile.global.v4.b32") == 4);
  INFO("the four arrive together, so that one branch waits for them");
  CHECK(count_of(trial.kernel.text, "setp.eq.b32 %guard_1, %v_d_") == 4);
  CHECK(count_of(trial.kernel.text, "st.volatile.global.v4.b32 [%out+32], {%v_d_") == 4);
  INFO("16 bytes of input, aligned, with the lane's value in each register");
  const auto load = trial.kernel.text.find("{%v_d_0, %v_d_1, %v_d_2, %v_d_3}, [%in+");
  REQUIRE(load != std::string::npos);
  const auto offset = std::stoul(trial.kernel.text.substr(trial.kernel.text.find("[%in+", load) + 5));
  REQUIRE(offset % 16 == 0);
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const auto pair = trial.launch.input[8 * lane + offset / 8];
    CHECK((pair == trial.launch.input[8 * lane + offset / 8 + 1] && pair >> 32 == (pair & 0xffffffff)));
  }
  CHECK(trial.launch.input[offset / 8] != trial.launch.input[8 + offset / 8]);

  CHECK(chain_steps(LittleCatalogue("syntax = \"x {d:f32[8]}, {a:u32}\"").form()) == 4);
}

TEST_CASE("if registers are scarce, the copies of a stream share the sources that do not distinguish them") {
  const LittleCatalogue little("syntax = \"x {d:u32[8]}, {a:u32}, {b:u32[8]}\"");
  const auto lines = window_lines(little.kernel(Role::stream, "a"));
  REQUIRE(lines.size() == 5);
  CHECK_THAT(lines.front(), Contains("{%v_d_c0_0, ") && Contains("%v_a_c0, {%v_b_0, "));
}

TEST_CASE(
    "a stream's second clock has a register of its own, and the sources of a shortened one are not free behind it") {
  const LittleCatalogue little("syntax = \"x {d:u32}, {a:u32}, {b:u16}\"");
  auto experiment = little.experiment("a");
  const auto text = experiment.trials[Role::stream].kernel.text;
  CHECK(text.find("mov.u32 %clock_2, 0;") < text.find("PASS:"));
  const auto left = text.find("LEFT:"), stored = text.find("[%out+12], %clock_2;");
  CHECK((left < stored && stored < text.find("STAYED:")));
  CHECK(experiment.trials[Role::differential].kernel.text.find("%clock_2, 0;") == std::string::npos);
  CHECK_FALSE(behind_the_clock(text).find("%v_a_c0;") != std::string::npos);

  CHECK(experiment.copies == 4);

  little.shorten_stream("a", experiment);
  CHECK(experiment.copies == 1);
  CHECK(window_lines(experiment.trials[Role::stream].kernel.text).size() == 2);
  CHECK(window_lines(experiment.trials[Role::stream_twice].kernel.text).size() == 3);
  CHECK_THAT(behind_the_clock(experiment.trials[Role::stream_twice].kernel.text),
             Contains("%v_a_c0;") && Contains("%v_a_c1;") && Contains("%v_b_c1;"));
}

TEST_CASE("16-bit results are stored as a pair after a stream") {
  const LittleCatalogue little("syntax = \"x {d:b16}, {a:b16}\"");
  CHECK_THAT(little.kernel(Role::stream, "a"), Contains("mov.b32 %low, {%v_d_c3, %v_d_c3};"));
}

TEST_CASE("the copies of a stream have separate accumulators if two fit, else one for all") {
  const auto lines_of = [](const char* registers) {
    const LittleCatalogue little(std::string("syntax = \"x {d:f32[") + registers + "]}, {a:u32}\"\ninout = [\"d\"]");
    return window_lines(little.kernel(Role::stream, "d"));
  };
  const auto few = lines_of("2");
  REQUIRE(few.size() == 5);
  CHECK_THAT(few.front(), Contains("x {%v_d_c0_0, %v_d_c0_1}"));
  CHECK_THAT(few.at(3), Contains("x {%v_d_c3_0, %v_d_c3_1}"));
  CHECK(lines_of("30").size() == 3);
  const auto many = lines_of("128");
  REQUIRE(many.size() == 3);
  CHECK_THAT(many.front(), Contains("x {%v_d_0, %v_d_1"));
  CHECK_THAT(many.at(1), Contains("x {%v_d_0, %v_d_1"));
}

TEST_CASE("clocks with registers of their own are read under a predicate, in all windows but streams") {
  const LittleCatalogue little("syntax = \"x {d:u32}, {a:u32}\"");
  const auto plain = little.experiment("a");
  for (const auto clocks : {latency::Clocks::second_reserved, latency::Clocks::reserved}) {
    const bool both = clocks == latency::Clocks::reserved;
    auto reserved = plain;
    latency::change_clocks(little.loaded, little.variant("a"), clocks, reserved);
    for (const Role role : latency::timed_roles) {
      INFO(to_string(role) << (both ? ", both" : ""));
      const auto& text = reserved.trials[role].kernel.text;
      if (text.empty()) continue;
      CHECK_THAT(text, Contains(both ? "\n  @%is_timed mov.u32 %clock_1, %clock;" : "\n  mov.u32 %clock_1, %clock;"));
      CHECK_THAT(text, Contains("\n  @%is_timed mov.u32 %clock_2, %clock;"));
      CHECK((text.find("mov.u32 %clock_1, 0;") < text.find("PASS:")) == both);
      CHECK(text.find("mov.u32 %clock_2, 0;") < text.find("PASS:"));
      CHECK(text.find("setp.ne.u64 %is_timed, %out, 0;") < text.find("PASS:"));
      CHECK_THAT(plain.trials[role].kernel.text, !Contains("%is_timed"));
    }
    CHECK(reserved.trials[Role::stream].kernel.text == plain.trials[Role::stream].kernel.text);
    INFO("another consumer keeps it");
    latency::change_consumer(little.loaded, little.variant("a"), &little.loaded.catalogue.consumers.at(1), reserved);
    CHECK_THAT(reserved.trials[Role::differential].kernel.text, Contains("@%is_timed"));
  }
}

TEST_CASE("a b128 is loaded, chained and kept in halves, all of which are needed: ptxas loads no more than that") {
  const LittleCatalogue little("syntax = \"x {d:b128}, {a:b128}, [{b:far}]\"");
  const auto text = little.kernel(Role::differential, "a");
  CHECK_THAT(text, Contains(".reg .b128 %v_a;") && Contains("ld.volatile.global.b64 %lower_v_a,") &&
                       Contains("mov.b128 %v_a, {%lower_v_a, %upper_v_a};"));
  CHECK_THAT(little.kernel(Role::chain, "a"), Contains("x %v_a, %v_a, [%v_b];"));
  CHECK_THAT(little.kernel(Role::chain, "b"),
             Contains("mov.b128 {%lower, %upper}, %v_d; xor.b64 %lower, %lower, %upper;"));
  CHECK_THAT(little.kernel(Role::stream, "a"), Contains("mov.b128 {%u2, %u3}, %v_d_c0;") &&
                                                   Contains("st.volatile.global.v2.b64 [%out+32], {%u2, %u3};") &&
                                                   Contains(".reg .b64 %u2;") && Contains(".reg .b64 %u3;"));
}

TEST_CASE("a cluster's CTAs meet before and after, and a kernel has its directives and lanes") {
  const LittleCatalogue little(
      "syntax = \"x {d:u32}, {a:u32}\"\ncluster = 2\nthreads = 64\ndirectives = \".maxnreg 128\"");
  const ptx::Trial trial = little.experiment("a").trials[Role::differential];
  CHECK((trial.launch.ctas == 2 && trial.launch.threads == 64));
  CHECK(trial.launch.input.size() == 2 * 64 * 8);  // each CTA has its own slots
  CHECK_THAT(trial.kernel.text, Contains(" .maxnreg 128 .reqnctapercluster 2, 1, 1"));
  const std::string meeting = "barrier.cluster.arrive;\n  barrier.cluster.wait;";
  CHECK(count_of(trial.kernel.text, meeting) == 2);
  CHECK(trial.kernel.text.find(meeting) < trial.kernel.text.find("PASS:"));
  CHECK(trial.kernel.text.rfind(meeting) > trial.kernel.text.find("DONE:"));
}

TEST_CASE("warps after the first repeat its values") {
  const LittleCatalogue little("syntax = \"x {d:u32}, {a:u32}\"\nthreads = 64");
  const auto input = little.experiment("a").trials[Role::differential].launch.input;
  for (std::size_t lane = 0; lane < 32; ++lane) CHECK(input[8 * lane] == input[8 * (lane + 32)]);
}

TEST_CASE("a form alone in a kernel has all the texts around it") {
  const LittleCatalogue little("syntax = \"x {d:u32}, [{a:near}]\"\nbefore = \"b;\"\ncompletion = \"w;\"");
  const ptx::Kernel kernel = plain_trial(little.loaded, little.variant("")).kernel;
  CHECK(window_lines(kernel.text) == Lines{"b;", "x %v_d, [%v_a];", "w;"});
  CHECK(kernel.module.size() == 1);
}

TEST_CASE(
    "a uniform operand is made before the loop, from a value that the compiler knows to be the same in all lanes") {
  const LittleCatalogue little(
      "syntax = \"x {d:u32}, {a:u32}, {n:u16}\"\nvalues = {n = \"uniform 7\"}\ndependence = [\"a\"]");
  const auto text = little.kernel(Role::differential, "a");
  const auto made = text.find(
      "mov.u32 %low, %ctaid.y; mul.lo.u32 %low, %low, 1; cvt.u16.u32 %v_n_uniform, %low; add.u16 %v_n_uniform, "
      "%v_n_uniform, 7;");
  REQUIRE(made != std::string::npos);
  CHECK(made < text.find("PASS:"));
  // Each pass has a copy, which a chain may write, and no branch on it.
  CHECK_THAT(before_the_clock(text), Contains("mov.b16 %v_n, %v_n_uniform;"));
  CHECK(count_of(text, "%guard_1, %v_n") == 0);
}

TEST_CASE("an object with a uniform offset is made before the loop, and remade in every pass") {
  const LittleCatalogue little(R"(syntax = "x {d:u32}, [{a:barrier}], [{b:barrier}]"
inputs = [{name = "divergent", a = "0", b = "0"}])");
  const auto text = little.kernel(Role::differential, "");
  const auto loop = text.find("PASS:");
  for (const std::string name : {"%v_a", "%v_b"}) {
    CHECK(text.find("xor.b64 " + name + "_uniform, " + name + "_u, " + name + "_offset;") < loop);
    CHECK(text.find("init [" + name + "];") > loop);
    CHECK(count_of(text, "%guard_1, " + name) == 0);
  }
  const auto divergent = little.kernel(Role::differential, "", 1);
  CHECK(divergent.find("xor.b64 %v_a, %v_a_u, %v_a_offset;") > divergent.find("PASS:"));
  CHECK_THAT(divergent, Contains("ld.volatile.global.b64 %v_a_offset") && Contains("%guard_1, %v_a,"));
}

TEST_CASE("copies of a stream share uniform operands") {
  const LittleCatalogue little(
      "syntax = \"x {d:u32}, {a:u32}, {n:u32}\"\nvalues = {n = \"uniform 7\"}\ndependence = [\"a\"]");
  const auto lines = window_lines(little.kernel(Role::stream, "a"));
  CHECK(lines.at(0) == "x %v_d_c0, %v_a_c0, %v_n;");
  CHECK(lines.at(1) == "x %v_d_c1, %v_a_c1, %v_n;");
}

TEST_CASE("a lane is elected before the first clock if a text names it, and a class can have its own instruction") {
  const LittleCatalogue little(R"(syntax = "x [{a:near}]"
completion = "wait;"
around = "@%elected {op}"
inputs = [{name = "divergent", around = "{op}"}])");
  const auto text = little.kernel(Role::differential, "");
  CHECK(window_lines(text).front() == "@%elected x [%v_a];");
  CHECK_THAT(before_the_clock(text), Contains("elect.sync _|%elected, 0xffffffff;"));
  // Else the pass would be counted between the clocks.
  CHECK_THAT(behind_the_clock(text), Contains("setp.eq.u32 %again, %clock_1, %clock_2;"));
  const auto divergent = little.kernel(Role::differential, "", 1);
  CHECK(window_lines(divergent).front() == "x [%v_a];");
  CHECK(count_of(divergent, "elected") == 0);
}
