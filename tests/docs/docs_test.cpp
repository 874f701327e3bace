// SPDX-License-Identifier: Apache-2.0

// README and docs as a reader finds them: every link leads somewhere, and the first page stays short.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "base/file.h"
#include "catch.h"

using namespace ptxlat;

namespace {

const std::filesystem::path source = PTXLAT_SOURCE_DIR;

// As GitHub makes them: lower case, without punctuation, a hyphen for each blank.
std::set<std::string> anchors_of(const std::string& page) {
  static const std::regex heading("(?:^|\n)#+ ([^\n]*)");
  std::set<std::string> anchors;
  for (std::sregex_iterator match(page.begin(), page.end(), heading), end; match != end; ++match) {
    std::string anchor;
    for (const char c : (*match)[1].str()) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) != 0 || c == '-' || c == '_' || byte > 127)
        anchor += static_cast<char>(std::tolower(byte));
      if (c == ' ') anchor += '-';
    }
    anchors.insert(anchor);
  }
  return anchors;
}

}  // namespace

TEST_CASE("every link of README and docs leads to a file of the repository, and to a heading of it") {
  std::vector<std::filesystem::path> pages = {source / "README.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  int links = 0;
  for (const auto& page : pages) {
    static const std::regex link(R"(\]\(([^)\s#]*)(#[^)\s]*)?\))");
    const auto text = read_file(page);
    for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
      const std::string target = (*match)[1], anchor = (*match)[2];
      INFO(page << ": " << target << anchor);
      if (target.starts_with("http")) continue;
      const auto file = target.empty() ? page : page.parent_path() / target;
      CHECK(std::filesystem::exists(file));
      if (!anchor.empty() && std::filesystem::exists(file))
        CHECK(anchors_of(read_file(file)).contains(anchor.substr(1)));
      ++links;
    }
  }
  CHECK(links > 100);
}

TEST_CASE("README has at most 140 lines") {
  const auto text = read_file(source / "README.md");
  CHECK(std::count(text.begin(), text.end(), '\n') <= 140);
}

TEST_CASE("every item of the papers has a command and a result") {
  static const std::regex row(R"(^\| (.+) \| (.*)\| (.+) \| (.+) \|$)");
  std::istringstream page(read_file(source / "docs/seeds.md"));
  int items = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| ") || line.starts_with("| item ")) continue;
    INFO(line);
    CHECK(std::regex_match(line, row));
    ++items;
  }
  CHECK(items > 60);
}
