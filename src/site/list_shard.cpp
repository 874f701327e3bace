// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "site/views.h"
#include "tables/rows.h"

namespace ptxlat::site {

namespace {

using results::Json;

constexpr std::size_t shown_sass_in_list = 72;  // characters; a form's own page has all

std::string opcodes_key(const compare::CodeHash& hash) { return std::to_string(hash.opcodes); }
std::string code_key(const compare::CodeHash& hash) { return fmt::format("{} {}", hash.opcodes, hash.schedule); }

std::string_view stem_of(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

// Columns of the rows.
struct RowColumns {
  std::vector<int> name, measure, consumer, sass, verdict, note, count, is_bound;
  // Windows: which set of them a row has, and the code of each, as places in `code_numbers`. `codes` has for each place
  // in a set the codes of all rows: those of one role are alike, and pack well. A row without it repeats the last one.
  std::vector<int> windows, code_numbers, code_opcodes;
  std::vector<std::vector<int>> codes;
  Words measures, consumers, local_sass, verdicts, notes, local_codes, window_sets;
  Json sets = Json::array();

  void add_windows(const std::vector<WindowMark>& marks, SharedNumbers& shared) {
    Json set = Json::array();
    if (codes.size() < marks.size()) codes.resize(marks.size(), std::vector<int>(windows.size(), 0));
    for (auto& of_place : codes) of_place.push_back(of_place.empty() ? 0 : of_place.back());
    for (std::size_t i = 0; i < marks.size(); ++i) {
      set.push_back({{"role", marks[i].role}, {"behind", marks[i].behind}});
      const auto numbers = numbers_of(marks[i].code, shared);
      const int local = local_codes.number(std::to_string(numbers.code));
      codes[i].back() = local;
      if (static_cast<std::size_t>(local) < code_numbers.size()) continue;
      code_numbers.push_back(numbers.code);
      code_opcodes.push_back(numbers.opcodes);
    }
    const int number = window_sets.number(set.dump());
    if (static_cast<std::size_t>(number) == sets.size()) sets.push_back(std::move(set));
    windows.push_back(number);
  }

  Json to_json() const {
    Json codes_by_place = Json::array();
    for (const auto& of_place : codes) codes_by_place.push_back(differences_of(of_place));
    return {{"name", differences_of(name)},
            {"measure", measure},
            {"measures", measures.words()},
            {"consumer", consumer},
            {"consumers", consumers.words()},
            {"sass", differences_of(sass)},
            {"count", count},
            {"verdict", verdict},
            {"verdicts", verdicts.words()},
            {"note", note},
            {"notes", notes.words()},
            {"bound", is_bound},
            {"windows", windows},
            {"window_sets", sets},
            {"codes", codes_by_place},
            {"code_numbers", differences_of(code_numbers)},
            {"code_opcodes", differences_of(code_opcodes)}};
  }
};

// Distinct machine code of a table: for reading, its number among that of all tables, and its pipes.
struct SassColumns {
  std::vector<std::string> text;
  std::vector<int> number;
  std::vector<std::vector<int>> pipes;
};

std::vector<int> pipe_numbers(const std::vector<std::string>& opcodes, const tables::Pipes& pipes, Words& names) {
  std::vector<int> numbers;
  for (const auto& opcode : opcodes) {
    const auto pipe = pipes.of(opcode);
    if (pipe.empty()) continue;
    const int number = names.number(pipe);
    if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
  }
  return numbers;
}

// Columns of which the latency table has none.
void add_throughputs(const SiteTable& table, Json& numbers) {
  Json throughput = Json::array(), warps = Json::array();
  bool is_used = false;
  for (const auto& row : table.rows) {
    const auto found = table.throughputs.of(row.record.ptx, row.levels, row.record.sass);
    throughput.push_back(results::json_number(found.throughput));
    warps.push_back(results::json_number(found.saturates_at));
    is_used = is_used || found.throughput;
  }
  if (!is_used) return;
  numbers["throughput"] = std::move(throughput);
  numbers["saturates_at"] = std::move(warps);
}

Json rows_json(const SiteTable& table, const Names& names, const PipesOfTable& pipes, SharedNumbers& shared) {
  RowColumns columns;
  SassColumns sass;
  Words pipe_names;
  Json numbers = Json::object();
  for (const auto& kind : results::metric_kinds()) {
    if (!kind.use.is_column) continue;
    const std::string tag(kind.tag);
    Json column = Json::array();
    for (const auto& row : table.rows) column.push_back(results::json_number(row.record.number(kind.tag)));
    const bool is_used = std::any_of(column.begin(), column.end(), [](const Json& value) { return !value.is_null(); });
    if (is_used) numbers[tag] = std::move(column);
  }
  add_throughputs(table, numbers);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    const auto& record = row.record;
    columns.add_windows(table.marks[i], shared);
    columns.name.push_back(static_cast<int>(names.place.at(record.ptx)));
    columns.measure.push_back(columns.measures.number(record.measure ? to_string(*record.measure) : ""));
    columns.consumer.push_back(columns.consumers.number(record.consumer));
    columns.verdict.push_back(columns.verdicts.number(to_string(record.verdict)));
    columns.note.push_back(columns.notes.number(record.note));
    columns.count.push_back(record.sass_count);
    columns.is_bound.push_back(row.static_is_lower_bound ? 1 : 0);
    const auto code = fmt::format("{}", fmt::join(record.sass, ";"));
    const int local = columns.local_sass.number(code);
    columns.sass.push_back(local);
    if (static_cast<std::size_t>(local) < sass.text.size()) continue;
    sass.text.push_back(tables::brief_opcodes(record.sass, shown_sass_in_list));
    sass.number.push_back(shared.sass.number(code));
    sass.pipes.push_back(pipe_numbers(record.sass, pipes.pipes, pipe_names));
  }
  Json json = columns.to_json();
  json["numbers"] = std::move(numbers);
  json["code"] = {{"text", sass.text}, {"number", differences_of(sass.number)}, {"pipes", sass.pipes}};
  json["pipes"] = pipe_names.words();
  json["pipes_from"] = pipes.from;
  return json;
}

// A spelling without a row gets the chapter of others with its opcode.
std::vector<std::string> chapters_of(const SiteTable& table, const ListRows& list, const Names& names) {
  const auto chapter_in = [&](const ListedSpelling& spelling) -> std::string {
    if (spelling.group == no_row) return "";
    for (const int row : list.groups[static_cast<std::size_t>(spelling.group)].front().rows) {
      if (row != no_row) return table.rows[static_cast<std::size_t>(row)].record.chapter;
    }
    return "";
  };
  std::map<std::string_view, std::string> of_opcode;
  std::vector<std::string> chapters;
  for (const auto& spelling : list.spellings) {
    chapters.push_back(chapter_in(spelling));
    if (!chapters.back().empty())
      of_opcode.emplace(stem_of(names.all[static_cast<std::size_t>(spelling.name)]), chapters.back());
  }
  for (std::size_t i = 0; i < chapters.size(); ++i) {
    if (!chapters[i].empty()) continue;
    const auto found = of_opcode.find(stem_of(names.all[static_cast<std::size_t>(list.spellings[i].name)]));
    if (found != of_opcode.end()) chapters[i] = found->second;
  }
  return chapters;
}

Json spellings_json(const SiteTable& table, const ListRows& list, const Names& names) {
  std::vector<int> name, group, chapter, reason;
  Words chapters, reasons;
  const auto chapter_names = chapters_of(table, list, names);
  for (std::size_t i = 0; i < list.spellings.size(); ++i) {
    const auto& spelling = list.spellings[i];
    name.push_back(spelling.name);
    group.push_back(spelling.group);
    chapter.push_back(chapters.number(chapter_names[i]));
    reason.push_back(reasons.number(spelling.group != no_row ? ""
                                    : spelling.note.empty()  ? spelling.reason
                                                             : spelling.reason + ": " + spelling.note));
  }
  return {{"name", differences_of(name)},
          {"group", differences_of(group)},
          {"chapter", chapter},
          {"chapters", chapters.words()},
          {"reason", reason},
          {"reasons", reasons.words()}};
}

Json list_rows_json(const ListRows& list) {
  std::vector<int> count, operand, input;
  std::vector<std::vector<int>> rows(level_count);
  Words operands, inputs;
  for (const auto& group : list.groups) {
    count.push_back(static_cast<int>(group.size()));
    for (const auto& row : group) {
      operand.push_back(operands.number(row.operand));
      input.push_back(inputs.number(row.input));
      for (std::size_t level = 0; level < level_count; ++level) rows[level].push_back(row.rows[level]);
    }
  }
  Json by_level = Json::object();
  for (const int level : list.levels)
    by_level[std::to_string(level)] = differences_of(rows[static_cast<std::size_t>(level)]);
  return {{"count", count}, {"operand", operand},       {"operands", operands.words()},
          {"input", input}, {"inputs", inputs.words()}, {"rows", by_level}};
}

}  // namespace

CodeNumbers numbers_of(const compare::CodeHash& hash, SharedNumbers& shared) {
  return {shared.codes.number(code_key(hash)), shared.opcodes.number(opcodes_key(hash))};
}

CodeNumbers numbers_in(const compare::CodeHash& hash, const SharedNumbers& shared) {
  return {shared.codes.at(code_key(hash)), shared.opcodes.at(opcodes_key(hash))};
}

PipesOfTable pipes_for(const SiteTable& table, const SiteTables& tables) {
  const auto sm_of = [](const SiteTable& one) {
    return one.run.target.substr(0, one.run.target.find_last_of("0123456789") + 1);
  };
  const SiteTable* source = table.opcodes.opcodes.empty() ? nullptr : &table;
  for (const auto& other : tables) {
    if (source == nullptr && !other->opcodes.opcodes.empty() && sm_of(*other) == sm_of(table)) source = other.get();
  }
  return source == nullptr ? PipesOfTable{} : PipesOfTable{source->pipes, title_of(*source)};
}

Json list_of(const SiteTable& table, const ListRows& list, const Names& names, const PipesOfTable& pipes,
             SharedNumbers& shared) {
  return {{"spellings", spellings_json(table, list, names)},
          {"lines", list_rows_json(list)},
          {"rows", rows_json(table, names, pipes, shared)},
          {"levels", list.levels}};
}

}  // namespace ptxlat::site
