// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "../results/test_folder.h"
#include "base/file.h"
#include "base/process.h"
#include "catch.h"

using namespace ptxlat;

namespace {

// Not every file below tables/: a checkout may have tables that somebody measured.
std::vector<std::filesystem::path> committed_files() {
  const TestFolder folder;
  const auto listed = run_program("/usr/bin/env", {"git", "-C", PTXLAT_SOURCE_DIR, "ls-files", "tables"}, folder.path,
                                  std::chrono::minutes(1));
  if (!listed.ok()) skip("not a git checkout");
  std::vector<std::filesystem::path> files;
  std::istringstream lines(listed.output);
  for (std::string line; std::getline(lines, line);) files.push_back(std::filesystem::path(PTXLAT_SOURCE_DIR) / line);
  return files;
}

}  // namespace

TEST_CASE("the committed tables have at most 35 MB: every clone fetches all of them") {
  std::uintmax_t bytes = 0;
  for (const auto& file : committed_files()) bytes += std::filesystem::file_size(file);
  CHECK(bytes > 1'000'000);
  CHECK(bytes <= 35'000'000);
}

TEST_CASE("a csv outside the tables of drivers is compressed") {
  for (const auto& file : committed_files()) {
    if (file.parent_path().filename().string().starts_with("driver-")) continue;
    INFO(file.string());
    CHECK(file.extension() != ".csv");
  }
}

TEST_CASE("a committed table does not say where the machine that measured it kept its files") {
  std::size_t runs = 0;
  for (const auto& file : committed_files()) {
    if (file.extension() != ".json") continue;
    std::istringstream lines(read_file(file));
    for (std::string line; std::getline(lines, line);) {
      if (line.find("\"command_line\"") == std::string::npos) continue;
      INFO(file.string() << ": " << line);
      CHECK(line.find(" /") == std::string::npos);
      ++runs;
    }
  }
  CHECK(runs > 50);
}
