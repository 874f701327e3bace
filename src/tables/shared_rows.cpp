// SPDX-License-Identifier: Apache-2.0
#include "tables/shared_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "base/parallel.h"
#include "base/text.h"
#include "sass/instruction.h"
#include "sass/opcodes.h"
#include "tables/number.h"
#include "tables/operands.h"

namespace ptxlat::tables {

namespace {

using Identity = std::array<std::uint64_t, 2>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// "R12", "UP3", "B0".
bool is_register(std::string_view word) {
  if (word.starts_with('U')) word.remove_prefix(1);
  return word.size() > 1 && std::string_view("RPB").find(word.front()) != std::string_view::npos &&
         std::all_of(word.begin() + 1, word.end(), is_digit);
}

// The code of a window without its arbitrary parts.
class CodeShape {
 public:
  void add(const results::SassRecord& instruction) {
    constexpr auto has_address = sass::Trait::branches | sass::Trait::calls | sass::Trait::code_address;
    is_with_address_ = sass::has(sass::opcode_of(instruction.text), has_address);
    text_ += fmt::format("{} {} {} {} {:x} ", instruction.stall_count, instruction.yields, instruction.write_scoreboard,
                         instruction.read_scoreboard, instruction.wait_mask);
    const std::string_view code = instruction.text;
    for (std::size_t begin = 0; begin < code.size();) {
      std::size_t end = begin;
      while (end < code.size() && is_word(code[end])) ++end;
      if (end == begin) ++end;
      add_word(code.substr(begin, end - begin));
      begin = end;
    }
    text_ += '\n';
  }
  std::string text() && { return std::move(text_); }

 private:
  void add_word(std::string_view word) {
    if (is_register(word)) {
      const auto number = names_.emplace(word, names_.size()).first->second;
      text_ += fmt::format("{}#{}", word.substr(0, word.find_first_of("0123456789")), number);
    } else if (!is_with_address_ || !word.starts_with("0x")) {
      text_ += word;
    }
  }

