// SPDX-License-Identifier: Apache-2.0
#include "bundle/make.h"

#include <random>

#include "base/error.h"
#include "bundle/bundle.h"
#include "bundle/container.h"
#include "little_bundle.h"

using namespace ptxlat;
using namespace ptxlat::bundle;

namespace {

// The sections of a bundle but for its manifest, which has the time.
std::vector<Bytes> sections_of(const std::filesystem::path& file) {
  const auto contents = read_contents(file);
  REQUIRE(contents.problem.empty());
  std::vector<Bytes> sections;
  for (const auto& section : contents.sections) {
    if (section.kind != SectionKind::manifest) sections.push_back(read_section(file, section));
  }
  return sections;
}

Error error_of_opening(const std::filesystem::path& file) {
  return error_of([&] { open_bundle(file); });
}

}  // namespace

TEST_CASE("a bundle has the order's manifest, files and cells, and an answer for each kernel at each level") {
  LittleBundle little;
  REQUIRE(little.make());
  CHECK(little.cells_finished == 120 * 4);
  const auto bundle = open_bundle(little.file);
  CHECK(is_same_assembling(bundle.manifest, little.manifest));
  CHECK(bundle.manifest.created_utc == little.manifest.created_utc);
  CHECK(bundle.files.at("ptx_templates/isa/x.toml") == "chapter = \"x\"\n");
  CHECK(bundle.cells.size() == 120);
  CHECK(bundle.code.size() == 3);
  CHECK(bundle.size == std::filesystem::file_size(little.file));

  const auto& loaded = little.catalogue.loaded;
  const auto plan = latency::plan_cells(loaded, {&little.catalogue.form()}, {3});
  const auto& variant = plan.front().variant;
  const auto experiment = latency::expand(loaded, variant, latency::consumers_for(loaded.catalogue, variant).front());
  const auto& kernel = experiment.trials[latency::Role::bracket].kernel;
  const auto assembler = make_recorded_assembler(bundle, 1);
  const auto outcome = assembler->assemble({{"mine", &kernel}}, 3);
  CHECK(outcome.kernels.at(0).log == "nvjitlink-12.9.86 rejects 'mine' at O3\n");
  CHECK(make_recorded_assembler(bundle, 0)->assemble({{"mine", &kernel}}, 0).kernels.at(0).log ==
        "ptxas-11.8.89 rejects 'mine' at O0\n");
}

TEST_CASE("bundles of shards have each row once, and say of which plan they are") {
  LittleBundle whole;
  REQUIRE(whole.make());
  const auto all = open_bundle(whole.file);
  CHECK(all.manifest.shard.empty());
  std::vector<BundledCell> cells;
  std::string plan;
  for (const std::size_t number : {1u, 2u, 3u}) {
    LittleBundle little;
    little.shard = {number, 3};
    REQUIRE(little.make());
    const auto bundle = open_bundle(little.file);
    CHECK(bundle.manifest.shard == to_string(little.shard));
    if (plan.empty()) plan = bundle.manifest.plan;
    CHECK(bundle.manifest.plan == plan);
    CHECK(bundle.cells.size() == 40);
    CHECK(little.cells_planned == 40 * 4);
    CHECK(little.cells_finished == 40 * 4);
    cells.insert(cells.end(), bundle.cells.begin(), bundle.cells.end());
  }
  CHECK_FALSE(plan.empty());
  CHECK(cells.size() == all.cells.size());
  for (const auto& cell : all.cells) CHECK(std::count(cells.begin(), cells.end(), cell) == 1);
}

TEST_CASE("the remains of a bundle of a different shard are not reused") {
  LittleBundle little;
  little.threads = 1;
  little.shard = {1, 2};
  std::atomic<int> left = 8;
  little.before = [&] {
    if (--left == 0) little.interrupted = true;
  };
  CHECK_FALSE(little.make());
  little.before = [] {};
  little.interrupted = false;
  little.shard = {2, 2};
  REQUIRE(little.make());
  CHECK(little.cells_taken_over == 0);
}

