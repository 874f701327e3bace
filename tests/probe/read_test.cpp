// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <set>

#include "base/file.h"
#include "gpu/buffers.h"
#include "probe/points.h"
#include "probe/readers.h"
#include "probe_folder.h"

using namespace ptxlat;
using namespace ptxlat::probe;
using Catch::Matchers::Contains;

namespace {

std::vector<std::int64_t> values_of(const std::string& axis) {
  return probe_of("sentence = \"s\"\n[[axis]]\nname = \"n\"\n" + axis + "\n[audit.opcodes]\nLDG = 1\n")
      .axes.at(0)
      .values;
}

}  // namespace

TEST_CASE("a probe file says everything about its experiment") {
  const auto probe = probe_of(R"(sentence = "what it shows"
cost = "seconds"
ptx = "7.8"
target = "sm_90"
[constants]
steps = 256
[[axis]]
name = "bytes"
unit = "bytes"
values = ["4 KiB", 8192]
[[buffer]]
contents = "permutation"
bytes = "bytes"
stride = 128
seed = 3
read_words = 2
[launch]
threads = 64
ctas = "2 * 3"
dynamic_shared = 1024
carve_out = 100
launches = 7
parameters = ["bytes / 128", 5]
[read]
reader = "throughput"
count = "steps"
series = "bandwidth"
unit = "bytes/clk"
words = [0, 1, 7]
[audit]
whole_kernel = true
beside = ["BRA"]
[audit.opcodes]
LDG = "steps"
)");
  CHECK(probe.name == "little");
  CHECK(probe.sentence == "what it shows");
  CHECK(probe.cost == "seconds");
  CHECK(probe.requirement.ptx_major == 7);
  CHECK(isa::has_target(probe.requirement, {90, ""}));
  CHECK_FALSE(isa::has_target(probe.requirement, {80, ""}));
  REQUIRE(probe.axes.size() == 1);
  CHECK(probe.axes[0].values == std::vector<std::int64_t>{4096, 8192});
  REQUIRE(probe.buffers.size() == 1);
  CHECK(probe.buffers[0].contents == ptx::Buffer::Contents::permutation);
  CHECK(probe.launches == 7);
  CHECK(probe.reader == "throughput");
  CHECK(probe.words == std::vector<int>{0, 1, 7});
  CHECK(probe.whole_kernel);
  CHECK(probe.kernel == least_kernel);
  const auto points = points_of(probe);
  REQUIRE(points.size() == 2);
  CHECK(points[1].trial.launch.parameters == std::vector<std::uint64_t>{64, 5});
  CHECK(points[1].trial.launch.ctas == 6);
  CHECK(points[1].opcodes.at("LDG") == 256);
}

TEST_CASE("everything that a probe file leaves out has a default") {
  const auto probe = probe_of(least);
  const auto launch = points_of(probe).at(0).trial.launch;
  CHECK(launch.threads == 1);
  CHECK(launch.ctas == 1);
  CHECK(launch.carve_out == -1);
  CHECK(launch.output_words == std::vector<int>{0, 1});
  CHECK(probe.launches == 5);
  CHECK(probe.reader == "per_step");
}

TEST_CASE("an axis may be a list or a range in doublings, with equal steps between two of them") {
  CHECK(values_of("values = [3, \"1 KiB\", 2]") == std::vector<std::int64_t>{3, 1024, 2});
  CHECK(values_of("from = 4\nto = 33") == std::vector<std::int64_t>{4, 8, 16, 32});
  CHECK(values_of("from = \"4 KiB\"\nto = \"16 KiB\"\nper_doubling = 2") ==
        std::vector<std::int64_t>{4096, 6144, 8192, 12288, 16384});
  INFO("each value once, also where the steps are less than one");
  CHECK(values_of("from = 1\nto = 4\nper_doubling = 2") == std::vector<std::int64_t>{1, 2, 3, 4});
}

