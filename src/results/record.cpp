#include "results/record.h"

#include <array>
#include <utility>

namespace ptxlat {

namespace {

constexpr std::array<std::pair<Verdict, const char*>, 10> verdict_names = {{
    {Verdict::proven, "proven"},
    {Verdict::fused, "fused"},
    {Verdict::elided, "elided"},
    {Verdict::contaminated, "contaminated"},
    {Verdict::unstable, "unstable"},
    {Verdict::unsupported, "unsupported"},
    {Verdict::rejected, "rejected"},
    {Verdict::fault, "fault"},
    {Verdict::timeout, "timeout"},
    {Verdict::no_dependency, "no_dependency"},
}};

}  // namespace

const char* to_string(Verdict verdict) {
  for (const auto& [value, name] : verdict_names) {
    if (value == verdict) return name;
  }
  return "?";
}

std::optional<Verdict> verdict_from(const std::string& name) {
  for (const auto& [value, verdict_name] : verdict_names) {
    if (name == verdict_name) return value;
  }
  return std::nullopt;
}

}  // namespace ptxlat
