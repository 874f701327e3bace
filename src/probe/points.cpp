// SPDX-License-Identifier: Apache-2.0
#include "probe/points.h"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/named_values.h"
#include "probe/readers.h"
#include "results/record.h"

namespace ptxlat::probe {

namespace {

using Texts = std::map<std::string, std::string, std::less<>>;

// Where the repetition that begins before `at` ends: at its {{/}}, skipping those of nested repetitions.
std::size_t end_of_repetition(std::string_view text, std::size_t at) {
  for (int depth = 1;;) {
    const auto hole = text.find("{{", at);
    if (hole == std::string_view::npos) throw std::invalid_argument("a repetition has no {{/}}");
    const auto rest = text.substr(hole + 2);
    if (rest.starts_with('#')) ++depth;
    if (rest.starts_with('/') && --depth == 0) return hole;
    at = hole + 2;
  }
}

// The limit on all points of a probe together: repetitions of repetitions, and texts that name each other, grow
// exponentially. The largest shipped probe has 9 MB in 430,000 pieces.
struct Allowance {
  std::uint64_t bytes = std::uint64_t{128} << 20;
  std::uint64_t pieces = 2'000'000;

  void take(std::uint64_t more) {
    if (pieces == 0 || more > bytes) throw std::invalid_argument("the kernels become too long");
    --pieces;
    bytes -= more;
  }
};

// Fills the holes of a kernel's text: {{expression}} becomes its value, and the text from {{#NAME expression}} to {{/}}
// is repeated that many times, with NAME counting from 0. {{name}} is kept: it belongs to the kernel.
class Filler {
 public:
  Filler(Names& names, const Texts& texts, Allowance& allowance)
      : names_(names), texts_(texts), allowance_(allowance) {}

  std::string filled(std::string_view text) {
    constexpr int deepest = 50;
    if (++depth_ > deepest) throw std::invalid_argument("too many repetitions or texts within each other");
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const auto open = std::min(text.find("{{", at), text.size());
      add(text.substr(at, open - at), result);
      if (open == text.size()) break;
      const auto close = text.find("}}", open);
      if (close == std::string_view::npos) throw std::invalid_argument("a hole is not closed");
      const auto hole = text.substr(open + 2, close - open - 2);
      at = close + 2;
      if (hole.starts_with('#')) {
        at = repeat(hole, text, at, result);
      } else {
        add(value_of(hole), result);
      }
    }
    --depth_;
    return result;
  }

 private:
  void add(std::string_view text, std::string& result) {
    allowance_.take(text.size());
    result += text;
  }

  std::string value_of(std::string_view hole) {
    if (hole == "name") return "{{name}}";
    const auto of_axis = texts_.find(hole);
    if (of_axis == texts_.end()) return fmt::format("{}", evaluate(hole, names_));
    // Within its own text a name is none.
    const auto text = of_axis->second;
    const auto node = texts_.extract(of_axis);
    auto value = filled(text);
    texts_[node.key()] = text;
    return value;
  }

  // Returns where the text goes on.
  std::size_t repeat(std::string_view hole, std::string_view text, std::size_t at, std::string& result) {
    constexpr std::string_view repetition_end = "{{/}}";
    const auto space = hole.find(' ');
    if (space == std::string_view::npos) throw std::invalid_argument("write {{#NAME expression}}");
    const std::string name(hole.substr(1, space - 1));
    if (names_.contains(name))
      throw std::invalid_argument(fmt::format("\"{}\" is already the name of something else", name));
    const auto end = end_of_repetition(text, at);
    const auto count = evaluate(hole.substr(space + 1), names_);
    for (std::int64_t i = 0; i < count; ++i) {
      names_[name] = i;
      add(filled(text.substr(at, end - at)), result);
    }
    names_.erase(name);
    return end + repetition_end.size();
  }

