// SPDX-License-Identifier: Apache-2.0
#include "simulator/export.h"

#include "base/error.h"
#include "catch.h"
#include "invented.h"
#include "tables/folder.h"

using namespace ptxlat;
using Catch::Matchers::Contains;

namespace {

// A file that can be laid over another one, and a module with text around its options.
constexpr const char* data_file = R"(
sentence = "an invented simulator"

[[file]]
name = "sim.config"
laid_over = true
[[file.section]]
[[file.section.option]]
name = "-sms"
value = "{n}"
from.n = { run = "device.sm_count" }
[[file.section.option]]
name = "-dp"
value = "{latency},{interval}"
from.latency = { sass = ["DADD", "DMUL"], aggregate = "max" }
from.interval = { opcode = "DADD", metric = "interval" }
[[file.section.option]]
name = "-l2"
value = "{l2 - l1}"
from.l2 = { fact = "l2.latency", unit = "cycles" }
from.l1 = { fact = "l1.latency", unit = "cycles" }
[[file.section.option]]
name = "-cache"
value = "*:{sets}:*:*,{policy}:*"
from.sets = { fact = "l1.sets", unit = "count" }
from.policy = { fact = "l1.policy", words = { lru = "L" } }

[[file]]
name = "isa/module.py"
[[file.section]]
head = "units = {\n"
line = "  \"{option}\": {value},\n"
tail = "}\n"
[[file.section.option]]
name = ["IADD3", "DADD", "FADD"]
value = '["{unit}", {latency}]'
digits = 1
from.unit = { opcode = "{option}", metric = "pipe", words = { alu = "int", fp64 = "double" } }
from.latency = { sass = "{option}" }
)";

simulator::Export exported_to(const simulator::Target& target, const InventedTable& invented,
                              const simulator::Bases& bases = {}) {
  return simulator::export_tables(target, tables::read_table(invented.table, simulator::asked_parts), bases, "a test");
}

std::string file_in(const simulator::Export& exported, const std::string& name) {
  for (const auto& [path, content] : exported.files) {
    if (path == name) return content;
  }
  return "no file " + name;
}

// Why a query has no answer: of an option with this query alone.
std::string reason_for(const InventedTable& invented, const std::string& query, const std::string& value = "{x}") {
  const auto target = invented.target(
      "[[file]]\nname = \"a\"\n[[file.section]]\n[[file.section.option]]\nname = \"o\"\n"
      "value = \"" +
      value + "\"\nfrom.x = { " + query + " }\n");
  const auto exported = exported_to(target, invented);
  return exported.left_out.empty() ? "exported " + exported.exported.front().value : exported.left_out.front().reason;
}