  std::string text_;
  std::map<std::string, std::size_t, std::less<>> names_;
  bool is_with_address_ = false;
};

bool has_number(const results::Record& record) {
  namespace metric = results::metric;
  return record.number(metric::cycles) || record.number(metric::static_cycles) || record.number(metric::issue);
}

// The function's code is not in the window: two windows may call different ones.
bool calls_a_function(const results::WindowRecord& window) {
  return std::any_of(window.sass.begin(), window.sass.end(), [](const results::SassRecord& instruction) {
    return sass::has(sass::opcode_of(instruction.text), sass::Trait::calls);
  });
}

// The common properties of rows that share one, apart from their operands. Medians of surveys differ a little from one
// form to the next.
Identity code_of(const results::Record& record) {
  namespace metric = results::metric;
  Hash hash;
  for (const std::string_view text :
       {opcode_in(record.ptx), std::string_view(record.input), std::string_view(record.consumer)})
    hash.add(text);
  hash.add(record.verdict);
  hash.add(record.measure ? static_cast<int>(*record.measure) : -1);
  for (const auto& opcode : record.sass) hash.add(opcode);
  if (!record.has_flag(results::flag::survey)) {
    for (const auto tag : {metric::cycles, metric::issue}) hash.add(decimal(record.number(tag)));
  }
  if (!has_number(record)) hash.add(record.note);
  for (const auto* window : results::backing_windows(record)) {
    hash.add(window->role);
    hash.add(code_shape(*window));
    if (calls_a_function(*window)) hash.add(record.ptx);
  }
  return hash.wide();
}

// A record before its operand is joined with others: what it shares with them, and a row for each of its humps.
struct RecordOutline {
  std::string operand;
  Identity experiment = {};
  sass::Verdict verdict = sass::Verdict::proven;
  bool is_alike = false;
  std::vector<RowOutline> rows;
};

RecordOutline outline_of(results::Record record, std::size_t number) {
  RecordOutline outline;
  outline.operand = record.operand;
  if (!record.operand.empty()) outline.experiment = experiment_of(record);
  outline.verdict = record.verdict;
  outline.is_alike = record.code_of_level >= 0;
  for (const auto& hump : humps_apart(std::move(record))) {
    RowOutline row{{number}, outline.rows.size(), hump.ptx, hump.level, hump.is_core, hump.verdict, has_number(hump)};
    if (hump.verdict == sass::Verdict::unsupported) row.note = hump.note;
    row.code = code_of(hump);
    outline.rows.push_back(std::move(row));
  }
  return outline;
}

Identity with_operands(const Identity& code, const std::string& operands) {
  Hash hash;
  for (const auto part : code) hash.add(part);
  hash.add(std::string_view(operands));
  return hash.wide();
}

}  // namespace

std::string_view opcode_in(std::string_view ptx) { return ptx.substr(0, ptx.find_first_of(". (")); }

std::string code_shape(const results::WindowRecord& window) {
  CodeShape shape;
  for (const auto& instruction : window.sass) shape.add(instruction);
  return std::move(shape).text();
}

TableOutline outline_of(const RecordSource& records) {
  std::vector<RecordOutline> outlines(records.size);
  in_parallel(records.size,
              [&](std::size_t i) { outlines[i] = outline_of(records.read(i, results::Code::of_headline), i); });
  TableOutline table;
  std::vector<std::string> operands;  // of each row
  std::map<std::pair<Identity, std::size_t>, std::size_t> known;
  for (auto& [operand, experiment, verdict, is_alike, rows] : outlines) {
    ++table.verdicts[verdict];
    if (is_alike) ++table.alike;
    for (auto& row : rows) {
      // A record without an operand cannot share its row.
      const auto [place, is_new] = operand.empty() ? std::pair(known.end(), true)
                                                   : known.emplace(std::pair(experiment, row.hump), table.rows.size());
      if (is_new) {
        operands.push_back(operand);
        table.rows.push_back(std::move(row));
      } else {
        add_name(operands[place->second], operand);
        table.rows[place->second].records.push_back(row.records.front());
      }
    }
  }
  for (std::size_t i = 0; i < operands.size(); ++i) table.rows[i].code = with_operands(table.rows[i].code, operands[i]);
  return table;
}

results::Record record_of(const RowOutline& row, const RecordSource& records, results::Code code) {
  std::vector<results::Record> of_operands;
  for (const std::size_t number : row.records) of_operands.push_back(records.read(number, code));
  return humps_apart(merged(std::move(of_operands))).at(row.hump);
}

namespace {

using Identity = std::array<std::uint64_t, 2>;

// A form at a level: the numbers of its outlines.
struct FormAtLevel {
  std::string_view ptx;
  int level = 0;
  bool is_core = false;
  std::vector<std::size_t> outlines;
};

bool is_preferred(const FormAtLevel& a, const FormAtLevel& b) {
  return std::tuple(!a.is_core, a.ptx.size(), a.ptx) < std::tuple(!b.is_core, b.ptx.size(), b.ptx);
}

std::vector<FormAtLevel> forms_in(const std::vector<RowOutline>& outlines) {
  std::vector<FormAtLevel> forms;
  std::map<std::pair<std::string_view, int>, std::size_t> known;
  for (std::size_t i = 0; i < outlines.size(); ++i) {
    const auto& outline = outlines[i];
    const auto [form, is_new] = known.emplace(std::pair(std::string_view(outline.ptx), outline.level), forms.size());
    if (is_new) forms.push_back({outline.ptx, outline.level, outline.is_core, {}});
    forms[form->second].outlines.push_back(i);
  }
  return forms;
}

std::string reason_of(const FormAtLevel& form, const std::vector<RowOutline>& outlines) {
  const bool has_one =
      std::any_of(form.outlines.begin(), form.outlines.end(), [&](std::size_t i) { return outlines[i].has_number; });
  return has_one ? "" : to_string(outlines[form.outlines.front()].verdict);
}

}  // namespace

SharedRows share_rows(const std::vector<RowOutline>& outlines) {
  const auto forms = forms_in(outlines);

  // The form that has the rows of each code.
  std::map<std::pair<int, std::vector<Identity>>, const FormAtLevel*> of_code;
  std::vector<std::pair<int, std::vector<Identity>>> codes;
  for (const auto& form : forms) {
    auto& code = codes.emplace_back(form.level, std::vector<Identity>());
    for (const std::size_t i : form.outlines) code.second.push_back(outlines[i].code);
    std::sort(code.second.begin(), code.second.end());
    if (outlines[form.outlines.front()].verdict == sass::Verdict::unsupported) continue;
    const FormAtLevel*& best = of_code[code];
    if (best == nullptr || is_preferred(form, *best)) best = &form;
  }

  SharedRows shared;
  std::vector<char> is_row(outlines.size(), 0);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto best = of_code.find(codes[i]);
    const std::string row = best == of_code.end() ? "" : std::string(best->second->ptx);
    const std::string note = row.empty() ? outlines[forms[i].outlines.front()].note : "";
    shared.spellings.push_back({std::string(forms[i].ptx), forms[i].level, row, reason_of(forms[i], outlines), note});
    if (row != forms[i].ptx) continue;
    for (const std::size_t outline : forms[i].outlines) is_row[outline] = 1;
  }

  std::map<std::pair<std::string_view, Identity>, std::size_t> known;
  for (std::size_t i = 0; i < outlines.size(); ++i) {
    if (!is_row[i]) continue;
    const auto& [ptx, level, code] = std::tie(outlines[i].ptx, outlines[i].level, outlines[i].code);
    const auto [row, is_new] = known.emplace(std::pair(std::string_view(ptx), code), shared.rows.size());
    if (is_new) shared.rows.push_back({i, {}});
    auto& [outline, levels] = shared.rows[row->second];
    const auto place = std::lower_bound(levels.begin(), levels.end(), level);
    if (place != levels.end() && *place == level) {  // twice: found when the table is read
      shared.rows.push_back({i, {level}});
      continue;
    }
    levels.insert(place, level);
    if (level > outlines[outline].level) outline = i;
  }
  return shared;
}

}  // namespace ptxlat::tables
