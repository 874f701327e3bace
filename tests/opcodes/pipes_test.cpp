// SPDX-License-Identifier: Apache-2.0

// Pipes from times alone: invented GPUs with pipes that only the test knows.
#include "opcodes/pipes.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <numeric>
#include <random>

#include "../ptx/shipped_catalogue.h"
#include "catch.h"
#include "isa/catalogue.h"
#include "opcodes/contention.h"
#include "opcodes/opcode_rows.h"

using namespace ptxlat;
using namespace ptxlat::opcodes;

namespace {

// An instruction of an invented GPU: its pipe, and how long that is taken by one of them.
struct Invented {
  int pipe = 0;
  double interval = 1;
};

// How long copies of two take, one after the other from one scheduler, as many of each as take equally long.
ContentionTimes times_of(const Invented& a, const Invented& b, double error) {
  constexpr int places = 112;
  const double copies_a = std::round(places * b.interval / (a.interval + b.interval)), copies_b = places - copies_a;
  ContentionTimes times;
  times.work_a = copies_a * a.interval;
  times.work_b = copies_b * b.interval;
  times.nothing = places;
  const double taken = a.pipe == b.pipe ? times.work_a + times.work_b : std::max(times.work_a, times.work_b);
  times.together = std::max(taken, times.nothing) * (1 + error);
  return times;
}

std::vector<Contention> measured(const std::vector<Invented>& gpu, std::mt19937& random, double most_error) {
  std::uniform_real_distribution<double> error(0, most_error);
  std::vector<Contention> pairs;
  for (std::size_t a = 0; a < gpu.size(); ++a) {
    for (std::size_t b = a + 1; b < gpu.size(); ++b)
      pairs.push_back({a, b, contention_of(times_of(gpu[a], gpu[b], error(random)))});
  }
  return pairs;
}

// The pipes of a GPU, numbered by their first members as pipes_of does.
std::vector<int> numbered(const std::vector<int>& pipes) {
  std::map<int, int> numbers;
  std::vector<int> renamed;
  for (const int pipe : pipes) renamed.push_back(numbers.emplace(pipe, static_cast<int>(numbers.size())).first->second);
  return renamed;
}

std::vector<int> pipes_of_gpu(const std::vector<Invented>& gpu) {
  std::vector<int> pipes;
  for (const auto& instruction : gpu) pipes.push_back(instruction.pipe);
  return numbered(pipes);
}

}  // namespace

TEST_CASE("contention is 0 for two pipes and 1 for one, and unknown if issuing takes as long") {
  CHECK(contention_of(times_of({0, 2}, {1, 2}, 0)) == 0.0);
  CHECK(contention_of(times_of({0, 2}, {0, 2}, 0)) == 1.0);
  CHECK(contention_of(times_of({0, 8}, {1, 2}, 0)) == 0.0);
  CHECK(contention_of(times_of({0, 8}, {0, 2}, 0)) == 1.0);
  CHECK_FALSE(contention_of(times_of({0, 1}, {1, 1}, 0)));
}

TEST_CASE(
    "four invented pipes are recovered from times alone, on many GPUs, and whatever their instructions are called") {
  std::mt19937 random(2026);
  for (int machine = 0; machine < 200; ++machine) {
    std::vector<Invented> gpu;
    for (int pipe = 0; pipe < 4; ++pipe) {
      const int members = 2 + static_cast<int>(random() % 6);
      for (int i = 0; i < members; ++i) gpu.push_back({pipe, std::vector{2.0, 4.0, 8.0, 16.0}[random() % 4]});
    }
    std::shuffle(gpu.begin(), gpu.end(), random);
    INFO("machine " << machine);
    CHECK(pipes_of(gpu.size(), measured(gpu, random, 0.05)) == pipes_of_gpu(gpu));
  }
}

TEST_CASE("opcodes that only contend for registers do not share a pipe") {
  std::vector<Contention> pairs{{0, 1, 1.05}, {2, 3, 0.98}};
  for (const std::size_t a : {0, 1}) {
    for (const std::size_t b : {2, 3}) pairs.push_back({a, b, 0.55});
  }
  CHECK(pipes_of(4, pairs) == std::vector{0, 0, 1, 1});
}

