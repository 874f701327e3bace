// SPDX-License-Identifier: Apache-2.0
#include "tables/table_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/limits.h"
#include "base/parallel.h"
#include "results/json.h"
#include "results/json_scanner.h"
#include "results/sass_text.h"
#include "tables/folder.h"

namespace ptxlat::tables {

namespace {

int level_named(int level) {
  if (level < 0 || level > highest_level) throw std::invalid_argument(fmt::format("no such level: {}", level));
  return level;
}

std::vector<std::string> strings_in(results::JsonScanner& json) {
  std::vector<std::string> strings;
  json.array([&] { strings.push_back(json.string()); });
  return strings;
}

std::pair<int, std::string_view> read_shared(std::string_view line) {
  results::JsonScanner json(line);
  int number = -1;
  std::string_view code;
  json.object([&](std::string_view key) {
    if (key == "window") {
      number = json.integer();
    } else if (key == "sass") {
      code = json.raw();
    } else {
      json.raw();
    }
  });
  json.end();
  if (code.empty()) throw std::invalid_argument("a window without \"sass\"");
  return {number, code};
}

class CellReader {
 public:
  CellReader(std::string_view line, const SharedCode& shared) : json_(line), shared_(shared) { cell_.line = line; }

  Cell read() {
    json_.object([&](std::string_view key) { read_member(key); });
    json_.end();
    if (!has_ptx_ || !has_level_ || !has_verdict_) throw std::invalid_argument("a cell without ptx, opt or verdict");
    if (cell_.levels.empty()) cell_.levels = {cell_.record.level};
    if (std::adjacent_find(cell_.levels.begin(), cell_.levels.end(), std::greater_equal<>()) != cell_.levels.end())
      throw std::invalid_argument("its levels are not in ascending order");
    add_to_metrics();
    for (const CellWindow* window : windows_of(cell_, results::metric::static_cycles)) {
      cell_.static_is_lower_bound = cell_.static_is_lower_bound || window->static_is_lower_bound;
    }
    if (cell_.record.has_flag(results::flag::branches)) cell_.static_is_lower_bound = false;
    return std::move(cell_);
  }

 private:
  void read_member(std::string_view key) {
    results::Record& record = cell_.record;
    if (key == "ptx") {
      record.ptx = json_.string();
      has_ptx_ = true;
    } else if (key == "opt") {
      record.level = level_named(json_.integer());
      has_level_ = true;
    } else if (key == "levels") {
      json_.array([&] { cell_.levels.push_back(level_named(json_.integer())); });
    } else if (key == "core") {
      record.is_core = json_.boolean();
    } else if (key == "verdict") {
      record.verdict = results::verdict_named(json_.string());
      has_verdict_ = true;
    } else if (key == "measure") {
      record.measure = results::measure_named(json_.string());
    } else if (key == "windows") {
      json_.array([&] { read_window(); });
    } else if (key == "sass") {
      record.sass = strings_in(json_);
    } else if (key == "sass_count") {
      record.sass_count = json_.integer();
    } else if (key == "flags") {
      record.flags = strings_in(json_);
    } else if (key == "run") {
      record.run = json_.integer();
    } else if (key == "from") {
      json_.object([&](std::string_view tag) { from_.emplace_back(tag, strings_in(json_)); });
    } else if (key == "metric_verdicts") {
      json_.object([&](std::string_view tag) { verdicts_.emplace_back(tag, results::verdict_named(json_.string())); });
    } else if (std::string* text = text_of(key)) {
      *text = json_.string();
    } else if (const results::MetricKind* kind = results::find_metric(key)) {
      record.set(kind->tag, json_.number_or_null());
    } else {
      json_.raw();
    }
  }

  std::string* text_of(std::string_view key) {
    results::Record& record = cell_.record;
    if (key == "chapter") return &record.chapter;
    if (key == "operand") return &record.operand;
    if (key == "input") return &record.input;
    if (key == "consumer") return &record.consumer;
    if (key == "differential_consumer") return &record.differential_consumer;
    return key == "note" ? &record.note : nullptr;
  }

  void read_window() {
    CellWindow window;
    json_.object([&](std::string_view key) {
      if (key == "role") {
        window.role = json_.plain_string();
      } else if (key == "verdict") {
        window.verdict = results::verdict_named(json_.string());
      } else if (key == "static_is_lower_bound") {
        window.static_is_lower_bound = json_.boolean();
      } else if (key == "sass") {
        window.code = shared_.at(json_.integer());
      } else {
        json_.raw();
      }
    });
    cell_.windows.push_back(window);
  }

  // Members may come in any order, so these wait until the metrics are known.
  void add_to_metrics() {
    for (results::Metric& metric : cell_.record.metrics) {
      for (auto& [tag, roles] : from_) {
        if (tag == metric.tag) metric.from = std::move(roles);
      }
      for (const auto& [tag, verdict] : verdicts_) {
        if (tag == metric.tag) metric.verdict = verdict;
      }
    }
  }

  results::JsonScanner json_;
  const SharedCode& shared_;
  Cell cell_;
  bool has_ptx_ = false, has_level_ = false, has_verdict_ = false;
  std::vector<std::pair<std::string_view, std::vector<std::string>>> from_;
  std::vector<std::pair<std::string_view, sass::Verdict>> verdicts_;
};

std::string_view next_line(std::string_view lines, std::size_t& begin) {
  const std::size_t end = std::min(lines.find('\n', begin), lines.size());
  const std::string_view line = lines.substr(begin, end - begin);
  begin = end + 1;
  return line;
}

}  // namespace

std::pair<std::vector<Cell>, SharedCode> rows_in(std::string_view lines, const std::filesystem::path& folder) {
  SharedCode shared;
  std::vector<std::pair<int, std::string_view>> of_rows;  // with the number of the line
  const auto reading = [&](int number, const auto& read) {
    try {
      read();
    } catch (const std::bad_alloc&) {
      throw;  // says nothing about the line
    } catch (const std::exception& error) {
      throw damaged(folder / jsonl_name, fmt::format("line {}: {}", number, error.what()));
    }
  };
  int number = 1;
  for (std::size_t begin = 0; begin < lines.size(); ++number) {
    const std::string_view line = next_line(lines, begin);
    if (line.starts_with(shared_line_start)) {
      reading(number, [&] { shared.insert(read_shared(line)); });
    } else {
      of_rows.emplace_back(number, line);
      if (of_rows.size() > most_rows)
        throw damaged(folder / jsonl_name, fmt::format("it has more than {} rows", most_rows));
    }
  }
  std::vector<Cell> rows(of_rows.size());
  in_parallel(of_rows.size(), [&](std::size_t i) {
    reading(of_rows[i].first, [&] { rows[i] = CellReader(of_rows[i].second, shared).read(); });
  });
  return {std::move(rows), std::move(shared)};
}

results::Record whole_record(std::string_view line, const SharedCode& shared, std::atomic<std::int64_t>& code_left) {
  return results::record_from_json(results::parse_json(line), [&](const results::Json& number) {
    const auto code = shared.at(results::integer_of<int>(number));
    code_left -= std::ssize(code);
    if (code_left < 0) throw std::invalid_argument("its windows have too much code");
    return code;
  });
}

}  // namespace ptxlat::tables
