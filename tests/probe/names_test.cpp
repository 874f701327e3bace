// SPDX-License-Identifier: Apache-2.0

// Axes with names, and the texts for them.
#include "probe/points.h"
#include "probe_folder.h"

using namespace ptxlat;
using namespace ptxlat::probe;
using Catch::Matchers::Contains;

namespace {

const std::string operators = R"(sentence = "s"
module = ".const .b32 {{path}}[{{4 * path + 4}}];"
[[axis]]
name = "path"
names = ["ca", "cg", "wide"]
[[axis]]
name = "n"
values = [1, 2]
[text.load]
ca = "ld.ca.u32 %x, [{{8 * n}}]"
cg = "ld.cg.u32 %x, [{{width}}]"
wide = "ld.v4"
[text.width]
ca = "4"
cg = "{{n}}"
wide = "16"
[text.opcode]
ca = "LDG"
cg = "LDG"
wide = "LDG.128"
[text.other]
ca = "FADD"
cg = ""
wide = "FADD"
[launch]
threads = "path + n"
[audit.opcodes]
"{{opcode}}" = "n"
"{{other}}" = 1
FADD = 2
)";

// With the axes `a` of x and y, and `b` of different names.
std::string with_texts(const std::string& names_of_b, const std::string& texts) {
  return "sentence = \"s\"\n[[axis]]\nname = \"a\"\nnames = [\"x\", \"y\"]\n[[axis]]\nname = \"b\"\nnames = " +
         names_of_b + "\n" + texts + "\n[audit.opcodes]\nLDG = 1\n";
}

std::string mistake_of_points(const Probe& probe) {
  try {
    points_of(probe);
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::catalogue);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("an axis of names counts them in expressions, and is named in roles and holes") {
  const auto probe = probe_of(operators, "{{name}} {{path}} {{load}} // {{path + 1}} [out]");
  CHECK(probe.axes.at(0).names == std::vector<std::string>{"ca", "cg", "wide"});
  CHECK(probe.axes.at(0).values == std::vector<std::int64_t>{0, 1, 2});
  CHECK(probe.axes.at(1).names.empty());
  const auto points = points_of(probe);
  REQUIRE(points.size() == 6);
  CHECK(points[0].trial.role == "path=ca n=1");
  CHECK(points[5].trial.role == "path=wide n=2");
  CHECK(points[5].trial.launch.threads == 4);
  INFO("texts are filled at each point, and may use other texts");
  CHECK(points[1].trial.kernel.text == "{{name}} ca ld.ca.u32 %x, [16] // 1 [out]\n");
  CHECK(points[3].trial.kernel.text == "{{name}} cg ld.cg.u32 %x, [2] // 2 [out]\n");
  CHECK(points[4].trial.kernel.text == "{{name}} wide ld.v4 // 3 [out]\n");
}

TEST_CASE("the module's text has holes too") {
  const auto points = points_of(probe_of(operators));
  CHECK(points[0].trial.kernel.module == std::vector<std::string>{".const .b32 ca[4];"});
  CHECK(points[5].trial.kernel.module == std::vector<std::string>{".const .b32 wide[12];"});
  CHECK(points_of(probe_of(least)).at(0).trial.kernel.module.empty());
}

TEST_CASE("opcodes may be texts: equal ones are added up, and empty ones are none") {
  const auto points = points_of(probe_of(operators));
  using Opcodes = std::map<std::string, std::int64_t>;
  CHECK(points[1].opcodes == Opcodes{{"LDG", 2}, {"FADD", 3}});
  CHECK(points[3].opcodes == Opcodes{{"LDG", 2}, {"FADD", 2}});
  CHECK(points[4].opcodes == Opcodes{{"LDG.128", 1}, {"FADD", 3}});
}

TEST_CASE("a text belongs to the axis whose names it has, even if a second axis shares one of them") {
  const auto probe =
      probe_of(with_texts("[\"z\", \"x\"]", "[text.which]\nx = \"one\"\ny = \"other\"\n"), "{{which}} [out]");
  const auto points = points_of(probe);
  REQUIRE(points.size() == 4);
  CHECK(points[3].trial.role == "a=y b=x");
  CHECK(points[3].trial.kernel.text == "other [out]\n");
}

TEST_CASE("a text that is not for one axis is a mistake of its line") {
  const auto mistake = [](const std::string& names, const std::string& texts) {
    return mistake_in(with_texts(names, texts));
  };
  CHECK_THAT(mistake("[\"z\"]", "\n[text.load]\nx = \"one\"\n"),
             Contains("little.toml:9: [text.load] must have a text for each name of an axis"));
  CHECK_THAT(mistake("[\"z\"]", "[text.load]\nx = \"one\"\ny = \"other\"\nyy = \"typo\"\n"), Contains("and no others"));
  CHECK_THAT(mistake("[\"y\", \"x\"]", "[text.load]\nx = \"one\"\ny = \"other\"\n"),
             Contains("[text.load] could be for \"a\" and for \"b\""));
  CHECK_THAT(mistake("[\"z\"]", "[text.load]\nx = 1\ny = \"other\"\n"),
             Contains("little.toml:9: \"x\" must be a string"));
  CHECK_THAT(mistake("[\"z\"]", "[text]\nload = \"one\"\n"), Contains("write [load]"));
}

TEST_CASE("names that appear twice, or together with numbers, are mistakes") {
  const auto mistake = [](const std::string& keys) {
    return mistake_in("sentence = \"s\"\n[[axis]]\nname = \"n\"\n" + keys + "\n");
  };
  CHECK_THAT(mistake("names = [\"a\", \"b\", \"a\"]"), Contains("little.toml:2: \"n\" has a name twice"));
  CHECK_THAT(mistake("names = [\"a\"]\nvalues = [1]"), Contains("names or numbers, but not both"));
  CHECK_THAT(mistake("names = [\"a\"]\nfrom = 1"), Contains("names or numbers, but not both"));
  CHECK_THAT(mistake("names = \"a\""), Contains("little.toml:4: \"names\" must be a list"));
}

TEST_CASE("a text that needs itself is a mistake and not endless") {
  const auto probe = probe_of(with_texts("[\"z\"]", "[text.b1]\nx = \"{{b1}}\"\ny = \"\"\n"), "{{b1}} [out]");
  CHECK_THAT(mistake_of_points(probe), Contains("probe little at a=x b=z: unknown name \"b1\""));
}

TEST_CASE("an axis may go in equal steps") {
  const auto values = [](const std::string& keys) {
    return probe_of("sentence = \"s\"\n[[axis]]\nname = \"n\"\n" + keys + "\n[audit.opcodes]\nLDG = 1\n")
        .axes.at(0)
        .values;
  };
  CHECK(values("from = 0\nto = 7\nstep = 3") == std::vector<std::int64_t>{0, 3, 6});
  CHECK(values("from = \"1 KiB\"\nto = \"2 KiB\"\nstep = 512") == std::vector<std::int64_t>{1024, 1536, 2048});
  CHECK_THAT(mistake_in("sentence = \"s\"\n[[axis]]\nname = \"n\"\nfrom = 1\nto = 9\nstep = 0\n"),
             Contains("step must be positive"));
}
