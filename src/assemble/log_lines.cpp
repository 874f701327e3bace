// SPDX-License-Identifier: Apache-2.0
#include "assemble/log_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <optional>
#include <regex>

#include "assemble/assembler.h"
#include "base/limits.h"

namespace ptxlat::assemble {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

// Whether `head`, the part before the colon, ends with this word.
bool ends_in_word(std::string_view head, std::string_view word) {
  return head.ends_with(word) && (head.size() == word.size() || head[head.size() - word.size() - 1] == ' ');
}

std::optional<Diagnostic> parse(std::string_view text) {
  // Messages may contain colons, but the part before the first " : " or ": " never does.
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view head = trim(text.substr(0, colon));
  Diagnostic diagnostic;
  diagnostic.fatal = ends_in_word(head, "fatal");
  if (!diagnostic.fatal && !ends_in_word(head, "error")) return std::nullopt;
  diagnostic.message = trim(text.substr(colon + 1));
  if (diagnostic.message.starts_with("Ptx assembly aborted")) return std::nullopt;

  constexpr std::string_view mark = ", line ";
  if (const std::size_t at = head.find(mark); at != std::string_view::npos) {
    const std::string_view digits = head.substr(at + mark.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), diagnostic.line);
  }
  return diagnostic;
}

}  // namespace

std::vector<Diagnostic> diagnostics_in(std::string_view log) {
  std::vector<Diagnostic> diagnostics;
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    if (auto diagnostic = parse(log.substr(0, end))) diagnostics.push_back(*std::move(diagnostic));
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
  }
  return diagnostics;
}

std::string quoted_name(const std::string& log) {
  static const std::regex quoted("'([a-z]\\w*(?:\\.\\w+)*)'");
  std::smatch match;
  return std::regex_search(log, match, quoted) ? match[1].str() : std::string{};
}

bool blames_ptx(std::string_view log) {
  return log.find("error") != std::string_view::npos || log.find("fatal") != std::string_view::npos;
}

bool lacks_memory(std::string_view log) {
  // ptxas; NVRTC's front end, and LLVM; C++.
  constexpr std::string_view words[] = {"Memory allocation failure", "out of memory", "bad_alloc"};
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view one) { return log.find(one) != std::string_view::npos; });
}

std::string lacked_memory(std::string_view assembler) {
  return failure_words(
      fmt::format("{} ran out of memory, of which it may use {} GiB\n", assembler, most_assembler_bytes >> 30));
}

std::string perhaps_lacked_memory() {
  return fmt::format(", perhaps for lack of memory, of which it may use {} GiB", most_assembler_bytes >> 30);
}

}  // namespace ptxlat::assemble
