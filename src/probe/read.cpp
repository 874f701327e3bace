// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/expression.h"
#include "base/file.h"
#include "isa/rule.h"
#include "isa/section.h"
#include "isa/toml.h"
#include "probe/probe.h"
#include "probe/readers.h"
#include "ptx/skeleton.h"

namespace ptxlat::probe {

namespace {

using isa::Section;

constexpr NamedValues<ptx::Buffer::Contents, 5> contents_names = {{{ptx::Buffer::Contents::zeros, "zeros"},
                                                                   {ptx::Buffer::Contents::random, "random"},
                                                                   {ptx::Buffer::Contents::ring, "ring"},
                                                                   {ptx::Buffer::Contents::permutation, "permutation"},
                                                                   {ptx::Buffer::Contents::self, "self"}}};
// The value of an expression without names.
std::int64_t number_of(const Section& section, const std::string& expression) {
  try {
    return evaluate(expression, {});
  } catch (const std::invalid_argument& error) {
    section.fail(error.what());
  }
}

int int_of(const Section& section, const std::string& expression) {
  const auto value = number_of(section, expression);
  if (!std::in_range<int>(value)) section.fail("the number is too large: " + expression);
  return static_cast<int>(value);
}

// Points of a probe, and so values of an axis: the largest shipped probe has a few thousand.
constexpr std::size_t most_points = 100'000;

void add_value(const Section& axis, std::int64_t value, std::vector<std::int64_t>& values) {
  if (values.size() == most_points) axis.fail(fmt::format("an axis has at most {} values", most_points));
  values.push_back(value);
}

// Numbers in `values`, or equal steps between one doubling and the next.
std::vector<std::int64_t> numbers_of(const Section& axis) {
  std::vector<std::int64_t> values;
  for (const auto& expression : axis.expressions("values")) values.push_back(number_of(axis, expression));
  if (!axis.table().contains("from")) {
    if (values.empty()) axis.fail("an axis needs values, or from, to and per_doubling or step, or names");
    return values;
  }
  const auto number = [&](const char* key, const char* by_default) {
    return number_of(axis, axis.expression(key, by_default));
  };
  const auto from = number("from", "0"), to = number("to", "0"), parts = number("per_doubling", "1");
  if (axis.table().contains("step")) {
    const auto step = number("step", "1");
    if (step < 1 || to < from) axis.fail("step must be positive, and from not above to");
    // Counted by what is left, so that nothing passes the largest number.
    for (auto value = from;; value += step) {
      add_value(axis, value, values);
      if (static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(value) < static_cast<std::uint64_t>(step)) break;
    }
    return values;
  }
  if (from < 1 || to < from || parts < 1)
    axis.fail("from, to and per_doubling must be positive, and from not above to");
  constexpr std::int64_t largest = std::int64_t{1} << 48, most_parts = 1024;
  if (to > largest || parts > most_parts)
    axis.fail(fmt::format("to is at most {}, per_doubling at most {}", largest, most_parts));
  // 1, 1.5, 2, 3, 4 … for two parts, all whole multiples of a part.
  for (auto base = from; base <= to; base *= 2) {
    for (std::int64_t part = 0; part < parts && base + base * part / parts <= to; ++part) {
      const auto value = base + base * part / parts;
      if (values.empty() || value != values.back()) add_value(axis, value, values);
    }
  }
  return values;
}

ProbeAxis read_axis(const Section& axis, const Probe& probe) {
  axis.only({"name", "unit", "values", "names", "from", "to", "per_doubling", "step"});
  ProbeAxis read{axis.text("name"), axis.text("unit"), {}, axis.expressions("names")};
  if (read.name.empty()) axis.fail("an axis needs a name");
  if (std::any_of(probe.axes.begin(), probe.axes.end(), [&](const auto& other) { return other.name == read.name; }))
    axis.fail(fmt::format("there is already an axis \"{}\"", read.name));
  if (std::set(read.names.begin(), read.names.end()).size() != read.names.size())
    axis.fail(fmt::format("\"{}\" has a name twice", read.name));
  if (!read.names.empty() && (axis.table().contains("values") || axis.table().contains("from")))
    axis.fail("an axis has names or numbers, but not both");
  for (std::size_t i = 0; i < read.names.size(); ++i) read.values.push_back(static_cast<std::int64_t>(i));
  if (read.names.empty()) read.values = numbers_of(axis);
  return read;
}

// [text.NAME]: a text for each name of one axis.
void read_texts(const Section& texts, Probe& probe) {
  for (const auto& [hole, node] : texts.table()) {
    const std::string name(hole.str());
    ProbeTexts read{"", texts.section(name.c_str()).texts()};
    for (const auto& axis : probe.axes) {
      std::set<std::string> names(axis.names.begin(), axis.names.end()), known;
      for (const auto& [of_name, text] : read.of_name) known.insert(of_name);
      if (names.empty() || names != known) continue;
      if (!read.axis.empty())
        texts.fail(node, fmt::format("[text.{}] could be for \"{}\" and for \"{}\"", name, read.axis, axis.name));
      read.axis = axis.name;
    }
    if (read.axis.empty())
      texts.fail(node, fmt::format("[text.{}] must have a text for each name of an axis, and no others", name));
    probe.texts[name] = std::move(read);
  }
}

// "16 KiB" as a series names it, "16384"; a name is unchanged.
std::string plain(const std::string& value) {
  try {
    return fmt::format("{}", evaluate(value, {}));
  } catch (const std::invalid_argument&) {
    return value;
  }
}

// The labels of the values of an axis of the probe's series; empty for an unknown axis.
std::set<std::string> places_of(const Probe& probe, const std::string& name) {
  std::set<std::string> places;
  for (const auto& axis : probe.axes) {
    if (axis.name != name) continue;
    places.insert(axis.names.begin(), axis.names.end());
    for (const auto value : axis.values) {
      if (axis.names.empty()) places.insert(fmt::format("{}", value));
    }
  }
  return places;
}

// The axes that the reader adds; their values are known after reading.
bool is_made_by_reader(const std::string& axis, const Probe& probe) {
  const auto makes = [&](const Reader& reader) {
    return std::find(reader.axes.begin(), reader.axes.end(), axis) != reader.axes.end();
  };
  return std::any_of(readers().begin(), readers().end(), makes) ||
         std::any_of(probe.sample_axes.begin(), probe.sample_axes.end(),
                     [&](const SampleAxis& of_samples) { return of_samples.name == axis; });
}

void require_sense(const Section& fact, const series::FactRule& rule, const Probe& probe) {
  const auto require_axis = [&](const std::string& axis) {
    if (!is_made_by_reader(axis, probe) && places_of(probe, axis).empty())
      fact.fail(fmt::format("there is no axis \"{}\"", axis));
  };
  for (const auto& axis : rule.by) require_axis(axis);
  for (const auto& [axis, wanted] : rule.where) {
    require_axis(axis);
    const auto places = places_of(probe, axis);
    for (const auto& place : wanted) {
      if (!places.empty() && !places.contains(place))
        fact.fail(fmt::format("the axis \"{}\" has no \"{}\"", axis, place));
    }
  }
  const auto needs = series::find_model(rule.model)->needs;
  if (needs == series::Needs::levels && rule.levels.empty())
    fact.fail(fmt::format("{} needs the names of its `levels`, in their order", rule.model));
  if (needs == series::Needs::places && (rule.like.empty() || rule.unlike.empty()))
    fact.fail(fmt::format("{} needs the places `like` and `unlike`", rule.model));
  if (needs == series::Needs::value && rule.value.empty()) fact.fail("given needs a `value`");
  if (rule.scope != "kind" && rule.scope != "card") fact.fail(fmt::format("\"{}\" is not kind or card", rule.scope));
  if (rule.how.empty()) fact.fail("a fact needs a sentence in `how` that says how it was found");
}

// The name of one of `all`.
template <class All>
std::string name_among(const All& all, const Section& section, const char* key, const std::string& by_default) {
  auto name = section.text(key, by_default);
  std::vector<std::string_view> names;
  for (const auto& one : all) names.push_back(one.name);
  if (std::find(names.begin(), names.end(), name) == names.end())
    section.fail(*section.table().get(key), fmt::format("\"{}\" is none of {}", name, fmt::join(names, ", ")));
  return name;
}

series::FactRule read_fact(const Section& fact, const Probe& probe) {
  fact.only({"quantity", "model", "unit", "scope", "by", "levels", "like", "unlike", "where", "value", "tolerance",
             "least", "how"});
  series::FactRule rule;
  rule.quantity = fact.text("quantity");
  if (rule.quantity.empty()) fact.fail("a fact needs a quantity");
  rule.model = name_among(series::fact_models(), fact, "model", rule.model);
  rule.unit = fact.text("unit");
  rule.scope = fact.text("scope", "kind");
  rule.by = fact.expressions("by");
  rule.levels = fact.expressions("levels");
  rule.like = fact.text("like");
  rule.unlike = fact.text("unlike");
  rule.value = fact.expression("value", "");
  rule.how = fact.text("how");
  rule.tolerance = fact.number("tolerance", rule.tolerance);
  rule.least = fact.number("least", rule.least);
  const auto where = fact.section("where");
  for (const auto& [axis, node] : where.table()) {
    const std::string name(axis.str());
    for (const auto& value : where.expressions(name.c_str())) rule.where[name].push_back(plain(value));
  }
  require_sense(fact, rule, probe);
  return rule;
}

void read_launch(const Section& launch, Probe& probe) {
  launch.only({"threads", "ctas", "dynamic_shared", "carve_out", "bank_bytes", "large_cluster", "keeps_buffers",
               "may_fail", "may_hang", "by", "persisting_bytes", "parameters", "launches", "rounds", "processes"});
  probe.threads = launch.expression("threads", probe.threads);
  probe.ctas = launch.expression("ctas", probe.ctas);
  probe.dynamic_shared = launch.expression("dynamic_shared", probe.dynamic_shared);
  probe.carve_out = launch.expression("carve_out", probe.carve_out);
  probe.bank_bytes = launch.expression("bank_bytes", probe.bank_bytes);
  probe.persisting_bytes = launch.expression("persisting_bytes", probe.persisting_bytes);
  probe.large_cluster = launch.flag("large_cluster");
  probe.keeps_buffers = launch.flag("keeps_buffers");
  probe.may_fail = launch.flag("may_fail");
  probe.may_hang = launch.flag("may_hang");
  probe.succession = launch.text("by", probe.succession);
  probe.parameters = launch.expressions("parameters");
  if (launch.table().contains("launches")) probe.launches = int_of(launch, launch.expression("launches", ""));
  constexpr int most_launches = 10'000;
  if (probe.launches < 1 || probe.launches > most_launches)
    launch.fail(fmt::format("launches are 1 to {}", most_launches));
  // A series without facts is one that a person looks at, and machine code is the same in each round.
  constexpr int usual_rounds = 3, most_rounds = 100;
  const bool has_rounds = !probe.infer && !probe.facts.empty() && find_reader(probe.reader)->of_code == nullptr;
  if (has_rounds) probe.rounds = usual_rounds;
  if (launch.table().contains("rounds")) probe.rounds = int_of(launch, launch.expression("rounds", ""));
  if (probe.rounds < 1 || probe.rounds > most_rounds || (probe.rounds > 1 && !has_rounds))
    launch.fail(fmt::format("rounds are 1 to {}, of a series with facts that launches give", most_rounds));
  if (launch.table().contains("processes")) probe.processes = int_of(launch, launch.expression("processes", ""));
  if (probe.processes < 1 || probe.rounds % probe.processes != 0)
    launch.fail(fmt::format("processes share the {} rounds equally", probe.rounds));
}

void read_reader(const Section& read, Probe& probe) {
  read.only({"reader", "count", "series", "unit", "words", "names", "axis"});
  probe.reader = name_among(readers(), read, "reader", probe.reader);
  probe.count = read.expression("count", probe.count);
  probe.series = read.text("series", probe.series);
  probe.unit = read.text("unit", probe.unit);
  if (read.table().contains("words")) probe.words.clear();
  for (const auto& word : read.expressions("words")) probe.words.push_back(int_of(read, word));
  if (probe.words.empty()) read.fail("`words` is empty");
  probe.word_names = read.expressions("names");
  if (!probe.word_names.empty() && probe.word_names.size() != probe.words.size())
    read.fail("`names` and `words` must have the same length");
  for (const auto& axis : read.sections("axis")) {
    axis.only({"name", "count", "from", "step", "names"});
    auto& of_samples = probe.sample_axes.emplace_back(SampleAxis{axis.text("name"), axis.expression("count", ""),
                                                                 axis.number("from", 0), axis.number("step", 1),
                                                                 axis.expressions("names")});
    if (of_samples.name.empty()) axis.fail("an axis needs a name");
    if (of_samples.count.empty() == of_samples.names.empty()) axis.fail("an axis of samples needs a count, or names");
    if (of_samples.count.empty()) of_samples.count = fmt::format("{}", of_samples.names.size());
  }
  if (!probe.sample_axes.empty() && probe.reader != "samples") read.fail("only samples have axes of their own");
  for (const int word : probe.words) {
    if (word < 0 || word >= ptx::words_per_slot)
      read.fail(fmt::format("a slot has words 0 to {}", ptx::words_per_slot - 1));
  }
}

void read_audit(const Section& audit, Probe& probe) {
  audit.only({"whole_kernel", "opcodes", "beside", "without", "registers"});
  probe.registers = audit.expression("registers", "");
  probe.whole_kernel = audit.flag("whole_kernel");
  const auto opcodes = audit.section("opcodes");
  for (const auto& [opcode, count] : opcodes.table())
    probe.opcodes[std::string(opcode.str())] = opcodes.expression_of(count);
  probe.beside = audit.expressions("beside");
  probe.without = audit.expressions("without");
  if (!probe.beside.empty() && !probe.without.empty()) audit.fail("give `beside` or `without`, but not both");
  if (probe.opcodes.empty()) audit.fail("[audit.opcodes] must say how often the window has each opcode");
}

Probe read_probe(const std::filesystem::path& file) {
  toml::table root;
  try {
    root = isa::parse_toml(read_file(file, ExitCode::catalogue, ""), file.string());
  } catch (const toml::parse_error& error) {
    throw Error(ExitCode::catalogue,
                fmt::format("{}:{}: {}", file.string(), error.source().begin.line, error.description()));
  }
  const Section section(root, file.string(), "docs/probes.md describes the files of a probe.");
  section.only({"sentence", "cost", "source", "ptx", "target", "module", "constants", "axis", "text", "launch",
                "buffer", "read", "fact", "audit", "infer"});
  Probe probe;
  probe.name = file.stem().string();
  probe.sentence = section.text("sentence");
  probe.cost = section.text("cost");
  if (probe.sentence.empty()) section.fail("a probe needs a sentence that says what it shows");
  if (const auto ptx = section.text("ptx"); !ptx.empty() && !isa::read_ptx_version(ptx, probe.requirement))
    section.fail(fmt::format("\"{}\" is not a PTX version such as 7.8", ptx));
  if (const auto target = section.text("target"); !target.empty() && !isa::read_targets(target, probe.requirement))
    section.fail(fmt::format("\"{}\" is not a target such as sm_90", target));
  if (const auto module = section.text("module"); !module.empty()) probe.module.push_back(module);
  for (const auto& [paper, item] : section.section("source").texts()) {
    if (std::find(paper_names.begin(), paper_names.end(), paper) == paper_names.end())
      section.section("source").fail(fmt::format("\"{}\" is none of {}", paper, fmt::join(paper_names, ", ")));
    probe.sources.push_back({paper, item});
  }
  const auto constants = section.section("constants");
  for (const auto& [name, value] : constants.table())
    probe.constants[std::string(name.str())] = constants.expression_of(value);
  constexpr std::size_t most_constants = 1000;
  if (probe.constants.size() > most_constants) section.fail("too many constants");
  std::size_t points = 1;
  for (const auto& axis : section.sections("axis")) {
    probe.axes.push_back(read_axis(axis, probe));
    points *= probe.axes.back().values.size();  // at most the square of the limit
    if (points > most_points) axis.fail(fmt::format("a probe has at most {} points", most_points));
  }
  read_texts(section.section("text"), probe);
  read_reader(section.section("read"), probe);
  for (const auto& fact : section.sections("fact")) probe.facts.push_back(read_fact(fact, probe));
  for (const auto& buffer : section.sections("buffer")) {
    buffer.only({"contents", "bytes", "stride", "seed", "read_words", "texture", "pitch", "box_row", "box_rows",
                 "swizzle", "alignment"});
    probe.buffers.push_back(
        {buffer.one_of("contents", contents_names), buffer.expression("bytes", "0"), buffer.expression("stride", "0"),
         buffer.expression("seed", "1"), buffer.expression("read_words", "0"), buffer.flag("texture"),
         buffer.expression("pitch", "0"), buffer.expression("box_row", "0"), buffer.expression("box_rows", "0"),
         buffer.expression("swizzle", "0"), buffer.expression("alignment", "0")});
  }
  if (root.contains("infer")) {
    const auto infer = section.section("infer");
    infer.only({"kind", "space", "bytes", "flush", "flush_stride", "operators", "conditional", "leaves_out", "page"});
    auto& wanted = probe.infer.emplace();
    wanted.kind = infer.text("kind");
    wanted.space = infer.text("space");
    wanted.bytes = infer.expression("bytes", "");
    wanted.flush = infer.expression("flush", "");
    wanted.flush_stride = infer.expression("flush_stride", "128");
    wanted.page = infer.expression("page", wanted.page);
    wanted.operators = infer.expressions("operators");
    wanted.conditional = infer.expressions("conditional");
    wanted.leaves_out = infer.expressions("leaves_out");
    if (probe.infer->kind.empty() || probe.infer->space.empty()) infer.fail("an inference needs a kind and a space");
    if (probe.infer->bytes.empty()) infer.fail("an inference needs the bytes of its memory");
    if (probe.buffers.empty()) infer.fail("an inference needs a buffer");
    if (!probe.infer->flush.empty() && probe.buffers.size() < 2)
      infer.fail("a kernel that takes commands needs a second buffer, for its answers");
  }
  read_launch(section.section("launch"), probe);
  if (probe.may_hang && probe.reader != "words")
    section.fail("what may hang is read as words, of which the first is the outcome");
  read_audit(section.section("audit"), probe);
  auto kernel = file;
  probe.kernel = ptx::load_skeleton(kernel.replace_extension(".ptx")).text;
  if (probe.kernel.find("[out]") == std::string::npos)
    section.fail("the kernel does not load its parameter `out`; a launch that stores nothing there counts as a fault");
  std::ostringstream text;
  text << root << probe.kernel;
  probe.text = std::move(text).str();
  return probe;
}

}  // namespace

std::vector<Probe> load_probes(const std::vector<std::filesystem::path>& folders) {
  std::vector<Probe> probes;
  for (const auto& folder : folders) {
    for (const auto& file : entries_of(folder, ExitCode::catalogue)) {
      if (file.extension() != ".toml") continue;
      auto probe = read_probe(file);
      const auto same =
          std::find_if(probes.begin(), probes.end(), [&](const Probe& p) { return p.name == probe.name; });
      // A user's folder may replace a shipped probe.
      if (same != probes.end())
        *same = std::move(probe);
      else
        probes.push_back(std::move(probe));
    }
  }
  return probes;
}

}  // namespace ptxlat::probe
