#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/named_values.h"
#include "base/nearest_names.h"
#include "isa/rule.h"
#include "isa/toml.h"
#include "probe/expression.h"
#include "probe/probe.h"
#include "ptx/skeleton.h"

namespace ptxlat::probe {

namespace {

constexpr NamedValues<kernel::Buffer::Contents, 4> contents_names = {
    {{kernel::Buffer::Contents::zeros, "zeros"},
     {kernel::Buffer::Contents::random, "random"},
     {kernel::Buffer::Contents::ring, "ring"},
     {kernel::Buffer::Contents::permutation, "permutation"}}};
constexpr NamedValues<Reader, 3> reader_names = {
    {{Reader::per_step, "per_step"}, {Reader::throughput, "throughput"}, {Reader::timeline, "timeline"}}};

// One table of a probe file. Every mistake is an Error{catalogue} with its file and line.
class Section {
 public:
  Section(const toml::table& table, std::string file) : table_(table), file_(std::move(file)) {}

  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    throw Error(ExitCode::catalogue, fmt::format("{}:{}: {}", file_, node.source().begin.line, what),
                "docs/probes.md describes the files of probes.");
  }
  [[noreturn]] void fail(const std::string& what) const { fail(table_, what); }

  void only(const std::set<std::string>& known) const {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (known.contains(name)) continue;
      const auto nearest = nearest_names(name, {known.begin(), known.end()}, 1);
      fail(node, fmt::format("unknown key \"{}\"{}", name,
                             nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest.front())));
    }
  }

  std::string text(const char* key, std::string by_default = {}) const {
    const auto* node = table_.get(key);
    if (node == nullptr) return by_default;
    if (const auto value = node->value_exact<std::string>()) return *value;
    fail(*node, fmt::format("\"{}\" must be a string", key));
  }

  // A whole number or an expression.
  std::string expression(const char* key, const char* by_default) const {
    const auto* node = table_.get(key);
    return node == nullptr ? std::string(by_default) : expression_of(*node);
  }
  std::string expression_of(const toml::node& node) const {
    if (const auto number = node.value_exact<std::int64_t>()) return fmt::format("{}", *number);
    if (const auto text = node.value_exact<std::string>()) return *text;
    fail(node, "a whole number or an expression in quotes is wanted");
  }
  std::vector<std::string> expressions(const char* key) const {
    std::vector<std::string> found;
    for (const auto* node : elements(key)) found.push_back(expression_of(*node));
    return found;
  }

  bool flag(const char* key) const {
    const auto* node = table_.get(key);
    if (node == nullptr) return false;
    if (const auto value = node->value_exact<bool>()) return *value;
    fail(*node, fmt::format("\"{}\" must be true or false", key));
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
      found.emplace_back(*node->as_table(), file_);
    }
    return found;
  }

  Section section(const char* key) const {
    static const toml::table none;
    const auto* node = table_.get(key);
    if (node == nullptr) return {none, file_};
    if (!node->is_table()) fail(*node, fmt::format("write [{}]", key));
    return {*node->as_table(), file_};
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
  std::string file_;
};

// What an expression without names comes to.
std::int64_t number_of(const Section& section, const std::string& expression) {
  try {
    return evaluate(expression, {});
  } catch (const std::invalid_argument& error) {
    section.fail(error.what());
  }
}

std::vector<std::int64_t> values_of(const Section& axis) {
  std::vector<std::int64_t> values;
  for (const auto& expression : axis.expressions("values")) values.push_back(number_of(axis, expression));
  if (!axis.table().contains("from")) {
    if (values.empty()) axis.fail("an axis needs values, or from, to and per_doubling");
    return values;
  }
  const auto number = [&](const char* key, const char* by_default) {
    return number_of(axis, axis.expression(key, by_default));
  };
  const auto from = number("from", "0"), to = number("to", "0"), parts = number("per_doubling", "1");
  if (from < 1 || to < from || parts < 1)
    axis.fail("from, to and per_doubling must be positive, and from not above to");
  // 1, 1.5, 2, 3, 4 … for two parts: equal steps between one doubling and the next, all whole multiples of a part.
  for (auto base = from; base <= to; base *= 2) {
    for (std::int64_t part = 0; part < parts && base + base * part / parts <= to; ++part) {
      const auto value = base + base * part / parts;
      if (values.empty() || value != values.back()) values.push_back(value);
    }
  }
  return values;
}

void read_launch(const Section& launch, Probe& probe) {
  launch.only({"threads", "ctas", "dynamic_shared", "carve_out", "parameters", "launches"});
  probe.threads = launch.expression("threads", "1");
  probe.ctas = launch.expression("ctas", "1");
  probe.dynamic_shared = launch.expression("dynamic_shared", "0");
  probe.carve_out = launch.expression("carve_out", "0 - 1");
  probe.parameters = launch.expressions("parameters");
  probe.launches = static_cast<int>(number_of(launch, launch.expression("launches", "5")));
}

