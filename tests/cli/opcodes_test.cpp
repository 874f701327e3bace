// SPDX-License-Identifier: Apache-2.0

// The whole of `ptxlat opcodes`, on the stand-in: what it writes, that it resumes, and that a bad form only affects
// itself. The meaning of its numbers is tested on invented machines (tests/machine).
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "base/file.h"
#include "interrupted.h"
#include "opcodes/in_flight.h"
#include "opcodes/throughput.h"
#include "ptxlat_program.h"
#include "sass/window.h"
#include "tables/column.h"
#include "tables/compression.h"
#include "tables/folder.h"
#include "tables/opcode_columns.h"
#include "tables/opcode_files.h"

using namespace ptxlat;

namespace {

Ended measure(const PtxlatProgram& program, const std::string& filter) {
  return program.run({"opcodes", "--filter", filter, "--threads", "1", "--tables", "ptxlat-tables"});
}

// A GPU of few SMs: on every one of 132, the stand-in has thousands of threads to answer for.
constexpr int few_sms = 4;
void make_small(PtxlatProgram& program) {
  const auto script = program.folder() / "small.toml";
  std::ofstream(script) << fmt::format("[[device]]\nsms = {}\n", few_sms);
  program.set("PTXLAT_STANDIN_SCRIPT", script.string());
}

constexpr char filter[] = "/^(add.u32|popc.b32|fma.rn.f32|mul.f64)$/";

const results::Record& record_of(const tables::OpcodeFiles& files, const std::string& ptx) {
  const auto found =
      std::find_if(files.throughput.begin(), files.throughput.end(), [&](const auto& r) { return r.ptx == ptx; });
  REQUIRE(found != files.throughput.end());
  return *found;
}

// By opcode, the versions of ptxas whose tables have it.
std::map<std::string, std::string> versions_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> versions;
  for (const auto& row : tables::read_rows(folder / "opcodes.csv", tables::opcode_columns()))
    versions.emplace(row.name, fmt::format("{}", fmt::join(row.versions, " ")));
  return versions;
}

}  // namespace

TEST_CASE("opcodes get throughput, curves, pairs and the loop that proves them; a second run has nothing to do") {
  PtxlatProgram program;
  program.require_tools();
  const auto first = measure(program, filter);
  INFO(first.err);
  REQUIRE(first.status == 0);
  CHECK(first.out.find("POPC") != std::string::npos);
  const auto files = tables::read_table(program.table(), {tables::Part::opcode_records}).opcode_records;
  REQUIRE(files.runs.size() == 1);
  for (const char* ptx : {"add.u32", "popc.b32", "fma.rn.f32", "mul.f64"}) {
    const auto& record = record_of(files, ptx);
    INFO(ptx << " " << record.note);
    CHECK(record.verdict == sass::Verdict::proven);
    // Four schedulers with one instruction per cycle each.
    CHECK(std::abs(record.number(results::metric::throughput).value_or(0) - 128) < 0.5);
    REQUIRE(record.windows.size() == 1);
    // A program's sums take turns on two pipes, and have a loop of their own with fewer warps.
    CHECK(record.has_flag(results::flag::takes_turns) == (ptx == std::string("add.u32")));
    if (record.has_flag(results::flag::takes_turns)) continue;
    const auto& code = record.windows.front().sass;
    CHECK(std::count_if(code.begin(), code.end(),
                        [&](const auto& i) { return i.text.find(record.sass.front()) != std::string::npos; }) == 2);
    REQUIRE(record.series.size() == 1);
    CHECK(record.series.front().axes.front().values.back() == 32);
  }
  CHECK(files.contention.size() == 6);
  const auto csv = content_of(program.table() / "opcodes.csv");
  CHECK(csv.starts_with(
      "opcode,pipe,counters,paired_as,throughput,unit,multiply_adds,bytes,interval,saturates_at,in_flight,"
      "arrival,latency,latencies,hazard,operand_costs,forms,levels,versions,example,note\n"));
  CHECK(csv.find(",scoreboard,") != std::string::npos);  // POPC
  CHECK(csv.find(",fixed,") != std::string::npos);       // FFMA

  // Chains of what can be its own source.
  for (const char* opcode : {"FFMA", "POPC"}) {
    const auto found = std::find_if(files.in_flight.begin(), files.in_flight.end(),
                                    [&](const auto& record) { return record.ptx == opcode; });
    REQUIRE(found != files.in_flight.end());
    INFO(opcode << " " << found->note);
    CHECK(found->verdict == sass::Verdict::proven);
    REQUIRE(found->series.size() == 1);
    CHECK(found->series.front().axes[0].values == std::vector<double>{1, 2, 4, 8});
    REQUIRE(found->windows.size() == 4);
    for (std::size_t i = 0; i < found->windows.size(); ++i) {
      const auto& code = found->windows[i].sass;
      CHECK(std::count_if(code.begin(), code.end(), [&](const auto& instruction) {
              return sass::opcode_of(instruction.text) == opcode;
            }) == opcodes::chains_to_try[i]);
    }
  }
  const auto curves = tables::gunzip(content_of(program.table() / "series" / "in_flight.csv.gz"));
  CHECK(curves.starts_with("opcode,chains,warps,throughput,latency,example\n"));

  const auto launches = lines_of(program.launch_log()).size();
  const auto second = measure(program, filter);
  CHECK(second.status == 0);
  CHECK(content_of(program.table() / "opcodes.csv") == csv);
  CHECK(lines_of(program.launch_log()).size() == launches);
}

