// SPDX-License-Identifier: Apache-2.0
#include "report/table_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/limits.h"
#include "base/parallel.h"
#include "report/table_files.h"
#include "results/json.h"
#include "results/json_scanner.h"
#include "results/sass_text.h"

namespace ptxlat::report {

namespace {

constexpr std::string_view shared_line_start = "{\"window\":";

// A share of a table's rows, which one thread converts to text.
constexpr std::size_t rows_per_share = 256;

std::size_t shares_of(const std::vector<TableRow>& rows) { return (rows.size() + rows_per_share - 1) / rows_per_share; }
std::span<const TableRow> share_of(const std::vector<TableRow>& rows, std::size_t share) {
  const auto begin = share * rows_per_share;
  return std::span(rows).subspan(begin, std::min(rows_per_share, rows.size() - begin));
}

// The text of a window's code as JSON: that of to_line, made without a tree.
std::string code_text(const std::vector<results::SassRecord>& sass) {
  std::string text = "[";
  for (const auto& line : results::sass_lines(sass)) {
    if (text.size() > 1) text += ',';
    const bool is_plain =
        std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
    text += is_plain ? fmt::format("\"{}\"", line) : results::to_line(line);
  }
  return text + ']';
}

// The code of the windows of a share of rows, with its number in the table; for each window, where that is.
struct ShareCodes {
  std::unordered_map<std::string, int> codes;
  std::vector<const int*> of_window;
};

// The code of all windows, each once: views into the shares, sorted, which puts similar code together and makes the
// file a third smaller.
struct WindowCodes {
  std::vector<ShareCodes> of_share;
  std::vector<std::string_view> distinct;
};

WindowCodes window_codes(const std::vector<TableRow>& rows) {
  WindowCodes made;
  auto& of_share = made.of_share;  // no structured binding: Clang 14 captures none
  auto& distinct = made.distinct;
  of_share.resize(shares_of(rows));
  in_parallel(of_share.size(), [&](std::size_t share) {
    auto& [codes, of_window] = of_share[share];
    for (const TableRow& row : share_of(rows, share)) {
      for (const auto& window : row.record.windows)
        of_window.push_back(window.sass.empty() ? nullptr : &codes[code_text(window.sass)]);
    }
  });
  for (const auto& share : of_share) {
    for (const auto& [code, number] : share.codes) distinct.push_back(code);
  }
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  in_parallel(of_share.size(), [&](std::size_t share) {
    for (auto& [code, number] : of_share[share].codes)
      number = static_cast<int>(std::lower_bound(distinct.begin(), distinct.end(), code) - distinct.begin());
  });
  return made;
}

//   codes  of its windows
std::string line_of(const TableRow& row, std::span<const int* const> codes) {
  const auto* first = row.record.windows.data();
  results::Json json = results::to_json(row.record, [&](const results::WindowRecord& window) {
    return results::Json(*codes[static_cast<std::size_t>(&window - first)]);
  });
  if (row.levels.size() > 1) json["levels"] = row.levels;
  return results::to_line(json) + '\n';
}

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

std::string lines_of(const std::vector<TableRow>& rows) {
  const auto codes = window_codes(rows);
  std::vector<std::string> of_share(shares_of(rows));
  in_parallel(of_share.size(), [&](std::size_t share) {
    std::span<const int* const> of_windows = codes.of_share[share].of_window;
    for (const TableRow& row : share_of(rows, share)) {
      const auto windows = row.record.windows.size();
      of_share[share] += line_of(row, of_windows.first(windows));
      of_windows = of_windows.subspan(windows);
    }
  });
  std::string lines;
  for (std::size_t number = 0; number < codes.distinct.size(); ++number)
    lines += fmt::format("{}{},\"sass\":{}}}\n", shared_line_start, number, codes.distinct[number]);
  for (const auto& share : of_share) lines += share;
  return lines;
}

std::vector<Cell> rows_in(std::string_view lines, const std::filesystem::path& folder) {
  SharedCode shared;
  std::vector<std::pair<int, std::string_view>> of_rows;  // with the number of the line
  const auto reading = [&](int number, const auto& read) {
    try {
      read();
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
  return rows;
}

SharedCode shared_code(std::string_view lines) {
  SharedCode shared;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::string_view line = next_line(lines, begin);
    if (line.starts_with(shared_line_start)) shared.insert(read_shared(line));
  }
  return shared;
}

results::Record whole_record(std::string_view line, const SharedCode& shared, std::atomic<std::int64_t>& code_left) {
  return results::record_from_json(results::parse_json(line), [&](const results::Json& number) {
    const auto code = shared.at(results::integer_of<int>(number));
    code_left -= std::ssize(code);
    if (code_left < 0) throw std::invalid_argument("its windows have too much code");
    return code;
  });
}

}  // namespace ptxlat::report
