// SPDX-License-Identifier: Apache-2.0
#include "simulator/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "base/environment.h"
#include "base/error.h"
#include "base/expression.h"
#include "base/file.h"
#include "isa/section.h"
#include "isa/toml.h"
#include "results/metric.h"
#include "simulator/value.h"

namespace ptxlat::simulator {

namespace {

namespace fs = std::filesystem;

constexpr const char* advice = "docs/export.md describes the data files of simulators.";
constexpr const char* extension = ".toml";

constexpr NamedValues<Source, 5> source_names = {{{Source::form, "form"},
                                                  {Source::sass, "sass"},
                                                  {Source::opcode, "opcode"},
                                                  {Source::fact, "fact"},
                                                  {Source::run, "run"}}};
constexpr NamedValues<Aggregate, 4> aggregate_names = {
    {{Aggregate::only, "only"}, {Aggregate::min, "min"}, {Aggregate::max, "max"}, {Aggregate::median, "median"}}};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// A string, or a list of them.
std::vector<std::string> one_or_more(const isa::Section& section, const char* key) {
  const auto* node = section.table().get(key);
  if (node == nullptr || !node->is_array()) return {section.text(key)};
  auto all = section.expressions(key);
  if (all.empty()) section.fail(fmt::format("\"{}\" is an empty list", key));
  return all;
}

// Columns of opcodes.csv.
constexpr std::array opcode_metrics{"latency", "interval", "throughput", "saturates_at", "pipe"};

void require_metric(const isa::Section& section, const Query& query) {
  const auto is_it = [&](const char* name) { return query.metric == name; };
  if (query.source == Source::opcode) {
    if (std::none_of(opcode_metrics.begin(), opcode_metrics.end(), is_it))
      section.fail(fmt::format("\"{}\" is none of {}", query.metric, fmt::join(opcode_metrics, ", ")));
  } else if (results::find_metric(query.metric) == nullptr) {
    section.fail(fmt::format("there is no metric \"{}\"", query.metric));
  }
}

// `option` is filled into the names of forms and opcodes: many options often have one shape.
Query read_query(const isa::Section& section, const std::string& name, const std::string& option) {
  Query query;
  query.name = name;
  std::vector<std::string> sources;
  for (const auto& [source, key] : source_names) {
    if (!section.table().contains(key)) continue;
    sources.emplace_back(key);
    query.source = source;
    for (const auto& wanted : one_or_more(section, key)) query.wanted.push_back(replaced(wanted, "{option}", option));
  }
  if (sources.size() != 1) section.fail("a query needs exactly one of form, sass, opcode, fact and run");
  query.aggregate = section.one_of("aggregate", aggregate_names);
  for (const auto& [word, meaning] : section.section("words").texts()) query.words[word] = meaning;
  switch (query.source) {
    case Source::form:
    case Source::sass:
      section.only({"form", "sass", "metric", "unit", "level", "operand", "input", "aggregate"});
      query.metric = section.text("metric", std::string(results::metric::cycles));
      query.unit = section.text("unit", "cycles");
      query.level = static_cast<int>(section.number("level", query.level));
      query.operand = section.text("operand");
      query.input = section.text("input");
      require_metric(section, query);
      break;
    case Source::opcode:
      section.only({"opcode", "metric", "unit", "aggregate", "words"});
      query.metric = section.text("metric");
      query.unit = section.text("unit", query.words.empty() ? "cycles" : "");
      require_metric(section, query);
      break;
    case Source::fact:
      section.only({"fact", "probe", "condition", "unit", "aggregate", "words"});
      query.probe = section.text("probe");
      query.condition = section.text("condition");
      query.unit = section.text("unit");
      if (query.unit.empty() && query.words.empty())
        section.fail("a query of a fact needs its unit, or the simulator's words for its words");
      break;
    case Source::run:
      section.only({"run", "words"});
      break;
  }
  return query;
}

Option read_option(const isa::Section& section, const std::string& name) {
  Option option{name, section.text("value"), static_cast<int>(section.number("digits", 0)), {}};
  constexpr int most_digits = 9;
  if (option.digits < 0 || option.digits > most_digits)
    section.fail(fmt::format("digits is from 0 to {}", most_digits));
  const auto queries = section.section("from");
  for (const auto& [key, node] : queries.table()) {
    const std::string of(key.str());
    option.queries.push_back(read_query(queries.section(of.c_str()), of, name));
  }
  if (option.queries.empty()) section.fail(fmt::format("{} has no query: a figure comes from a table", name));
  try {
    check_value(option);
  } catch (const std::invalid_argument& error) {
    section.fail(error.what());
  }
  return option;
}

Section read_section(const isa::Section& section, const OutputFile& file) {
  section.only({"head", "line", "tail", "option"});
  Section read{section.text("head"), section.text("line", "{option} {value}\n"), section.text("tail"), {}};
  if (file.is_laid_over && read.line != "{option} {value}\n")
    section.fail("the lines of a file that is laid over another one are \"{option} {value}\"");
  for (const auto& option : section.sections("option")) {
    option.only({"name", "value", "digits", "from"});
    for (const auto& name : one_or_more(option, "name")) {
      if (name.empty()) option.fail("an option needs a name");
      read.options.push_back(read_option(option, name));
    }
  }
  return read;
}

Target read(const fs::path& file, bool may_refer);

// The file of the same name of another target, which lies beside this one.
OutputFile read_from_other(const isa::Section& section, const std::string& name, const fs::path& other) {
  section.only({"name", "same_as"});
  for (auto& file : read(other, false).files) {
    if (file.name == name) return std::move(file);
  }
  section.fail(fmt::format("{} has no file {}", other.filename().string(), name));
}

OutputFile read_output_file(const isa::Section& section, const fs::path& folder, bool may_refer) {
  OutputFile file{section.text("name"), section.text("comment", "#"), section.flag("laid_over"), {}};
  if (!is_name_beneath(file.name)) section.fail("a file needs a name inside the export's folder");
  if (const auto other = section.text("same_as"); !other.empty()) {
    if (!may_refer) section.fail("the target that `same_as` names has `same_as` itself");
    return read_from_other(section, file.name, folder / other);
  }
  section.only({"name", "comment", "laid_over", "section"});
  for (const auto& part : section.sections("section")) file.sections.push_back(read_section(part, file));
  return file;
}

// `may_refer`: whether its files may be those of another target.
Target read(const fs::path& file, bool may_refer) {
  toml::table root;
  try {
    root = isa::parse_toml(read_file(file, ExitCode::catalogue, advice), file.string());
  } catch (const toml::parse_error& error) {
    throw Error(ExitCode::catalogue,
                fmt::format("{}:{}: {}", file.string(), error.source().begin.line, error.description()), advice);
  }
  const isa::Section section(root, file.string(), advice);
  section.only({"sentence", "file"});
  Target target{file.stem().string(), section.text("sentence"), {}};
  for (const auto& one : section.sections("file"))
    target.files.push_back(read_output_file(one, file.parent_path(), may_refer));
  if (target.files.empty()) section.fail("a simulator needs a [[file]]");
  return target;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace

std::string text_of(const Query& query) {
  std::string text = fmt::format("{} = \"{}\"", name_in(source_names, query.source), fmt::join(query.wanted, "\", \""));
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format(", {} = \"{}\"", key, value);
  };
  add("metric", query.metric);
  add("operand", query.operand);
  add("input", query.input);
  add("probe", query.probe);
  add("condition", query.condition);
  if (query.aggregate != Aggregate::only) add("aggregate", name_in(aggregate_names, query.aggregate));
  return text;
}

Target read_target(const fs::path& file) { return read(file, true); }

fs::path targets_folder() {
  const auto is_folder = [](const fs::path& folder) {
    std::error_code ignored;
    return fs::is_directory(folder, ignored);
  };
  if (const char* chosen = std::getenv("PTXLAT_SIMULATORS"); chosen != nullptr && *chosen != '\0') {
    if (is_folder(chosen)) return chosen;
    throw Error(ExitCode::catalogue, std::string("PTXLAT_SIMULATORS is not a folder: ") + chosen);
  }
  if (auto found = data_folder("simulators", is_folder); !found.empty()) return found;
  throw Error(ExitCode::catalogue, "the folder simulators was not found above " + program_folder().string(),
              "Set PTXLAT_SIMULATORS to the folder simulators of the ptxlat sources.");
}

Target find_target(const std::string& name_or_file) {
  if (name_or_file.ends_with(extension) || name_or_file.find('/') != std::string::npos) {
    if (is_file(name_or_file)) return read_target(name_or_file);
    throw Error(ExitCode::unknown_name, fmt::format("{} is not a file", name_or_file), advice);
  }
  const auto folder = targets_folder();
  if (const auto file = folder / (name_or_file + extension); is_file(file)) return read_target(file);
  std::vector<std::string> names;
  for (const auto& file : entries_of(folder)) {
    if (file.extension() == extension) names.push_back(file.stem().string());
  }
  throw Error(ExitCode::unknown_name, fmt::format("no such simulator: {}", name_or_file),
              fmt::format("There are {}; or name a data file of your own. {}", fmt::join(names, ", "), advice));
}

}  // namespace ptxlat::simulator
