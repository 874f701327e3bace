// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <fstream>
#include <random>

#include "../results/test_folder.h"
#include "catch.h"
#include "tables/compression.h"

using namespace ptxlat;
using namespace ptxlat::tables;

namespace {

std::string long_text() {
  std::mt19937 noise(3);
  std::string text;
  while (text.size() < 20'000'000) text += "a line with a number " + std::to_string(noise()) + '\n';
  return text;
}

}  // namespace

TEST_CASE("a long text comes back as it was, and equal texts give equal files") {
  const auto text = long_text();
  const auto file = gzip(text);
  CHECK((gunzip(file) == text));
  CHECK((gzip(text) == file));
  CHECK(gunzip(gzip("")).empty());
}

TEST_CASE("standard readers treat the parts of a long file as one") {
  const TestFolder folder;
  const auto text = long_text();
  std::ofstream(folder.path / "long.gz", std::ios::binary) << gzip(text);
  gzFile file = gzopen((folder.path / "long.gz").c_str(), "rb");
  REQUIRE(file != nullptr);
  std::string read(text.size() + 1, '\0');
  CHECK(gzread(file, read.data(), static_cast<unsigned>(read.size())) == static_cast<int>(text.size()));
  gzclose(file);
  read.resize(text.size());
  CHECK((read == text));
}

TEST_CASE("a file that is truncated anywhere or has data after its end is rejected") {
  const auto file = gzip(long_text());
  for (const double share : {0.0, 0.1, 0.5, 0.9, 0.999}) {
    CHECK_THROWS_AS(gunzip(file.substr(0, static_cast<std::size_t>(share * static_cast<double>(file.size())))),
                    std::runtime_error);
  }
  CHECK_THROWS_AS(gunzip(file + "x"), std::runtime_error);
}