  Names& names_;
  Texts texts_;
  Allowance& allowance_;
  int depth_ = 0;
};

// Constants may depend on axes and on each other. Those that depend on an unknown one wait for the next turn; mistakes
// in those that are never resolved are thrown. Without `values` of axes they are left out.
Names names_of(const Probe& probe, const std::vector<std::int64_t>* values, Names names) {
  for (std::size_t i = 0; values != nullptr && i < values->size(); ++i) names[probe.axes[i].name] = (*values)[i];
  for (auto left = probe.constants; !left.empty();) {
    const auto before = left.size();
    std::string mistakes;
    for (auto constant = left.begin(); constant != left.end();) {
      try {
        names[constant->first] = evaluate(constant->second, names);
        constant = left.erase(constant);
      } catch (const std::invalid_argument& error) {
        mistakes += (mistakes.empty() ? "" : "; ") + std::string(error.what());
        ++constant;
      }
    }
    if (left.size() < before) continue;
    if (values == nullptr) break;
    throw std::invalid_argument(mistakes);
  }
  return names;
}

std::string name_of(const ProbeAxis& axis, std::int64_t value) {
  return axis.names.empty() ? fmt::format("{}", value) : axis.names[static_cast<std::size_t>(value)];
}

// The meanings of the names of a point's axes: themselves, and the texts that the probe has for them.
Texts texts_of(const Probe& probe, const std::vector<std::int64_t>& values) {
  Texts texts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (probe.axes[i].names.empty()) continue;
    const auto name = name_of(probe.axes[i], values[i]);
    texts[probe.axes[i].name] = name;
    for (const auto& [hole, of_axis] : probe.texts) {
      if (of_axis.axis == probe.axes[i].name) texts[hole] = of_axis.of_name.at(name);
    }
  }
  return texts;
}

// All combinations of the axes' values, the last axis fastest.
std::vector<std::vector<std::int64_t>> combinations_of(const Probe& probe) {
  std::size_t count = 1;
  std::vector<std::size_t> lengths;
  for (const auto& axis : probe.axes) {
    lengths.push_back(axis.values.size());
    count *= lengths.back();
  }
  std::vector<std::vector<std::int64_t>> all(count);
  for (std::size_t number = 0; number < count; ++number) {
    const auto places = results::places_of(number, lengths);
    for (std::size_t i = 0; i < places.size(); ++i) all[number].push_back(probe.axes[i].values[places[i]]);
  }
  return all;
}

std::string role_of(const Probe& probe, const std::vector<std::int64_t>& values) {
  std::string role;
  for (std::size_t i = 0; i < values.size(); ++i)
    role += fmt::format("{}{}={}", role.empty() ? "" : " ", probe.axes[i].name, name_of(probe.axes[i], values[i]));
  return role.empty() ? probe.name : role;
}

constexpr NamedValues<ptx::Succession, 3> succession_names = {{{ptx::Succession::stream, "stream"},
                                                               {ptx::Succession::graph, "graph"},
                                                               {ptx::Succession::synchronised, "synchronised"}}};

// The places of each axis of the samples. They must be as many as the words that are read.
std::vector<std::size_t> sample_counts_of(const Probe& probe, const ptx::Launch& launch, const Names& names) {
  std::vector<std::size_t> counts;
  std::uint64_t places = 1, words = 0;
  for (const auto& axis : probe.sample_axes) {
    const auto count = evaluate(axis.count, names);
    if (count < 1 || count > 1'000'000) throw std::invalid_argument("an axis of samples has 1 to 1000000 places");
    counts.push_back(static_cast<std::size_t>(count));
    places *= counts.back();
  }
  for (const auto& buffer : launch.buffers) words += buffer.read_words;
  if (!counts.empty() && places != words)
    throw std::invalid_argument(fmt::format("the axes of the samples have {} places for {} words", places, words));
  return counts;
}

ptx::Launch launch_of(const Probe& probe, const Names& names) {
  const auto whole = [&](const std::string& expression) {
    const auto value = evaluate(expression, names);
    if (!std::in_range<int>(value)) throw std::invalid_argument("a number is too large: " + expression);
    return static_cast<int>(value);
  };
  const auto unsigned_of = [&](const std::string& e) { return static_cast<std::uint64_t>(evaluate(e, names)); };
  ptx::Launch launch;
  launch.threads = whole(probe.threads);
  launch.ctas = whole(probe.ctas);
  launch.dynamic_shared = whole(probe.dynamic_shared);
  launch.carve_out = whole(probe.carve_out);
  launch.bank_bytes = whole(probe.bank_bytes);
  launch.persisting_bytes = unsigned_of(probe.persisting_bytes);
  launch.large_cluster = probe.large_cluster;
  // A kernel that answers thousands of questions must not be rebuilt for each.
  launch.keeps_buffers = probe.keeps_buffers || probe.infer;
  if (launch.threads < 1 || launch.threads > 1024) throw std::invalid_argument("a CTA has 1 to 1024 threads");
  constexpr int most_ctas = 1'000'000;
  if (launch.ctas < 1) throw std::invalid_argument("a launch has at least one CTA");
  if (launch.ctas > most_ctas) throw std::invalid_argument(fmt::format("a launch has at most {} CTAs", most_ctas));
  for (const auto& parameter : probe.parameters) launch.parameters.push_back(unsigned_of(parameter));
  for (const auto& buffer : probe.buffers)
    launch.buffers.push_back({unsigned_of(buffer.bytes), buffer.contents, unsigned_of(buffer.stride),
                              unsigned_of(buffer.seed), unsigned_of(buffer.read_words), buffer.is_texture,
                              unsigned_of(buffer.pitch), unsigned_of(buffer.box_row), unsigned_of(buffer.box_rows),
                              unsigned_of(buffer.swizzle), unsigned_of(buffer.alignment)});
  launch.output_ctas = find_reader(probe.reader)->reads_one ? 1 : launch.ctas;
  launch.output_words = probe.words;
  return launch;
}

