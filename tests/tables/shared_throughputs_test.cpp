// SPDX-License-Identifier: Apache-2.0

// Which forms have a row of their own in throughput.csv.gz.
#include <algorithm>

#include "catch.h"
#include "tables/opcode_numbers.h"

using namespace ptxlat;
using namespace ptxlat::tables;

namespace {

results::Record record(const std::string& ptx, const std::string& code, bool is_core = false,
                       const std::string& turn = "") {
  results::Record made;
  made.kind = results::RecordKind::throughput;
  made.ptx = ptx;
  made.level = 3;
  made.is_core = is_core;
  made.operand = turn;
  made.code = code;
  made.set(results::metric::throughput, 64);
  return made;
}

results::Record without_number(const std::string& ptx, sass::Verdict verdict, const std::string& note) {
  auto made = record(ptx, "");
  made.verdict = verdict;
  made.note = note;
  made.set(results::metric::throughput, {});
  return made;
}

using Names = std::vector<std::string>;
Names names_of(const std::vector<results::Record>& records) {
  Names names;
  for (const auto& one : records) names.push_back(one.ptx + (one.operand.empty() ? "" : " (" + one.operand + ")"));
  return names;
}

}  // namespace

TEST_CASE("forms of one opcode with the same code share the row of one, in whichever order they were made") {
  std::vector<results::Record> records{record("ld.volatile.u32", "A"), record("ld.weak.global.u32", "B"),
                                       record("ld.global.s32", "B", true), record("ld.global.u32", "B", true),
                                       record("mov.u32", "B")};
  const std::vector<Spelling> spellings{{"ld.global.s32", 3, "ld.global.s32", ""},
                                        {"ld.global.u32", 3, "ld.global.s32", ""},
                                        {"ld.volatile.u32", 3, "ld.volatile.u32", ""},
                                        {"ld.weak.global.u32", 3, "ld.global.s32", ""},
                                        {"mov.u32", 3, "mov.u32", ""}};
  for (int shuffled = 0; shuffled < 5; ++shuffled) {
    std::rotate(records.begin(), records.begin() + 1, records.end());
    auto shared = share_throughputs(records);
    auto names = names_of(shared.records);
    std::sort(names.begin(), names.end());
    CHECK(names == Names{"ld.global.s32", "ld.volatile.u32", "mov.u32"});
    std::sort(shared.spellings.begin(), shared.spellings.end(),
              [](const auto& x, const auto& y) { return x.ptx < y.ptx; });
    CHECK(shared.spellings == spellings);
    CHECK(std::all_of(shared.records.begin(), shared.records.end(), [](const auto& one) { return one.code.empty(); }));
  }
}

TEST_CASE("a form whose copies are two opcodes in turn shares its three records as a whole") {
  std::vector<results::Record> records;
  for (const std::string ptx : {"add.f16x2", "add.rn.f16x2"}) {
    records.push_back(record(ptx, "both", ptx == "add.f16x2"));
    records.push_back(record(ptx, "one", ptx == "add.f16x2", "HADD2"));
    records.push_back(record(ptx, "other", ptx == "add.f16x2", "HFMA2.MMA"));
  }
  records.push_back(record("add.bf16x2", "one"));
  CHECK(names_of(share_throughputs(records).records) ==
        Names{"add.f16x2", "add.f16x2 (HADD2)", "add.f16x2 (HFMA2.MMA)", "add.bf16x2"});
}

TEST_CASE("forms without code share a row if the reason is the same; those that the target lacks have none") {
  const auto shared = share_throughputs({without_number("red.a", sass::Verdict::no_dependency, "it waits"),
                                         without_number("red.b", sass::Verdict::no_dependency, "it waits"),
                                         without_number("red.c", sass::Verdict::no_dependency, "a cluster has it"),
                                         without_number("red.d", sass::Verdict::unsupported, "needs sm_100")});
  CHECK(names_of(shared.records) == Names{"red.a", "red.c"});
  CHECK(shared.spellings.at(1) == Spelling{"red.b", 3, "red.a", "no_dependency"});
  CHECK(shared.spellings.at(3) == Spelling{"red.d", 3, "", "unsupported", "needs sm_100"});
}

TEST_CASE("what was timed without a note of its code is never taken for the same") {
  std::vector<results::Record> records{record("ld.a", ""), record("ld.b", "")};
  for (auto& one : records) one.windows.emplace_back();
  CHECK(share_throughputs(records).records.size() == 2);
}

TEST_CASE("a row stands for all spellings that share it") {
  const auto counts =
      spelling_counts({{"a", 3, "a", ""}, {"a.x", 3, "a", ""}, {"b.y", 3, "b", ""}, {"c", 3, "", "unsupported"}});
  CHECK(counts.at("a") == 2);
  CHECK(counts.at("b") == 2);
}