TEST_CASE("what leaves the SM has a rate of the whole GPU for each pattern, and a cluster runs alone") {
  PtxlatProgram program;
  program.require_tools();
  make_small(program);
  const auto ended = measure(program, "/^(red.global.add.u32|atom.shared::cluster.add.u32)$/");
  INFO(ended.err);
  REQUIRE(ended.status == 0);
  const auto rows = tables::read_rows(program.table() / tables::throughput_name, tables::form_throughput_columns());
  constexpr double of_sm = 128, sms = few_sms;  // the stand-in's schedulers know no memory
  std::map<std::string, std::optional<double>> rates;
  for (const auto& row : rows) {
    INFO(row.ptx << " " << row.pattern << " " << row.note);
    CHECK(row.throughput);
    if (!row.pattern.empty()) CHECK(row.low <= row.throughput);
    if (row.ptx == "red.global.add.u32") rates[row.pattern] = row.throughput;
  }
  REQUIRE(rates.size() == 5);
  CHECK(std::abs(rates[""].value_or(0) - of_sm) < 0.5);
  for (const char* pattern : {"own lines", "scattered", "one line"})
    CHECK(std::abs(rates[pattern].value_or(0) - of_sm * sms) < 0.5 * sms);
  INFO("one warp of each SM wants the one address");
  CHECK(std::abs(rates["one address"].value_or(0) - of_sm * sms / 4) < 0.5 * sms);
  CHECK(std::any_of(rows.begin(), rows.end(),
                    [](const auto& row) { return row.ptx.find("cluster") != std::string::npos; }));
}

TEST_CASE("code that branches, and that of warpgroups, is repeated in a loop of PTX; carries and waits have a reason") {
  PtxlatProgram program;
  program.require_tools();
  make_small(program);
  constexpr char warpgroup[] = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16";
  const auto ended = program.run({"opcodes", "--all", "--threads", "1", "--filter",
                                  "/^(div.rn.f32|addc.u32|sinf|wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16|"
                                  "cp.async.wait_all|atom.acq_rel.gpu.add.L2::cache_hint.u32)$/"});
  INFO(ended.err);
  REQUIRE(ended.status == 0);
  const auto files = tables::read_table(program.table(), {tables::Part::opcode_records}).opcode_records;
  for (const char* ptx : {"div.rn.f32", "sinf"}) {
    const auto& record = record_of(files, ptx);
    INFO(ptx << " " << record.note);
    CHECK(record.verdict == sass::Verdict::proven);
    CHECK(record.number(results::metric::throughput));
    REQUIRE(record.windows.size() == 1);
    CHECK(record.windows.front().role.starts_with("PTX loop of "));
    CHECK(record.series.front().axes.front().values.back() == 32);
  }
  const auto& accumulating = record_of(files, warpgroup);
  INFO(accumulating.note);
  CHECK(accumulating.number(results::metric::throughput));
  CHECK(accumulating.sass == std::vector<std::string>{"HGMMA.64x8x16.F32"});
  CHECK(accumulating.series.front().axes.front().values == std::vector<double>{4, 8, 12, 16});
  for (const char* ptx : {"addc.u32", "cp.async.wait_all"}) {
    CHECK_FALSE(record_of(files, ptx).number(results::metric::throughput));
    CHECK_FALSE(record_of(files, ptx).note.empty());
  }

  // A fence waits for the atomic of the copy before it, and the policy of the cache is prepared once.
  const auto& ordered = record_of(files, "atom.acq_rel.gpu.add.L2::cache_hint.u32");
  INFO(ordered.note);
  CHECK(ordered.number(results::metric::throughput));
  CHECK(ordered.sass.front().starts_with("MEMBAR"));
  CHECK(ordered.windows.front().role.starts_with("loop of "));
  CHECK(ordered.series.front().axes.front().values == std::vector<double>{1, 4, 16, 32});
}

