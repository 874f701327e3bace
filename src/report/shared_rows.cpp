// SPDX-License-Identifier: Apache-2.0
#include "report/shared_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "base/digit.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "report/number.h"
#include "sass/instruction.h"
#include "sass/opcodes.h"

namespace ptxlat::report {

namespace {

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

std::string_view opcode_in(std::string_view ptx) { return ptx.substr(0, ptx.find_first_of(". (")); }

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

using Identity = std::array<std::uint64_t, 2>;

// The common properties of records in one row. Medians of surveys differ a little from one form to the next.
Identity identity_of(const results::Record& record) {
  namespace metric = results::metric;
  Hash hash;
  for (const std::string_view text : {opcode_in(record.ptx), std::string_view(record.operand),
                                      std::string_view(record.input), std::string_view(record.consumer)})
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

// A form at a level: the numbers of its records.
struct FormAtLevel {
  std::string_view ptx;
  int level = 0;
  bool is_core = false;
  std::vector<std::size_t> records;
};

// A row by the number of its record.
struct LevelsOfRecord {
  std::size_t record = 0;
  std::vector<int> levels;
};

bool is_preferred(const FormAtLevel& a, const FormAtLevel& b) {
  return std::tuple(!a.is_core, a.ptx.size(), a.ptx) < std::tuple(!b.is_core, b.ptx.size(), b.ptx);
}

std::vector<FormAtLevel> forms_in(const std::vector<results::Record>& records) {
  std::vector<FormAtLevel> forms;
  std::map<std::pair<std::string_view, int>, std::size_t> known;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& record = records[i];
    const auto [form, is_new] = known.emplace(std::pair(std::string_view(record.ptx), record.level), forms.size());
    if (is_new) forms.push_back({record.ptx, record.level, record.is_core, {}});
    forms[form->second].records.push_back(i);
  }
  return forms;
}

std::string reason_of(const FormAtLevel& form, const std::vector<results::Record>& records) {
  const bool has_one =
      std::any_of(form.records.begin(), form.records.end(), [&](std::size_t i) { return has_number(records[i]); });
  return has_one ? "" : to_string(records[form.records.front()].verdict);
}

}  // namespace

std::string code_shape(const results::WindowRecord& window) {
  CodeShape shape;
  for (const auto& instruction : window.sass) shape.add(instruction);
  return std::move(shape).text();
}

SharedRows share_rows(std::vector<results::Record> records) {
  std::vector<Identity> identities(records.size());
  in_parallel(records.size(), [&](std::size_t i) { identities[i] = identity_of(records[i]); });
  const auto forms = forms_in(records);

  // The form that has the rows of each code.
  std::map<std::pair<int, std::vector<Identity>>, const FormAtLevel*> of_code;
  std::vector<std::pair<int, std::vector<Identity>>> codes;
  for (const auto& form : forms) {
    auto& code = codes.emplace_back(form.level, std::vector<Identity>());
    for (const std::size_t i : form.records) code.second.push_back(identities[i]);
    std::sort(code.second.begin(), code.second.end());
    const auto& first = records[form.records.front()];
    if (first.verdict == sass::Verdict::unsupported) continue;
    const FormAtLevel*& best = of_code[code];
    if (best == nullptr || is_preferred(form, *best)) best = &form;
  }

  SharedRows shared;
  std::vector<char> is_row(records.size(), 0);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto best = of_code.find(codes[i]);
    const std::string row = best == of_code.end() ? "" : std::string(best->second->ptx);
    const std::string note = row.empty() ? records[forms[i].records.front()].note : "";
    shared.spellings.push_back({std::string(forms[i].ptx), forms[i].level, row, reason_of(forms[i], records), note});
    if (row != forms[i].ptx) continue;
    for (const std::size_t record : forms[i].records) is_row[record] = 1;
  }

  std::vector<LevelsOfRecord> rows;
  std::map<std::pair<std::string_view, Identity>, std::size_t> known;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!is_row[i]) continue;
    const int level = records[i].level;
    const auto [row, is_new] = known.emplace(std::pair(std::string_view(records[i].ptx), identities[i]), rows.size());
    if (is_new) rows.push_back({i, {}});
    auto& [record, levels] = rows[row->second];
    const auto place = std::lower_bound(levels.begin(), levels.end(), level);
    if (place != levels.end() && *place == level) {  // twice: found when the table is read
      rows.push_back({i, {level}});
      continue;
    }
    levels.insert(place, level);
    if (level > records[record].level) record = i;
  }
  for (auto& row : rows) shared.rows.push_back({std::move(records[row.record]), std::move(row.levels)});
  in_parallel(records.size(), [&](std::size_t i) { records[i] = {}; });  // what was left: many small strings
  return shared;
}

}  // namespace ptxlat::report
