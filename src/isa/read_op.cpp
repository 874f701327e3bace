#include "isa/read_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "isa/types.h"

namespace ptxlat {
namespace {

constexpr std::array<std::string_view, 15> reserved_keys = {
    "name",  "syntax",     "only",  "except",    "ptx",    "target", "needs",        "section",
    "lanes", "dependence", "carry", "consumers", "values", "inputs", "default_input"};
constexpr std::string_view no_dependency_key = "no_dependency";

bool is_reserved(std::string_view key) {
  return key == no_dependency_key || std::find(reserved_keys.begin(), reserved_keys.end(), key) != reserved_keys.end();
}

std::vector<std::string> reserved_names() {
  std::vector<std::string> names(reserved_keys.begin(), reserved_keys.end());
  names.emplace_back(no_dependency_key);
  return names;
}

bool is_array_of_strings(const toml::node& node) {
  const toml::array* array = node.as_array();
  return array != nullptr && !array->empty() &&
         std::all_of(array->begin(), array->end(), [](const toml::node& item) { return item.is_string(); });
}

bool is_table_of_strings(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr || table->empty()) return false;
  return std::all_of(table->begin(), table->end(), [](const auto& item) { return item.second.is_string(); });
}

// The typed reading of one table's keys; a key of another type is a mistake at its own line.
struct Keys {
  const toml::table& table;
  const std::string& file;
  Mistakes& mistakes;

  std::optional<Text> text(std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) return std::nullopt;
    if (const auto value = node->value_exact<std::string>()) return Text{*value, location_of(*node, file)};
    report(mistakes, location_of(*node, file), fmt::format("\"{}\" must be a string", key));
    return std::nullopt;
  }

  std::vector<Text> texts(std::string_view key) const {
    std::vector<Text> found;
    const toml::node* node = table.get(key);
    if (node == nullptr) return found;
    if (!is_array_of_strings(*node)) {
      report(mistakes, location_of(*node, file), fmt::format("\"{}\" must be an array of strings", key));
      return found;
    }
    for (const toml::node& item : *node->as_array()) found.push_back({**item.as_string(), location_of(item, file)});
    return found;
  }
};

// Every key that is not reserved is an axis (array of strings) or a table from an axis' values to types.
void read_axes(const Keys& keys, const std::string& syntax, Op& op) {
  for (const auto& [toml_key, node] : keys.table) {
    const std::string key(toml_key.str());
    if (is_reserved(key)) continue;
    const SourceLocation where = location_of(node, keys.file);
    if (is_table_of_strings(node)) {
      for (const auto& [from, to] : *node.as_table()) {
        const std::string type = **to.as_string();
        if (find_type(type) == nullptr) {
          report(keys.mistakes, location_of(to, keys.file),
                 fmt::format("table \"{}\": there is no type \"{}\"{}", key, type, did_you_mean(type, type_names())));
        }
        op.maps[key][std::string(from.str())] = type;
      }
      continue;
    }
    if (!is_array_of_strings(node)) {
      report(keys.mistakes, where, fmt::format("unknown key \"{}\"{}", key, did_you_mean(key, reserved_names())));
      continue;
    }
    if (syntax.find("{" + key + "}") == std::string::npos && syntax.find("(" + key + ")") == std::string::npos) {
      report(keys.mistakes, where,
             fmt::format("the syntax does not mention the axis \"{}\"{}", key, did_you_mean(key, reserved_names())));
    }
    for (const Text& value : keys.texts(key)) {
      auto& values = op.axes[key];
      if (std::find(values.begin(), values.end(), value.text) == values.end()) {
        values.push_back(value.text);
      } else {
        report(keys.mistakes, value.where, fmt::format("axis \"{}\" has \"{}\" twice", key, value.text));
      }
    }
  }
}

void read_requirement(const Keys& keys, Op& op) {
  if (const auto version = keys.text("ptx"); version && !read_ptx_version(version->text, op.requirement)) {
    report(keys.mistakes, version->where, fmt::format("ptx = \"{}\": write a version such as \"7.8\"", version->text));
  }
  if (const auto target = keys.text("target"); target && !read_target(target->text, op.requirement)) {
    report(keys.mistakes, target->where,
           fmt::format("target = \"{}\": write a target such as \"sm_80\"", target->text));
  }
  for (const Text& need : keys.texts("needs")) {
    op.needs.push_back(read_need(need.text, op.axes, need.where, keys.mistakes));
  }
}

