// SPDX-License-Identifier: Apache-2.0

// What was measured keeps its meaning: the committed series and logs give the committed facts.
#include <filesystem>

#include "catch.h"
#include "isa/catalogue.h"
#include "probe/method.h"
#include "probe/readers.h"
#include "tables/folder.h"
#include "tables/probe_files.h"

using namespace ptxlat;
namespace fs = std::filesystem;

namespace {

// Of each of a probe's points.
std::vector<std::pair<std::string, std::string>> logs_of(const probe::Probe& probe, const fs::path& table) {
  std::vector<std::pair<std::string, std::string>> logs;
  for (const auto& role : probe::roles_of(probe)) {
    const auto file = tables::find_probe_log(table, probe.name, probe.axes.empty() ? "" : role);
    if (!file.empty()) logs.emplace_back(role, tables::read_probe_log(file));
  }
  return logs;
}

}  // namespace

TEST_CASE("the committed series and logs give the committed facts") {
  const auto probes = probe::load_probes({fs::path(PTXLAT_SOURCE_DIR) / "ptx_templates" / "probes"});
  std::size_t read = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(PTXLAT_SOURCE_DIR) / "tables")) {
    if (entry.path().filename() != "probes.json") continue;
    for (const auto& record : tables::read_table(entry.path().parent_path(), {tables::Part::probes}).probes) {
      const auto same = std::find_if(probes.begin(), probes.end(), [&](const auto& p) { return p.name == record.ptx; });
      if (same == probes.end()) continue;
      auto again = record;
      const bool is_of_today = probe::read_facts_again(*same, again);
      const auto logs = logs_of(*same, entry.path().parent_path());
      // The H100's logs are left out: they have 8 MB, and the H200's are here.
      const bool is_left_out = same->infer && entry.path().string().find("nvidia-h200") == std::string::npos;
      CHECK(logs.empty() == (is_left_out || !same->infer));
      if (is_left_out) continue;
      const bool is_dialogue_of_today = logs.empty() || probe::infer_facts_again(*same, logs, again);
      INFO(entry.path().parent_path());
      INFO(record.ptx);
      CHECK(again.facts == record.facts);
      if (is_of_today && is_dialogue_of_today) read += again.facts.size();
    }
  }
  CHECK(read > 200);
}

TEST_CASE("of a series, the points are read again that today's probe has") {
  probe::Probe probe;
  probe.axes = {{"path", "", {0, 1}, {"ca", "cg"}}, {"bytes", "", {64, 256}, {}}};
  results::Series series;
  series.axes = {{"path", "", {0, 1}, {"ca", "cg"}}, {"bytes", "", {64, 128, 256}, {}}, {"word", "", {0, 1}, {}}};
  series.values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const auto part = probe::part_of(probe, series);
  REQUIRE(part);
  CHECK(part->axes[1].values == std::vector<double>{64, 256});
  CHECK(part->values == std::vector<std::optional<double>>{1, 2, 5, 6, 7, 8, 11, 12});
  INFO("in each round");
  series.axes.insert(series.axes.begin(), {"round", "", {1, 2}, {}});
  for (int i = 1; i <= 12; ++i) series.values.emplace_back(100 + i);
  const auto rounds = probe::part_of(probe, series);
  REQUIRE(rounds);
  CHECK(rounds->values ==
        std::vector<std::optional<double>>{1, 2, 5, 6, 7, 8, 11, 12, 101, 102, 105, 106, 107, 108, 111, 112});
  INFO("what has other axes, or none of the points, is not read");
  probe.axes[1].values = {1024};
  CHECK_FALSE(probe::part_of(probe, series));
  probe.axes = {{"stride", "", {64}, {}}};
  CHECK_FALSE(probe::part_of(probe, series));
}
