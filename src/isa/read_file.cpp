// SPDX-License-Identifier: Apache-2.0
#include "isa/read_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "isa/read_op.h"
#include "isa/value.h"

namespace ptxlat::isa {
namespace {

// All files of the shipped catalogue have 55,000 together.
constexpr std::size_t most_forms = 200'000;

const std::vector<std::string> file_keys = {"chapter", "section", "header",   "audit",  "order",
                                            "op",      "object",  "consumer", "default"};
const std::vector<std::string> consumer_keys = {"name", "input", "opcode", "types", "result", "k", "text"};
const std::vector<std::string> object_keys = {"name",    "register", "module",  "declare", "once",           "each",
                                              "prepare", "again",    "address", "offset",  "dynamic_shared", "evicted"};
const std::set<std::string> consumer_holes = {"a", "k", "q", "t0", "t1", "u0", "u1", "p0"};

void check_keys(const toml::table& table, const std::vector<std::string>& known, const std::string& file,
                Mistakes& mistakes) {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    report(mistakes, location_of(node, file), fmt::format("unknown key \"{}\"{}", name, did_you_mean(name, known)));
  }
}

// The tables of [[key]]; anything else under that key is a mistake.
std::vector<const toml::table*> tables_of(const toml::table& root, const char* key, const std::string& file,
                                          Mistakes& mistakes) {
  std::vector<const toml::table*> tables;
  const toml::node* node = root.get(key);
  if (node == nullptr) return tables;
  const toml::array* array = node->as_array();
  if (array == nullptr || !array->is_homogeneous(toml::node_type::table)) {
    report(mistakes, location_of(*node, file), fmt::format("write [[{}]]", key));
    return tables;
  }
  for (const toml::node& item : *array) tables.push_back(item.as_table());
  return tables;
}

std::string string_of(const toml::table& table, const char* key, const std::string& file, Mistakes& mistakes) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return {};
  if (const auto text = node->value_exact<std::string>()) return *text;
  report(mistakes, location_of(*node, file), fmt::format("\"{}\" must be a string", key));
  return {};
}

int order_of(const toml::table& table, const std::string& file, Mistakes& mistakes) {
  const toml::node* node = table.get("order");
  if (node == nullptr) return Chapter::last;
  const auto order = node->value_exact<std::int64_t>();
  if (order && *order >= 0 && *order < Chapter::last) return static_cast<int>(*order);
  report(mistakes, location_of(*node, file), fmt::format("\"order\" must be a whole number below {}", Chapter::last));
  return Chapter::last;
}

void check_type(const std::string& type, const SourceLocation& where, Mistakes& mistakes) {
  if (find_type(type) != nullptr) return;
  report(mistakes, where, fmt::format("there is no type \"{}\"{}", type, did_you_mean(type, type_names())));
}

void check_consumer_text(const Consumer& consumer, Mistakes& mistakes) {
  static const std::regex hole(R"(\{([A-Za-z_]\w*)\})");
  std::set<std::string> holes;
  for (std::sregex_iterator match(consumer.text.begin(), consumer.text.end(), hole), end; match != end; ++match) {
    holes.insert((*match)[1]);
  }
  for (const std::string& name : holes) {
    if (consumer_holes.contains(name)) continue;
    report(mistakes, consumer.where, fmt::format("consumer \"{}\": no hole is called {{{}}}", consumer.name, name));
  }
  const auto demand = [&](bool is_met, const char* what) {
    if (!is_met) report(mistakes, consumer.where, fmt::format("consumer \"{}\": {}", consumer.name, what));
  };
  demand(holes.contains("a") && holes.contains("q"), "the text must read {a} and write {q}");
  demand(holes.contains("k") == !consumer.k_type.empty(), "k = \"type\" and the hole {k} go together");
  const auto last = consumer.text.find_last_not_of(" \t\n");
  demand(last != std::string::npos && consumer.text[last] == ';', "every statement of the text ends with ';'");
}

