// SPDX-License-Identifier: Apache-2.0
#include "results/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/limits.h"
#include "results/json_scanner.h"
#include "results/sass_text.h"

namespace ptxlat::results {

Json parse_json(std::string_view text) {
  int depth = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      if (c == '"') is_in_string = false;
    } else if (c == '"') {
      is_in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > most_json_depth) throw std::invalid_argument("it nests too deeply");
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw std::invalid_argument(fmt::format("it is not JSON at byte {}", error.byte));
  }
}

sass::Verdict verdict_named(const std::string& name) {
  const std::optional<sass::Verdict> verdict = sass::verdict_from(name);
  if (!verdict) throw std::invalid_argument("unknown verdict \"" + name + "\"");
  return *verdict;
}

Measure measure_named(const std::string& name) {
  const std::optional<Measure> measure = measure_from(name);
  if (!measure) throw std::invalid_argument("unknown measure \"" + name + "\"");
  return *measure;
}

namespace {

Json window_to_json(const WindowRecord& window, const WrittenCode& code_of) {
  Json json;
  json["role"] = window.role;
  put(json, "operand", window.operand);
  json["verdict"] = to_string(window.verdict);
  put(json, "reason", window.reason);
  json["static"] = window.static_cycles;
  if (window.static_is_lower_bound) json["static_is_lower_bound"] = true;
  put(json, "cycles", window.cycles);
  const bool all_equal = window.cycles && !window.samples.empty() &&
                         std::all_of(window.samples.begin(), window.samples.end(),
                                     [&](std::uint32_t sample) { return sample == *window.cycles; });
  if (all_equal) {
    json["launches"] = window.samples.size();
  } else if (!window.samples.empty()) {
    json["samples"] = window.samples;
  }
  if (window.mode_share != (all_equal ? 1.0 : 0.0)) json["mode_share"] = json_number(window.mode_share);
  put(json, "measured_as", window.measured_as);
  if (!window.sass.empty()) {
    json["at"] = fmt::format("{:04x}", window.sass.front().offset);
    json["sass"] = code_of(window);
  }
  return json;
}

// "launches" is one number in a file and as many in memory.
constexpr std::uint32_t most_launches = 10'000;

WindowRecord window_from_json(const Json& json, const ReadCode& code_of) {
  WindowRecord window;
  window.role = json.at("role").get<std::string>();
  window.operand = text_at(json, "operand");
  window.verdict = verdict_named(json.at("verdict").get<std::string>());
  window.reason = text_at(json, "reason");
  window.static_cycles = integer_at(json, "static", 0);
  window.static_is_lower_bound = json.value("static_is_lower_bound", false);
  window.cycles = number_at(json, "cycles");
  if (const auto launches = json.find("launches"); launches != json.end()) {
    const auto count = integer_of<std::uint32_t>(*launches);
    if (!window.cycles || count > most_launches) throw std::invalid_argument("\"launches\" without their cycles");
    window.samples.assign(count, integer_of<std::uint32_t>(json_number(window.cycles)));
    window.mode_share = 1;
  } else if (const auto samples = json.find("samples"); samples != json.end()) {
    window.samples = integers_of<std::uint32_t>(*samples);
  }
  window.mode_share = json.value("mode_share", window.mode_share);
  window.measured_as = text_at(json, "measured_as");
  if (const auto sass = json.find("sass"); sass != json.end()) {
    const int start_offset = sass_offset(json.at("at").get<std::string>());
    window.sass = sass_from_json(start_offset, code_of(*sass));
  }
  return window;
}

Json series_to_json(const Series& series) {
  Json json;
  json["name"] = series.name;
  put(json, "unit", series.unit);
  Json& axes = json["axes"] = Json::array();
  for (const Axis& axis : series.axes) {
    Json& one = axes.emplace_back();
    one["name"] = axis.name;
    put(one, "unit", axis.unit);
    Json& values = one["values"] = Json::array();
    for (const double value : axis.values) values.push_back(json_number(value));
    if (!axis.names.empty()) one["names"] = axis.names;
  }
  Json& values = json["values"] = Json::array();
  for (const auto& value : series.values) values.push_back(json_number(value));
  return json;
}

Series series_from_json(const Json& json) {
  Series series;
  series.name = json.at("name").get<std::string>();
  series.unit = text_at(json, "unit");
  std::size_t points = 1;
  for (const Json& one : json.at("axes")) {
    series.axes.push_back({one.at("name").get<std::string>(), text_at(one, "unit"), one.at("values"),
                           one.value("names", std::vector<std::string>{})});
    const auto& axis = series.axes.back();
    if (!axis.names.empty() && axis.names.size() != axis.values.size())
      throw std::invalid_argument("an axis with different numbers of names and values");
    points *= axis.values.size();
  }
  for (const Json& value : json.at("values")) series.values.push_back(optional_number(value));
  if (series.values.size() != points)
    throw std::invalid_argument("a series with different numbers of values and points");
  return series;
}

Json fact_to_json(const Fact& fact) {
  Json json;
  json["quantity"] = fact.quantity;
  put(json, "condition", fact.condition);
  put(json, "value", fact.value);
  put(json, "low", fact.low);
  put(json, "high", fact.high);
  put(json, "unit", fact.unit);
  put(json, "scope", fact.scope);
  json["verdict"] = to_string(fact.verdict);
  put(json, "how", fact.how);
  return json;
}

Fact fact_from_json(const Json& json) {
  Fact fact;
  fact.quantity = json.at("quantity").get<std::string>();
  fact.condition = text_at(json, "condition");
  fact.value = text_at(json, "value");
  fact.low = number_at(json, "low");
  fact.high = number_at(json, "high");
  fact.unit = text_at(json, "unit");
  fact.scope = text_at(json, "scope");
  const auto verdict = json.at("verdict").get<std::string>();
  if (const auto known = fact_verdict_from(verdict)) {
    fact.verdict = *known;
  } else {
    throw std::invalid_argument("unknown verdict \"" + verdict + "\" of a fact");
  }
  fact.how = text_at(json, "how");
  return fact;
}

template <class Item>
void put_list(Json& json, const char* key, const std::vector<Item>& items, Json (*item_to_json)(const Item&)) {
  if (items.empty()) return;
  Json& list = json[key] = Json::array();
  for (const Item& item : items) list.push_back(item_to_json(item));
}

template <class Item>
std::vector<Item> list_at(const Json& json, const char* key, Item (*item_from_json)(const Json&)) {
  std::vector<Item> items;
  if (const auto found = json.find(key); found != json.end()) {
    for (const Json& item : *found) items.push_back(item_from_json(item));
  }
  return items;
}

// A metric's value is a member of the record itself, so that `jq .cycles` finds it; the rarely needed rest is in
// separate members.
void put_metrics(Json& json, const std::vector<Metric>& metrics) {
  Json from = Json::object(), verdicts = Json::object();
  for (const Metric& metric : metrics) {
    const std::string tag(metric.tag);
    put(json, tag.c_str(), metric.value);
    if (!metric.from.empty()) from[tag] = metric.from;
    if (metric.verdict != sass::Verdict::proven) verdicts[tag] = to_string(metric.verdict);
  }
  if (!from.empty()) json["from"] = std::move(from);
  if (!verdicts.empty()) json["metric_verdicts"] = std::move(verdicts);
}

std::vector<Metric> metrics_in(const Json& json) {
  const auto from = json.find("from"), verdicts = json.find("metric_verdicts");
  std::vector<Metric> metrics;
  for (const MetricKind& kind : metric_kinds()) {
    const std::string tag(kind.tag);
    const auto value = number_at(json, tag.c_str());
    if (!value) continue;
    Metric& metric = metrics.emplace_back(Metric{kind.tag, *value, sass::Verdict::proven, {}});
    if (from != json.end()) metric.from = from->value(tag, metric.from);
    if (verdicts != json.end() && verdicts->contains(tag))
      metric.verdict = verdict_named(verdicts->at(tag).get<std::string>());
  }
  return metrics;
}

}  // namespace

