// SPDX-License-Identifier: Apache-2.0

// The whole of `ptxlat pairs`, on the stand-in, whose latencies are its own (standin/window.h): they are found, kept in
// the store, and shown; a form that faults or hangs costs its own rows.
#include <algorithm>

#include "base/file.h"
#include "interrupted.h"
#include "pairs/hazards.h"
#include "ptxlat_program.h"
#include "tables/folder.h"
#include "tables/pair_files.h"

using namespace ptxlat;

namespace {

Ended measure_pairs(const PtxlatProgram& program, const std::string& forms) {
  return program.run({"pairs", "--filter", forms, "--threads", "1", "--tables", "ptxlat-tables"});
}

constexpr char five_forms[] = "/^(popc.b32|fma.rn.f32|sad.u32|mul.wide.u32|ld.shared.u32)$/";

std::vector<results::Pair> pairs_of(const PtxlatProgram& program, const std::string& producer) {
  auto rows = tables::read_table(program.table(), {tables::Part::pairs}).pairs.pairs;
  std::erase_if(rows, [&](const auto& row) { return row.producer != producer; });
  return rows;
}

}  // namespace

TEST_CASE("pairs have the latencies of the GPU and not those of the schedule; a second run has nothing to do") {
  PtxlatProgram program;
  program.require_tools();
  const auto first = measure_pairs(program, five_forms);
  INFO(first.err);
  REQUIRE(first.status == 0);
  const auto reads = [&](const std::string& producer) {
    auto rows = pairs_of(program, producer);
    std::erase_if(rows, [](const auto& row) { return row.slot == "waw" || row.slot == "war"; });
    REQUIRE(rows.size() >= 3);
    return rows;
  };
  for (const auto& row : reads("FFMA")) {
    CHECK(row.hazard == 3);  // its own number of the stand-in
    CHECK(row.verdict == "late");
  }
  for (const auto& row : reads("POPC")) {
    CHECK(row.hazard == 14);  // when its scoreboard is clear
    CHECK(row.measured == 14);
    CHECK_FALSE(row.schedule);
    CHECK(row.verdict == "waits");
  }
  // What comes from memory does so for every consumer.
  const auto loaded = reads("LDS");
  CHECK(std::count_if(loaded.begin(), loaded.end(), [](const auto& row) { return row.hazard == 23; }) == 1);
  CHECK(std::count_if(loaded.begin(), loaded.end(), [](const auto& row) {
          return row.note.find("with its first consumer only") != std::string::npos;
        }) == std::ssize(loaded) - 1);
  const auto all = pairs_of(program, "FFMA");
  CHECK(std::any_of(all.begin(), all.end(), [](const auto& row) { return row.slot == "war" && row.hazard == 1; }));
  // FFMA is earlier than what overwrites its result, and a wide product later.
  const auto waw_of = [&](const std::string& producer) {
    auto rows = pairs_of(program, producer);
    std::erase_if(rows, [](const auto& row) { return row.slot != "waw"; });
    REQUIRE(!rows.empty());
    return rows;
  };
  for (const auto& row : waw_of("FFMA")) {
    CHECK(row.hazard == 1);
    CHECK(row.note == "no hazard: the next instruction may write it");
  }
  for (const auto& row : waw_of("IMAD.WIDE.U32")) CHECK(row.hazard == 2);
  CHECK(content_of(program.table() / "facts.csv").find("register.bank_rule") != std::string::npos);
  const auto files = tables::read_table(program.table(), {tables::Part::hazards}).pairs;
  CHECK(files.runs.size() == 1);
  CHECK(std::all_of(files.hazards.begin(), files.hazards.end(), [](const auto& one) { return !one.windows.empty(); }));

  const auto csv = content_of(program.table() / "pairs.csv");
  const auto launches = lines_of(program.launch_log()).size();
  CHECK(measure_pairs(program, five_forms).status == 0);
  CHECK(content_of(program.table() / "pairs.csv") == csv);
  CHECK(lines_of(program.launch_log()).size() == launches);
  REQUIRE(program.run({"pairs", "--reread", program.table().string(), "--format", "none"}).status == 0);
  CHECK(content_of(program.table() / "pairs.csv") == csv);

  // Different rules would misjudge them.
  auto runs = content_of(program.table() / "pairs.json");
  const std::string rules = pairs::hazard_version;
  runs.replace(runs.find(rules), rules.size(), "hazard 1");
  const auto kept = content_of(program.table() / "pairs.json");
  replace_files(program.table(), {{"pairs.json", runs}});
  const auto refused = program.run({"pairs", "--reread", program.table().string(), "--format", "none"});
  CHECK(refused.status == 7);
  CHECK(refused.err.find("was measured by hazard 1, and this ptxlat reads " + rules) != std::string::npos);
  replace_files(program.table(), {{"pairs.json", kept}});

  const auto shown = program.run({"show", "--pairs", "POPC", "--table", program.table().string()});
  CHECK(shown.status == 0);
  CHECK(shown.out.find("LOP3.LUT") != std::string::npos);
  CHECK(shown.out.find("FFMA") == std::string::npos);
  const auto unknown = program.run({"show", "--pairs", "POPK", "--table", program.table().string()});
  CHECK(unknown.status == 4);
  CHECK(unknown.err.find("it has POPC") != std::string::npos);

  REQUIRE(program.run({"merge", "ptxlat.sqlite", "--into", "merged.sqlite", "--tables", "merged"}).status == 0);
  const auto merged =
      program.folder() / "merged" / program.table().lexically_relative(program.folder() / "ptxlat-tables");
  CHECK(content_of(merged / "pairs.csv") == csv);
}

