// SPDX-License-Identifier: Apache-2.0

// Cells down the line, with an assembler whose machine code is known and the stand-in driver.
#include "latency/method.h"

#include <algorithm>

#include "../line/literal_assembler.h"
#include "../ptx/little_catalogue.h"
#include "../worker/environment.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::latency;

namespace {

// One form's cells of one level.
struct MethodBench {
  LittleCatalogue little;
  Environment environment;
  TemporaryFile log;
  worker::Worker worker{test_options()};
  LiteralAssembler literal;
  LiteralDisassembler disassembler;
  assemble::Toolchain toolchain{assemble::ToolchainKind::ptxas, "ptxas-13.0.88", "13.0.88", {}, 9, 0};

  explicit MethodBench(const std::string& entry) : little(entry) {
    environment.set("PTXLAT_STANDIN_LAUNCH_LOG", log.path());
  }

  std::vector<results::Record> make(line::KernelAssembler& assembler, worker::Worker* on,
                                    const std::vector<int>& levels = {3}) {
    const auto plan = plan_cells(little.loaded, {&little.form()}, levels);
    const auto cells = with_alike(plan, line_cells(plan));
    const auto workers = on == nullptr ? std::vector<worker::Worker*>{} : std::vector{on};
    const line::Line line{
        .toolchain = toolchain, .target = {90, ""}, .disassembler = disassembler, .workers = workers, .launches = 3};
    line::Gpus gpus(workers);
    line::Interruption interruption(line.interrupted);
    line::Bench bench(line, assembler, gpus, interruption, 3);
    return LatencyMethod(little.loaded, plan).make(bench, cells);
  }
  std::vector<results::Record> make() { return make(literal, &worker); }
};

// Rejects every kernel, or fails at it.
struct RejectingAssembler : line::KernelAssembler {
  std::string words = "rejected in its words";
  bool fails = false;
  assemble::BatchOutcome assemble(const std::vector<line::NamedKernel>& kernels, int) override {
    assemble::BatchOutcome outcome;
    for (const auto& kernel : kernels) outcome.kernels.push_back({std::nullopt, kernel.name, words, fails});
    return outcome;
  }
};

// What comes before an instruction makes it more than arithmetic, whose data flow an audit would follow.
const std::string entry = "syntax = \"x {d:u32}, {a:u32}\"\nprepare = \"prepared;\"\n";

}  // namespace

TEST_CASE("a cell's numbers are those of its machine code, each from the windows that it names") {
  MethodBench bench(entry);
  const auto records = bench.make();
  REQUIRE(records.size() == 1);
  const auto& record = records.front();
  INFO(record.note);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.flags.empty());
  for (const auto tag : {results::metric::cycles, results::metric::differential, results::metric::chain,
                         results::metric::bracket, results::metric::issue, results::metric::static_cycles}) {
    INFO(tag);
    CHECK(record.number(tag) == 4);
  }
  CHECK(record.number(results::metric::overhead) == 1);
  CHECK(record.find(results::metric::cycles)->from == std::vector<std::string>{"chain", "chain twice"});
  CHECK(record.sass == std::vector<std::string>{"IADD3"});
  CHECK(record.measure == results::Measure::dependent);
  CHECK(record.consumer == results::itself);
  CHECK(record.differential_consumer == "eat.b32");
  for (const auto& window : record.windows) CHECK(window.samples.size() == 3);
}

TEST_CASE("without a GPU the schedule gives the same numbers") {
  MethodBench bench(entry);
  const auto record = bench.make(bench.literal, nullptr).at(0);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.number(results::metric::static_cycles) == 4);
  CHECK(record.number(results::metric::issue) == 4);
  CHECK_FALSE(record.number(results::metric::cycles));
  CHECK(bench.log.lines().empty());
}

