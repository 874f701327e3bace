// SPDX-License-Identifier: Apache-2.0

// What probes of the pipeline say in their files: papers, axes of samples, registers, launches that may hang.
#include "probe/points.h"
#include "probe/readers.h"
#include "probe_folder.h"

using namespace ptxlat;
using namespace ptxlat::probe;
using Catch::Matchers::Contains;
using Values = std::vector<std::optional<double>>;

namespace {

const std::string start = "sentence = \"s\"\n";
const std::string sampled = start + R"([[buffer]]
bytes = 64
read_words = "2 * sms"
[read]
reader = "samples"
[[read.axis]]
name = "sm"
count = "sms"
from = 1
[[read.axis]]
name = "word"
names = ["start", "end"]
[[fact]]
quantity = "a.{{word}}"
where = {sm = [1]}
how = "h"
)" + opcodes;

std::string mistake_of_points(const std::string& text, const Names& device) {
  try {
    points_of(probe_of(text), device);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("samples lie on the axes that the file names, after that of the rounds") {
  const auto probe = probe_of(sampled);
  const auto points = points_of(probe, {{"sms", 3}});
  REQUIRE(probe.rounds == 3);
  const auto series = series_of(probe, {{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 7}, {1, 2, 3, 4, 5, 8}}, points);
  REQUIRE(series.axes.size() == 3);
  CHECK(series.axes[0] == results::Axis{"round", "", {1, 2, 3}});
  CHECK(series.axes[1] == results::Axis{"sm", "", {1, 2, 3}});
  CHECK(series.axes[2] == results::Axis{"word", "", {0, 1}, {"start", "end"}});
  CHECK(series.values == Values{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 7, 1, 2, 3, 4, 5, 8});
  const auto facts = series::facts_of(probe.facts.at(0), series);
  REQUIRE(facts.size() == 2);
  CHECK(facts[1].quantity == "a.end");
  CHECK(facts[1].value == "2");
}

TEST_CASE("facts of launches are measured in three rounds, or in as many as the file says") {
  CHECK(probe_of(start + opcodes).rounds == 1);
  const std::string fact = "[[fact]]\nquantity = \"a\"\nhow = \"h\"\n";
  CHECK(probe_of(start + fact + opcodes).rounds == 3);
  CHECK(probe_of(start + "[launch]\nrounds = 5\n" + fact + opcodes).rounds == 5);
  CHECK_THAT(mistake_in(start + "[launch]\nrounds = 0\n" + fact + opcodes), Contains("rounds are 1 to 100"));
  CHECK_THAT(mistake_in(start + "[launch]\nrounds = 5\n" + opcodes), Contains("of a series with facts"));
  CHECK(probe_of(start + "[launch]\nrounds = 6\nprocesses = 2\n" + fact + opcodes).processes == 2);
  CHECK_THAT(mistake_in(start + "[launch]\nrounds = 5\nprocesses = 2\n" + fact + opcodes),
             Contains("processes share the 5 rounds equally"));
  CHECK_THAT(mistake_in(start + "[launch]\nprocesses = 0\n" + fact + opcodes), Contains("processes share"));
  INFO("machine code is the same in each");
  CHECK(probe_of(start + "[read]\nreader = \"registers\"\n" + fact + opcodes).rounds == 1);
}

TEST_CASE("axes of samples that do not fit what is read are a mistake") {
  const auto with = [](const std::string& from, const std::string& to) {
    auto text = sampled;
    return text.replace(text.find(from), from.size(), to);
  };
  CHECK_THAT(mistake_of_points(with("2 * sms", "sms"), {{"sms", 3}}), Contains("have 6 places for 3 words"));
  CHECK_THAT(mistake_of_points(with("count = \"sms\"", "count = 0"), {{"sms", 3}}), Contains("1 to 1000000 places"));
  CHECK_THAT(mistake_in(with("count = \"sms\"\n", "")), Contains("an axis of samples needs a count, or names"));
  CHECK_THAT(mistake_in(with("reader = \"samples\"\n", "")), Contains("only samples have axes of their own"));
  CHECK_THAT(mistake_in(with("name = \"sm\"", "name = \"smm\"")), Contains("there is no axis \"sm\""));
}

TEST_CASE("a probe says which paper it repeats, and only papers that are known") {
  const auto probe = probe_of(start + "[source]\ngt200 = \"figure 6\"\nispass = \"figure 7\"\n" + opcodes);
  REQUIRE(probe.sources.size() == 2);
  CHECK(probe.sources[0].paper == "gt200");
  CHECK(probe.sources[0].item == "figure 6");
  CHECK_THAT(mistake_in(start + "[source]\nwong = \"figure 7\"\n" + opcodes),
             Contains("\"wong\" is none of mei, arafa, gt200, ispass, kanter"));
}

TEST_CASE("the machine code must have as many registers as the file says") {
  const auto probe = probe_of(start +
                              "[[axis]]\nname = \"n\"\nvalues = [40, 41]\n[audit]\nwhole_kernel = true\n"
                              "without = [\"LDL\"]\nregisters = \"n\"\n[audit.opcodes]\nLDG = 0\n");
  const auto points = points_of(probe);
  sass::Window window;
  window.registers = 41;
  CHECK(audit(probe, points[0], window).reason == "41 registers instead of 40");
  CHECK(audit(probe, points[0], window).verdict == sass::Verdict::contaminated);
  CHECK(audit(probe, points[1], window).is_proven());
}

TEST_CASE("launches follow each other as the file says, by a text of an axis if need be") {
  const auto text = start +
                    "[[axis]]\nname = \"how\"\nnames = [\"fast\", \"slow\"]\n[text.by]\nfast = \"graph\"\n"
                    "slow = \"synchronised\"\n[launch]\nby = \"{{by}}\"\n" +
                    opcodes;
  const auto points = points_of(probe_of(text));
  CHECK(points[0].trial.launch.succession == ptx::Succession::graph);
  CHECK(points[1].trial.launch.succession == ptx::Succession::synchronised);
  CHECK_THAT(mistake_of_points(start + "[launch]\nby = \"queue\"\n" + opcodes, {}),
             Contains("launches follow by stream, graph or synchronised, not queue"));
}

TEST_CASE("what may hang is read as words") {
  CHECK_THAT(mistake_in(start + "[launch]\nmay_hang = true\n" + opcodes), Contains("is read as words"));
  CHECK(probe_of(start + "[launch]\nmay_hang = true\n[read]\nreader = \"words\"\n" + opcodes).may_hang);
}