TEST_CASE("a form that ptxas turns into two opcodes in turn has three records, and is one cell of the progress") {
  PtxlatProgram program;
  program.require_tools();
  const auto ended = measure(program, "/^add.f16x2$/");
  INFO(ended.err);
  REQUIRE(ended.status == 0);
  CHECK(tables::read_table(program.table(), {tables::Part::opcode_records}).opcode_records.throughput.size() == 3);
  CHECK(ended.err.find("1 of 1 cells") != std::string::npos);
}

TEST_CASE("spellings of one machine code are measured once, whichever of them is first, and share a row") {
  const std::vector<std::string> spellings{"ld.global.b32", "ld.global.f32", "ld.global.s32", "ld.global.u32"};
  const auto measure_all = [](const PtxlatProgram& program, const std::string& type) {
    const auto ended = program.run({"opcodes", "--all", "--filter", "/^ld.global." + type + "$/", "--threads", "2"});
    INFO(ended.err);
    REQUIRE(ended.status == 0);
  };
  const auto file = [](const PtxlatProgram& program, const char* name) {
    return tables::gunzip(content_of(program.table() / name));
  };
  PtxlatProgram program, resumed;
  program.require_tools();
  measure_all(program, "[bfsu]32");
  const auto files = tables::read_table(program.table(), {tables::Part::opcode_records}).opcode_records;
  REQUIRE(files.throughput.size() == 1);
  const auto row = files.throughput.front().ptx;
  REQUIRE(files.spellings.size() == 4);
  for (std::size_t i = 0; i < spellings.size(); ++i)
    CHECK(files.spellings.at(i) == tables::Spelling{spellings[i], 3, row, ""});
  CHECK(content_of(program.table() / "opcodes.csv").find(",4,,,ld.global.") != std::string::npos);

  measure_all(resumed, "f32");
  measure_all(resumed, "[bfsu]32");
  for (const char* name : {"throughput.csv.gz", "throughput_forms.csv.gz"})
    CHECK(file(resumed, name) == file(program, name));
  const auto launches = lines_of(resumed.launch_log());
  std::set<std::string> launched;
  for (const auto& spelling : spellings) {
    auto kernel = "saturated_" + spelling;
    std::replace(kernel.begin(), kernel.end(), '.', '_');
    if (std::any_of(launches.begin(), launches.end(), [&](const auto& name) { return name.starts_with(kernel); }))
      launched.insert(spelling);
  }
  CHECK(launched == std::set<std::string>{"ld.global.f32"});
}

TEST_CASE("an opcode's operands have costs where ptxas uses such operands") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(measure(program, "/^(fma.rn.f32|popc.b32)$/").status == 0);
  const auto costs = tables::read_table(program.table(), {tables::Part::opcode_records}).opcode_records.operand_costs;
  const auto verdict_of = [&](const char* opcode, const char* operand) {
    const auto found = std::find_if(costs.begin(), costs.end(), [&](const auto& record) {
      return record.ptx == opcode && record.operand == operand;
    });
    REQUIRE(found != costs.end());
    CHECK(found->number(results::metric::operand_cost).has_value() == (found->verdict == sass::Verdict::proven));
    return found->verdict;
  };
  for (const char* operand : {"immediate", "uniform", "predicate"})
    CHECK(verdict_of("FFMA", operand) == sass::Verdict::proven);
  // sm_90 has no FFMA with a constant that ptxas would use: it takes a uniform register.
  CHECK(verdict_of("FFMA", "constant") == sass::Verdict::fused);
  CHECK(verdict_of("POPC", "immediate") == sass::Verdict::fused);
  CHECK(content_of(program.table() / "opcodes.csv").find(",immediate:0 predicate:0 uniform:0,") != std::string::npos);
}