TEST_CASE("the wait alone is assembled and never launched") {
  MethodBench bench("syntax = \"x {a:u32}\"\nbefore = \"before;\"\ncompletion = \"mov waits;\"\n");
  const auto record = bench.make().at(0);
  INFO(record.note);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.number(results::metric::cycles) == 4);  // the stall of the last instruction belongs to the edge
  const auto* completion = window_of_role(record, "completion");
  REQUIRE(completion != nullptr);
  CHECK(completion->sass.size() == 3);
  CHECK(completion->samples.empty());
  const auto launched = bench.log.lines();
  CHECK(std::none_of(launched.begin(), launched.end(),
                     [](const std::string& name) { return name.starts_with("completion"); }));
  CHECK(std::any_of(launched.begin(), launched.end(),
                    [](const std::string& name) { return name.starts_with("differential"); }));
}

TEST_CASE("a form that the assembler rejects has its words, and nothing is launched") {
  MethodBench bench(entry);
  RejectingAssembler assembler;
  const auto record = bench.make(assembler, &bench.worker).at(0);
  CHECK(record.verdict == sass::Verdict::rejected);
  CHECK(record.note == "rejected in its words");
  CHECK(record.metrics.empty());
  CHECK(bench.log.lines().empty());
}

TEST_CASE("an assembler that fails has no verdict on a form: the flag says so, and not its words") {
  MethodBench bench(entry);
  RejectingAssembler assembler;
  assembler.words = "error: 'the assembler failed: ' is no instruction";
  const auto rejected = bench.make(assembler, nullptr).at(0);
  CHECK(rejected.note == assembler.words);
  CHECK(rejected.flags.empty());
  CHECK(is_final(rejected));
  assembler.fails = true;
  const auto failed = bench.make(assembler, nullptr).at(0);
  CHECK(failed.verdict == sass::Verdict::rejected);
  CHECK(failed.flags == std::vector<std::string>{results::flag::retry});
  CHECK_FALSE(is_final(failed));
}

TEST_CASE("an assembler that fails at one window leaves the numbers of the others, for now") {
  struct FailsAtTheBracket : LiteralAssembler {
    assemble::BatchOutcome assemble(const std::vector<line::NamedKernel>& kernels, int level) override {
      auto outcome = LiteralAssembler::assemble(kernels, level);
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (kernels[i].name.starts_with("bracket")) outcome.kernels[i] = {std::nullopt, {}, "it hung", true};
      }
      return outcome;
    }
  } assembler;
  MethodBench bench(entry);
  const auto record = bench.make(assembler, nullptr).at(0);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.number(results::metric::static_cycles) == 4);
  CHECK_FALSE(is_final(record));
}

TEST_CASE("a form whose compiler failed is unsupported for now") {
  MethodBench bench(entry);
  auto& form = bench.little.loaded.catalogue.forms.front();
  form.unsupported_because = "NVRTC died of signal 11";
  CHECK(is_final(bench.make().at(0)));
  form.compiler_failed = true;
  CHECK(bench.make().at(0).verdict == sass::Verdict::unsupported);
  CHECK_FALSE(is_final(bench.make().at(0)));
}

TEST_CASE("a form that the toolchain or the target does not have is not assembled") {
  MethodBench newer(entry + "ptx = \"9.9\"\n"), elsewhere(entry + "target = \"sm_100a\"\n");
  CHECK(newer.make().at(0).note == "needs PTX 9.9; ptxas-13.0.88 knows 9.0");
  CHECK(elsewhere.make().at(0).verdict == sass::Verdict::unsupported);
  CHECK(elsewhere.make().at(0).note == "needs sm_100a");
}

TEST_CASE("a form that nothing can depend on says why") {
  MethodBench bench("syntax = \"x {a:u32}\"\nnot_measurable = \"it ends the kernel\"\n");
  const auto record = bench.make().at(0);
  CHECK(record.verdict == sass::Verdict::no_dependency);
  CHECK(record.note == "it ends the kernel");
}

TEST_CASE("a form whose issue cost is another's has no streams, and no word about it") {
  MethodBench bench(entry);
  const auto has_streams = [](const results::Record& record) {
    return std::any_of(record.windows.begin(), record.windows.end(),
                       [](const auto& window) { return is_stream(window.role); });
  };
  CHECK(has_streams(bench.make(bench.literal, nullptr).at(0)));
  bench.little.loaded.catalogue.forms.front().is_streamed = false;
  const auto record = bench.make(bench.literal, nullptr).at(0);
  CHECK_FALSE(has_streams(record));
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.note.empty());
}

