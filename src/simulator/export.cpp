// SPDX-License-Identifier: Apache-2.0
#include "simulator/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "base/csv.h"
#include "base/error.h"
#include "base/text.h"
#include "simulator/value.h"
#include "tables/csv.h"

namespace ptxlat::simulator {

namespace {

std::string put_in(std::string line, const std::string& hole, const std::string& text) {
  if (const auto at = line.find(hole); at != std::string::npos) line.replace(at, hole.size(), text);
  return line;
}

// The table may be a stranger's, and what reads the files may be a language: a word of the table ends no string, value
// or line, and calls nothing.
bool is_plain(const std::string& word) {
  return std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view(" ._-+/").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// The part of an answer that the option's expressions use: the figure, or the simulator's word for the fact's.
// std::invalid_argument if it has none.
std::string used_of(const Query& query, const Answer& answer) {
  if (query.words.empty()) {
    if (is_plain(answer.found.value)) return answer.found.value;
    throw std::invalid_argument(fmt::format("\"{}\" has signs that could be code", answer.found.value));
  }
  const auto word = query.words.find(answer.found.value);
  if (word != query.words.end()) return word->second;
  throw std::invalid_argument(fmt::format("the simulator has no word for \"{}\"", answer.found.value));
}

// One option with its answers; std::invalid_argument says why it is left out.
Exported exported_of(const Option& option, const tables::Table& table, const std::optional<std::string>& base) {
  Exported exported;
  exported.option = &option;
  exported.base = base.value_or("");
  std::map<std::string, std::string> used;
  for (const auto& query : option.queries) {
    auto answer = ask(query, table);
    if (const auto* reason = std::get_if<std::string>(&answer))
      throw std::invalid_argument(fmt::format("{}: {}", text_of(query), *reason));
    exported.answers.push_back(std::get<Answer>(std::move(answer)));
    used[query.name] = used_of(query, exported.answers.back());
  }
  exported.value = fill(option, used, base);
  return exported;
}

void require_known(const Target& target, const Bases& bases) {
  std::vector<std::string> names;
  for (const auto& file : target.files) {
    if (file.is_laid_over) names.push_back(file.name);
  }
  for (const auto& [name, text] : bases) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw Error(ExitCode::usage, fmt::format("the export has no file {} to lay over this configuration", name),
                names.empty()
                    ? fmt::format("No file of {} can be laid over another one.", target.name)
                    : fmt::format("These can be laid over one of the same name: {}.", fmt::join(names, ", ")));
  }
}

// The head of a file, in its own comments.
std::string heading(const Target& target, const OutputFile& file, const tables::Table& table,
                    const std::string& made_by, bool has_base) {
  auto name = printable(table.run.table);
  std::replace(name.begin(), name.end(), '\n', ' ');  // which would end the comment
  auto text = fmt::format(
      "{0} For {5}, made by {1} from the table {2}.\n{0} {3} has the row behind each figure, {4} what has none.\n",
      file.comment, made_by, name, evidence_name, left_out_name,
      target.sentence.empty() ? target.name : target.sentence);
  if (has_base)
    text += fmt::format("{} Options that are not in {} are those of the base.\n", file.comment, evidence_name);
  return text + '\n';
}

}  // namespace

Export export_tables(const Target& target, const tables::Table& table, const Bases& bases, const std::string& made_by) {
  require_known(target, bases);
  Export result;
  for (const auto& file : target.files) {
    const auto base = bases.find(file.name);
    const bool has_base = base != bases.end();
    const auto of_base = has_base ? options_in(base->second, file.comment) : std::map<std::string, std::string>();
    std::map<std::string, std::string> values;
    std::string text;
    for (const auto& section : file.sections) {
      text += section.head;
      for (const auto& option : section.options) {
        const auto there = of_base.find(option.name);
        const auto old = there != of_base.end() ? std::optional(there->second) : std::nullopt;
        try {
          auto exported = exported_of(option, table, old);
          exported.file = file.name;
          text += put_in(put_in(section.line, "{option}", option.name), "{value}", exported.value);
          values[option.name] = exported.value;
          result.exported.push_back(std::move(exported));
        } catch (const std::invalid_argument& reason) {
          result.left_out.push_back({file.name, option.name, old.value_or(""), reason.what()});
        }
      }
      text += section.tail;
    }
    if (has_base) text = laid_over(base->second, file.comment, values);
    result.files.emplace_back(file.name, heading(target, file, table, made_by, has_base) + text);
  }
  return result;
}

std::string evidence_csv(const Export& exported) {
  std::ostringstream out;
  write_csv_line(out, {"file", "option", "value", "formula", "base", "name", "query", "matches", "source", "row",
                       "figure", "unit"});
  for (const auto& one : exported.exported) {
    for (std::size_t i = 0; i < one.answers.size(); ++i) {
      const auto& query = one.option->queries[i];
      const auto& [found, matches] = one.answers[i];
      write_csv_line(out, {one.file, one.option->name, one.value, one.option->value, one.base, query.name,
                           text_of(query), std::to_string(matches), found.file, found.row, found.value, found.unit});
    }
  }
  return out.str();
}

std::string left_out_csv(const Export& exported) {
  std::ostringstream out;
  write_csv_line(out, {"file", "option", "base", "reason"});
  for (const auto& one : exported.left_out) write_csv_line(out, {one.file, one.option, one.base, one.reason});
  return out.str();
}

}  // namespace ptxlat::simulator