TEST_CASE("a mistake is reported with its file and line") {
  CHECK(mistake_in("sentense = \"s\"") == "little.toml:1: unknown key \"sentense\"; did you mean \"sentence\"?");
  CHECK_THAT(mistake_in("sentence = \"s\"\n[launch]\nthread = 4\n"),
             Contains("little.toml:3: unknown key \"thread\"; did you mean \"threads\"?"));
  CHECK_THAT(mistake_in("sentence = 4"), Contains("little.toml:1: \"sentence\" must be a string"));
  CHECK_THAT(mistake_in("sentence = \"s\"\ncost = [\n"), Contains("little.toml:"));
  CHECK_THAT(mistake_in("cost = \"s\""), Contains("a probe needs a sentence"));
  CHECK_THAT(mistake_in("sentence = \"s\""), Contains("[audit.opcodes] must say"));
  CHECK_THAT(mistake_in("sentence = \"s\"\nptx = \"new\""), Contains("\"new\" is not a PTX version"));
  CHECK_THAT(mistake_in("sentence = \"s\"\ntarget = \"gpu\""), Contains("\"gpu\" is not a target"));
  CHECK_THAT(
      mistake_in("sentence = \"s\"\n[read]\nreader = \"chase\"\n"),
      Contains(
          "little.toml:3: \"chase\" is none of per_step, throughput, span, rate, timeline, warps, words, samples"));
  CHECK_THAT(mistake_in("sentence = \"s\"\n[read]\nwords = [16]\n"), Contains("a slot has words 0 to 15"));
  CHECK_THAT(mistake_in("sentence = \"s\"\n[read]\nwords = 1\n"), Contains("little.toml:3: \"words\" must be a list"));
  CHECK_THAT(mistake_in("sentence = \"s\"\n[axis]\nname = \"n\"\n"), Contains("\"axis\" must be a list"));
  CHECK_THAT(mistake_in("sentence = \"s\"\n[[axis]]\nvalues = [1]\n"), Contains("an axis needs a name"));
  CHECK_THAT(mistake_in("sentence = \"s\"\n[[axis]]\nname = \"n\"\n"), Contains("an axis needs values"));
  const std::string axis = "[[axis]]\nname = \"n\"\nvalues = [1]\n";
  CHECK_THAT(mistake_in("sentence = \"s\"\n" + axis + axis), Contains("there is already an axis \"n\""));
  CHECK_THAT(mistake_in("sentence = \"s\"\n[[axis]]\nname = \"n\"\nfrom = 8\nto = 4\n"), Contains("from not above to"));
  CHECK_THAT(mistake_in("sentence = \"s\"\n[[axis]]\nname = \"n\"\nvalues = [1.5]\n"),
             Contains("little.toml:4: a whole number or an expression"));
  CHECK_THAT(mistake_in("sentence = \"s\"\n[[buffer]]\ncontents = \"ones\"\n"),
             Contains("little.toml:3: \"ones\" is none of zeros, random, ring, permutation, self"));
}

