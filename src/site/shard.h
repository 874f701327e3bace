// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "results/json.h"
#include "site/tables.h"

namespace ptxlat::site {

// Every spelling of every table, once, in the order of their bytes: one list for all tables, so that a table refers to
// a spelling by its place. Views into the tables.
struct Names {
  std::vector<std::string_view> all;
  std::unordered_map<std::string_view, std::size_t> place;
};
Names names_of(const SiteTables& tables);

// Distinct texts, numbered in the order in which they come.
class Words {
 public:
  int number(const std::string& word) {
    const auto [found, is_new] = numbers_.emplace(word, static_cast<int>(words_.size()));
    if (is_new) words_.push_back(word);
    return found->second;
  }
  int at(const std::string& word) const { return numbers_.at(word); }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
  std::unordered_map<std::string, int> numbers_;
};

// Numbers of a sequence as differences, which repeat more often and so take less space.
std::vector<int> differences_of(const std::vector<int>& numbers);

// A piece of the site's data as a script, `ptxlatShard("name","…");`. A page that was opened from a disk may not fetch
// files, but it may load scripts. The text is the JSON, compressed (zlib) and in base 85: nothing that a table says can
// end a string or a script. Bytes that are not UTF-8 become U+FFFD. Equal values give equal bytes. `name` is ours,
// never a text of a table.
std::string shard(const std::string& name, const results::Json& value);

// Four bytes in five digits, the first the highest, as in Ascii85: a sixteenth less text than base 64. Of a last group
// of n bytes, which zeros fill up, there are n + 1 digits. None of them means anything in a script's string or in HTML.
inline constexpr std::string_view base85_digits =
    "!#%()*+,-./0123456789:;=@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";
static_assert(base85_digits.size() == 85);
std::string base85(const std::string& bytes);

}  // namespace ptxlat::site