// What is wrong with a data file that has this option.
std::string mistake_in(const InventedTable& invented, const std::string& option) {
  try {
    invented.target("[[file]]\nname = \"a\"\n[[file.section]]\n[[file.section.option]]\n" + option);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("an export has a figure of the table in each option, and the row of each figure beside it") {
  const InventedTable invented;
  const auto target = invented.target(data_file);
  const auto exported = exported_to(target, invented);
  const std::string head =
      "# For an invented simulator, made by a test from the table sm_90/invented/driver-1.\n"
      "# evidence.csv has the row behind each figure, left_out.csv what has none.\n\n";
  CHECK(file_in(exported, "sim.config") == head + "-sms 7\n-dp 11,2\n-l2 247\n");
  CHECK(file_in(exported, "isa/module.py") ==
        head + "units = {\n  \"IADD3\": [\"int\", 4],\n  \"DADD\": [\"double\", 8],\n}\n");
  CHECK(simulator::evidence_csv(exported) ==
        R"(file,option,value,formula,base,name,query,matches,source,row,figure,unit
sim.config,-sms,7,{n},,n,"run = ""device.sm_count""",1,run.json,device.sm_count,7,
sim.config,-dp,"11,2","{latency},{interval}",,interval,"opcode = ""DADD"", metric = ""interval""",1,opcodes.csv,DADD,2.004,cycles
sim.config,-dp,"11,2","{latency},{interval}",,latency,"sass = ""DADD"", ""DMUL"", metric = ""cycles"", aggregate = ""max""",2,latency.csv,"mul.f64, operand a, O3",11,cycles
sim.config,-l2,247,{l2 - l1},,l1,"fact = ""l1.latency""",1,facts.csv,"caches, l1.latency",33.4,cycles
sim.config,-l2,247,{l2 - l1},,l2,"fact = ""l2.latency""",1,facts.csv,"caches, l2.latency",280,cycles
isa/module.py,IADD3,"[""int"", 4]","[""{unit}"", {latency}]",,latency,"sass = ""IADD3"", metric = ""cycles""",1,latency.csv,"add.s32, operand a, O3",4,cycles
isa/module.py,IADD3,"[""int"", 4]","[""{unit}"", {latency}]",,unit,"opcode = ""IADD3"", metric = ""pipe""",1,opcodes.csv,IADD3,alu,
isa/module.py,DADD,"[""double"", 8]","[""{unit}"", {latency}]",,latency,"sass = ""DADD"", metric = ""cycles""",1,latency.csv,"add.f64, operand a, O3",8,cycles
isa/module.py,DADD,"[""double"", 8]","[""{unit}"", {latency}]",,unit,"opcode = ""DADD"", metric = ""pipe""",1,opcodes.csv,DADD,fp64,
)");
  CHECK(simulator::left_out_csv(exported) ==
        R"(file,option,base,reason
sim.config,-cache,,only a part of it is measured; --base gives the rest
isa/module.py,FADD,,"sass = ""FADD"", metric = ""cycles"": no row of the latency table matches"
)");
}

TEST_CASE("laid over a configuration, an export replaces what was measured and keeps the rest") {
  const InventedTable invented;
  const auto target = invented.target(data_file);
  const auto exported = exported_to(
      target, invented, {{"sim.config", "# mine\n-cache S:8:128:64,F:T:m,A:512  # hand\n-sms 80\n-dram 7\n"}});
  CHECK_THAT(file_in(exported, "sim.config"),
             Contains("are those of the base.\n\n# mine\n-cache S:4:128:64,L:T:m,A:512\n-sms 7\n-dram 7\n-dp 11,2\n"));
  CHECK_THAT(simulator::evidence_csv(exported), Contains(",7,{n},80,n,"));

  INFO("a part of an unknown shape is not guessed");
  const auto other = exported_to(target, invented, {{"sim.config", "-cache none\n"}});
  CHECK_THAT(file_in(other, "sim.config"), Contains("-cache none\n"));
  CHECK_THAT(simulator::left_out_csv(other), Contains("\"\"none\"\" does not have the shape"));

  CHECK_THROWS_WITH(exported_to(target, invented, {{"isa/module.py", ""}}),
                    Contains("no file isa/module.py to lay over"));
}

TEST_CASE("a folder that only has probes can be exported as far as they go") {
  const InventedTable invented;
  for (const char* name : {"latency.csv", "latency.jsonl.zst", "forms.csv.gz", "run.json"})
    std::filesystem::remove(invented.table / name);
  const auto exported = exported_to(invented.target(data_file), invented);
  CHECK_THAT(file_in(exported, "sim.config"), Contains("\n-l2 247\n"));
  CHECK_THAT(simulator::left_out_csv(exported), Contains("no row of the latency table matches"));
}

TEST_CASE("facts are read from facts.csv where their records are left out, as in a wheel") {
  const InventedTable invented;
  const auto target = invented.target(data_file);
  const auto whole = simulator::evidence_csv(exported_to(target, invented));
  CHECK_THAT(whole, Contains("l2.latency"));
  for (const char* name : {"probes.jsonl.zst", "probes.json"}) std::filesystem::remove(invented.table / name);
  CHECK(simulator::evidence_csv(exported_to(target, invented)) == whole);

  replace_file(invented.table / "facts.csv",
               fmt::format("{}", fmt::join(tables::names_of(tables::fact_columns()), ",")) +
                   "\np,q,,1,1,1,count,kind,certain,\n");
  CHECK_THROWS_WITH(exported_to(target, invented), Contains("certain is not a verdict"));
}

TEST_CASE("a query without one answer says why") {
  const InventedTable invented;
  const auto reason = [&](const char* query, const char* value = "{x}") { return reason_for(invented, query, value); };
  CHECK(reason("form = \"add.s32\"") == "exported 4");
  CHECK_THAT(reason("form = \"add.s32\", level = 0"), Contains("no row of the latency table matches"));
  CHECK_THAT(reason("form = \"add.s32\", operand = \"b\""), Contains("no row of the latency table matches"));
  CHECK_THAT(reason("form = \"add.s32\", metric = \"issue\""), Contains("the matching rows have no issue (proven)"));
  CHECK_THAT(reason("sass = \"*\""),
             Contains("4 matching rows have 4 different values: 4 (add.s32, operand a, O3), 5"));
  CHECK(reason("sass = \"*\", aggregate = \"median\"") == "exported 5");
  CHECK(reason("sass = \"*\", aggregate = \"min\"") == "exported 4");
  CHECK_THAT(reason("opcode = \"FADD\", metric = \"interval\""), Contains("no opcode in opcodes.csv matches"));
  CHECK_THAT(reason("opcode = \"DADD\", metric = \"throughput\""),
             Contains("DADD has the unit \"results/clk/SM\", and the option needs \"cycles\""));
  CHECK_THAT(reason("fact = \"l9.sets\", unit = \"count\""), Contains("the table has no fact l9.sets"));
  CHECK_THAT(reason("fact = \"l1.sets\", unit = \"bytes\""), Contains("has the unit \"count\""));
  CHECK_THAT(reason("fact = \"l1.bytes\", unit = \"bytes\""), Contains("only exists with the conditions carveout=1"));
  CHECK_THAT(reason("fact = \"l2.policy\", unit = \"text\""), Contains("the fact is undetermined"));
  CHECK_THAT(reason("fact = \"l1.policy\", words = { fifo = \"F\" }"), Contains("no word for \"lru\""));
  CHECK_THAT(reason("run = \"device.colour\""), Contains("run.json has no device.colour"));
  CHECK_THAT(reason("fact = \"l1.sets\", unit = \"count\"", "{x / (x - 4)}"), Contains("division by zero"));

  std::filesystem::remove(invented.table / "opcodes.csv");
  CHECK_THAT(reason("opcode = \"DADD\", metric = \"interval\""), Contains("the table has no opcodes.csv"));
}

TEST_CASE("a mistake in a data file is named with its line") {
  const InventedTable invented;
  const auto mistake = [&](const char* option) { return mistake_in(invented, option); };
  CHECK_THAT(mistake("name = \"o\"\nvalue = \"{x}\"\n"), Contains("mine.toml:4: o has no query"));
  CHECK_THAT(mistake("name = \"o\"\nvalue = \"{y}\"\nfrom.x = { run = \"id\" }\n"), Contains("unknown name \"y\""));
  CHECK_THAT(mistake("name = \"o\"\nvalue = \"{x\"\nfrom.x = { run = \"id\" }\n"), Contains("no closing brace"));
  CHECK_THAT(mistake("name = \"o\"\nvlaue = \"{x}\"\nfrom.x = { run = \"id\" }\n"),
             Contains("did you mean \"value\"?"));
  CHECK_THAT(mistake("name = \"o\"\nvalue = \"{x}\"\nfrom.x = { metric = \"cycles\" }\n"),
             Contains("exactly one of form"));
  CHECK_THAT(mistake("name = \"o\"\nvalue = \"{x}\"\nfrom.x = { form = \"a\", metric = \"speed\" }\n"),
             Contains("there is no metric \"speed\""));
  CHECK_THAT(mistake("name = \"o\"\nvalue = \"{x}\"\nfrom.x = { fact = \"a\" }\n"), Contains("needs its unit"));
}