Json to_json_without_windows(const Record& record) {
  Json json;
  if (record.kind != RecordKind::latency) json["kind"] = to_string(record.kind);
  json["ptx"] = record.ptx;
  put(json, "chapter", record.chapter);
  put(json, "operand", record.operand);
  put(json, "input", record.input);
  if (record.is_core) json["core"] = true;
  json["opt"] = record.level;
  json["verdict"] = to_string(record.verdict);
  put(json, "note", record.note);
  if (!record.flags.empty()) json["flags"] = record.flags;
  put_metrics(json, record.metrics);
  put_list(json, "facts", record.facts, fact_to_json);
  put_list(json, "series", record.series, series_to_json);
  if (!record.sass.empty()) json["sass"] = record.sass;
  json["sass_count"] = record.sass_count;
  if (record.measure) json["measure"] = to_string(*record.measure);
  put(json, "consumer", record.consumer);
  put(json, "differential_consumer", record.differential_consumer);
  put(json, "recipe", record.recipe);
  put(json, "code", record.code);
  if (record.code_of_level >= 0) json["code_of_opt"] = record.code_of_level;
  if (record.run != 0) json["run"] = record.run;
  return json;
}

Json to_json(const Record& record, const WrittenCode& code_of) {
  Json json = to_json_without_windows(record);
  if (record.windows.empty()) return json;
  Json& windows = json["windows"] = Json::array();
  for (const auto& window : record.windows) windows.push_back(window_to_json(window, code_of));
  return json;
}