namespace {

// Two variants, so that one of them need not be made in full.
const std::string two_operands = "syntax = \"x {d:u32}, {a:u32}, {b:u32}\"\nprepare = \"prepared;\"\n";

std::vector<const results::Record*> at_level(const std::vector<results::Record>& records, int level) {
  std::vector<const results::Record*> found;
  for (const auto& record : records) {
    if (record.level == level) found.push_back(&record);
  }
  return found;
}

}  // namespace

TEST_CASE("a lower level whose first windows are the same code is the higher level's record, but for a sample") {
  MethodBench bench(two_operands);
  std::vector<std::string> names;
  bench.literal.names = &names;
  const auto records = bench.make(bench.literal, &bench.worker, {2, 3});
  const auto lower = at_level(records, 2), higher = at_level(records, 3);
  REQUIRE((lower.size() == 2 && higher.size() == 2));
  CHECK(std::count_if(lower.begin(), lower.end(), [](const auto* r) { return r->code_of_level == 3; }) == 1);
  for (const auto* record : higher) CHECK(record->code_of_level == -1);
  for (const auto* record : lower) {
    const auto* same = record->operand == higher.front()->operand ? higher.front() : higher.back();
    CHECK(record->number(results::metric::cycles) == same->number(results::metric::cycles));
    CHECK(record->windows.size() == same->windows.size());
    CHECK(record->recipe == same->recipe);
  }
  INFO("of the other nothing but its differential was assembled");
  const auto count = [&](const std::string& role) {
    return std::count_if(names.begin(), names.end(), [&](const auto& name) { return name.starts_with(role + "_x"); });
  };
  CHECK(count("differential") == 2);  // both variants have the same
  CHECK(count("chain") == 3);
}

TEST_CASE("a lower level whose first windows are other code is made in full") {
  MethodBench bench(two_operands);
  bench.literal.longer_at_2 = "differential_x";
  const auto records = bench.make(bench.literal, &bench.worker, {2, 3});
  for (const auto* record : at_level(records, 2)) {
    CHECK(record->code_of_level == -1);
    CHECK(record->windows.size() > 2);
  }
}

TEST_CASE("one window of the sample with other code, and all cells are made in full") {
  MethodBench bench(two_operands);
  bench.literal.longer_at_2 = "stream_twice";
  const auto records = bench.make(bench.literal, &bench.worker, {2, 3});
  REQUIRE(at_level(records, 2).size() == 2);
  for (const auto* record : at_level(records, 2)) CHECK(record->code_of_level == -1);
}

TEST_CASE("lower levels of a form that is not measured say why, as the higher one does") {
  MethodBench bench("syntax = \"x {a:u32}\"\nnot_measurable = \"it ends the kernel\"\n");
  const auto records = bench.make(bench.literal, &bench.worker, {2, 3});
  REQUIRE(records.size() == 2);
  for (const auto& record : records) CHECK(record.note == "it ends the kernel");
}

TEST_CASE("where the differential has a register-bank conflict another consumer is tried, and its number counts") {
  MethodBench bench(entry);
  bench.literal.change = [](const std::string& name, const std::string& text, standin::Code& code) {
    if (!name.starts_with("differential_x") || text.find("mov.b32 %q") == std::string::npos) return;
    const auto last = code.end() - 3;  // the instruction, its consumer, the clock
    *last = standin::op(LiteralAssembler::op, 2);
    code.insert(last + 1, standin::op(LiteralAssembler::second_op, 4));
  };
  const auto record = bench.make().at(0);
  INFO(record.note);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.differential_consumer == "chew.b32");
  CHECK(record.number(results::metric::differential) == 4);
  CHECK_FALSE(record.has_flag(results::flag::bank_conflict));
}