std::map<std::string, Text> read_values(const toml::table& table, const Keys& keys) {
  std::map<std::string, Text> values;
  for (const auto& [operand, node] : table) {
    const SourceLocation where = location_of(node, keys.file);
    if (const auto text = node.value_exact<std::string>()) {
      values[std::string(operand.str())] = {*text, where};
    } else {
      report(keys.mistakes, where,
             fmt::format("the value of \"{}\" must be a string such as \"8\", \"1 .. 2\" or \"= 8\"", operand.str()));
    }
  }
  return values;
}

void read_inputs(const Keys& keys, Op& op) {
  InputText standard{"", {}, op.where};
  if (const auto name = keys.text("default_input")) standard.name = name->text;
  if (const toml::node* node = keys.table.get("values")) {
    if (const toml::table* table = node->as_table()) {
      standard.values = read_values(*table, keys);
    } else {
      report(keys.mistakes, location_of(*node, keys.file), "\"values\" must be a table of operand = \"value\"");
    }
  }
  op.inputs.push_back(standard);

  const toml::node* node = keys.table.get("inputs");
  if (node == nullptr) return;
  const toml::array* array = node->as_array();
  if (array == nullptr || !array->is_homogeneous(toml::node_type::table)) {
    report(keys.mistakes, location_of(*node, keys.file),
           "\"inputs\" must be an array of tables such as {name = \"power of two\", b = \"8\"}");
    return;
  }
  for (const toml::node& item : *array) {
    InputText input{"", read_values(*item.as_table(), keys), location_of(item, keys.file)};
    if (const auto name = input.values.find("name"); name != input.values.end()) input.name = name->second.text;
    input.values.erase("name");
    const bool is_taken = std::any_of(op.inputs.begin(), op.inputs.end(),
                                      [&](const InputText& other) { return other.name == input.name; });
    if (input.name.empty() || is_taken) {
      report(keys.mistakes, input.where,
             input.name.empty() ? "an input class needs a name"
                                : fmt::format("input class \"{}\" is there twice", input.name));
    }
    // Operands a class does not name keep the value of the default class.
    input.values.insert(standard.values.begin(), standard.values.end());
    op.inputs.push_back(std::move(input));
  }
}

void read_carry_and_lanes(const Keys& keys, Op& op) {
  if (const auto carry = keys.text("carry")) {
    op.reads_carry = carry->text == "in" || carry->text == "inout";
    op.writes_carry = carry->text == "out" || carry->text == "inout";
    if (!op.reads_carry && !op.writes_carry) {
      report(keys.mistakes, carry->where,
             fmt::format("carry = \"{}\": write \"in\", \"out\" or \"inout\"", carry->text));
    }
  }
  if (const toml::node* lanes = keys.table.get("lanes")) {
    op.lanes = static_cast<int>(lanes->value_exact<std::int64_t>().value_or(0));
    if (op.lanes != 1 && op.lanes != 32 && op.lanes != 128) {
      report(keys.mistakes, location_of(*lanes, keys.file), "\"lanes\" must be 1, 32 or 128");
    }
  }
}

}  // namespace

std::optional<Op> read_op(const toml::table& table, const Chapter& chapter, Mistakes& mistakes) {
  const Keys keys{table, chapter.file, mistakes};
  Op op;
  op.where = location_of(table, chapter.file);
  op.chapter = chapter.name;
  op.section = chapter.section;
  if (const auto section = keys.text("section")) op.section = section->text;

  const auto name = keys.text("name");
  const auto syntax = keys.text("syntax");
  if (!name || name->text.empty()) report(mistakes, op.where, "an [[op]] needs a name, its opcode");
  if (!syntax)
    report(mistakes, op.where, "an [[op]] needs a syntax such as \"add.{type} {d:type}, {a:type}, {b:type}\"");
  read_axes(keys, syntax ? syntax->text : "", op);
  if (!name || !syntax) return std::nullopt;

  op.name = name->text;
  op.syntax = read_syntax(syntax->text, op.axes, op.maps, syntax->where, mistakes);
  for (const Text& rule : keys.texts("only")) op.only.push_back(read_rule(rule.text, op.axes, rule.where, mistakes));
  for (const Text& rule : keys.texts("except")) {
    op.except.push_back(read_rule(rule.text, op.axes, rule.where, mistakes));
  }
  read_requirement(keys, op);
  read_inputs(keys, op);
  read_carry_and_lanes(keys, op);
  if (table.contains("dependence")) op.dependence = keys.texts("dependence");
  op.consumers = keys.texts("consumers");
  if (const auto reason = keys.text(no_dependency_key)) op.no_dependency = reason->text;
  return op;
}

}  // namespace ptxlat