TEST_CASE("asking for something that a bundle does not have is an error that says so") {
  LittleBundle little;
  REQUIRE(little.make());
  const auto bundle = open_bundle(little.file);
  ptx::Kernel foreign;
  foreign.text = "{{name}}";
  const auto assembling = [&] { make_recorded_assembler(bundle, 0)->assemble({{"foreign_kernel", &foreign}}, 3); };
  CHECK(says(error_of(assembling), "no machine code of foreign_kernel"));
  sass::Instruction instruction{0, {1, 2}, {}, {}};
  const auto disassembling = [&] { make_recorded_disassembler(bundle)->disassemble(90, {&instruction}); };
  CHECK(says(error_of(disassembling), "no text for the instruction word"));
}

TEST_CASE("two bundles of the same contents only differ in the manifest, whatever the number of threads") {
  LittleBundle first, second;
  second.manifest.created_utc = "2027-01-01T00:00:00Z";
  second.threads = 9;
  REQUIRE(first.make());
  REQUIRE(second.make());
  CHECK(sections_of(first.file) == sections_of(second.file));
}

TEST_CASE("an interrupted call is continued by the next one, chunk by chunk") {
  LittleBundle undisturbed;
  undisturbed.threads = 1;
  int all_modules = 0;
  undisturbed.before = [&] { ++all_modules; };
  REQUIRE(undisturbed.make());
  for (const int modules : {1, 5, 8, all_modules}) {
    INFO("interrupted after " << modules << " modules");
    LittleBundle little;
    little.threads = 1;
    std::atomic<int> left = modules;
    little.before = [&] {
      if (--left == 0) little.interrupted = true;
    };
    // A chunk has a module or two for each of its four configurations. With one assembler at work the first chunks are
    // whole.
    CHECK_FALSE(little.make());
    CHECK_FALSE(std::filesystem::exists(little.file));
    little.interrupted = false;
    little.before = [] {};
    little.cells_finished = 0;
    REQUIRE(little.make());
    CHECK(little.cells_finished + little.cells_taken_over == 120 * 4);
    if (modules == all_modules) CHECK(little.cells_finished == 0);
    CHECK(sections_of(little.file) == sections_of(undisturbed.file));
  }
}

TEST_CASE("the remains of a different bundle are not reused") {
  LittleBundle little;
  little.threads = 1;
  std::atomic<int> left = 12;
  little.before = [&] {
    if (--left == 0) throw Error(ExitCode::storage, "the disk is full");
  };
  CHECK_THROWS_AS(little.make(), Error);
  little.before = [] {};
  little.manifest.toolchains[0].toolchain.version = "11.8.90";
  REQUIRE(little.make());
  CHECK(little.cells_taken_over == 0);
  CHECK(open_bundle(little.file).code.size() == 3);
}

TEST_CASE("a foreign file with the name of a partial bundle is not touched") {
  LittleBundle little;
  const auto part = little.file.string() + ".part";
  overwrite(part, "my thesis");
  const auto error = error_of([&] { little.make(); });
  CHECK(error.exit_code == ExitCode::storage);
  CHECK(says(error, part + " is not a ptxlat bundle"));
  CHECK(error.advice.find("remove it") != std::string::npos);
  CHECK(content_of(part) == "my thesis");
}

TEST_CASE("a bundle made for a different method is rejected before anything else is read") {
  LittleBundle little;
  little.manifest.method_version = "method 0";
  REQUIRE(little.make());
  const auto error = error_of_opening(little.file);
  CHECK(error.exit_code == ExitCode::storage);
  CHECK(std::string(error.what()).find("method 0") != std::string::npos);
  CHECK(error.advice.find("1.2.3") != std::string::npos);
}

TEST_CASE("a bundle damaged anywhere is rejected") {
  LittleBundle little;
  REQUIRE(little.make());
  const auto whole = content_of(little.file);
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    auto damaged = whole;
    const auto at = random() % damaged.size();
    INFO("damaged at byte " << at << " of " << damaged.size() << ", kind " << round % 3);
    if (round % 3 == 0) damaged.resize(at);
    if (round % 3 == 1) damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(1 + random() % 255));
    if (round % 3 == 2) damaged.erase(at, 1 + random() % 100);
    overwrite(little.file, damaged);
    const auto error = error_of_opening(little.file);
    CHECK(error.exit_code == ExitCode::storage);
    CHECK_FALSE(error.advice.empty());
  }
}
