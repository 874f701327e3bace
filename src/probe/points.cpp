#include "probe/points.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/error.h"

namespace ptxlat::probe {

namespace {

// Where the repetition that begins before `at` ends: at its {{/}}, those of repetitions inside it skipped.
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

// A kernel's text with its holes filled: {{expression}} becomes its value, and the text from {{#NAME expression}} to
// {{/}} is repeated so many times, with NAME counting from 0. {{name}} stays: it is the kernel's.
std::string filled(std::string_view text, Names& names) {
  constexpr std::string_view repetition_end = "{{/}}";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto open = std::min(text.find("{{", at), text.size());
    result += text.substr(at, open - at);
    if (open == text.size()) break;
    const auto close = text.find("}}", open);
    if (close == std::string_view::npos) throw std::invalid_argument("a hole is not closed");
    const auto hole = text.substr(open + 2, close - open - 2);
    at = close + 2;
    if (!hole.starts_with('#')) {
      result += hole == "name" ? "{{name}}" : fmt::format("{}", evaluate(hole, names));
      continue;
    }
    const auto space = hole.find(' ');
    if (space == std::string_view::npos) throw std::invalid_argument("write {{#NAME expression}}");
    const std::string name(hole.substr(1, space - 1));
    if (names.contains(name)) throw std::invalid_argument(fmt::format("\"{}\" is the name of something else", name));
    const auto end = end_of_repetition(text, at);
    const auto count = evaluate(hole.substr(space + 1), names);
    for (names[name] = 0; names[name] < count; ++names[name]) result += filled(text.substr(at, end - at), names);
    names.erase(name);
    at = end + repetition_end.size();
  }
  return result;
}

// Constants may rest on axes and on constants whose names come before theirs.
Names names_of(const Probe& probe, const std::vector<std::int64_t>& values) {
  Names names;
  for (std::size_t i = 0; i < probe.axes.size(); ++i) names[probe.axes[i].name] = values[i];
  for (const auto& [name, expression] : probe.constants) names[name] = evaluate(expression, names);
  return names;
}

std::string role_of(const Probe& probe, const std::vector<std::int64_t>& values) {
  std::string role;
  for (std::size_t i = 0; i < values.size(); ++i)
    role += fmt::format("{}{}={}", role.empty() ? "" : " ", probe.axes[i].name, values[i]);
  return role.empty() ? probe.name : role;
}

kernel::Launch launch_of(const Probe& probe, const Names& names) {
  const auto whole = [&](const std::string& expression) { return static_cast<int>(evaluate(expression, names)); };
  const auto unsigned_of = [&](const std::string& e) { return static_cast<std::uint64_t>(evaluate(e, names)); };
  kernel::Launch launch;
  launch.threads = whole(probe.threads);
  launch.ctas = whole(probe.ctas);
  launch.dynamic_shared = whole(probe.dynamic_shared);
  launch.carve_out = whole(probe.carve_out);
  if (launch.threads < 1 || launch.threads > 1024) throw std::invalid_argument("a CTA has 1 to 1024 threads");
  if (launch.ctas < 1) throw std::invalid_argument("a launch has at least one CTA");
  for (const auto& parameter : probe.parameters) launch.parameters.push_back(unsigned_of(parameter));
  for (const auto& buffer : probe.buffers)
    launch.buffers.push_back({unsigned_of(buffer.bytes), buffer.contents, unsigned_of(buffer.stride),
                              unsigned_of(buffer.seed), unsigned_of(buffer.read_words)});
  launch.output_ctas = probe.reader == Reader::per_step ? 1 : launch.ctas;
  launch.output_words = probe.words;
  return launch;
}

Point point_of(const Probe& probe, const std::vector<std::int64_t>& values) {
  auto names = names_of(probe, values);
  Point point;
  point.trial.role = role_of(probe, values);
  point.trial.kernel.text = filled(probe.kernel, names);
  point.trial.kernel.whole = probe.whole_kernel;
  point.trial.launch = launch_of(probe, names);
  point.trial.launches = probe.launches;
  point.count = evaluate(probe.count, names);
  if (point.count < 1) throw std::invalid_argument("count must be positive");
  if (probe.infer) point.inferred_bytes = static_cast<std::uint64_t>(evaluate(probe.infer->bytes, names));
  for (const auto& [opcode, expression] : probe.opcodes) point.opcodes[opcode] = evaluate(expression, names);
  return point;
}

}  // namespace

std::vector<Point> points_of(const Probe& probe) {
  std::size_t count = 1;
  for (const auto& axis : probe.axes) count *= axis.values.size();
  std::vector<Point> points;
  for (std::size_t number = 0; number < count; ++number) {
    std::vector<std::int64_t> values(probe.axes.size());
    for (auto rest = number, i = values.size(); i-- > 0; rest /= probe.axes[i].values.size())
      values[i] = probe.axes[i].values[rest % probe.axes[i].values.size()];
    try {
      points.push_back(point_of(probe, values));
    } catch (const std::invalid_argument& error) {
      throw Error(ExitCode::catalogue,
                  fmt::format("probe {} at {}: {}", probe.name, role_of(probe, values), error.what()),
                  "docs/probes.md describes the files of probes.");
    }
  }
  return points;
}

}  // namespace ptxlat::probe
