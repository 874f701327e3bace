// SPDX-License-Identifier: Apache-2.0
#include "pages/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "tables/number.h"
#include "tables/page.h"

namespace ptxlat::pages {

void write_opcode_findings(std::ostream& out, const std::vector<results::Opcode>& opcodes) {
  std::map<std::string, std::vector<const results::Opcode*>> by_pipe;
  for (const auto& opcode : opcodes) by_pipe[opcode.pipe.empty() ? "not known" : opcode.pipe].push_back(&opcode);
  std::vector<std::pair<std::string, std::vector<const results::Opcode*>>> pipes(by_pipe.begin(), by_pipe.end());
  std::stable_sort(pipes.begin(), pipes.end(),
                   [](const auto& a, const auto& b) { return a.second.size() > b.second.size(); });
  tables::Grid grid{{{"pipe"}, {"opcodes", true}, {"throughput", true}, {"unit"}, {"such as"}}, {}};
  for (const auto& [pipe, members] : pipes) {
    const auto* fastest = *std::max_element(members.begin(), members.end(), [](const auto* a, const auto* b) {
      return a->throughput.value_or(0) < b->throughput.value_or(0);
    });
    grid.rows.push_back({pipe, std::to_string(members.size()), tables::three_digits(fastest->throughput),
                         fastest->throughput ? fastest->unit : "", fastest->name});
  }
  tables::Page page(out, {});
  page.table(grid);
  page.paragraph({"The throughput is that of the fastest opcode, per cycle and SM."});
}

void write_pair_findings(std::ostream& out, const std::vector<results::Pair>& pairs) {
  std::size_t equal = 0, below = 0;
  tables::Grid longer{{{"producer"}, {"consumer"}, {"slot"}, {"schedule", true}, {"hazard", true}}, {}};
  for (const auto& pair : pairs) {
    if (!pair.schedule || !pair.hazard) continue;
    equal += *pair.hazard == *pair.schedule ? 1 : 0;
    below += *pair.hazard < *pair.schedule ? 1 : 0;
    if (*pair.hazard <= *pair.schedule) continue;
    longer.rows.push_back(
        {pair.producer, pair.consumer, pair.slot, tables::decimal(pair.schedule), tables::decimal(pair.hazard)});
  }
  tables::Page page(out, {});
  page.list(
      {{fmt::format("{:6} pairs, {} with a schedule and a hazard", pairs.size(), equal + below + longer.rows.size())},
       {fmt::format("{:6} need the distance that the assembler leaves", equal)},
       {fmt::format("{:6} could be nearer", below)},
       {fmt::format("{:6} need more", longer.rows.size())}});
  if (!longer.rows.empty()) page.table(longer);
}

void write_probe_findings(std::ostream& out, const std::vector<results::Record>& records) {
  tables::Grid grid{{{"quantity"}, {"condition"}, {"value", true}, {"unit"}, {"verdict"}}, {}};
  for (const auto& record : records) {
    if (record.facts.empty()) grid.rows.push_back({record.ptx, "", "no facts", "", to_string(record.verdict)});
    for (const auto& fact : record.facts)
      grid.rows.push_back({fact.quantity, fact.condition, fact.value, fact.unit, to_string(fact.verdict)});
  }
  tables::Page page(out, {});
  page.table(grid);
  page.paragraph({"`ptxlat show QUANTITY` shows the evidence of a fact, and `ptxlat show PROBE` a probe's series."});
}

}  // namespace ptxlat::pages