TEST_CASE(
    "the launches of a loop that uses memory are on different SMs; where those of any other are is the GPU's choice") {
  PtxlatProgram program;
  program.require_tools();
  const auto shapes = program.folder() / "shapes";
  program.set("PTXLAT_STANDIN_LAUNCH_SHAPES", shapes.string());
  REQUIRE(measure(program, "/^(ld.global.u32|popc.b32)$/").status == 0);
  // "saturated_ld_global_u32_0 ctas 132 lanes 1024 … place 8 …"
  const auto places_of = [&](const std::string& kernel) {
    std::set<std::string> places;
    for (const auto& line : lines_of(shapes)) {
      constexpr std::string_view before = " place ";
      const auto at = line.find(before);
      if (!line.starts_with(kernel) || at == std::string::npos) continue;
      const auto place = line.substr(at + before.size());
      places.insert(place.substr(0, place.find(' ')));
    }
    return places.size();
  };
  CHECK(places_of("saturated_ld_global_u32") == 16);
  CHECK(places_of("saturated_popc_b32") == 0);
}

TEST_CASE("Ctrl-C keeps the stages that are whole, in the files, too") {
  PtxlatProgram program;
  program.require_tools();
  const std::vector<std::string> arguments{"opcodes",  "--filter",     "/^(popc.b32|fma.rn.f32)$/", "--threads", "1",
                                           "--tables", "ptxlat-tables"};
  const auto ended = interrupted_at(program, "chain_loop_", arguments);
  INFO(ended.err);
  CHECK(ended.status == 130);
  CHECK(ended.err.find("every finished cell is kept in ptxlat.sqlite") != std::string::npos);
  const auto files = tables::read_table(program.table(), {tables::Part::opcode_records}).opcode_records;
  CHECK(files.throughput.size() == 2);
  CHECK(files.contention.size() == 1);
  CHECK_FALSE(files.operand_costs.empty());
  CHECK(files.in_flight.empty());
  REQUIRE(files.runs.size() == 1);
  CHECK(files.runs.front().was_interrupted);
  CHECK(content_of(program.table() / "opcodes.csv").find("\nPOPC,") != std::string::npos);

  REQUIRE(program.run(arguments).status == 0);
  const auto continued = tables::read_table(program.table(), {tables::Part::opcode_records}).opcode_records;
  CHECK(continued.in_flight.size() == 2);
  CHECK_FALSE(continued.runs.back().was_interrupted);
}

TEST_CASE("Ctrl-C in the first stage leaves the files of an earlier run as they are") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(measure(program, "/^fma.rn.f32$/").status == 0);
  const auto csv = content_of(program.table() / "opcodes.csv");
  const auto ended =
      interrupted_at(program, "saturated_popc",
                     {"opcodes", "--filter", "/^popc.b32$/", "--threads", "1", "--tables", "ptxlat-tables"});
  CHECK(ended.status == 130);
  CHECK(content_of(program.table() / "opcodes.csv") == csv);
}

TEST_CASE("a level's opcodes are its own, whatever else the store has") {
  PtxlatProgram program;
  program.require_tools();
  for (const char* level : {"2", "3"}) {
    const auto ended = program.run({"opcodes", "--filter", "/^popc.b32$/", "-O", level, "--threads", "1", "--replace"});
    INFO(ended.err);
    REQUIRE(ended.status == 0);
    const auto files = tables::read_table(program.table(), {tables::Part::opcode_records}).opcode_records;
    REQUIRE(files.throughput.size() == 1);
    CHECK(std::to_string(files.throughput.front().level) == level);
  }
  REQUIRE(program.run({"merge", "ptxlat.sqlite", "--into", "merged.sqlite", "--tables", "merged"}).status == 0);
  const auto merged =
      program.folder() / "merged" / program.table().lexically_relative(program.folder() / "ptxlat-tables");
  for (const char* file : {"opcodes.csv", "contention.csv", "counters.csv"})
    CHECK(content_of(merged / file) == content_of(program.table() / file));
}

