// SPDX-License-Identifier: Apache-2.0
#include "isa/read_op.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "isa/cuda_text.h"
#include "isa/types.h"

namespace ptxlat::isa {
namespace {

constexpr std::array<std::string_view, 35> reserved_keys = {
    "name",       "syntax",    "only",       "except",        "ptx",           "target",         "needs",
    "section",    "threads",   "cluster",    "modifiers",     "core",          "inout",          "around",
    "prepare",    "before",    "completion", "completion_is", "cleanup",       "not_streamable", "carry",
    "directives", "consumers", "values",     "inputs",        "default_input", "dependence",     "not_measurable",
    "call",       "header",    "options",    "audit",         "consumed",      "core_modifiers", "depends_on_values"};

bool is_reserved(std::string_view key) {
  return std::find(reserved_keys.begin(), reserved_keys.end(), key) != reserved_keys.end();
}

std::vector<std::string> reserved_names() { return {reserved_keys.begin(), reserved_keys.end()}; }

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

// The typed reading of one table's keys; a key with the wrong type is a mistake at its own line.
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

bool mentions(const std::string& text, const std::string& axis) {
  return text.find("{" + axis + "}") != std::string::npos || text.find("(" + axis + ")") != std::string::npos ||
         text.find(":" + axis + "}") != std::string::npos || text.find(":" + axis + "[") != std::string::npos ||
         text.find("[" + axis + "]") != std::string::npos;
}

bool mentions(const Op& op, const std::string& syntax, const std::string& axis) {
  if (mentions(syntax, axis)) return true;
  for (const auto& [name, table] : op.maps) {
    for (const auto& [from, text] : table) {
      if (mentions(text, axis)) return true;
    }
  }
  return false;
}

void read_axis(const Keys& keys, const std::string& key, Op& op) {
  for (const Text& value : keys.texts(key)) {
    auto& values = op.axes[key];
    if (std::find(values.begin(), values.end(), value.text) == values.end()) {
      values.push_back(value.text);
    } else {
      report(keys.mistakes, value.where, fmt::format("axis \"{}\" has \"{}\" twice", key, value.text));
    }
  }
}

// Every key that is not reserved is an axis (array of strings) or a table from an axis' values to types or text.
void read_axes(const Keys& keys, const std::string& syntax, Op& op) {
  for (const auto& [toml_key, node] : keys.table) {
    const std::string key(toml_key.str());
    if (is_reserved(key)) continue;
    if (is_table_of_strings(node)) {
      for (const auto& [from, to] : *node.as_table()) op.maps[key][std::string(from.str())] = **to.as_string();
    } else if (is_array_of_strings(node)) {
      read_axis(keys, key, op);
    } else if (mentions(syntax, key)) {
      report(keys.mistakes, location_of(node, keys.file),
             fmt::format("the axis \"{}\" must be an array of one string or more", key));
    } else {
      report(keys.mistakes, location_of(node, keys.file),
             fmt::format("unknown key \"{}\"{}", key, did_you_mean(key, reserved_names())));
    }
  }
  for (const auto& [axis, values] : op.axes) {
    if (mentions(op, syntax, axis)) continue;
    report(keys.mistakes, location_of(*keys.table.get(axis), keys.file),
           fmt::format("the syntax does not mention the axis \"{}\"{}", axis, did_you_mean(axis, reserved_names())));
  }
}

// The names of all operands, wherever the syntax or a table has them.
std::set<std::string> operand_names(const Op& op, const std::string& syntax) {
  static const std::regex operand(R"(\{([A-Za-z_]\w*):)");
  std::set<std::string> names;
  const auto add = [&](const std::string& text) {
    for (std::sregex_iterator match(text.begin(), text.end(), operand), end; match != end; ++match)
      names.insert((*match)[1]);
  };
  add(syntax);
  for (const auto& [name, table] : op.maps) {
    for (const auto& [from, text] : table) add(text);
  }
  return names;
}

void read_requirement(const std::optional<Text>& version, const std::optional<Text>& target, Requirement& requirement,
                      Mistakes& mistakes) {
  if (version && !read_ptx_version(version->text, requirement))
    report(mistakes, version->where, fmt::format("ptx = \"{}\": write a version such as \"7.8\"", version->text));
  if (target && !read_targets(target->text, requirement)) {
    report(mistakes, target->where,
           fmt::format("target = \"{}\": write a target such as \"sm_80\" or \"sm_90a|sm_100a\"", target->text));
  }
}

void read_requirement(const Keys& keys, Op& op) {
  read_requirement(keys.text("ptx"), keys.text("target"), op.requirement, keys.mistakes);
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

std::array<std::pair<const char*, std::string*>, 4> texts_of(InputText& input) {
  return {{{"around", &input.around},
           {"prepare", &input.prepare},
           {"before", &input.before},
           {"completion", &input.completion}}};
}

Completion read_completion(const Text& word, Mistakes& mistakes) {
  if (word.text == "read back") return Completion::read_back;
  if (word.text == "use") return Completion::use;
  if (word.text != "wait") {
    report(mistakes, word.where,
           fmt::format("completion_is = \"{}\": write \"wait\", \"read back\" or \"use\"", word.text));
  }
  return Completion::wait;
}

void read_inputs(const Keys& keys, Op& op) {
  InputText standard;
  standard.where = op.where;
  for (const auto& [key, text] : texts_of(standard)) {
    if (const auto written = keys.text(key)) *text = written->text;
  }
  if (const auto word = keys.text("completion_is")) standard.completion_is = read_completion(*word, keys.mistakes);
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
    InputText input = standard;
    input.name.clear();
    input.where = location_of(item, keys.file);
    auto written = read_values(*item.as_table(), keys);
    const auto take = [&](const char* key) {
      const auto found = written.extract(key);
      return found ? std::optional(found.mapped()) : std::nullopt;
    };
    if (const auto name = take("name")) input.name = name->text;
    for (const auto& [key, text] : texts_of(input)) {
      if (const auto found = take(key)) *text = found->text;
    }
    if (const auto word = take("completion_is")) input.completion_is = read_completion(*word, keys.mistakes);
    if (const auto condition = take("if"))
      input.only_if = read_condition(condition->text, op.axes, condition->where, keys.mistakes);
    const auto version = take("ptx"), target = take("target");
    read_requirement(version, target, input.requirement, keys.mistakes);
    // Operands a class does not name keep the value of the default class.
    for (auto& [operand, value] : written) input.values[operand] = std::move(value);
    const bool is_taken = std::any_of(op.inputs.begin(), op.inputs.end(),
                                      [&](const InputText& other) { return other.name == input.name; });
    if (input.name.empty() || is_taken) {
      report(keys.mistakes, input.where,
             input.name.empty() ? "an input class needs a name"
                                : fmt::format("input class \"{}\" appears twice", input.name));
    }
    op.inputs.push_back(std::move(input));
  }
}

void read_carry(const Keys& keys, Op& op) {
  const auto carry = keys.text("carry");
  if (!carry) return;
  op.reads_carry = carry->text == "in" || carry->text == "inout";
  op.writes_carry = carry->text == "out" || carry->text == "inout";
  if (!op.reads_carry && !op.writes_carry) {
    report(keys.mistakes, carry->where, fmt::format("carry = \"{}\": write \"in\", \"out\" or \"inout\"", carry->text));
  }
}

void read_launch(const Keys& keys, Op& op) {
  constexpr int warp = 32, most_threads = 1024, most_ctas = 8;
  if (const toml::node* threads = keys.table.get("threads")) {
    op.threads = static_cast<int>(threads->value_exact<std::int64_t>().value_or(0));
    if (op.threads != 1 && (op.threads <= 0 || op.threads > most_threads || op.threads % warp != 0)) {
      report(keys.mistakes, location_of(*threads, keys.file), "\"threads\" must be 1 or a multiple of 32 up to 1024");
    }
  }
  if (const toml::node* cluster = keys.table.get("cluster")) {
    op.cluster = static_cast<int>(cluster->value_exact<std::int64_t>().value_or(0));
    if (op.cluster < 1 || op.cluster > most_ctas) {
      report(keys.mistakes, location_of(*cluster, keys.file), "\"cluster\" must be a number of CTAs from 1 to 8");
    }
  }
}

void read_consumed(const Keys& keys, Op& op) {
  const toml::node* consumed = keys.table.get("consumed");
  if (consumed == nullptr) return;
  op.consumed = static_cast<int>(consumed->value_exact<std::int64_t>().value_or(-1));
  if (op.consumed < 0)
    report(keys.mistakes, location_of(*consumed, keys.file), "\"consumed\" must be the number of a register, from 0");
}

// Names in an array that must be known: axes, operands.
std::set<std::string> names_in(const Keys& keys, const char* key, const std::set<std::string>& known) {
  std::set<std::string> names;
  for (const Text& name : keys.texts(key)) {
    names.insert(name.text);
    if (known.contains(name.text)) continue;
    report(
        keys.mistakes, name.where,
        fmt::format("{}: there is no \"{}\"{}", key, name.text, did_you_mean(name.text, {known.begin(), known.end()})));
  }
  return names;
}

// Keys that only an entry of CUDA C has. Each of its compiler options makes separate forms.
void read_cuda(const Keys& keys, const Chapter& chapter, Op& op) {
  const auto header = keys.text("header");
  if (keys.table.contains("call")) {
    op.header = header ? header->text : chapter.header;
    if (header) check_header(header->text, header->where, keys.mistakes);
    read_axis(keys, options_axis, op);
    for (const Text& option : keys.texts(options_axis)) {
      if (option.text.empty() || is_code_option(option.text)) continue;
      report(keys.mistakes, option.where,
             fmt::format("\"{}\" is not an option that only changes the code, such as \"--use_fast_math\" or "
                         "\"--fmad=false\"",
                         option.text));
    }
    return;
  }
  for (const char* key : {"header", "options"}) {
    const toml::node* node = keys.table.get(key);
    if (node == nullptr) continue;
    report(keys.mistakes, location_of(*node, keys.file), fmt::format("\"{}\" goes with a call = \"…\" of CUDA C", key));
  }
}

void read_core(const Keys& keys, Op& op) {
  std::set<std::string> axes;
  for (const auto& [name, values] : op.axes) axes.insert(name);
  op.modifiers = names_in(keys, "modifiers", axes);
  op.core_modifiers = names_in(keys, "core_modifiers", axes);
  op.modifiers.insert(op.core_modifiers.begin(), op.core_modifiers.end());
  const toml::node* core = keys.table.get("core");
  if (core == nullptr) return;
  const auto where = location_of(*core, keys.file);
  if (const auto condition = core->value_exact<std::string>()) {
    op.core_if = read_condition(*condition, op.axes, where, keys.mistakes);
  } else if (core->is_boolean()) {
    op.has_core = core->value_exact<bool>().value();
  } else {
    report(keys.mistakes, where, "\"core\" must be true, false or a condition such as \"n=8|16\"");
  }
}

}  // namespace

std::optional<AuditRule> read_audit(const toml::table& table, const std::string& file, Mistakes& mistakes) {
  const auto word = Keys{table, file, mistakes}.text("audit");
  if (!word) return std::nullopt;
  if (word->text == "arithmetic") return AuditRule::arithmetic;
  if (word->text == "effects") return AuditRule::effects;
  report(mistakes, word->where, fmt::format("audit = \"{}\": write \"arithmetic\" or \"effects\"", word->text));
  return std::nullopt;
}

void check_header(const std::string& name, const SourceLocation& where, Mistakes& mistakes) {
  if (name.empty() || is_header_name(name)) return;
  report(mistakes, where, fmt::format("\"{}\" is not the name of a header of CUDA, such as \"cuda_fp16.h\"", name));
}

std::optional<Op> read_op(const toml::table& table, const Chapter& chapter, const std::set<std::string>& objects,
                          Mistakes& mistakes) {
  const Keys keys{table, chapter.file, mistakes};
  Op op;
  op.where = location_of(table, chapter.file);
  op.chapter = chapter.name;
  op.section = chapter.section;
  op.order = chapter.order;
  op.audit = table.contains("audit") ? read_audit(table, chapter.file, mistakes) : chapter.audit;
  if (const auto section = keys.text("section")) op.section = section->text;

  const bool is_cuda = table.contains("call");
  const auto name = keys.text("name");
  const auto syntax = keys.text(is_cuda ? "call" : "syntax");
  if (!is_cuda && (!name || name->text.empty())) report(mistakes, op.where, "an [[op]] needs a name, its opcode");
  if (!syntax)
    report(mistakes, op.where, "an [[op]] needs a syntax such as \"add.{type} {d:type}, {a:type}, {b:type}\"");
  if (is_cuda && table.contains("syntax"))
    report(mistakes, op.where, "an [[op]] has a syntax of PTX or a call of CUDA C");
  read_axes(keys, (syntax ? syntax->text : "") + (is_cuda && name ? name->text : ""), op);
  if ((!is_cuda && !name) || !syntax) return std::nullopt;

  if (name) op.name = name->text;
  read_cuda(keys, chapter, op);
  op.operand_names = operand_names(op, syntax->text);
  op.syntax = read_syntax(syntax->text, {op.axes, op.maps, objects}, syntax->where, mistakes);
  for (const Text& rule : keys.texts("only")) op.only.push_back(read_rule(rule.text, op.axes, rule.where, mistakes));
  for (const Text& rule : keys.texts("except")) {
    op.except.push_back(read_rule(rule.text, op.axes, rule.where, mistakes));
  }
  read_core(keys, op);
  read_requirement(keys, op);
  read_inputs(keys, op);
  read_carry(keys, op);
  read_launch(keys, op);
  read_consumed(keys, op);
  op.inout = names_in(keys, "inout", op.operand_names);
  if (table.contains("dependence")) op.dependence = keys.texts("dependence");
  op.consumers = keys.texts("consumers");
  for (const auto& [key, text] : {std::pair{"cleanup", &op.cleanup},
                                  {"directives", &op.directives},
                                  {"not_streamable", &op.not_streamable},
                                  {"depends_on_values", &op.depends_on_values},
                                  {"not_measurable", &op.not_measurable}}) {
    if (const auto written = keys.text(key)) *text = written->text;
  }
  return op;
}

}  // namespace ptxlat::isa