TEST_CASE("a partner that contends with the same others comes first, and scores far above 1 say nothing") {
  // 0 to 2 share a pipe, and 3 and 4; 0 contends a little more with 3 and 4, whose operands it meets. 5 is slower
  // beside any of them than both are alone.
  std::vector<Contention> pairs{{0, 1, 1.08}, {0, 2, 1.08}, {1, 2, 1.08}, {3, 4, 1.05}, {0, 3, 1.09}, {0, 4, 1.09}};
  for (const std::size_t alu : {1, 2}) {
    for (const std::size_t fp64 : {3, 4}) pairs.push_back({alu, fp64, 0.54});
  }
  for (std::size_t other = 0; other < 5; ++other) pairs.push_back({other, 5, 2.1});
  CHECK(pipes_of(6, pairs) == std::vector{0, 0, 0, 1, 1, 2});
}

TEST_CASE("an instruction of which no pair says anything is a group of its own") {
  CHECK(pipes_of(3, {{0, 1, 1.0}, {0, 2, std::nullopt}, {1, 2, std::nullopt}}) == std::vector{0, 0, 1});
}

TEST_CASE("a pipe is named after its opcodes") {
  CHECK(name_of_pipe({"FADD", "FFMA", "IMAD.WIDE"}) == "fma");
  CHECK(name_of_pipe({"BMSK", "LOP3.LUT"}) == "alu");
  CHECK(name_of_pipe({"HFMA2", "FFMA"}) == "fma+half");
  CHECK(name_of_pipe({"QSPC.E.G", "QSPC.E.L"}) == "lsu");
  CHECK(name_of_pipe({"MATCH.ALL", "S2R"}) == "adu");
  CHECK(name_of_pipe({"PREEXIT"}) == "PREEXIT");
}

TEST_CASE("in pairs the shortest name stands for opcodes that are as fast") {
  const std::vector<Opcode> opcodes{
      {"IMAD", {}, 2.0}, {"IMAD.HI", {}, 4.0}, {"IMAD.MOV.U32", {}, 1.99}, {"IMAD.WIDE", {}, 4.05}};
  CHECK(representatives_of(opcodes) == std::vector<std::size_t>{0, 1, 0, 1});
  // ptxas takes them in turn because they are on different pipes.
  const std::vector<Opcode> halves{{"HFMA2", {}, 2.0}, {"HFMA2.MMA", {}, 2.0}, {"HFMA2.MMA.RELU", {}, 2.0}};
  CHECK(representatives_of(halves) == std::vector<std::size_t>{0, 1, 1});
}

TEST_CASE("of opcodes that are as fast, those of the core and one of the others are examined") {
  const std::vector<Opcode> opcodes{{"LDG.E", {}, 4.0},    {"LDG.E.EF", {}, 4.0},    {"LDG.E.S8", {}, 4.0, true, true},
                                    {"LDG.E.64", {}, 8.0}, {"LDG.E.64.EF", {}, 8.1}, {"LDG.E.128", {}, std::nullopt}};
  std::vector<std::string> names;
  for (const auto& opcode : examined(opcodes)) names.push_back(opcode.name);
  CHECK(names == std::vector<std::string>{"LDG.E", "LDG.E.S8", "LDG.E.64", "LDG.E.128"});
}

TEST_CASE("an opcode is of the core if one of its forms is, whichever of them is measured") {
  std::vector<results::Record> records(3);
  const std::array forms{"ld.shared.u32", "popc.b32", "lop3.b32"};
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].ptx = forms.at(i);
    records[i].sass = {i == 2 ? "LOP3" : "POPC"};
    records[i].is_core = i == 0;
    records[i].set(results::metric::interval, 2);
  }
  const auto opcodes = opcodes_measured(shipped(), records);
  REQUIRE(opcodes.size() == 2);
  CHECK_FALSE(opcodes[0].is_core);
  CHECK(opcodes[1].is_core);
  CHECK(opcodes[1].variant.form->ptx == "popc.b32");  // which can be paired
}

TEST_CASE("what accesses memory or has operands of several registers is not paired, whatever it is called") {
  std::vector<results::Record> records;
  for (const std::string ptx :
       {"ld.shared.u32", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "popc.b32", "lop3.b32"}) {
    results::Record record;
    record.ptx = ptx;
    record.sass = {"OPCODE" + std::to_string(records.size())};
    record.set(results::metric::interval, 2);
    records.push_back(record);
  }
  const auto opcodes = opcodes_measured(shipped(), records);
  REQUIRE(opcodes.size() == 4);
  CHECK_FALSE(opcodes[0].is_paired);
  CHECK_FALSE(opcodes[1].is_paired);
  const auto pairs = plan_contention(shipped(), opcodes, 3);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs.front().a.name == "OPCODE2");
  CHECK(pairs.front().b.name == "OPCODE3");
}