Json to_json(const Record& record) {
  return to_json(record, [](const WindowRecord& window) { return Json(sass_lines(window.sass)); });
}

Record record_from_json(const Json& json, const ReadCode& code_of) {
  Record record;
  if (const auto kind = json.find("kind"); kind != json.end()) {
    const auto known = record_kind_from(kind->get<std::string>());
    if (!known) throw std::invalid_argument("unknown kind of record");
    record.kind = *known;
  }
  record.ptx = json.at("ptx").get<std::string>();
  record.chapter = text_at(json, "chapter");
  record.operand = text_at(json, "operand");
  record.input = text_at(json, "input");
  record.is_core = json.value("core", false);
  record.level = integer_of<int>(json.at("opt"));
  record.verdict = verdict_named(json.at("verdict").get<std::string>());
  record.note = text_at(json, "note");
  record.flags = json.value("flags", record.flags);
  record.metrics = metrics_in(json);
  record.facts = list_at(json, "facts", fact_from_json);
  record.series = list_at(json, "series", series_from_json);
  record.sass = json.value("sass", record.sass);
  record.sass_count = integer_at(json, "sass_count", 0);
  if (const auto measure = json.find("measure"); measure != json.end())
    record.measure = measure_named(measure->get<std::string>());
  record.consumer = text_at(json, "consumer");
  record.differential_consumer = text_at(json, "differential_consumer");
  record.recipe = text_at(json, "recipe");
  record.code = text_at(json, "code");
  record.code_of_level = integer_at(json, "code_of_opt", -1);
  record.run = integer_at(json, "run", 0);
  if (const auto windows = json.find("windows"); windows != json.end()) {
    for (const Json& window : *windows) record.windows.push_back(window_from_json(window, code_of));
  }
  return record;
}

Record record_from_json(const Json& json) {
  std::string text;
  return record_from_json(json, [&](const Json& code) { return std::string_view(text = code.dump()); });
}

Record record_from_text(std::string_view text, Code code) {
  // The code, which is most of it, is replaced by its number before the rest becomes a tree.
  std::vector<std::string_view> codes;
  std::string rest;
  JsonScanner scanner(text);
  const auto copy_members = [&](const auto& copy_value) {
    rest += '{';
    scanner.object([&](std::string_view key) {
      if (rest.back() != '{') rest += ',';
      rest += fmt::format("\"{}\":", key);
      copy_value(key);
    });
    rest += '}';
  };
  const auto copy_window_value = [&](std::string_view key) {
    const auto value = scanner.raw();
    if (key != "sass") {
      rest += value;
      return;
    }
    rest += std::to_string(codes.size());
    codes.push_back(value);
  };
  copy_members([&](std::string_view key) {
    if (key != "windows") {
      rest += scanner.raw();
      return;
    }
    rest += '[';
    scanner.array([&] {
      if (rest.back() != '[') rest += ',';
      copy_members(copy_window_value);
    });
    rest += ']';
  });
  scanner.end();
  const auto json = parse_json(rest);
  const auto code_of = [&](const Json& number) { return codes.at(integer_of<std::size_t>(number)); };
  if (code == Code::all) return record_from_json(json, code_of);
  auto record = record_from_json(json, [](const Json&) { return std::string_view("[]"); });
  for (const auto* window : published_windows(record)) {
    const auto number = static_cast<std::size_t>(window - record.windows.data());
    record.windows[number] = window_from_json(json.at("windows").at(number), code_of);
  }
  return record;
}

std::string to_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace ptxlat::results
