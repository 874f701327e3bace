// SPDX-License-Identifier: Apache-2.0
#include "bundle/code.h"

#include <random>
#include <set>

#include "base/error.h"
#include "bundle/bytes.h"
#include "bundle/cells.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::bundle;

namespace {

ptx::Kernel kernel_of(int number) {
  ptx::Kernel kernel;
  kernel.text = ".visible .entry {{name}}() { // " + std::to_string(number);
  return kernel;
}

// Configurations with random answers about kernels 0 … 19.
std::vector<ConfigurationCode> random_configurations(std::mt19937& random) {
  const auto below = [&](unsigned bound) { return static_cast<std::uint32_t>(random() % bound); };
  std::vector<ConfigurationCode> configurations(1 + below(5));
  for (auto& configuration : configurations) {
    for (std::uint32_t i = 0; i < 1 + below(3); ++i) {
      configuration.cubins.emplace_back(below(200));
      for (auto& byte : configuration.cubins.back()) byte = static_cast<std::uint8_t>(random());
    }
    for (std::uint32_t i = 0; i < 1 + below(3); ++i)
      configuration.rejections.push_back("words " + std::to_string(below(4)));
    for (int kernel = 0; kernel < 20; ++kernel) {
      Answer answer;
      if (below(2) == 0)
        answer.cubin = below(static_cast<unsigned>(configuration.cubins.size()));
      else
        answer.rejection = below(static_cast<unsigned>(configuration.rejections.size()));
      if (below(4) != 0) configuration.answers[line::text_hash(kernel_of(kernel))] = answer;
    }
  }
  return configurations;
}

}  // namespace

TEST_CASE("every configuration of a chunk comes back with its cubins, rejections and answers") {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    const auto configurations = random_configurations(random);
    const auto section = encode_code(configurations);
    std::set<std::uint64_t> kernels;
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      const auto& wanted = configurations[i];
      const auto configuration = decode_configuration(section, i);
      CHECK(configuration.cubins == wanted.cubins);
      REQUIRE(configuration.answers.size() == wanted.answers.size());
      for (const auto& [hash, answer] : wanted.answers) {
        kernels.insert(hash);
        const auto& read = configuration.answers.at(hash);
        CHECK(read.cubin == answer.cubin);
        if (!answer.cubin) CHECK(configuration.rejections.at(read.rejection) == wanted.rejections.at(answer.rejection));
      }
    }
    CHECK(kernels_in_code(section) == std::vector<std::uint64_t>(kernels.begin(), kernels.end()));
    CHECK_THROWS_AS(decode_configuration(section, configurations.size()), Error);
  }
}

TEST_CASE(
    "a kernel is found under its symbol, in the first configuration that has it, and each cubin is handed out once") {
  const ptx::Kernel first = kernel_of(1), second = kernel_of(2), third = kernel_of(3);
  ConfigurationCode left, right;
  left.cubins = {{1}, {2}};
  left.answers[line::text_hash(first)].cubin = 1;
  left.answers[line::text_hash(second)].cubin = 1;
  right.cubins = {{3}};
  right.answers[line::text_hash(first)].cubin = 0;
  right.answers[line::text_hash(third)].cubin = 0;
  const auto outcome = outcome_from({&left, &right}, {{"a", &first}, {"b", &second}, {"c", &third}});
  CHECK(outcome.cubins == std::vector<Bytes>{{2}, {3}});
  REQUIRE(outcome.kernels.size() == 3);
  CHECK(outcome.kernels[0].cubin == 0u);
  CHECK(outcome.kernels[1].cubin == 0u);
  CHECK(outcome.kernels[2].cubin == 1u);
  CHECK(outcome.kernels[2].symbol == symbol_of(line::text_hash(third)));
}

TEST_CASE("a rejection names the kernel as the line calls it") {
  const ptx::Kernel kernel = kernel_of(1);
  const auto symbol = symbol_of(line::text_hash(kernel));
  ConfigurationCode configuration;
  configuration.rejections = {
      without_name("error: Entry function '" + symbol + "' uses too much shared data\n", symbol)};
  configuration.answers[line::text_hash(kernel)];
  const auto outcome = outcome_from({&configuration}, {{"bracket_ld_17", &kernel}});
  CHECK_FALSE(outcome.kernels[0].cubin);
  CHECK(outcome.kernels[0].log == "error: Entry function 'bracket_ld_17' uses too much shared data\n");
}

TEST_CASE("the hash of a kernel's text knows its module and nothing that the assembler does not see") {
  const ptx::Kernel kernel = kernel_of(1);
  ptx::Kernel other = kernel;
  other.operand_loads.resize(3);
  other.whole = true;
  CHECK(line::text_hash(other) == line::text_hash(kernel));
  other.module = {".global .u32 x;"};
  CHECK(line::text_hash(other) != line::text_hash(kernel));
}

TEST_CASE("words, cells and files come back from their sections") {
  Words words;
  words[{1, 2}] = {"IADD3 R0, R2, R3, RZ", false, 0};
  words[{1, 1}] = {"BRA ", true, -176};
  KnownWords known;
  decode_words(encode_words(words), known);
  CHECK(known.size() == 2);
  for (const auto& [key, text] : words) CHECK(known.at(key) == text);

  const std::vector<BundledCell> cells{{"add.u32", "a", "", "12ab"}, {"add.u32", "b", "slow", "34cd"}};
  CHECK(decode_cells(encode_cells(cells)) == cells);

  const Files files{{"ptx_templates/isa/a.toml", "x = 1\n"}, {"ptxas-11.8.89/text", std::string("\0y", 2)}};
  CHECK(decode_files(encode_files(files)) == files);
}

TEST_CASE("a word without a text is rejected: whoever waits for its text would wait forever") {
  Words words;
  words[{1, 2}] = {};
  KnownWords known;
  CHECK_THROWS_WITH(decode_words(encode_words(words), known), Catch::Matchers::Contains("no text"));
}

TEST_CASE("counts that a section of its size cannot have are rejected before memory is reserved for them") {
  ByteWriter kernels, words;
  KnownWords known;
  kernels.put(std::uint32_t{0xffffffff});
  CHECK_THROWS_WITH(kernels_in_code(kernels.take()), Catch::Matchers::Contains("ends early"));
  words.put(std::uint64_t{1} << 60);
  CHECK_THROWS_WITH(decode_words(compress(words.take()), known), Catch::Matchers::Contains("ends early"));
}

TEST_CASE("a file that points outside its folder is rejected") {
  for (const char* name : {"/etc/passwd", "a/../../b", ".."}) {
    INFO(name);
    CHECK_THROWS_AS(decode_files(encode_files({{name, "x"}})), Error);
  }
}