TEST_CASE("Ctrl-C keeps the facts about registers, in the files, too, and finished pairs in the store") {
  PtxlatProgram program;
  program.require_tools();
  const std::vector<std::string> arguments{"pairs", "--filter", "/^popc.b32$/", "--threads",
                                           "1",     "--tables", "ptxlat-tables"};
  const auto ended = interrupted_at(program, "hazard_popc_b32_9", arguments);
  INFO(ended.err);
  CHECK(ended.status == 130);
  CHECK(ended.err.find("every finished cell is kept in ptxlat.sqlite") != std::string::npos);
  CHECK(content_of(program.table() / "facts.csv").find("register.bank_rule") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(program.table() / "pairs.csv"));
  REQUIRE(program.run(arguments).status == 0);
  CHECK_FALSE(pairs_of(program, "POPC").empty());
}

TEST_CASE("opcodes have the hazard of their nearest consumer") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(measure_pairs(program, "/^fma.rn.f32$/").status == 0);
  const auto ended = program.run({"opcodes", "--filter", "/^(fma.rn.f32|popc.b32)$/", "--threads", "1"});
  INFO(ended.err);
  REQUIRE(ended.status == 0);
  const auto csv = lines_of(program.table() / "opcodes.csv");
  const auto has = [&](const std::string& opcode, const std::string& part) {
    return std::any_of(csv.begin(), csv.end(), [&](const auto& line) {
      return line.starts_with(opcode) && line.find(part) != std::string::npos;
    });
  };
  CHECK(has("FFMA,", ",3,"));
  CHECK(has("POPC,", ",,,"));  // not measured
}

TEST_CASE("patched code that faults or hangs costs its own pairs") {
  PtxlatProgram program;
  program.require_tools();
  const auto [variable, verdict] = GENERATE(std::pair("PTXLAT_STANDIN_FAULT", sass::Verdict::fault),
                                            std::pair("PTXLAT_STANDIN_HANG", sass::Verdict::timeout));
  program.set(variable, "popc");
  program.set("PTXLAT_DEADLINE_FACTOR", "2");  // or each kernel that hangs is waited for longer
  const auto ended = measure_pairs(program, "/^(popc.b32|fma.rn.f32)$/");
  INFO(ended.err);
  REQUIRE(ended.status == 0);
  for (const auto& row : pairs_of(program, "POPC")) CHECK_FALSE(row.hazard);
  const auto others = pairs_of(program, "FFMA");
  CHECK(std::any_of(others.begin(), others.end(), [](const auto& row) { return row.hazard == 3; }));
  const auto files = tables::read_table(program.table(), {tables::Part::hazards}).pairs;
  CHECK(
      std::any_of(files.hazards.begin(), files.hazards.end(), [&](const auto& one) { return one.verdict == verdict; }));
}

TEST_CASE("a fault that costs only a part of the register banks' facts is made up for by the next run") {
  PtxlatProgram program;
  program.require_tools();
  const std::vector<std::string> arguments{"pairs", "--filter", "/^popc.b32$/", "--threads",
                                           "1",     "--tables", "ptxlat-tables"};
  const auto facts = [&] { return content_of(program.table() / "facts.csv"); };
  program.set("PTXLAT_STANDIN_FAULT", "registers_1");  // the kernel of IMAD
  const auto disturbed = program.run(arguments);
  INFO(disturbed.err);
  REQUIRE(disturbed.status == 0);
  CHECK(disturbed.err.find("1 of these met a fault, a hang or a failed tool, and are made again") != std::string::npos);
  CHECK(facts().find("register.reuse_rule") != std::string::npos);
  CHECK(facts().find("opcode=HFMA2") != std::string::npos);
  CHECK(facts().find("opcode=IMAD") == std::string::npos);
  program.set("PTXLAT_STANDIN_FAULT", "");
  REQUIRE(program.run(arguments).status == 0);
  CHECK(facts().find("opcode=IMAD") != std::string::npos);
}

TEST_CASE("GPUs share the pairs: the numbers are those of one, records name theirs, and the end says what each did") {
  PtxlatProgram one, four;
  one.require_tools();
  REQUIRE(measure_pairs(one, five_forms).status == 0);
  std::ofstream script(four.folder() / "script.toml");
  for (int i = 0; i < 4; ++i) script << "[[device]]\nuuid = \"0" << i << "010203-0405-0607-0809-0a0b0c0d0e0f\"\n";
  script.close();
  four.set("PTXLAT_STANDIN_SCRIPT", (four.folder() / "script.toml").string());
  four.set("PTXLAT_STANDIN_DELAY_MS", "1");  // so that they take turns
  const auto ended = four.run({"pairs", "--verbose", "--filter", five_forms, "--threads", "8", "--devices", "all",
                               "--tables", "ptxlat-tables"});
  INFO(ended.err);
  REQUIRE(ended.status == 0);
  CHECK(content_of(four.table() / "pairs.csv") == content_of(one.table() / "pairs.csv"));
  for (int i = 0; i < 4; ++i) {
    const auto at = ended.err.find("\n  GPU " + std::to_string(i));
    REQUIRE(at != std::string::npos);
    const auto line = ended.err.substr(at + 1, ended.err.find('\n', at + 1) - at - 1);
    CHECK(line.find(" s busy (") != std::string::npos);
    CHECK(line.find(" 0.00 s busy") == std::string::npos);
  }
  CHECK(ended.err.find("s after the last stage") != std::string::npos);
  const auto files = tables::read_table(four.table(), {tables::Part::hazards}).pairs;
  CHECK(files.runs.size() > 1);
}