TEST_CASE("a form that faults or hangs costs its own row, and its loop is launched once") {
  PtxlatProgram program;
  program.require_tools();
  const auto [variable, verdict] = GENERATE(std::pair("PTXLAT_STANDIN_FAULT", sass::Verdict::fault),
                                            std::pair("PTXLAT_STANDIN_HANG", sass::Verdict::timeout));
  program.set(variable, "popc");
  program.set("PTXLAT_DEADLINE_FACTOR", "2");  // or each kernel that hangs is waited for longer
  const auto ended = measure(program, "/^(popc.b32|fma.rn.f32)$/");
  INFO(ended.err);
  REQUIRE(ended.status == 0);
  const auto files = tables::read_table(program.table(), {tables::Part::opcode_records}).opcode_records;
  CHECK(record_of(files, "popc.b32").verdict == verdict);
  CHECK_FALSE(record_of(files, "popc.b32").number(results::metric::throughput));
  CHECK(record_of(files, "fma.rn.f32").verdict == sass::Verdict::proven);
  // Seven times, not with each number of warps: an opcode that fails with all warps is given up. A hang is launched
  // again in a new process.
  const auto launches = lines_of(program.launch_log());
  CHECK(std::count_if(launches.begin(), launches.end(), [](const auto& name) {
          return name.find("popc") != std::string::npos;
        }) <= (verdict == sass::Verdict::timeout ? 14 : 7));
}

TEST_CASE("hardware counters give each opcode its pipes, which a second run takes from the store") {
  PtxlatProgram program;
  program.require_tools();
  program.set("PTXLAT_LIBCUPTI", PTXLAT_TEST_LIBCUDA);
  constexpr char one_opcode_each[] =
      "/^(and.b32|popc.b32|fma.rn.f32|mul.f64|wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16)$/";
  REQUIRE(measure(program, one_opcode_each).status == 0);
  const std::string counted =
      "opcode,pipe,share\nDMUL,dog,1\nDMUL,easy,1\nFFMA,bakerheavy,0.5\nFFMA,bakerlite,0.5\n"
      "HGMMA.64x8x16.F32,easy,1\nLOP3.LUT,able,1\nPOPC,charlie,1\n";
  CHECK(content_of(program.table() / "counters.csv") == counted);
  CHECK(content_of(program.table() / "opcodes.csv").find(",bakerheavy:0.5 bakerlite:0.5,") != std::string::npos);
  const auto files = tables::read_table(program.table(), {tables::Part::opcode_records}).opcode_records;
  CHECK(files.runs.front().cupti == "cupti-130001");
  for (const auto& record : files.counters) {
    REQUIRE(record.windows.size() == 1);
    const auto& code = record.windows.front().sass;
    CHECK(std::any_of(code.begin(), code.end(),
                      [&](const auto& i) { return i.text.find(record.sass.front()) != std::string::npos; }));
  }

  program.set("PTXLAT_LIBCUPTI", "/nonexistent/libcupti.so.13");
  const auto second = measure(program, one_opcode_each);
  CHECK(second.status == 0);
  CHECK(second.err.find("libcupti") == std::string::npos);
  CHECK(content_of(program.table() / "counters.csv") == counted);
}

TEST_CASE("unavailable counters only cost their column, and the run says why") {
  PtxlatProgram program;
  program.require_tools();
  program.set("PTXLAT_LIBCUPTI", PTXLAT_TEST_LIBCUDA);
  const auto [behaviour, reason] =
      GENERATE(std::pair("forbidden", "the driver does not let this user read hardware counters"),
               std::pair("unsupported", "CUPTI does not support profiling on this device"),
               std::pair("crash", PTXLAT_TEST_LIBCUDA ": counting the kernel died of signal 6"),
               std::pair("blind", PTXLAT_TEST_LIBCUDA ": it counts nothing with this driver"));
  program.set("PTXLAT_STANDIN_CUPTI", behaviour);
  const auto ended = measure(program, filter);
  INFO(ended.err);
  REQUIRE(ended.status == 0);
  const auto said = ended.err.find(std::string("no pipes by hardware counters: ") + reason);
  CHECK(said != std::string::npos);
  CHECK(ended.err.find("no pipes by hardware counters", said + 1) == std::string::npos);
  CHECK(content_of(program.table() / "opcodes.json").find(reason) != std::string::npos);
  CHECK(content_of(program.table() / "counters.csv") == "opcode,pipe,share\n");
  const auto files = tables::read_table(program.table(), {tables::Part::opcode_records}).opcode_records;
  CHECK(record_of(files, "fma.rn.f32").number(results::metric::throughput));
  CHECK(files.contention.size() == 6);
}