Consumer read_consumer(const toml::table& table, const std::string& file, Mistakes& mistakes) {
  check_keys(table, consumer_keys, file, mistakes);
  Consumer consumer;
  consumer.where = location_of(table, file);
  consumer.name = string_of(table, "name", file, mistakes);
  consumer.input = string_of(table, "input", file, mistakes);
  consumer.opcode = string_of(table, "opcode", file, mistakes);
  consumer.result = string_of(table, "result", file, mistakes);
  consumer.k_type = string_of(table, "k", file, mistakes);
  consumer.text = string_of(table, "text", file, mistakes);
  if (const toml::array* types = table["types"].as_array()) {
    for (const toml::node& type : *types) {
      consumer.types.push_back(type.value_or(std::string("?")));
      check_type(consumer.types.back(), location_of(type, file), mistakes);
    }
  }
  if (consumer.name.empty() || consumer.types.empty() || consumer.result.empty()) {
    report(mistakes, consumer.where, "a [[consumer]] needs name, types, result and text");
    return consumer;
  }
  check_type(consumer.result, consumer.where, mistakes);
  if (!consumer.k_type.empty()) check_type(consumer.k_type, consumer.where, mistakes);
  check_consumer_text(consumer, mistakes);
  return consumer;
}

std::optional<Offset> offset_of(const std::string& word) {
  if (word == "per lane") return Offset::per_lane;
  if (word == "same") return Offset::same;
  if (word == "uniform") return Offset::uniform;
  return std::nullopt;
}

Object read_object(const toml::table& table, const std::string& file, Mistakes& mistakes) {
  check_keys(table, object_keys, file, mistakes);
  Object object;
  object.where = location_of(table, file);
  object.name = string_of(table, "name", file, mistakes);
  if (const auto type = string_of(table, "register", file, mistakes); !type.empty()) object.register_type = type;
  object.module = string_of(table, "module", file, mistakes);
  object.declare = string_of(table, "declare", file, mistakes);
  object.once = string_of(table, "once", file, mistakes);
  object.each = string_of(table, "each", file, mistakes);
  object.prepare = string_of(table, "prepare", file, mistakes);
  object.again = string_of(table, "again", file, mistakes);
  object.is_address = table["address"].value_or(false);
  object.offset = object.is_address ? Offset::per_lane : Offset::same;
  if (const auto written = string_of(table, "offset", file, mistakes); !written.empty()) {
    const auto offset = offset_of(written);
    object.offset = offset.value_or(object.offset);
    if (!offset) {
      report(mistakes, object.where,
             fmt::format("object \"{}\": offset is \"per lane\", \"same\" or \"uniform\"", object.name));
    }
  }
  object.dynamic_shared = table["dynamic_shared"].value_or(0);
  object.is_evicted = table["evicted"].value_or(false);
  if (object.name.empty() || find_type(object.name) != nullptr) {
    report(mistakes, object.where, "an [[object]] needs a name that is not a register type");
  }
  if (object.each.find("{r}") == std::string::npos) {
    report(mistakes, object.where,
           fmt::format("object \"{}\": each = \"…\" must make its register {{r}}", object.name));
  }
  check_type(object.register_type, object.where, mistakes);
  return object;
}

DefaultText read_default(const std::string& type_name, const toml::node& node, const std::string& file,
                         Mistakes& mistakes) {
  DefaultText standard{{}, location_of(node, file)};
  check_type(type_name, standard.where, mistakes);
  const TypeInfo* type = find_type(type_name);
  const toml::array* array = node.as_array();
  if (array == nullptr || array->empty()) {
    report(mistakes, standard.where,
           fmt::format("the default of \"{}\" must be an array of strings, one for each source operand", type_name));
    return standard;
  }
  if (type == nullptr) return standard;
  for (const toml::node& item : *array) {
    std::string problem = "write a string such as \"8\" or \"1 .. 2\"";
    std::optional<Value> value;
    if (const auto text = item.value_exact<std::string>()) value = parse_value(*text, *type, problem);
    if (value && value->is_known_to_compiler) {
      problem = "a default cannot be known to the compiler";
      value.reset();
    }
    if (!value) report(mistakes, location_of(item, file), fmt::format("default of \"{}\": {}", type_name, problem));
    standard.values.push_back(value.value_or(Value{"0", "0", false}));
  }
  return standard;
}

