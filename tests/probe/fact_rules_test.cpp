// SPDX-License-Identifier: Apache-2.0

// The facts that a probe's file asks for.
#include "probe/points.h"
#include "probe_folder.h"

using namespace ptxlat;
using namespace ptxlat::probe;
using Catch::Matchers::Contains;

namespace {

const std::string axes = R"(sentence = "s"
[[axis]]
name = "path"
names = ["ca", "cg"]
[[axis]]
name = "bytes"
values = ["16 KiB", 5]
)";
series::FactRule rule_of(const std::string& keys) {
  const auto probe = probe_of(axes + "[[fact]]\n" + keys + opcodes);
  REQUIRE(probe.facts.size() == 1);
  return probe.facts.front();
}

std::string mistake_of(const std::string& keys) { return mistake_in(axes + "[[fact]]\n" + keys + opcodes); }

const std::string what = "quantity = \"a\"\nhow = \"h\"\n";

}  // namespace

TEST_CASE("a fact says which model reads what, and everything left out has a default") {
  const auto rule = rule_of(R"(quantity = "chase.{{path}}.{{level}}"
model = "clusters"
unit = "cycles"
scope = "card"
by = ["bytes"]
levels = ["near", ""]
where = {bytes = ["16 KiB", 5], path = ["cg"], word = ["extra"]}
tolerance = 8
least = 0.5
how = "a chase"
)");
  CHECK(rule.quantity == "chase.{{path}}.{{level}}");
  CHECK(rule.model == "clusters");
  CHECK(rule.unit == "cycles");
  CHECK(rule.scope == "card");
  CHECK(rule.by == std::vector<std::string>{"bytes"});
  CHECK(rule.levels == std::vector<std::string>{"near", ""});
  INFO("numbers are as a series names them");
  CHECK(rule.where.at("bytes") == std::vector<std::string>{"16384", "5"});
  CHECK(rule.where.at("path") == std::vector<std::string>{"cg"});
  CHECK(rule.tolerance == 8);
  CHECK(rule.least == 0.5);
  CHECK(rule.how == "a chase");
  const auto least_rule = rule_of(what);
  CHECK(least_rule.model == "median");
  CHECK(least_rule.scope == "kind");
  CHECK(least_rule.unit.empty());
  CHECK(least_rule.tolerance == 2);
  CHECK(least_rule.least == 1);
}

TEST_CASE("every model has a name in a probe's file") {
  for (const auto& model : series::fact_models()) {
    const auto rule = rule_of(what + "model = \"" + std::string(model.name) +
                              "\"\nlevels = [\"l1\"]\nlike = \"ca\"\nunlike = \"cg\"\nvalue = 4\n");
    CHECK(rule.model == model.name);
  }
}

TEST_CASE("a mistake in a fact is reported with its line") {
  CHECK_THAT(mistake_of("how = \"h\"\n"), Contains("little.toml:8: a fact needs a quantity"));
  CHECK_THAT(mistake_of("quantity = \"a\"\n"), Contains("little.toml:8: a fact needs a sentence in `how`"));
  CHECK_THAT(mistake_of(what + "modell = \"median\"\n"), Contains("little.toml:11: unknown key \"modell\""));
  CHECK_THAT(mistake_of(what + "model = \"mean\"\n"), Contains("little.toml:11: \"mean\" is none of median, minimum"));
  CHECK_THAT(mistake_of(what + "tolerance = \"2\"\n"), Contains("\"tolerance\" must be a number"));
  CHECK_THAT(mistake_of(what + "scope = \"gpu\"\n"), Contains("\"gpu\" is not kind or card"));
  CHECK_THAT(mistake_of(what + "by = [\"paht\"]\n"), Contains("there is no axis \"paht\""));
  CHECK_THAT(mistake_of(what + "where = {paht = [\"ca\"]}\n"), Contains("there is no axis \"paht\""));
  CHECK_THAT(mistake_of(what + "where = {path = [\"cv\"]}\n"), Contains("the axis \"path\" has no \"cv\""));
  CHECK_THAT(mistake_of(what + "where = {bytes = [16]}\n"), Contains("the axis \"bytes\" has no \"16\""));
  for (const char* model : {"overtakes", "difference", "crossing", "offset", "gap"})
    CHECK_THAT(mistake_of(what + "model = \"" + model + "\"\n"), Contains("needs the places `like` and `unlike`"));
  for (const char* model : {"plateaus", "clusters"})
    CHECK_THAT(mistake_of(what + "model = \"" + model + "\"\n"), Contains("needs the names of its `levels`"));
  CHECK_THAT(mistake_of(what + "model = \"nearer\"\nlike = \"ca\"\n"), Contains("`like` and `unlike`"));
  CHECK_THAT(mistake_of(what + "model = \"given\"\n"), Contains("given needs a `value`"));
  CHECK_THAT(mistake_in("sentence = \"s\"\n[fact]\n"), Contains("little.toml:2: \"fact\" must be a list"));
}

TEST_CASE("a given value is an expression of the GPU and of constants that do not depend on axes") {
  const auto probe =
      probe_of(axes + "[constants]\nlap = \"bytes * 2\"\nedges = 2\ntwice = \"edges * edges\"\n" +
               "[[fact]]\nmodel = \"given\"\nvalue = \"twice * memory_bus_bits / 8\"\n" + what + opcodes);
  gpu::DeviceInfo device;
  device.memory_bus_bits = 6144;
  CHECK(value_given(probe, probe.facts.at(0), names_of(device)) == 3072);
}

TEST_CASE("a mistake in a given value is reported before anything is measured") {
  const auto mistake = [](const std::string& value) -> std::string {
    const auto probe = probe_of(axes + "[[fact]]\nmodel = \"given\"\nvalue = \"" + value + "\"\n" + what + opcodes);
    try {
      points_of(probe);
    } catch (const Error& error) {
      CHECK(error.exit_code == ExitCode::catalogue);
      return error.what();
    }
    return {};
  };
  CHECK(mistake("4 * buss") == "probe little: a: unknown name \"buss\" in \"4 * buss\"");
  CHECK_THAT(mistake("bytes"), Contains("unknown name \"bytes\""));
  CHECK_THAT(mistake("1 / 0"), Contains("division by zero"));
  CHECK(mistake("1 / 1").empty());
}

TEST_CASE("kernels that take commands need a buffer for their answers, and a stride to flush with") {
  const std::string infer = "sentence = \"s\"\n[infer]\nkind = \"l2\"\nspace = \"l2\"\nbytes = 64\n";
  CHECK_THAT(mistake_in(infer + "flush = 4096\n[[buffer]]\nbytes = 8\n"),
             Contains("little.toml:2: a kernel that takes commands needs a second buffer"));
  const auto with_flush = [&](const std::string& keys) {
    return probe_of(infer + "operators = [\"cg\", \"atom\"]\nflush = \"2 * 4 KiB\"\n" + keys +
                    "[[buffer]]\nbytes = 8\n[[buffer]]\nbytes = 8\n" + opcodes);
  };
  const auto probe = with_flush("");
  CHECK(probe.infer->operators == std::vector<std::string>{"cg", "atom"});
  const auto point = points_of(probe).at(0);
  CHECK(point.inferred_bytes == 64);
  CHECK(point.flush_bytes == 8192);
  CHECK(point.flush_stride == 128);
  INFO("buffers of what is asked thousands of questions are kept");
  CHECK(point.trial.launch.keeps_buffers);
  CHECK_THROWS_WITH(points_of(with_flush("flush_stride = 0\n")), Contains("flush_stride must be positive"));
}
