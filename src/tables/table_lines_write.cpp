// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "results/json.h"
#include "results/sass_text.h"
#include "tables/table_lines.h"

namespace ptxlat::tables {

namespace {

// Rows that one thread converts to text.
constexpr std::size_t rows_per_share = 256;

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

// The code of all windows, each once. It is most of a table, so only its hash is in memory.
class DistinctCodes {
 public:
  explicit DistinctCodes(const std::filesystem::path& scratch) : file_(scratch) {}

  // Its number among those that were added. By any number of threads.
  std::size_t add(const std::string& code) {
    Hash hash;
    hash.add(code);
    const std::scoped_lock lock(mutex_);
    const auto [known, is_new] = numbers_.emplace(hash.wide(), places_.size());
    if (is_new) places_.emplace_back(file_.append(code), code.size());
    return known->second;
  }

  // The numbers in the order of their code, which puts similar code together and makes the file a third smaller.
  std::vector<std::size_t> sorted() {
    std::vector<std::size_t> numbers(places_.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    std::sort(numbers.begin(), numbers.end(), [&](std::size_t a, std::size_t b) { return text(a) < text(b); });
    return numbers;
  }

  std::string_view text(std::size_t number) {
    const auto [begin, size] = places_[number];
    return file_.text().substr(begin, size);
  }

 private:
  using Identity = std::array<std::uint64_t, 2>;
  struct First {
    std::size_t operator()(const Identity& hash) const { return hash[0]; }
  };

  std::mutex mutex_;
  ScratchFile file_;
  std::vector<std::pair<std::size_t, std::size_t>> places_;  // begin and size
  std::unordered_map<Identity, std::size_t, First> numbers_;
};

// Text of a share of the rows in a file, and where in it the number of a code is to be inserted.
struct Gap {
  std::size_t position = 0;
  std::size_t code = 0;
};
struct Share {
  std::size_t begin = 0, size = 0;
  std::vector<Gap> gaps;
};

void keep_code_of_headline(results::Record& record) {
  std::vector<results::WindowRecord> kept;
  for (const auto* window : results::published_windows(record)) kept.push_back(*window);
  record.windows = std::move(kept);
  record.series.clear();
  record.recipe.clear();
}

// Adds the row's line, with gaps for its windows' codes.
void add_line(std::string& text, std::vector<Gap>& gaps, const results::Record& record, const std::vector<int>& levels,
              DistinctCodes& codes) {
  // No text of a record contains it, since quotes in strings are escaped.
  constexpr std::string_view placeholder = "\"sass\":null";
  constexpr std::size_t null_size = 4;
  std::vector<std::size_t> of_windows;
  results::Json json = results::to_json(record, [&](const results::WindowRecord& window) {
    of_windows.push_back(codes.add(code_text(window.sass)));
    return results::Json();
  });
  if (levels.size() > 1) json["levels"] = levels;
  const auto line = results::to_line(json);
  std::size_t copied = 0;
  for (const std::size_t code : of_windows) {
    const auto null = line.find(placeholder, copied) + placeholder.size() - null_size;
    text.append(line, copied, null - copied);
    gaps.push_back({text.size(), code});
    copied = null + null_size;
  }
  text.append(line, copied);
  text += '\n';
}

// A file that is written in larger pieces.
class LinesFile {
 public:
  explicit LinesFile(const std::filesystem::path& scratch) : file_(std::make_shared<ScratchFile>(scratch)) {}

  void append(std::string_view text) {
    constexpr std::size_t piece = 1 << 20;
    waiting_ += text;
    if (waiting_.size() > piece) flush();
  }
  JsonlText finished() {
    flush();
    return lines_of_owner(file_, file_->text());
  }

 private:
  void flush() {
    file_->append(waiting_);
    waiting_.clear();
  }

  std::shared_ptr<ScratchFile> file_;
  std::string waiting_;
};

}  // namespace

JsonlText lines_of(const std::vector<SharedRow>& rows, const std::vector<RowOutline>& outlines,
                   const RecordSource& records, Code code, const std::filesystem::path& scratch) {
  DistinctCodes codes(scratch);
  ScratchFile texts(scratch);
  std::mutex of_texts;
  std::vector<Share> shares((rows.size() + rows_per_share - 1) / rows_per_share);
  in_parallel(shares.size(), [&](std::size_t share) {
    std::string text;
    const auto end = std::min(rows.size(), (share + 1) * rows_per_share);
    for (std::size_t row = share * rows_per_share; row < end; ++row) {
      auto record = record_of(outlines[rows[row].outline], records, code);
      if (code == Code::of_headline) keep_code_of_headline(record);
      add_line(text, shares[share].gaps, record, rows[row].levels, codes);
    }
    const std::scoped_lock lock(of_texts);
    shares[share].begin = texts.append(text);
    shares[share].size = text.size();
  });

  LinesFile lines(scratch);
  const auto order = codes.sorted();
  std::vector<std::size_t> places(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    places[order[place]] = place;
    lines.append(fmt::format("{}{},\"sass\":", shared_line_start, place));
    lines.append(codes.text(order[place]));
    lines.append("}\n");
  }
  for (const auto& [begin, size, gaps] : shares) {
    const auto text = texts.text().substr(begin, size);
    std::size_t copied = 0;
    for (const auto& [position, number] : gaps) {
      lines.append(text.substr(copied, position - copied));
      lines.append(std::to_string(places[number]));
      copied = position;
    }
    lines.append(text.substr(copied));
  }
  return lines.finished();
}

}  // namespace ptxlat::tables
