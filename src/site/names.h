// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

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

}  // namespace ptxlat::site
