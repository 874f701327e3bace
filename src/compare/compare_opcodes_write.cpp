// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compare/compare_write.h"
#include "results/json.h"
#include "tables/csv.h"
#include "tables/number.h"

namespace ptxlat::compare {

namespace {

// "pipe 94 of 94, throughput within 1 % 93 of 94 (98.9 %)"
std::string agreements_text(const OpcodeComparison& opcodes) {
  std::string text;
  for (const auto& [quantity, compared, equal] : opcodes.agreements) {
    const bool is_near = quantity == "throughput" || quantity == form_throughput;
    text += fmt::format("{}{}{} {} of {}", text.empty() ? "" : ", ", quantity, is_near ? " within 1 %" : "", equal,
                        compared);
    if (equal != compared)
      text += fmt::format(" ({:.1f} %)", 100 * static_cast<double>(equal) / static_cast<double>(compared));
  }
  return text.empty() ? "nothing that both tables have" : text;
}

// A table of all forms has thousands of opcodes that one of the core does not have.
constexpr std::size_t most_opcodes = 20;

std::string change_text(const OpcodeDifference& row) {
  const auto change = row.change(), ratio = row.ratio();
  if (!change) return "";
  return ratio ? fmt::format("{} (×{:.3g})", tables::signed_decimal(*change), *ratio) : tables::signed_decimal(*change);
}

}  // namespace

void write_opcodes_section(tables::Page& page, const OpcodeComparison& opcodes) {
  page.paragraph({{"SASS opcodes", tables::Colour::bold}, ": equal are " + agreements_text(opcodes)});
  for (const auto& [names, side] : {std::pair(&opcodes.only_in_a, "A"), std::pair(&opcodes.only_in_b, "B")}) {
    if (!names->empty())
      page.paragraph({fmt::format("{} only in {}: {}", names->size(), side, list_text(*names, most_opcodes))});
  }
  const std::size_t count = page.shown(opcodes.rows.size());
  if (count == 0) return;
  tables::Grid grid{{{"opcode or form"}, {"quantity"}, {"A"}, {"B"}, {"change"}}, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const auto& row = opcodes.rows[i];
    grid.rows.push_back({tables::code(row.subject, tables::Colour::bold), row.quantity, row.a.empty() ? "-" : row.a,
                         row.b.empty() ? "-" : row.b, change_text(row)});
  }
  page.table(grid);
  page.left_out(opcodes.rows.size());
}

void write_opcodes_csv(std::ostream& out, const std::vector<Group>& groups) {
  out << "a,b,subject,quantity,value_a,value_b,change,ratio\n";
  for (const Group& group : groups) {
    for (const Comparison& comparison : group.comparisons) {
      if (!comparison.opcodes) continue;
      for (const auto& row : comparison.opcodes->rows)
        tables::write_csv_line(out, {comparison.a.label, comparison.b.label, row.subject, row.quantity, row.a, row.b,
                                     tables::decimal(row.change()), tables::decimal(row.ratio())});
    }
  }
}

results::Json opcodes_json(const OpcodeComparison& opcodes) {
  results::Json json = {{"only_in_a", opcodes.only_in_a}, {"only_in_b", opcodes.only_in_b}};
  results::Json& agreements = json["agreements"] = results::Json::object();
  for (const auto& [quantity, compared, equal] : opcodes.agreements)
    agreements[quantity] = {{"compared", compared}, {"equal", equal}};
  results::Json& rows = json["rows"] = results::Json::array();
  for (const auto& row : opcodes.rows)
    rows.push_back({{"subject", row.subject},
                    {"quantity", row.quantity},
                    {"a", row.a},
                    {"b", row.b},
                    {"change", results::json_number(row.change())},
                    {"ratio", results::json_number(row.ratio())}});
  return json;
}

}  // namespace ptxlat::compare