TEST_CASE("words may have names, a launch more keys, and a buffer may be a texture or a tensor") {
  const auto probe = probe_of(R"(sentence = "s"
module = ".const .b32 zero;"
[[buffer]]
contents = "self"
bytes = 64
texture = true
[[buffer]]
bytes = "2 MiB"
pitch = "4 KiB"
box_row = 128
box_rows = "2 * 8"
swizzle = 64
[launch]
bank_bytes = 8
large_cluster = true
keeps_buffers = true
persisting_bytes = "1 KiB"
may_fail = true
[read]
reader = "words"
words = [1, 0]
names = ["extra", "done"]
[audit]
without = ["STL"]
[audit.opcodes]
"LDS.128" = 1
)");
  CHECK(probe.module == std::vector<std::string>{".const .b32 zero;"});
  CHECK(probe.buffers.at(0).contents == ptx::Buffer::Contents::self);
  CHECK(probe.buffers.at(0).is_texture);
  CHECK(points_of(probe).at(0).trial.launch.buffers.at(1) ==
        ptx::Buffer{2 << 20, ptx::Buffer::Contents::zeros, 0, 1, 0, false, 4096, 128, 16, 64});
  CHECK(probe.bank_bytes == "8");
  CHECK(probe.persisting_bytes == "1 KiB");
  CHECK((probe.large_cluster && probe.keeps_buffers && probe.may_fail));
  CHECK(probe.reader == "words");
  CHECK(probe.word_names == std::vector<std::string>{"extra", "done"});
  CHECK(probe.without == std::vector<std::string>{"STL"});
  CHECK(probe.opcodes.at("LDS.128") == "1");
  const auto plain = probe_of(least);
  CHECK_FALSE((plain.large_cluster || plain.keeps_buffers || plain.may_fail));
  CHECK_THAT(mistake_in("sentence = \"s\"\n[launch]\nmay_fail = 1\n"),
             Contains("little.toml:3: \"may_fail\" must be true or false"));
  CHECK_THAT(mistake_in("sentence = \"s\"\n[read]\nnames = [\"extra\"]\n"), Contains("must have the same length"));
  CHECK_THAT(mistake_in("sentence = \"s\"\n[audit]\nbeside = [\"BRA\"]\nwithout = [\"STL\"]\n"),
             Contains("little.toml:2: give `beside` or `without`, but not both"));
}

TEST_CASE("an inference needs a kind, a space and a memory") {
  const auto infer = [](const std::string& keys, const std::string& rest = "[[buffer]]\nbytes = 8\n") {
    return mistake_in("sentence = \"s\"\n[infer]\n" + keys + rest);
  };
  CHECK_THAT(infer("kind = \"cache\"\n"), Contains("needs a kind and a space"));
  CHECK_THAT(infer("kind = \"cache\"\nspace = \"l1\"\n"), Contains("needs the bytes"));
  CHECK_THAT(infer("kind = \"cache\"\nspace = \"l1\"\nbytes = 8\n", ""), Contains("needs a buffer"));
  CHECK_THAT(infer("kind = \"cache\"\nspace = \"l1\"\nbytes = 8\n"), Contains("[audit.opcodes] must say"));
}

TEST_CASE("an expression that cannot depend on an axis is evaluated when it is read") {
  CHECK_THAT(mistake_in("sentence = \"s\"\n\n[launch]\nlaunches = \"many\"\n"),
             Contains("little.toml:3: unknown name \"many\""));
  CHECK_THAT(mistake_in("sentence = \"s\"\n\n[read]\nwords = [\"first\"]\n"),
             Contains("little.toml:3: unknown name \"first\""));
  CHECK_THAT(mistake_in("sentence = \"s\"\n[[axis]]\nname = \"n\"\nvalues = [\"x\"]\n"),
             Contains("little.toml:2: unknown name \"x\""));
}

TEST_CASE("a kernel that could store nothing in its slots is refused before it is run") {
  CHECK_THROWS_WITH(probe_of(least, "{{name}}\n"), Contains("does not load its parameter `out`"));
}

TEST_CASE("a probe without its kernel, and a folder that is not there, are named") {
  const Probes probes;
  probes.write("little", least);
  std::filesystem::remove(probes.folder.path / "little.ptx");
  CHECK_THROWS_WITH(probes.load(), Contains("little.ptx"));
  CHECK_THROWS_WITH(load_probes({"/nonexistent"}), Contains("cannot read /nonexistent"));
}

TEST_CASE("probes come in the order of their names, and a later folder replaces those of an earlier one") {
  const Probes shipped, own;
  shipped.write("b", least);
  shipped.write("a", least);
  own.write("a", "sentence = \"mine\"\n[audit.opcodes]\nLDG = 1\n");
  own.write("c", least);
  const auto probes = load_probes({shipped.folder.path, own.folder.path});
  REQUIRE(probes.size() == 3);
  CHECK(probes[0].name == "a");
  CHECK(probes[0].sentence == "mine");
  CHECK(probes[1].name == "b");
  CHECK(probes[2].name == "c");
}

