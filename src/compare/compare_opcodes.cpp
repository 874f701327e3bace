// SPDX-License-Identifier: Apache-2.0
#include "compare/compare_opcodes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>

#include "base/csv.h"
#include "compare/compare_write.h"
#include "compare/keyed.h"
#include "results/json.h"
#include "tables/csv.h"
#include "tables/number.h"

namespace ptxlat::compare {

namespace {

using tables::FormThroughput;

// By spelling, since tables need not have the same form's row for the same machine code.
struct SpelledThroughput {
  std::string subject;
  const FormThroughput* form = nullptr;
};
std::vector<SpelledThroughput> spelled(const tables::OpcodeNumbers& numbers, bool of_gpu) {
  std::map<std::pair<std::string, int>, std::vector<const FormThroughput*>> rows;
  for (const auto& form : numbers.forms) {
    if (form.throughput && form.pattern.empty() != of_gpu) rows[{form.ptx, form.level}].push_back(&form);
  }
  std::vector<SpelledThroughput> values;
  const auto add = [&](const std::string& ptx, int level, const std::string& row) {
    const auto found = rows.find({row, level});
    if (found == rows.end()) return;
    for (const auto* form : found->second) {
      auto name = ptx;
      for (const auto& part : {form->input, form->opcode, form->pattern})
        name += part.empty() ? "" : fmt::format(" ({})", part);
      values.push_back({fmt::format("{} at -O{}", name, level), form});
    }
  };
  for (const auto& [row, forms] : rows) add(row.first, row.second, row.first);
  for (const auto& spelling : numbers.spellings) add(spelling.ptx, spelling.level, spelling.row);
  return values;
}

// One column of joined rows. A quantity that one table has of no row is not compared.
//   are_same         whether the two rows, which both have the value, agree on it
//   is_new_reported  whether a value that only one side of a row has is a difference
template <class Joined, class TextOf, class AreSame>
void compare_column(OpcodeComparison& comparison, const std::string& quantity, const Joined& joined,
                    const TextOf& text_of, const AreSame& are_same, bool is_new_reported) {
  OpcodeAgreement agreement{quantity, 0, 0};
  std::vector<OpcodeDifference> rows;
  bool is_in_a = false, is_in_b = false;
  for (const auto& [subject, both] : joined) {
    const auto a = both.a ? text_of(*both.a) : "", b = both.b ? text_of(*both.b) : "";
    is_in_a = is_in_a || !a.empty();
    is_in_b = is_in_b || !b.empty();
    const bool has_both = !a.empty() && !b.empty();
    if (has_both) ++agreement.compared;
    if (has_both && are_same(*both.a, *both.b)) {
      ++agreement.equal;
    } else if (has_both || (is_new_reported && both.a && both.b && a != b)) {
      rows.push_back({subject, quantity, a, b});
    }
  }
  if (!is_in_a || !is_in_b) return;
  comparison.agreements.push_back(std::move(agreement));
  comparison.rows.insert(comparison.rows.end(), rows.begin(), rows.end());
}

}  // namespace

std::optional<double> OpcodeDifference::change() const {
  const auto x = tables::number_in(a), y = tables::number_in(b);
  if (!x || !y) return std::nullopt;
  return *y - *x;
}

std::optional<double> OpcodeDifference::ratio() const {
  const auto x = tables::number_in(a), y = tables::number_in(b);
  if (!x || !y || *x <= 0 || *y <= 0) return std::nullopt;
  return *y / *x;
}

OpcodeComparison compare_opcodes(const tables::OpcodeNumbers& a, const tables::OpcodeNumbers& b) {
  OpcodeComparison comparison;
  const auto opcodes = join_by_key(a.opcodes, b.opcodes, [](const results::Opcode& row) { return row.name; });
  for (const auto& row : a.opcodes) {
    if (opcodes.at(row.name).b == nullptr) comparison.only_in_a.push_back(row.name);
  }
  for (const auto& row : b.opcodes) {
    if (opcodes.at(row.name).a == nullptr) comparison.only_in_b.push_back(row.name);
  }
  for (const auto& column : tables::opcode_columns()) {
    if (column.same == tables::Same::not_compared) continue;
    const auto are_same = [&](const auto& x, const auto& y) {
      return tables::are_same(column.same, column.text(x), column.text(y));
    };
    compare_column(comparison, column.name, opcodes, column.text, are_same, true);
  }
  // Which forms a table has depends on how it was made.
  const auto& throughput = tables::column_named(tables::form_throughput_columns(), "throughput");
  const auto text_of = [&](const SpelledThroughput& one) { return throughput.text(*one.form); };
  const auto compare_forms = [&](const std::string& quantity, bool of_gpu, const auto& are_same) {
    const auto of_a = spelled(a, of_gpu), of_b = spelled(b, of_gpu);
    const auto forms = join_by_key(of_a, of_b, [](const SpelledThroughput& one) { return one.subject; });
    compare_column(comparison, quantity, forms, text_of, are_same, false);
  };
  compare_forms(form_throughput, false, [&](const auto& x, const auto& y) {
    return tables::are_same(throughput.same, text_of(x), text_of(y));
  });
  compare_forms(gpu_throughput, true, [](const auto& x, const auto& y) {
    return x.form->low <= y.form->high && y.form->low <= x.form->high;
  });
  return comparison;
}

namespace {

// "pipe 94 of 94, throughput within 1 % 93 of 94 (98.9 %)"
std::string agreements_text(const OpcodeComparison& opcodes) {
  std::string text;
  for (const auto& [quantity, compared, equal] : opcodes.agreements) {
    const bool is_near = quantity == "throughput" || quantity == form_throughput;
    const auto* const how = is_near ? " within 1 %" : quantity == gpu_throughput ? " within ranges" : "";
    text += fmt::format("{}{}{} {} of {}", text.empty() ? "" : ", ", quantity, how, equal, compared);
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
        write_csv_line(out, {comparison.a.label, comparison.b.label, row.subject, row.quantity, row.a, row.b,
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
