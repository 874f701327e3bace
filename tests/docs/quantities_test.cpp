// SPDX-License-Identifier: Apache-2.0

// What is read by a fact's name has a fact of that name: the memory map, the simulators' data files and the published
// figures. A fact that was renamed would silently leave its place empty.
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "base/csv.h"
#include "base/file.h"
#include "catch.h"
#include "pages/memory_map.h"
#include "tables/folder.h"
#include "tables/probe_files.h"

using namespace ptxlat;

namespace {

const std::filesystem::path root = PTXLAT_SOURCE_DIR;

// Those of the committed tables: every shipped probe was run for one of them.
const std::set<std::string>& known_quantities() {
  static const auto known = [] {
    std::set<std::string> quantities;
    for (const char* gpu : {"nvidia-h200", "nvidia-h100-80gb-hbm3"}) {
      for (const auto& row :
           tables::read_table(root / "tables/sm_90" / gpu / "driver-580.159.04", {tables::Part::facts}).facts)
        quantities.insert(row.fact.quantity);
    }
    return quantities;
  }();
  return known;
}

}  // namespace

TEST_CASE("every quantity of the memory map is that of a fact") {
  const auto quantities = pages::map_quantities();
  CHECK(quantities.size() > 50);
  for (const auto& quantity : quantities) {
    INFO(quantity);
    CHECK(known_quantities().contains(quantity));
  }
}

TEST_CASE("every fact that a simulator's data file asks for has a name that a table has") {
  static const std::regex query(R"re(fact = (?:"([^"]+)"|\[([^\]]+)\]))re"), name(R"re("([^"]+)")re");
  std::size_t found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root / "simulators")) {
    if (entry.path().extension() != ".toml") continue;
    const auto text = read_file(entry.path());
    for (std::sregex_iterator match(text.begin(), text.end(), query), end; match != end; ++match) {
      const auto list = (*match)[1].matched ? "\"" + (*match)[1].str() + "\"" : (*match)[2].str();
      bool is_known = false;  // one of several is enough
      for (std::sregex_iterator one(list.begin(), list.end(), name); one != end; ++one)
        is_known = is_known || known_quantities().contains((*one)[1]);
      INFO(entry.path().filename() << ": " << list);
      CHECK(is_known);
      ++found;
    }
  }
  CHECK(found > 5);
}

TEST_CASE("every published figure is of a fact") {
  std::istringstream in(read_file(root / "site/published_facts.csv"));
  for (const auto& row :
       read_csv_lines(in, "published_facts.csv", {"quantity", "published", "gpu", "source", "agreement"})) {
    INFO(row.front());
    CHECK(known_quantities().contains(row.front()));
  }
}