// Names of CUDA C may be made of axes, or follow from the call.
bool has_other_name(const toml::table& op, const std::set<std::string>& names) {
  auto name = op["name"].value_or(std::string());
  name.resize(std::min(name.find('.'), name.size()));  // cp.async
  return !name.empty() && name.find('{') == std::string::npos && !names.contains(name);
}

}  // namespace

std::optional<toml::table> parse_file(const std::filesystem::path& path, Mistakes& mistakes) {
  try {
    return parse_toml(ptxlat::read_file(path), path.string());
  } catch (const Error& error) {
    report(mistakes, {path.string(), 0}, error.what());
    return std::nullopt;
  } catch (const toml::parse_error& error) {
    report(mistakes, {path.string(), static_cast<int>(error.source().begin.line)}, std::string(error.description()));
    return std::nullopt;
  }
}

std::vector<Object> read_objects(const toml::table& root, const std::string& file, Mistakes& mistakes) {
  std::vector<Object> objects;
  for (const toml::table* table : tables_of(root, "object", file, mistakes)) {
    objects.push_back(read_object(*table, file, mistakes));
  }
  return objects;
}

CatalogueFile read_file(const toml::table& root, const std::string& file, const Objects& objects,
                        const std::optional<std::set<std::string>>& opcodes, Mistakes& mistakes) {
  CatalogueFile contents;
  Chapter chapter;
  chapter.file = file;
  check_keys(root, file_keys, chapter.file, mistakes);
  chapter.name = string_of(root, "chapter", chapter.file, mistakes);
  chapter.section = string_of(root, "section", chapter.file, mistakes);
  chapter.header = string_of(root, "header", chapter.file, mistakes);
  if (const toml::node* header = root.get("header"))
    check_header(chapter.header, location_of(*header, chapter.file), mistakes);
  chapter.audit = read_audit(root, chapter.file, mistakes);
  chapter.order = order_of(root, chapter.file, mistakes);
  const auto ops = tables_of(root, "op", chapter.file, mistakes);
  if (!ops.empty() && chapter.name.empty()) {
    report(mistakes, {chapter.file, 1}, "a file of [[op]] begins with chapter = \"…\", the chapter of the PTX ISA");
  }
  for (const toml::table* table : ops) {
    if (opcodes && has_other_name(*table, *opcodes)) continue;
    const std::size_t mistakes_before = mistakes.size();
    const auto op = read_op(*table, chapter, objects.names, mistakes);
    // An entry that cannot be read would only repeat its mistakes in every form.
    if (!op || mistakes.size() != mistakes_before) continue;
    auto forms = expand(*op, objects, mistakes);
    if (contents.forms.size() + forms.size() > most_forms) {
      report(mistakes, op->where, fmt::format("the file has more than {} forms", most_forms));
      break;
    }
    std::move(forms.begin(), forms.end(), std::back_inserter(contents.forms));
  }
  for (const toml::table* table : tables_of(root, "consumer", chapter.file, mistakes)) {
    contents.consumers.push_back(read_consumer(*table, chapter.file, mistakes));
  }
  if (const toml::node* node = root.get("default")) {
    const toml::table* defaults = node->as_table();
    if (defaults == nullptr) {
      report(mistakes, location_of(*node, chapter.file), "write [default]");
      return contents;
    }
    for (const auto& [key, value] : *defaults) {
      const std::string type(key.str());
      contents.defaults[type] = read_default(type, value, chapter.file, mistakes);
    }
  }
  return contents;
}

}  // namespace ptxlat::isa
