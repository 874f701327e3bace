// SPDX-License-Identifier: Apache-2.0
#include "compare/compare_opcodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "tables/number.h"

namespace ptxlat::compare {

namespace {

using Values = std::map<std::string, std::string>;  // by subject; without those that have none
using AreSame = bool (*)(const std::string&, const std::string&);

bool are_equal(const std::string& a, const std::string& b) { return a == b; }

bool are_near(const std::string& a, const std::string& b) {
  const auto x = tables::number_in(a), y = tables::number_in(b);
  if (!x || !y) return a == b;
  return std::abs(*x - *y) <= tables::same_throughput * std::max(std::abs(*x), std::abs(*y));
}

// "fmaheavy:0.5 fmalite:0.5" without the shares.
std::set<std::string> pipes_in(const std::string& counters) {
  std::set<std::string> pipes;
  std::istringstream in(counters);
  for (std::string one; in >> one;) pipes.insert(one.substr(0, one.find(':')));
  return pipes;
}
bool are_same_counters(const std::string& a, const std::string& b) { return pipes_in(a) == pipes_in(b); }

template <class TextOf>
Values values_of(const std::vector<tables::OpcodeLine>& opcodes, TextOf text_of) {
  Values values;
  for (const auto& line : opcodes) {
    if (auto text = text_of(line); !text.empty()) values.emplace(line.opcode, std::move(text));
  }
  return values;
}

// By spelling, since tables need not have the same form's row for the same machine code.
Values values_of_forms(const tables::OpcodeNumbers& numbers) {
  std::map<std::pair<std::string, int>, std::vector<const tables::FormThroughput*>> rows;
  for (const auto& form : numbers.forms) {
    if (form.throughput) rows[{form.ptx, form.level}].push_back(&form);
  }
  Values values;
  const auto add = [&](const std::string& ptx, int level, const std::string& row) {
    const auto found = rows.find({row, level});
    if (found == rows.end()) return;
    for (const auto* form : found->second) {
      auto name = ptx;
      for (const auto& part : {form->input, form->opcode}) name += part.empty() ? "" : fmt::format(" ({})", part);
      values.emplace(fmt::format("{} at -O{}", name, level), tables::decimal(form->throughput));
    }
  };
  for (const auto& [row, forms] : rows) add(row.first, row.second, row.first);
  for (const auto& spelling : numbers.spellings) add(spelling.ptx, spelling.level, spelling.row);
  return values;
}

// The subjects of one table that the other does not have.
std::vector<std::string> names_without(const std::vector<tables::OpcodeLine>& opcodes,
                                       const std::vector<tables::OpcodeLine>& others) {
  std::set<std::string> known;
  for (const auto& line : others) known.insert(line.opcode);
  std::vector<std::string> names;
  for (const auto& line : opcodes) {
    if (!known.contains(line.opcode)) names.push_back(line.opcode);
  }
  return names;
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
  const auto add = [&](const std::string& quantity, const Values& of_a, const Values& of_b, AreSame are_same,
                       const auto& has_both) {
    if (of_a.empty() || of_b.empty()) return;
    OpcodeAgreement agreement{quantity, 0, 0};
    std::set<std::string> subjects;
    for (const auto* values : {&of_a, &of_b}) {
      for (const auto& [subject, value] : *values) subjects.insert(subject);
    }
    for (const auto& subject : subjects) {
      const auto in_a = of_a.find(subject), in_b = of_b.find(subject);
      if (in_a != of_a.end() && in_b != of_b.end()) {
        ++agreement.compared;
        if (are_same(in_a->second, in_b->second)) {
          ++agreement.equal;
          continue;
        }
      } else if (!has_both(subject)) {
        continue;
      }
      comparison.rows.push_back(
          {subject, quantity, in_a == of_a.end() ? "" : in_a->second, in_b == of_b.end() ? "" : in_b->second});
    }
    comparison.agreements.push_back(std::move(agreement));
  };
  comparison.only_in_a = names_without(a.opcodes, b.opcodes);
  comparison.only_in_b = names_without(b.opcodes, a.opcodes);
  const std::set<std::string> left_out = [&] {
    std::set<std::string> names(comparison.only_in_a.begin(), comparison.only_in_a.end());
    names.insert(comparison.only_in_b.begin(), comparison.only_in_b.end());
    return names;
  }();
  const auto has_opcode = [&](const std::string& opcode) { return !left_out.contains(opcode); };
  const auto add_opcodes = [&](const char* quantity, AreSame are_same, auto text_of) {
    add(quantity, values_of(a.opcodes, text_of), values_of(b.opcodes, text_of), are_same, has_opcode);
  };
  add_opcodes("pipe", are_equal, [](const tables::OpcodeLine& line) { return line.pipe; });
  add_opcodes("counters", are_same_counters, [](const tables::OpcodeLine& line) { return line.counters; });
  add_opcodes("throughput", are_near, [](const tables::OpcodeLine& line) { return tables::decimal(line.throughput); });
  add_opcodes("latency", are_equal, [](const tables::OpcodeLine& line) { return tables::decimal(line.latency); });
  add_opcodes("hazard", are_equal, [](const tables::OpcodeLine& line) { return tables::decimal(line.hazard); });
  // Which forms a table has depends on how it was made.
  add(form_throughput, values_of_forms(a), values_of_forms(b), are_near, [](const std::string&) { return false; });
  return comparison;
}

}  // namespace ptxlat::compare
