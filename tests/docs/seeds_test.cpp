// SPDX-License-Identifier: Apache-2.0

// tools/make_seeds.sh: docs/seeds.md is made from docs/seed_items.tsv, and finished issues leave no item open.
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

#include "../results/test_folder.h"
#include "catch.h"
#include "text.h"

using namespace ptxlat;

namespace {

struct Ended {
  int status = 0;
  std::string said;
};

Ended make_seeds(const TestFolder& folder, const std::string& option = "") {
  const auto messages = (folder.path / "messages").string();
  const int status = std::system(
      (PTXLAT_SOURCE_DIR "/tools/make_seeds.sh " + option + " '" + folder.path.string() + "' > '" + messages + "' 2>&1")
          .c_str());
  return {WEXITSTATUS(status), content_of(messages)};
}

// Two items: one of a finished issue with this command and result, one of an open issue.
void write_items(const TestFolder& folder, const std::string& command_and_result,
                 const std::string& finished = "banks; tables") {
  std::ofstream(folder.path / "seed_items.tsv")
      << "# finished: " << finished << "\nseed\titem\twhat\tissue\tcommand\tresult\n"
      << "Mei\tFig. 4\ta | b\tbanks\t" << command_and_result << "\nMei\tFig. 5\t\topen\t\t\n"
      << "Wong\tTable I\tGPUs\ttables\tptxlat doctor\tone\n";
}

}  // namespace

TEST_CASE("the page of the papers' items has a table for each paper") {
  const TestFolder folder;
  write_items(folder, "ptxlat probe banks\t32 banks");
  REQUIRE(make_seeds(folder).status == 0);
  CHECK_THAT(content_of(folder.path / "seeds.md"),
             Catch::Matchers::Contains("\n## Mei\n\n| item | what | issue | command | result |\n|---|---|---|---|---|\n"
                                       "| Fig. 4 | a \\| b | banks | `ptxlat probe banks` | 32 banks |\n"
                                       "| Fig. 5 | | open | | |\n\n## Wong\n") &&
                 Catch::Matchers::Contains("| Table I | GPUs | tables | `ptxlat doctor` | one |\n"));
  CHECK(make_seeds(folder, "--check").status == 0);
}

TEST_CASE("an item of a finished issue without command or result is an error that names its line") {
  const TestFolder folder;
  write_items(folder, "\t32 banks");
  CHECK_THAT(make_seeds(folder).said, Catch::Matchers::Contains("seed_items.tsv:3: Mei, Fig. 4: has no command"));
  write_items(folder, "ptxlat probe banks\t");
  const auto ended = make_seeds(folder, "--check");
  CHECK(ended.status == 1);
  CHECK_THAT(ended.said, Catch::Matchers::Contains("seed_items.tsv:3: Mei, Fig. 4: has no result"));
  CHECK_FALSE(std::filesystem::exists(folder.path / "seeds.md"));
}

TEST_CASE("a page that does not match the items, a misspelled issue and a missing column are errors") {
  const TestFolder folder;
  write_items(folder, "ptxlat probe banks\t32 banks");
  REQUIRE(make_seeds(folder).status == 0);
  write_items(folder, "ptxlat probe banks\t16 banks");
  CHECK(make_seeds(folder, "--check").status == 1);
  write_items(folder, "ptxlat probe banks\t32 banks", "bank");
  CHECK_THAT(make_seeds(folder).said, Catch::Matchers::Contains("no item is of the finished issue \"bank\""));
  write_items(folder, "ptxlat probe banks");
  CHECK_THAT(make_seeds(folder).said, Catch::Matchers::Contains("has 5 columns and not 6"));
}