TEST_CASE(
    "with every consumer a conflict and no chain: other registers are tried, which a clock of its own brings about") {
  MethodBench bench(entry);
  bench.literal.change = [](const std::string& name, const std::string& text, standin::Code& code) {
    if (name.starts_with("chain_twice")) code.erase(code.end() - 2);  // steps that became fewer instructions
    if (!name.starts_with("differential_x") || text.find("@%is_timed") != std::string::npos) return;
    const auto last = code.end() - 3;
    *last = standin::op(LiteralAssembler::op, 2);
    code.insert(last + 1, standin::op(LiteralAssembler::second_op, 4));
  };
  const auto record = bench.make().at(0);
  INFO(record.note);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.consumer == "eat.b32");
  CHECK(record.number(results::metric::cycles) == 4);
  CHECK_FALSE(record.has_flag(results::flag::bank_conflict));
}

TEST_CASE("where one consumer becomes another instruction and the next has a conflict, that one gets other registers") {
  MethodBench bench(entry);
  bench.literal.change = [](const std::string& name, const std::string& text, standin::Code& code) {
    if (name.starts_with("chain_twice")) code.erase(code.end() - 2);
    if (!name.starts_with("differential_x")) return;
    const auto last = code.end() - 3;
    if (text.find("mov.b32 %q") != std::string::npos) {
      last[1] = standin::op(LiteralAssembler::second_op, 5);
    } else if (text.find("@%is_timed") == std::string::npos) {
      *last = standin::op(LiteralAssembler::op, 2);
      code.insert(last + 1, standin::op(LiteralAssembler::second_op, 4));
    }
  };
  const auto record = bench.make().at(0);
  INFO(record.note);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.consumer == "chew.b32");
  CHECK(record.number(results::metric::cycles) == 4);
}

TEST_CASE("where a clock of its own leaves the conflict, a subroutine has other registers") {
  MethodBench bench(entry);
  bench.literal.change = [](const std::string& name, const std::string& text, standin::Code& code) {
    if (name.starts_with("chain_twice")) code.erase(code.end() - 2);
    if (!name.starts_with("differential_x") || text.find("call {{name}}_pass") != std::string::npos) return;
    const auto last = code.end() - 3;
    *last = standin::op(LiteralAssembler::op, 2);
    code.insert(last + 1, standin::op(LiteralAssembler::second_op, 4));
  };
  const auto record = bench.make().at(0);
  INFO(record.note);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.number(results::metric::cycles) == 4);
  CHECK(record.has_flag(results::flag::subroutine));
}

TEST_CASE("with every consumer a conflict: the chain leads, and the cell says so") {
  MethodBench bench(entry);
  bench.literal.change = [](const std::string& name, const std::string&, standin::Code& code) {
    // An instruction in addition to the consumer, with and without the one under test.
    if (name.starts_with("differential")) code.insert(code.end() - 2, standin::op(LiteralAssembler::second_op, 4));
    if (name.starts_with("differential_x")) code[code.size() - 4] = standin::op(LiteralAssembler::op, 2);
  };
  const auto record = bench.make().at(0);
  INFO(record.note);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.has_flag(results::flag::bank_conflict));
  CHECK(record.note.find("register-bank conflict: differential") != std::string::npos);
  CHECK_FALSE(record.number(results::metric::differential));
  CHECK(record.find(results::metric::cycles)->from == std::vector<std::string>{"chain", "chain twice"});
  const auto* window = window_of_role(record, "differential");
  REQUIRE(window != nullptr);
  CHECK(window->verdict == sass::Verdict::contaminated);
}

namespace {

// The instruction before the second clock holds a scoreboard, and the clock waits for it.
void let_clock_wait(standin::Code& code) {
  code[code.size() - 2] = standin::op(LiteralAssembler::consumer, 5, 0);
  code.back().high |= std::uint64_t{1} << 52;
}

}  // namespace