Point point_of(const Probe& probe, const std::vector<std::int64_t>& values, const Names& device, Allowance& allowance) {
  auto names = names_of(probe, &values, device);
  Filler filler(names, texts_of(probe, values), allowance);
  Point point;
  point.trial.role = role_of(probe, values);
  point.trial.kernel.text = filler.filled(probe.kernel);
  for (const auto& text : probe.module) point.trial.kernel.module.push_back(filler.filled(text));
  point.trial.kernel.whole = probe.whole_kernel;
  point.trial.launch = launch_of(probe, names);
  const auto succession = filler.filled(probe.succession);
  const auto known = value_in(succession_names, succession);
  if (!known)
    throw std::invalid_argument(fmt::format("launches follow by stream, graph or synchronised, not {}", succession));
  point.trial.launch.succession = *known;
  point.trial.launches = probe.launches;
  point.sample_counts = sample_counts_of(probe, point.trial.launch, names);
  if (!probe.registers.empty()) point.registers = evaluate(probe.registers, names);
  point.count = evaluate(probe.count, names);
  if (point.count < 1) throw std::invalid_argument("count must be positive");
  if (probe.infer) point.inferred_bytes = static_cast<std::uint64_t>(evaluate(probe.infer->bytes, names));
  if (probe.infer) point.page_bytes = static_cast<std::uint64_t>(evaluate(probe.infer->page, names));
  if (probe.infer && !probe.infer->flush.empty()) {
    point.flush_bytes = static_cast<std::uint64_t>(evaluate(probe.infer->flush, names));
    point.flush_stride = static_cast<std::uint64_t>(evaluate(probe.infer->flush_stride, names));
    if (point.flush_stride == 0) throw std::invalid_argument("flush_stride must be positive");
  }
  for (const auto& [opcode, expression] : probe.opcodes) {
    const auto count = evaluate(expression, names);
    // A text of an axis may name an opcode, or none.
    if (const auto filled_in = filler.filled(opcode); !filled_in.empty()) {
      auto& all = point.opcodes[filled_in];
      if (__builtin_add_overflow(all, count, &all)) throw std::invalid_argument("too many of the opcode " + filled_in);
    }
  }
  return point;
}

}  // namespace

Names names_of(const gpu::DeviceInfo& device) {
  return {{"sms", device.sm_count},
          {"l2_bytes", device.l2_bytes},
          {"memory_bytes", static_cast<std::int64_t>(device.memory_bytes)},
          {"memory_bus_bits", device.memory_bus_bits},
          {"memory_clock_khz", device.memory_clock_khz},
          {"page_bytes", static_cast<std::int64_t>(device.page_bytes)},
          {"shared_per_sm", device.shared_per_sm},
          {"persisting_l2_bytes", device.persisting_l2_bytes},
          {"window_bytes", device.window_bytes}};
}

std::int64_t value_given(const Probe& probe, const series::FactRule& rule, const Names& device) {
  try {
    return evaluate(rule.value, names_of(probe, nullptr, device));
  } catch (const std::invalid_argument& error) {
    throw Error(ExitCode::catalogue, fmt::format("probe {}: {}: {}", probe.name, rule.quantity, error.what()),
                "docs/probes.md describes the files of a probe.");
  }
}

std::vector<std::string> roles_of(const Probe& probe) {
  std::vector<std::string> roles;
  for (const auto& values : combinations_of(probe)) roles.push_back(role_of(probe, values));
  return roles;
}

std::vector<Point> points_of(const Probe& probe, const Names& device) {
  // Mistakes in them are reported before anything is measured.
  for (const auto& rule : probe.facts) {
    if (rule.model == "given") value_given(probe, rule, device);
  }
  std::vector<Point> points;
  Allowance allowance;
  for (const auto& values : combinations_of(probe)) {
    try {
      points.push_back(point_of(probe, values, device, allowance));
    } catch (const std::invalid_argument& error) {
      throw Error(ExitCode::catalogue,
                  fmt::format("probe {} at {}: {}", probe.name, role_of(probe, values), error.what()),
                  "docs/probes.md describes the files of a probe.");
    }
  }
  return points;
}

}  // namespace ptxlat::probe
