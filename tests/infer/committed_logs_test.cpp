// What was measured keeps its meaning: the committed logs give the committed facts.
#include <sstream>

#include "base/file.h"
#include "catch.h"
#include "infer/infer.h"
#include "infer/log.h"
#include "report/gzip.h"
#include "report/probe_files.h"

using namespace ptxlat;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> committed_logs() {
  std::vector<fs::path> logs;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(PTXLAT_SOURCE_DIR) / "tables"))
    if (entry.path().parent_path().filename() == "logs") logs.push_back(entry.path());
  return logs;
}

// Of the probes beside a log, the facts whose probe and condition are the log's name: "l1_carveout_percent=80".
std::vector<results::Fact> facts_beside(const fs::path& log) {
  const std::string name = log.filename().string();
  std::vector<results::Fact> facts;
  for (const auto& record : report::read_probe_files(log.parent_path().parent_path())) {
    for (auto fact : record.facts) {
      if (name != record.ptx + (fact.condition.empty() ? "" : "_" + fact.condition) + ".jsonl.gz") continue;
      fact.condition.clear();
      facts.push_back(std::move(fact));
    }
  }
  return facts;
}

}  // namespace

TEST_CASE("the committed logs give the committed facts") {
  const auto logs = committed_logs();
  CHECK_FALSE(logs.empty());
  for (const auto& file : logs) {
    std::istringstream log(report::gunzip(read_file(file)));
    infer::ReplayedMachine machine(log);
    const auto facts = infer::infer(machine, 1);
    INFO(file);
    CHECK(facts.size() > 5);
    CHECK(facts == facts_beside(file));
  }
}
