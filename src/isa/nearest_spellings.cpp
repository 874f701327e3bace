// SPDX-License-Identifier: Apache-2.0
#include "isa/nearest_spellings.h"

#include <algorithm>
#include <set>

#include "base/nearest_names.h"
#include "base/text.h"

namespace ptxlat::isa {

namespace {

std::string opcode_of_spelling(const std::string& spelling) { return spelling.substr(0, spelling.find_first_of(". ")); }

// How many parts one spelling has that the other lacks, in order: 1 for mul.u32 and mul.lo.u32.
std::size_t different_parts(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  std::vector<std::size_t> row(other.size() + 1, 0);  // of the longest common subsequence
  for (const auto& part : one) {
    std::size_t diagonal = 0;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const auto above = row[j + 1];
      row[j + 1] = part == other[j] ? diagonal + 1 : std::max(row[j + 1], row[j]);
      diagonal = above;
    }
  }
  return one.size() + other.size() - 2 * row.back();
}

}  // namespace

std::vector<std::string> nearest_spellings(const std::string& wanted, const std::vector<std::string>& names,
                                           std::size_t limit) {
  constexpr std::size_t longest = 256;  // a text that fills a page is not a misspelling
  if (wanted.size() > longest) return {};
  const auto spelling = lower_case(wanted);
  const auto parts = words_in(spelling, ".");
  std::set<std::string> opcodes;
  std::vector<std::string> nearest;
  std::size_t least = 0;
  for (const auto& name : names) {
    if (name == spelling) return {name};
    opcodes.insert(opcode_of_spelling(name));
    if (opcode_of_spelling(name) != opcode_of_spelling(spelling)) continue;
    const auto distance = different_parts(parts, words_in(name, "."));
    if (!nearest.empty() && distance > least) continue;
    if (distance < least) nearest.clear();
    least = distance;
    nearest.push_back(name);
  }
  if (nearest.empty()) return nearest_names(opcode_of_spelling(spelling), {opcodes.begin(), opcodes.end()}, limit);
  // A misspelt qualifier is two that differ.
  if (const auto alike = nearest_names(spelling, nearest, limit); least > 1 && !alike.empty()) return alike;
  nearest.resize(std::min(nearest.size(), limit));
  return nearest;
}

}  // namespace ptxlat::isa