TEST_CASE("where the second clock waits for a register, all windows are made again with a register of its own") {
  MethodBench bench(entry);
  bench.literal.change = [](const std::string& name, const std::string& text, standin::Code& code) {
    if (name.starts_with("differential_x") && text.find("@%is_timed") == std::string::npos) let_clock_wait(code);
  };
  std::vector<std::string> names;
  bench.literal.names = &names;
  const auto record = bench.make().at(0);
  INFO(record.note);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.number(results::metric::differential) == 4);
  CHECK(std::count_if(names.begin(), names.end(), [](const auto& name) { return name.starts_with("chain_x"); }) == 2);
  CHECK(std::count_if(names.begin(), names.end(), [](const auto& name) { return name.starts_with("stream_x"); }) == 1);
}

namespace {

constexpr auto is_op = [](const auto& word) { return (word.low & 0xfff) == LiteralAssembler::op; };

// What a loop does to an instruction that is the same in every pass.
void leave_the_loop(const std::string&, const std::string& text, standin::Code& code) {
  if (text.find("call {{name}}_pass") == std::string::npos) std::erase_if(code, is_op);
}

}  // namespace

TEST_CASE("a cell of which a loop leaves nothing is made again as a subroutine, which says so") {
  MethodBench bench(entry);
  bench.literal.change = leave_the_loop;
  const auto record = bench.make().at(0);
  INFO(record.note);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.number(results::metric::cycles) == 4);
  CHECK(record.number(results::metric::issue) == 4);
  CHECK(record.has_flag(results::flag::subroutine));
}

TEST_CASE("a cell that a subroutine does not save either keeps the loop's windows") {
  MethodBench bench(entry);
  std::vector<std::string> names;
  bench.literal.names = &names;
  bench.literal.change = [](const std::string&, const std::string&, standin::Code& code) {
    std::erase_if(code, is_op);
  };
  const auto record = bench.make().at(0);
  CHECK(record.verdict == sass::Verdict::elided);
  CHECK_FALSE(record.has_flag(results::flag::subroutine));
  const auto differentials =
      std::count_if(names.begin(), names.end(), [](const auto& name) { return name.starts_with("differential_x"); });
  INFO("both were tried, each with each of two consumers");
  CHECK(differentials == 4);
}

TEST_CASE("a stream that was proven in the loop stays there, and a cell that nothing waits for has only that") {
  MethodBench with_result(entry), without("syntax = \"x {a:u32}\"\n");
  with_result.literal.change = [](const std::string& name, const std::string& text, standin::Code& code) {
    if (!name.starts_with("stream")) leave_the_loop(name, text, code);
    if (name.starts_with("stream") && text.find("call {{name}}_pass") != std::string::npos) code.clear();
  };
  CHECK(with_result.make().at(0).number(results::metric::issue) == 4);
  without.literal.change = leave_the_loop;
  const auto record = without.make().at(0);
  INFO(record.note);
  CHECK(record.verdict == sass::Verdict::proven);
  CHECK(record.number(results::metric::issue) == 4);
}

TEST_CASE("a kernel that uses memory cannot be a subroutine: the cell keeps the loop's windows, and their reason") {
  MethodBench bench("syntax = \"x {d:u32}, {a:u32}\"\nprepare = \"ld.volatile.global.u32 {t0}, [%scratch];\"\n");
  bench.literal.change = [](const std::string& name, const std::string&, standin::Code& code) {
    if (!name.starts_with("stream")) std::erase_if(code, is_op);
  };
  const auto record = bench.make().at(0);
  INFO(record.note);
  CHECK(record.verdict == sass::Verdict::elided);
  CHECK(record.note.starts_with("nothing is between the clocks"));
  CHECK(window_of_role(record, "differential") != nullptr);
  CHECK(record.number(results::metric::issue) == 4);
}

TEST_CASE("an instruction without a chain is not explained by one") {
  MethodBench bench("syntax = \"x {a:u32}\"\nbefore = \"before;\"\ncompletion = \"mov waits;\"\n");
  bench.literal.change = [](const std::string&, const std::string&, standin::Code& code) {
    std::erase_if(code, is_op);
  };
  const auto record = bench.make().at(0);
  CHECK(record.verdict == sass::Verdict::elided);
  CHECK(record.note == "nothing is between the clocks but the wait for it");
}
