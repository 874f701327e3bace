// SPDX-License-Identifier: Apache-2.0
#include "compare/compare_opcodes.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "compare/keyed.h"
#include "tables/number.h"

namespace ptxlat::compare {

namespace {

using tables::FormThroughput;

// By spelling, since tables need not have the same form's row for the same machine code.
struct SpelledThroughput {
  std::string subject;
  const FormThroughput* form = nullptr;
};
std::vector<SpelledThroughput> spelled(const tables::OpcodeNumbers& numbers) {
  std::map<std::pair<std::string, int>, std::vector<const FormThroughput*>> rows;
  for (const auto& form : numbers.forms) {
    if (form.throughput) rows[{form.ptx, form.level}].push_back(&form);
  }
  std::vector<SpelledThroughput> values;
  const auto add = [&](const std::string& ptx, int level, const std::string& row) {
    const auto found = rows.find({row, level});
    if (found == rows.end()) return;
    for (const auto* form : found->second) {
      auto name = ptx;
      for (const auto& part : {form->input, form->opcode}) name += part.empty() ? "" : fmt::format(" ({})", part);
      values.push_back({fmt::format("{} at -O{}", name, level), form});
    }
  };
  for (const auto& [row, forms] : rows) add(row.first, row.second, row.first);
  for (const auto& spelling : numbers.spellings) add(spelling.ptx, spelling.level, spelling.row);
  return values;
}

// One column of joined rows. A quantity that one table has of no row is not compared.
//   is_new_reported  whether a value that only one side of a row has is a difference
template <class Joined, class TextOf>
void compare_column(OpcodeComparison& comparison, const std::string& quantity, const Joined& joined, TextOf text_of,
                    tables::Same same, bool is_new_reported) {
  OpcodeAgreement agreement{quantity, 0, 0};
  std::vector<OpcodeDifference> rows;
  bool is_in_a = false, is_in_b = false;
  for (const auto& [subject, both] : joined) {
    const auto a = both.a ? text_of(*both.a) : "", b = both.b ? text_of(*both.b) : "";
    is_in_a = is_in_a || !a.empty();
    is_in_b = is_in_b || !b.empty();
    const bool has_both = !a.empty() && !b.empty();
    if (has_both) ++agreement.compared;
    if (has_both && tables::are_same(same, a, b)) {
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
    if (column.same != tables::Same::not_compared)
      compare_column(comparison, column.name, opcodes, column.text, column.same, true);
  }
  const auto of_a = spelled(a), of_b = spelled(b);
  const auto forms = join_by_key(of_a, of_b, [](const SpelledThroughput& one) { return one.subject; });
  const auto& throughput = tables::column_named(tables::form_throughput_columns(), "throughput");
  // Which forms a table has depends on how it was made.
  compare_column(
      comparison, form_throughput, forms, [&](const SpelledThroughput& one) { return throughput.text(*one.form); },
      throughput.same, false);
  return comparison;
}

}  // namespace ptxlat::compare