namespace {

std::vector<Probe> shipped() {
  return load_probes({std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates" / "probes"});
}

Names large_gpu() {
  gpu::DeviceInfo device;
  device.sm_count = 132;
  device.l2_bytes = 50 << 20;
  device.memory_bytes = std::size_t{141} << 30;
  device.memory_bus_bits = 6144;
  device.memory_clock_khz = 3201000;
  device.page_bytes = 2 << 20;
  device.shared_per_sm = 228 << 10;
  device.persisting_l2_bytes = 32 << 20;
  device.window_bytes = 128 << 20;
  return names_of(device);
}

}  // namespace

TEST_CASE("the shipped probes are complete: every point has its kernel, its launch and its opcodes") {
  const auto probes = shipped();
  CHECK(probes.size() >= 3);
  for (const auto& probe : probes) {
    const auto points = points_of(probe, large_gpu());
    INFO(probe.name);
    CHECK_FALSE(points.empty());
    std::set<std::string> roles;
    for (const auto& point : points) {
      const auto& text = point.trial.kernel.text;
      const auto name = text.find("{{name}}");
      if (name == std::string::npos || text.find("{{", name + 2) != std::string::npos) FAIL(point.trial.role);
      for (const auto& module : point.trial.kernel.module) {
        if (module.find("{{") != std::string::npos) FAIL(point.trial.role);
      }
      for (const auto& [opcode, count] : point.opcodes) {
        if (opcode.find('{') != std::string::npos || count < 0) FAIL(point.trial.role);
      }
      if (point.opcodes.empty()) FAIL(point.trial.role);
      if (!roles.insert(point.trial.role).second) FAIL(point.trial.role);
      const auto& launch = point.trial.launch;
      if (launch.output_ctas > launch.ctas) FAIL(point.trial.role);
      if (launch.buffers.size() + launch.parameters.size() > ptx::parameter_bytes / 8) FAIL(point.trial.role);
      if (launch.persisting_bytes > 0 && launch.persisting_bytes > launch.buffers.at(0).bytes) FAIL(point.trial.role);
      for (const auto& buffer : launch.buffers) {
        if (buffer.bytes == 0 || buffer.bytes % 8 != 0 || buffer.stride > buffer.bytes) FAIL(point.trial.role);
        if (buffer.read_words > buffer.bytes / 4) FAIL(point.trial.role);
        if (buffer.pitch > 0) CHECK_NOTHROW(gpu::BufferContents(buffer, 0));
      }
    }
  }
}

TEST_CASE("every fact that a shipped probe asks for has a name without holes, and its own") {
  std::set<std::string> known;
  for (const auto& probe : shipped()) {
    INFO(probe.name);
    const auto points = points_of(probe, large_gpu());
    const auto trials = points.size() * static_cast<std::size_t>(probe.rounds);
    const auto nothing = series_of(probe, std::vector<std::vector<std::optional<double>>>(trials), points);
    for (const auto& rule : probe.facts) {
      if (rule.model == "given") {
        CHECK(value_given(probe, rule, large_gpu()) > 0);
        continue;
      }
      const auto facts = series::facts_of(rule, nothing);
      INFO(rule.quantity);
      CHECK_FALSE(facts.empty());
      for (const auto& fact : facts) {
        CHECK(fact.quantity.find('{') == std::string::npos);
        CHECK(known.insert(fact.quantity + " " + fact.condition).second);
      }
    }
  }
  CHECK_FALSE(known.empty());
}

TEST_CASE("docs/probes.md names every shipped probe and every model of facts") {
  const auto text = read_file(std::filesystem::path(PTXLAT_SOURCE_DIR) / "docs" / "probes.md");
  for (const auto& probe : shipped()) CHECK_THAT(text, Contains("\n| `" + probe.name + "` | "));
  const auto models = text.substr(text.find("| model | the fact |"));
  for (const auto& model : series::fact_models()) CHECK_THAT(models, Contains("`" + std::string(model.name) + "`"));
}
