// What was measured keeps its meaning: the committed logs give the committed facts.
#include <sstream>
#include <utility>

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

// The record that a log belongs to, and its point's condition: "l1_carveout=102400" is of the probe l1.
std::pair<results::Record, std::string> record_beside(const fs::path& log) {
  const std::string name = log.stem().stem().string();
  for (const auto& record : report::read_probe_files(log.parent_path().parent_path())) {
    if (name == record.ptx) return {record, ""};
    if (name.starts_with(record.ptx + "_") && name.find('=') != std::string::npos)
      return {record, name.substr(record.ptx.size() + 1)};
  }
  FAIL("no probe is beside " << log);
  return {};
}

// What the record says of a quantity: at the log's point, or at all of them.
const results::Fact* find(const results::Record& record, const std::string& role, const results::Fact& wanted) {
  const std::string here = role + (role.empty() || wanted.condition.empty() ? "" : " ") + wanted.condition;
  for (const auto& fact : record.facts) {
    if (fact.quantity == wanted.quantity && (fact.condition == wanted.condition || fact.condition == here))
      return &fact;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("the committed logs give the committed facts") {
  const auto logs = committed_logs();
  CHECK_FALSE(logs.empty());
  for (const auto& file : logs) {
    const auto [record, role] = record_beside(file);
    std::istringstream log(report::gunzip(read_file(file)));
    infer::ReplayedMachine machine(log);
    INFO(file);
    std::size_t compared = 0;
    for (const auto& fact : infer::infer(machine, 1)) {
      const auto* committed = find(record, role, fact);
      if (committed == nullptr) continue;  // another probe finds it better
      ++compared;
      INFO(fact.quantity);
      CHECK(committed->value == fact.value);
      CHECK(committed->verdict == fact.verdict);
    }
    CHECK(compared > 5);
  }
}
