// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "site/list_rows.h"
#include "site/views.h"
#include "tables/folder.h"

namespace ptxlat::site {

namespace {

using results::Json;

constexpr std::size_t shard_bytes = 1'500'000;  // before compression, which leaves a tenth

// Calls use(number) for each window's code that a row's line names.
template <typename Use>
void for_each_window(std::string_view line, Use use) {
  constexpr std::string_view key = "\"sass\":";
  for (auto at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    std::size_t digit = at + key.size();
    int number = 0;
    bool is_number = false;
    for (; digit < line.size() && line[digit] >= '0' && line[digit] <= '9' && number < 100'000'000; ++digit) {
      number = 10 * number + (line[digit] - '0');
      is_number = true;
    }
    if (is_number) use(number);
  }
}

// Machine code of a shard, each window once.
class CodeTexts {
 public:
  int number(std::string_view code) {
    const auto [found, is_new] = numbers_.emplace(code, static_cast<int>(texts_.size()));
    if (is_new) {
      texts_.push_back(fmt::format("{}", fmt::join(compare::code_lines(code), "\n")));
      hashes_.push_back(compare::hash_of(code));
    }
    return found->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }
  const std::vector<compare::CodeHash>& hashes() const { return hashes_; }

 private:
  std::unordered_map<std::string_view, int> numbers_;
  std::vector<std::string> texts_;
  std::vector<compare::CodeHash> hashes_;
};

// A row as its line has it, without what only programs need.
Json row_json(const SiteTable& table, const tables::Cell& row, CodeTexts& code) {
  Json json = row.line.empty() ? results::to_json_without_windows(row.record) : results::parse_json(row.line);
  for (const char* key : {"ptx", "chapter", "elapsed_ns", "recipe", "flags", "core", "run"}) json.erase(key);
  json["levels"] = row.levels;
  if (row.static_is_lower_bound) json["is_bound"] = true;
  const auto throughput = table.throughputs.of(row.record.ptx, row.levels, row.record.sass);
  results::put(json, "throughput", throughput.throughput);
  results::put(json, "saturates_at", throughput.saturates_at);
  if (throughput.throughput) json["unit"] = throughput.unit;
  const auto windows = json.find("windows");
  if (windows == json.end()) return json;
  for (Json& window : *windows) {
    window.erase("at");
    const auto sass = window.find("sass");
    if (sass == window.end()) continue;
    *sass = code.number(table.code.at(sass->get<int>()));
  }
  return json;
}

// The forms whose rows a spelling has: 0 for its own, null for none; one value if all levels have the same.
Json rows_of_spelling(const std::vector<const tables::Spelling*>& levels) {
  Json rows = Json::object();
  for (const auto* spelling : levels) {
    const auto key = std::to_string(spelling->level);
    rows[key] = spelling->row.empty() ? Json() : spelling->row == spelling->ptx ? Json(0) : Json(spelling->row);
  }
  const bool are_equal = std::all_of(rows.begin(), rows.end(), [&](const Json& one) { return one == *rows.begin(); });
  return are_equal ? Json(*rows.begin()) : rows;
}

// Each table's numbers of a spelling; tables with the same are together.
Json spelling_json(const SiteTables& tables, const std::vector<SpellingPlace>& places) {
  std::map<std::size_t, std::vector<const tables::Spelling*>> of_table;
  for (const auto& place : places) of_table[place.table].push_back(&tables[place.table]->spellings[place.spelling]);
  std::map<std::string, Json> distinct;
  for (auto& [table, spellings] : of_table) {
    const auto highest = *std::max_element(spellings.begin(), spellings.end(),
                                           [](const auto* a, const auto* b) { return a->level < b->level; });
    Json json = {{"rows", rows_of_spelling(spellings)}};
    if (!highest->reason.empty()) json["reason"] = highest->reason;
    if (!highest->note.empty()) json["note"] = highest->note;
    Json& same = distinct.emplace(results::to_line(json), json).first->second;
    same["tables"].push_back(table);
  }
  Json list = Json::array();
  for (auto& [text, json] : distinct) list.push_back(std::move(json));
  return list;
}

}  // namespace

FormIndex index_of(const SiteTables& tables, const Names& names) {
  FormIndex index{std::vector<std::vector<RowPlace>>(names.all.size()),
                  std::vector<std::vector<SpellingPlace>>(names.all.size())};
  for (std::size_t table = 0; table < tables.size(); ++table) {
    const auto& rows = tables[table]->rows;
    for (std::size_t i = 0; i < rows.size(); ++i) index.rows[names.place.at(rows[i].record.ptx)].push_back({table, i});
    const auto& spellings = tables[table]->spellings;
    for (std::size_t i = 0; i < spellings.size(); ++i)
      index.spellings[names.place.at(spellings[i].ptx)].push_back({table, i});
  }
  return index;
}

std::vector<FormRange> ranges_of(const SiteTables& tables, const FormIndex& index) {
  std::vector<FormRange> ranges;
  std::size_t begin = 0, bytes = 0;
  std::unordered_set<std::string_view> code;
  for (std::size_t form = 0; form < index.rows.size(); ++form) {
    bytes += 30 * index.spellings[form].size();
    for (const auto& place : index.rows[form]) {
      const SiteTable& table = *tables[place.table];
      const auto line = table.rows[place.row].line;
      bytes += std::max<std::size_t>(line.size(), 300);
      for_each_window(line, [&](int number) {
        const auto found = table.code.find(number);
        if (found != table.code.end() && code.insert(found->second).second) bytes += found->second.size();
      });
    }
    if (bytes < shard_bytes && form + 1 != index.rows.size()) continue;
    ranges.push_back({begin, form + 1});
    begin = form + 1;
    bytes = 0;
    code.clear();
  }
  return ranges;
}

Json forms_in(const FormRange& range, const SiteTables& tables, const Names& names, const FormIndex& index,
              const SharedNumbers& shared) {
  Json spellings = Json::object(), rows = Json::object();
  CodeTexts code;
  for (std::size_t form = range.begin; form < range.end; ++form) {
    const std::string name(names.all[form]);
    spellings[name] = spelling_json(tables, index.spellings[form]);
    if (index.rows[form].empty()) continue;
    Json list = Json::array();
    for (const auto& place : index.rows[form]) {
      const SiteTable& table = *tables[place.table];
      try {
        Json row = row_json(table, table.rows[place.row], code);
        row["table"] = place.table;
        list.push_back(std::move(row));
      } catch (const std::exception& error) {
        throw tables::damaged(table.folder, fmt::format("the row of {}: {}", name, error.what()));
      }
    }
    rows[name] = std::move(list);
  }
  std::vector<int> numbers, opcodes;
  for (const auto& hash : code.hashes()) {
    const auto of_code = numbers_in(hash, shared);
    numbers.push_back(of_code.code);
    opcodes.push_back(of_code.opcodes);
  }
  return {{"spellings", spellings},
          {"rows", rows},
          {"code", code.texts()},
          {"code_numbers", differences_of(numbers)},
          {"code_opcodes", differences_of(opcodes)}};
}

}  // namespace ptxlat::site