TEST_CASE("of several forms the opcode is paired by one that can be, and what does nothing is not paired") {
  std::vector<results::Record> records;
  const auto add = [&](const std::string& ptx, const std::string& opcode) {
    results::Record record;
    record.ptx = ptx;
    record.sass = {opcode};
    record.set(results::metric::interval, 2);
    records.push_back(record);
  };
  add("ld.shared.u32", "F2FP.F16.F32.PACK_AB");
  add("cvt.rn.f16x2.f32", "F2FP.F16.F32.PACK_AB");
  add("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", "F2FP.F16.F32.PACK_AB");
  add("popc.b32", "NOP");
  const auto opcodes = opcodes_measured(shipped(), records);
  REQUIRE(opcodes.size() == 2);
  CHECK(opcodes[0].is_paired);
  CHECK(opcodes[0].variant.form->ptx == "cvt.rn.f16x2.f32");
  CHECK_FALSE(opcodes[1].is_paired);
}

TEST_CASE("an opcode's row has its pipe, what stands for it, its forms and its least latency") {
  const std::vector<std::pair<std::string, std::string>> became{
      {"add.u32", "IADD3"}, {"add.s32", "IADD3"}, {"popc.b32", "POPC"}, {"clz.b32", "FLO.U32"}};
  std::vector<isa::Form> forms(became.size());
  std::vector<results::Record> throughput, contention, latency;
  std::vector<Opcode> opcodes;
  for (std::size_t i = 0; i < became.size(); ++i) {
    forms[i].ptx = became[i].first;
    results::Record record;
    record.kind = results::RecordKind::throughput;
    record.ptx = became[i].first;
    record.sass = {became[i].second};
    const bool is_add = became[i].second == "IADD3";
    record.set(results::metric::throughput, is_add ? 64 : 16);
    record.set(results::metric::interval, is_add ? 2 : 8);
    throughput.push_back(record);
    isa::Variant variant;
    variant.form = &forms[i];
    if (i != 1) opcodes.push_back({became[i].second, variant, is_add ? 2.0 : 8.0});
  }
  for (const auto& [a, b, score] :
       {std::tuple{"POPC", "FLO.U32", 1.02}, {"IADD3", "POPC", 0.01}, {"IADD3", "FLO.U32", 0.0}}) {
    results::Record record;
    record.kind = results::RecordKind::contention;
    record.ptx = a;
    record.operand = b;
    record.set(results::metric::contention, score);
    contention.push_back(record);
  }
  for (const double cycles : {6.0, 4.0}) {
    results::Record record;
    record.ptx = "add.u32";
    record.sass = {"IADD3"};
    record.measure = results::Measure::dependent;
    record.set(results::metric::cycles, cycles);
    latency.push_back(record);
  }
  // Contention says nothing of these: the pipes that count them do.
  std::vector<results::Record> counters;
  for (const auto& [name, counts] : {std::pair{"LDS", std::vector<std::optional<double>>{1.0, 0.0, 0.3}},
                                     {"HFMA2.MMA", std::vector<std::optional<double>>{0.0, 1.0, 1.0}}}) {
    opcodes.push_back({name, opcodes.front().variant, 4.0, false});
    results::Record record;
    record.kind = results::RecordKind::counters;
    record.ptx = name;
    record.sass = {name};
    record.series = {{"pipes", "instructions", {{"pipe", "pipe", {0, 1, 2}, {"lsu", "fmaheavy", "tensor"}}}, counts}};
    counters.push_back(record);
  }
  const auto rows = opcode_rows(opcodes, {throughput, contention, counters, {}, {}, latency});
  REQUIRE(rows.size() == 5);
  CHECK(rows[3].pipe == "lsu");
  CHECK(rows[3].note == "pipe by counters alone");
  CHECK(rows[4].pipe == "fmaheavy+tensor");
  CHECK(rows[0].name == "IADD3");
  CHECK(rows[0].forms == 2);
  CHECK(rows[0].example == "add.u32");
  CHECK(rows[0].throughput == 64.0);
  CHECK(rows[0].latency == 4.0);
  CHECK(rows[0].pipe == "IADD3");
  CHECK(rows[1].pipe == rows[2].pipe);
  CHECK(rows[1].stands_for_it == "POPC");
  CHECK_FALSE(rows[1].latency);
}
