// SPDX-License-Identifier: Apache-2.0
#include "tables/row_outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <string_view>
#include <utility>

#include "base/digit.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "sass/instruction.h"
#include "sass/opcodes.h"
#include "tables/humps.h"
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

}  // namespace ptxlat::tables
