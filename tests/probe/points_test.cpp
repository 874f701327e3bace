// SPDX-License-Identifier: Apache-2.0
#include "probe/points.h"

#include <algorithm>

#include "base/error.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::probe;
using Catch::Matchers::Contains;

namespace {

// A probe that only needs what a test gives it.
Probe little_probe(const std::string& kernel, std::vector<ProbeAxis> axes = {}) {
  Probe probe;
  probe.name = "little";
  probe.kernel = kernel;
  probe.axes = std::move(axes);
  return probe;
}

std::string text_of(const std::string& kernel, std::vector<ProbeAxis> axes = {}) {
  return points_of(little_probe(kernel, std::move(axes))).front().trial.kernel.text;
}

std::string mistake_in(const Probe& probe) {
  try {
    points_of(probe);
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::catalogue);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("points are all combinations of the axes' values, the last axis fastest") {
  const auto points = points_of(little_probe("{{a}}-{{b}}", {{"a", "", {1, 2}}, {"b", "", {10, 20, 30}}}));
  std::vector<std::string> texts, roles;
  for (const auto& point : points) {
    texts.push_back(point.trial.kernel.text);
    roles.push_back(point.trial.role);
  }
  CHECK(texts == std::vector<std::string>{"1-10", "1-20", "1-30", "2-10", "2-20", "2-30"});
  CHECK(roles.front() == "a=1 b=10");
  CHECK(roles.back() == "a=2 b=30");
}

TEST_CASE("a probe without axes is one point with its own name") {
  const auto points = points_of(little_probe("text"));
  REQUIRE(points.size() == 1);
  CHECK(points[0].trial.role == "little");
}

TEST_CASE("holes become values, and the kernel's name stays to be filled") {
  CHECK(text_of(".entry {{name}}() // {{2 * n}}", {{"n", "", {21}}}) == ".entry {{name}}() // 42");
}

TEST_CASE("repetitions count from 0, may depend on each other and may be empty") {
  CHECK(text_of("{{#i 3}}<{{i}}>{{/}}.") == "<0><1><2>.");
  CHECK(text_of("{{#i 3}}{{#k i + 1}}{{10 * i + k}} {{/}}| {{/}}.") == "0 | 10 11 | 20 21 22 | .");
  CHECK(text_of("a{{#i 0}}b{{#k 2}}c{{/}}{{/}}d") == "ad");
  CHECK(text_of("{{#i 2}}{{i}}{{/}}{{#i 2}}{{i}}{{/}}") == "0101");
}

TEST_CASE("a launch has the values of its expressions at each point") {
  auto probe = little_probe("{{name}}", {{"warps", "", {1, 4}}});
  probe.constants = {{"stride", "128"}, {"width", "stride * warps"}};
  probe.threads = "32 * warps";
  probe.ctas = "warps";
  probe.dynamic_shared = "width";
  probe.carve_out = "100";
  probe.parameters = {"width / 2", "7"};
  probe.buffers = {{ptx::Buffer::Contents::ring, "4 KiB", "stride", "warps", "2"}};
  probe.launches = 9;
  probe.words = {0, 3};
  probe.count = "warps * 10";
  probe.opcodes = {{"FFMA", "warps"}};
  const auto points = points_of(probe);
  REQUIRE(points.size() == 2);
  const auto& trial = points[1].trial;
  CHECK(trial.launch.threads == 128);
  CHECK(trial.launch.ctas == 4);
  CHECK(trial.launch.dynamic_shared == 512);
  CHECK(trial.launch.carve_out == 100);
  CHECK(trial.launch.parameters == std::vector<std::uint64_t>{256, 7});
  CHECK(trial.launch.buffers == std::vector<ptx::Buffer>{{4096, ptx::Buffer::Contents::ring, 128, 4, 2}});
  CHECK(trial.launch.output_words == std::vector<int>{0, 3});
  CHECK(trial.launches == 9);
  CHECK(points[1].count == 40);
  CHECK(points[1].opcodes.at("FFMA") == 4);
  INFO("points whose kernels have the same text share one kernel");
  CHECK(points[0].trial.kernel == trial.kernel);
}

TEST_CASE("one thread's clocks are read of a chain, and those of all CTAs of anything else") {
  auto probe = little_probe("{{name}}");
  probe.ctas = "4";
  for (const auto reader : {"per_step", "words", "samples", "scoreboards"}) {
    probe.reader = reader;
    CHECK(points_of(probe).front().trial.launch.output_ctas == 1);
  }
  for (const auto reader : {"throughput", "span", "rate", "timeline", "warps"}) {
    probe.reader = reader;
    CHECK(points_of(probe).front().trial.launch.output_ctas == 4);
  }
}

TEST_CASE("an error in filling a hole names the probe, the point and the expression") {
  const auto mistake = mistake_in(little_probe("{{steps}}", {{"n", "", {1, 2}}}));
  CHECK(mistake == "probe little at n=1: unknown name \"steps\" in \"steps\"");
  CHECK_THAT(mistake_in(little_probe("{{#i 3}}x")), Contains("a repetition has no {{/}}"));
  CHECK_THAT(mistake_in(little_probe("{{#i 3}}{{#k 2}}x{{/}}")), Contains("a repetition has no {{/}}"));
  CHECK_THAT(mistake_in(little_probe("{{#i}}x{{/}}")), Contains("write {{#NAME expression}}"));
  CHECK_THAT(mistake_in(little_probe("{{i")), Contains("a hole is not closed"));
  CHECK_THAT(mistake_in(little_probe("{{#i 2}}{{/}}{{i}}")), Contains("unknown name \"i\""));
}

TEST_CASE("a repetition cannot take the name of something else") {
  CHECK_THAT(mistake_in(little_probe("{{#n 2}}x{{/}}", {{"n", "", {1}}})),
             Contains("\"n\" is already the name of something else"));
  CHECK_THAT(mistake_in(little_probe("{{#i 2}}{{#i 2}}x{{/}}{{/}}")),
             Contains("\"i\" is already the name of something else"));
}

TEST_CASE("constants may depend on each other and on axes in any order") {
  auto probe = little_probe("{{a}} {{b}} {{z}}", {{"n", "", {5}}});
  probe.constants = {{"a", "z + b"}, {"b", "2 * n"}, {"z", "b * b"}};
  CHECK(points_of(probe).at(0).trial.kernel.text == "110 10 100");
}

TEST_CASE("constants that go in a circle, or rest on nothing, are mistakes") {
  auto probe = little_probe("text");
  probe.constants = {{"a", "b"}, {"b", "a + 1"}, {"c", "4"}};
  CHECK_THAT(mistake_in(probe), Contains("unknown name \"b\" in \"b\"") && Contains("unknown name \"a\""));
  probe.constants = {{"a", "b"}, {"b", "missing"}};
  CHECK_THAT(mistake_in(probe), Contains("unknown name \"missing\""));
  probe.constants = {{"a", "4 / (2 - 2)"}};
  CHECK_THAT(mistake_in(probe), Contains("division by zero"));
}

TEST_CASE("expressions may use what the driver reports about the GPU") {
  gpu::DeviceInfo device;
  device.sm_count = 132;
  device.l2_bytes = 50 << 20;
  device.memory_bytes = std::size_t{141} << 30;
  device.memory_bus_bits = 6144;
  device.memory_clock_khz = 3201000;
  device.persisting_l2_bytes = 32 << 20;
  device.window_bytes = 128 << 20;
  auto probe = little_probe(
      "{{l2_bytes}} {{memory_bytes}} {{memory_bus_bits}} {{memory_clock_khz}} {{persisting_l2_bytes}} "
      "{{window_bytes}}");
  probe.ctas = "2 * sms";
  const auto point = points_of(probe, names_of(device)).at(0);
  CHECK(point.trial.launch.ctas == 264);
  CHECK(point.trial.kernel.text == "52428800 151397597184 6144 3201000 33554432 134217728");
  CHECK_THAT(mistake_in(probe), Contains("unknown name \"l2_bytes\""));
}

TEST_CASE("the file says what a launch requests from the driver and of its buffers") {
  auto probe = little_probe("{{name}}", {{"n", "", {4}}});
  const auto plain = points_of(probe).at(0).trial.launch;
  CHECK(plain.bank_bytes == 0);
  CHECK(plain.persisting_bytes == 0);
  CHECK_FALSE(plain.large_cluster);
  CHECK_FALSE(plain.keeps_buffers);
  probe.bank_bytes = "2 * n";
  probe.persisting_bytes = "3 * n";
  probe.large_cluster = probe.keeps_buffers = true;
  probe.buffers = {{ptx::Buffer::Contents::self, "64", "0", "1", "n", true},
                   {ptx::Buffer::Contents::zeros, "64", "0", "1", "0", false, "4 * n", "n", "n + 1", "8 * n"}};
  const auto launch = points_of(probe).at(0).trial.launch;
  CHECK(launch.bank_bytes == 8);
  CHECK(launch.persisting_bytes == 12);
  CHECK(launch.large_cluster);
  CHECK(launch.keeps_buffers);
  CHECK(launch.buffers == std::vector<ptx::Buffer>{{64, ptx::Buffer::Contents::self, 0, 1, 4, true},
                                                   {64, ptx::Buffer::Contents::zeros, 0, 1, 0, false, 16, 4, 5, 32}});
}

TEST_CASE("launches that cannot be made are mistakes of the probe") {
  const auto with = [](auto change) {
    auto probe = little_probe("{{name}}");
    change(probe);
    return mistake_in(probe);
  };
  CHECK_THAT(with([](Probe& p) { p.threads = "1025"; }), Contains("1 to 1024 threads"));
  CHECK_THAT(with([](Probe& p) { p.threads = "0"; }), Contains("1 to 1024 threads"));
  CHECK_THAT(with([](Probe& p) { p.ctas = "0"; }), Contains("at least one CTA"));
  CHECK_THAT(with([](Probe& p) { p.count = "0"; }), Contains("count must be positive"));
}
