// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "compare/compare_facts.h"
#include "fuzz.h"
#include "pages/evidence.h"
#include "pages/memory_map.h"
#include "pages/plot.h"
#include "series/series_facts.h"
#include "tables/compression.h"
#include "tables/folder.h"
#include "tables/probe_files.h"
#include "tables/record_lines.h"

namespace ptxlat::fuzz {

namespace {

// Every model on a series, by its axes.
void read_facts_off(const results::Series& series) {
  for (const auto& model : series::fact_models()) {
    if (model.name == "given") continue;
    series::FactRule rule;
    rule.quantity = model.name;
    rule.model = model.name;
    rule.how = "how";
    rule.levels = {"x", "y"};
    if (!series.axes.empty() && !series.axes.front().names.empty()) {
      rule.like = series.axes.front().names.front();
      rule.unlike = series.axes.front().names.back();
    }
    series::facts_of(rule, series);
  }
}

}  // namespace

// The probes of a table: records, then provenance. What `show`, `compare`, `probe --reread` and --plot do with them.
void records(std::string_view input) {
  const auto parts = parts_of(input, 2);
  const auto folder = scratch_file("probes/probes.jsonl.zst", tables::zstd(parts[0])).parent_path();
  const auto read = tables::read_table(folder, {tables::Part::probes}).probes;
  const auto runs = tables::read_provenance(scratch_file("probes/probes.json", parts[1]));
  std::ostringstream out;
  tables::write_probe_text(out, read);
  tables::write_facts_csv(out, read);
  const auto facts = tables::read_table(folder, {tables::Part::facts}).facts;
  compare::compare_facts(facts, facts);
  pages::memory_script(pages::memory_map(read), "machine");
  for (const auto& quantity : pages::quantities_of(read)) {
    const auto found = pages::find_facts(read, quantity, "");
    if (found.empty()) continue;
    pages::write_evidence(out, folder, {found.front()}, runs);
    pages::windows_behind(found);
  }
  for (const auto& record : read) {
    for (const auto& series : record.series) {
      const bool has_points = std::any_of(series.values.begin(), series.values.end(), [](const auto& v) { return v; });
      if (has_points && !series.axes.empty()) pages::plot_script(record, series, "machine");
      if (series.values.size() < 300) read_facts_off(series);
    }
  }
  tables::write_probe_files(scratch_folder() / "written", read, runs);
}

}  // namespace ptxlat::fuzz
