// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "fuzz.h"
#include "infer/series_facts.h"
#include "report/compare_facts.h"
#include "report/evidence.h"
#include "report/memory_map.h"
#include "report/plot.h"
#include "report/probe_files.h"
#include "report/record_lines.h"
#include "report/zstd.h"

namespace ptxlat::fuzz {

namespace {

// Every model on a series, by its axes.
void read_facts_off(const results::Series& series) {
  for (const auto& [model, name] : infer::fact_model_names) {
    if (model == infer::FactModel::given) continue;
    infer::FactRule rule;
    rule.quantity = name;
    rule.model = model;
    rule.how = "how";
    rule.levels = {"x", "y"};
    if (!series.axes.empty() && !series.axes.front().names.empty()) {
      rule.like = series.axes.front().names.front();
      rule.unlike = series.axes.front().names.back();
    }
    infer::facts_of(rule, series);
  }
}

}  // namespace

// The probes of a table: records, then provenance. What `show`, `compare`, `probe --reread` and --plot do with them.
void records(std::string_view input) {
  const auto parts = parts_of(input, 2);
  const auto folder = scratch_file("probes/probes.jsonl.zst", report::zstd(parts[0])).parent_path();
  const auto read = report::read_probe_files(folder);
  const auto runs = report::read_provenance(scratch_file("probes/probes.json", parts[1]));
  std::ostringstream out;
  report::write_probe_text(out, read);
  report::write_facts_csv(out, read);
  const auto facts = report::read_facts(folder);
  report::compare_facts(facts, facts);
  report::memory_script(report::memory_map(read), "machine");
  for (const auto& quantity : report::quantities_of(read)) {
    const auto found = report::find_facts(read, quantity, "");
    if (found.empty()) continue;
    report::write_evidence(out, folder, {found.front()}, runs);
    report::windows_behind(found);
  }
  for (const auto& record : read) {
    for (const auto& series : record.series) {
      const bool has_points = std::any_of(series.values.begin(), series.values.end(), [](const auto& v) { return v; });
      if (has_points && !series.axes.empty()) report::plot_script(record, series, "machine");
      if (series.values.size() < 300) read_facts_off(series);
    }
  }
  report::write_probe_files(scratch_folder() / "written", read, runs);
}

}  // namespace ptxlat::fuzz