void read_reader(const Section& read, Probe& probe) {
  read.only({"reader", "count", "series", "unit", "words"});
  probe.reader = read.one_of("reader", reader_names);
  probe.count = read.expression("count", "1");
  probe.series = read.text("series", "value");
  probe.unit = read.text("unit", "cycles");
  for (const auto& word : read.expressions("words")) probe.words.push_back(static_cast<int>(number_of(read, word)));
  if (probe.words.empty()) probe.words = {0, 1};
  for (const int word : probe.words) {
    if (word < 0 || word >= kernel::words_per_slot)
      read.fail(fmt::format("a slot has words 0 to {}", kernel::words_per_slot - 1));
  }
}

void read_audit(const Section& audit, Probe& probe) {
  audit.only({"whole_kernel", "opcodes", "beside"});
  probe.whole_kernel = audit.flag("whole_kernel");
  const auto opcodes = audit.section("opcodes");
  for (const auto& [opcode, count] : opcodes.table())
    probe.opcodes[std::string(opcode.str())] = opcodes.expression_of(count);
  probe.beside = audit.expressions("beside");
  if (probe.opcodes.empty()) audit.fail("[audit.opcodes] must say how many of which opcodes the window has");
}

Probe read_probe(const std::filesystem::path& file) {
  toml::table root;
  try {
    root = toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    throw Error(ExitCode::catalogue,
                fmt::format("{}:{}: {}", file.string(), error.source().begin.line, error.description()));
  }
  const Section section(root, file.string());
  section.only(
      {"sentence", "cost", "ptx", "target", "constants", "axis", "launch", "buffer", "read", "audit", "infer"});
  Probe probe;
  probe.name = file.stem().string();
  probe.sentence = section.text("sentence");
  probe.cost = section.text("cost");
  if (probe.sentence.empty()) section.fail("a probe needs a sentence that says what it shows");
  if (const auto ptx = section.text("ptx"); !ptx.empty() && !isa::read_ptx_version(ptx, probe.requirement))
    section.fail(fmt::format("\"{}\" is not a PTX version such as 7.8", ptx));
  if (const auto target = section.text("target"); !target.empty() && !isa::read_targets(target, probe.requirement))
    section.fail(fmt::format("\"{}\" is not a target such as sm_90", target));
  const auto constants = section.section("constants");
  for (const auto& [name, value] : constants.table())
    probe.constants[std::string(name.str())] = constants.expression_of(value);
  for (const auto& axis : section.sections("axis")) {
    axis.only({"name", "unit", "values", "from", "to", "per_doubling"});
    const auto name = axis.text("name");
    if (name.empty()) axis.fail("an axis needs a name");
    if (std::any_of(probe.axes.begin(), probe.axes.end(), [&](const auto& other) { return other.name == name; }))
      axis.fail(fmt::format("there is an axis \"{}\" already", name));
    probe.axes.push_back({name, axis.text("unit"), values_of(axis)});
  }
  for (const auto& buffer : section.sections("buffer")) {
    buffer.only({"contents", "bytes", "stride", "seed", "read_words"});
    probe.buffers.push_back({buffer.one_of("contents", contents_names), buffer.expression("bytes", "0"),
                             buffer.expression("stride", "0"), buffer.expression("seed", "1"),
                             buffer.expression("read_words", "0")});
  }
  if (root.contains("infer")) {
    const auto infer = section.section("infer");
    infer.only({"kind", "space", "bytes"});
    probe.infer = ProbeInference{infer.text("kind"), infer.text("space"), infer.expression("bytes", "")};
    if (probe.infer->kind.empty() || probe.infer->space.empty()) infer.fail("an inference needs a kind and a space");
    if (probe.infer->bytes.empty()) infer.fail("an inference needs the bytes of its memory");
    if (probe.buffers.empty()) infer.fail("an inference needs a buffer");
  }
  read_launch(section.section("launch"), probe);
  read_reader(section.section("read"), probe);
  read_audit(section.section("audit"), probe);
  auto kernel = file;
  probe.kernel = ptx::load_skeleton(kernel.replace_extension(".ptx")).text;
  std::ostringstream text;
  text << root << probe.kernel;
  probe.text = std::move(text).str();
  return probe;
}

}  // namespace

std::vector<Probe> load_probes(const std::vector<std::filesystem::path>& folders) {
  std::vector<Probe> probes;
  for (const auto& folder : folders) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
    }
    if (error)
      throw Error(ExitCode::catalogue,
                  fmt::format("cannot read the probes in {}: {}", folder.string(), error.message()));
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      auto probe = read_probe(file);
      const auto same =
          std::find_if(probes.begin(), probes.end(), [&](const Probe& p) { return p.name == probe.name; });
      // A folder of one's own may replace a probe that is shipped.
      if (same != probes.end())
        *same = std::move(probe);
      else
        probes.push_back(std::move(probe));
    }
  }
  return probes;
}

}  // namespace ptxlat::probe
