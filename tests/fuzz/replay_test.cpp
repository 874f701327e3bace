// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "catch.h"
#include "fuzz.h"
#include "text.h"

using namespace ptxlat;

TEST_CASE("inputs that a fuzzer found end in an Error or in nothing") {
  const auto folder = std::filesystem::path(PTXLAT_SOURCE_DIR) / "tests/fuzz/regressions";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const auto name = entry.path().parent_path().filename().string();
    INFO(name << "/" << entry.path().filename().string());
    const auto& all = fuzz::targets();
    const auto target = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
    REQUIRE(target != all.end());
    CHECK_NOTHROW(fuzz::expect_end_or_error(target->run, content_of(entry.path())));
  }
}

TEST_CASE("every reader ends with any bytes: empty, zero, text, deeply nested") {
  const std::vector<std::string> inputs = {
      "",
      std::string(1, '\0'),
      std::string(5000, '\0'),
      std::string(5000, '\xff'),
      std::string(20'000, '('),
      std::string(20'000, '{'),
      std::string(20'000, '['),
      std::string(20'000, 'a'),
      std::string(20'000, '9'),
      "x = " + std::string(20'000, '['),
      "{\"a\":" + std::string(20'000, '['),
      "\n====\n\n====\n",
  };
  for (const auto& target : fuzz::targets()) {
    for (const auto& input : inputs) {
      INFO(target.name << " with " << input.substr(0, 10) << "…, " << input.size() << " bytes");
      CHECK_NOTHROW(fuzz::expect_end_or_error(target.run, input));
    }
  }
}