TEST_CASE("a libcupti that is missing or old costs the column") {
  PtxlatProgram program;
  program.require_tools();
  for (const char* library : {"/nonexistent/libcupti.so.13", PTXLAT_TEST_OLD_LIBCUDA}) {
    program.set("PTXLAT_LIBCUPTI", library);
    const auto ended = measure(program, filter);
    CHECK(ended.status == 0);
    CHECK(ended.err.find(std::string("no pipes by hardware counters: ") + library) != std::string::npos);
    CHECK(ended.err.find("tools/toolkits.sh cupti") != std::string::npos);
    CHECK(content_of(program.table() / "counters.csv") == "opcode,pipe,share\n");
  }
}

TEST_CASE("doctor says whether hardware counters can be read, and how to get the permission") {
  PtxlatProgram program;
  program.require_tools();
  program.set("PTXLAT_LIBCUPTI", PTXLAT_TEST_LIBCUDA);
  CHECK(program.run({"doctor"}).out.find("counters    of 6 pipes: able bakerheavy") != std::string::npos);
  program.set("PTXLAT_STANDIN_CUPTI", "forbidden");
  CHECK(program.run({"doctor"}).out.find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
}

TEST_CASE("the committed opcodes say the same when they are read again") {
  const auto* const gpu = GENERATE("nvidia-h100-80gb-hbm3", "nvidia-h200");
  const auto committed = std::filesystem::path(PTXLAT_SOURCE_DIR) / "tables/sm_90" / gpu / "driver-580.159.04";
  const TestFolder folder;
  // The tables of ptxas beside it say in which versions an opcode appears.
  std::filesystem::copy(committed.parent_path(), folder.path / "gpu", std::filesystem::copy_options::recursive);
  const auto table = folder.path / "gpu" / committed.filename();
  replace_files(table, {{tables::packed_opcodes_name, "lost\n"}, {"contention.csv", "lost\n"}});
  const auto again = PtxlatProgram().run({"opcodes", "--reread", table.string(), "--format", "none"});
  INFO(gpu << '\n' << again.err);
  CHECK(again.status == 0);
  for (const char* file : {"opcodes.csv", "opcodes.md", "contention.csv", "opcodes.json"}) {
    INFO(file);
    const auto packed = committed / (std::string(file) + ".gz");
    CHECK(content_of(table / file) ==
          (std::filesystem::exists(packed) ? tables::gunzip(content_of(packed)) : content_of(committed / file)));
  }
  CHECK_FALSE(std::filesystem::exists(table / tables::packed_opcodes_name));
  if (gpu == std::string("nvidia-h200")) CHECK(versions_in(table).at("IADD3").find("11.8") != std::string::npos);
}

TEST_CASE("opcodes of different rules are not read again") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(measure(program, "/^popc.b32$/").status == 0);
  const auto table = program.table();
  const auto reread = [&] { return program.run({"opcodes", "--reread", table.string(), "--format", "none"}); };
  REQUIRE(reread().status == 0);
  auto runs = content_of(table / "opcodes.json");
  const std::string rules = opcodes::machine_version;
  const auto at = runs.find(rules);
  REQUIRE(at != std::string::npos);
  runs.replace(at, rules.size(), "machine 1");
  replace_files(table, {{"opcodes.json", runs}, {"opcodes.csv", "kept\n"}});
  const auto refused = reread();
  CHECK(refused.status == 7);
  CHECK(refused.err.find("was measured by machine 1, and this ptxlat reads " + rules) != std::string::npos);
  CHECK(content_of(table / "opcodes.csv") == "kept\n");
}

TEST_CASE("a folder without opcodes cannot be read again") {
  const TestFolder folder;
  const auto none = PtxlatProgram().run({"opcodes", "--reread", folder.path.string()});
  CHECK(none.status == 7);
  CHECK(none.err.find("there are no opcodes in") != std::string::npos);
}
