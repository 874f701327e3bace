// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/named_values.h"
#include "isa/mistakes.h"

namespace ptxlat::isa {

// One table of a data file. Every mistake is an Error{catalogue} with its file and line.
//   advice  where such files are described
class Section {
 public:
  Section(const toml::table& table, std::string file, std::string advice)
      : table_(table), file_(std::move(file)), advice_(std::move(advice)) {}

  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    throw Error(ExitCode::catalogue, fmt::format("{}:{}: {}", file_, node.source().begin.line, what), advice_);
  }
  [[noreturn]] void fail(const std::string& what) const { fail(table_, what); }

  void only(const std::set<std::string>& known) const {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (known.contains(name)) continue;
      fail(node, fmt::format("unknown key \"{}\"{}", name, did_you_mean(name, {known.begin(), known.end()})));
    }
  }

  std::string text(const char* key, std::string by_default = {}) const {
    const auto* node = table_.get(key);
    if (node == nullptr) return by_default;
    if (const auto value = node->value_exact<std::string>()) return *value;
    fail(*node, fmt::format("\"{}\" must be a string", key));
  }

  // A whole number or an expression.
  std::string expression(const char* key, const std::string& by_default) const {
    const auto* node = table_.get(key);
    return node == nullptr ? by_default : expression_of(*node);
  }
  std::string expression_of(const toml::node& node) const {
    if (const auto number = node.value_exact<std::int64_t>()) return fmt::format("{}", *number);
    if (const auto text = node.value_exact<std::string>()) return *text;
    fail(node, "a whole number or an expression in quotes is expected");
  }
  std::vector<std::string> expressions(const char* key) const {
    std::vector<std::string> found;
    for (const auto* node : elements(key)) found.push_back(expression_of(*node));
    return found;
  }

  double number(const char* key, double by_default) const {
    const auto* node = table_.get(key);
    if (node == nullptr) return by_default;
    if (const auto value = node->value<double>()) return *value;
    fail(*node, fmt::format("\"{}\" must be a number", key));
  }

  bool flag(const char* key) const {
    const auto* node = table_.get(key);
    if (node == nullptr) return false;
    if (const auto value = node->value_exact<bool>()) return *value;
    fail(*node, fmt::format("\"{}\" must be true or false", key));
  }

  // Each key of this table with its text.
  std::map<std::string, std::string> texts() const {
    std::map<std::string, std::string> found;
    for (const auto& [key, node] : table_) {
      const auto value = node.value_exact<std::string>();
      if (!value) fail(node, fmt::format("\"{}\" must be a string", key.str()));
      found[std::string(key.str())] = *value;
    }
    return found;
  }

  std::vector<const toml::node*> elements(const char* key) const {
    const auto* node = table_.get(key);
    if (node == nullptr) return {};
    const auto* array = node->as_array();
    if (array == nullptr) fail(*node, fmt::format("\"{}\" must be a list", key));
    std::vector<const toml::node*> found;
    for (const auto& element : *array) found.push_back(&element);
    return found;
  }

  std::vector<Section> sections(const char* key) const {
    std::vector<Section> found;
    for (const auto* node : elements(key)) {
      if (!node->is_table()) fail(*node, fmt::format("write [[{}]]", key));
      found.emplace_back(*node->as_table(), file_, advice_);
    }
    return found;
  }

  Section section(const char* key) const {
    static const toml::table none;
    const auto* node = table_.get(key);
    if (node == nullptr) return {none, file_, advice_};
    if (!node->is_table()) fail(*node, fmt::format("write [{}]", key));
    return {*node->as_table(), file_, advice_};
  }

  template <class Value, std::size_t count>
  Value one_of(const char* key, const NamedValues<Value, count>& names) const {
    const auto wanted = text(key, names.front().second);
    if (const auto value = value_in(names, wanted)) return *value;
    std::vector<std::string> known;
    for (const auto& [value, name] : names) known.emplace_back(name);
    fail(*table_.get(key), fmt::format("\"{}\" is none of {}", wanted, fmt::join(known, ", ")));
  }

  const toml::table& table() const { return table_; }

 private:
  const toml::table& table_;
  std::string file_, advice_;
};

}  // namespace ptxlat::isa
