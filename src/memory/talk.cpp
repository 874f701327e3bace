// SPDX-License-Identifier: Apache-2.0
#include "memory/talk.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "results/json.h"

namespace ptxlat::memory {

using results::Json;

std::string info_line(const MachineInfo& info) {
  Json json = {{"kind", info.kind},
               {"space", info.space},
               {"bytes", info.bytes},
               {"operators", info.operators},
               {"sms", info.sms}};
  if (info.most_accesses != MachineInfo::unlimited) json["most_accesses"] = info.most_accesses;
  if (info.page_bytes != 0) json["page_bytes"] = info.page_bytes;
  return json.dump();
}

MachineInfo info_in(const std::string& line) {
  const Json json = results::parse_json(line);
  MachineInfo info;
  info.kind = json.at("kind").get<std::string>();
  info.space = json.at("space").get<std::string>();
  info.bytes = results::integer_of<std::uint64_t>(json.at("bytes"));
  if (const auto found = json.find("operators"); found != json.end())
    info.operators = found->get<std::vector<std::string>>();
  info.sms = results::integer_at(json, "sms", 1);
  info.most_accesses = results::integer_at(json, "most_accesses", MachineInfo::unlimited);
  info.page_bytes = results::integer_at(json, "page_bytes", std::uint64_t{0});
  if (info.bytes == 0) throw std::invalid_argument("a memory of no bytes");
  // Sums of addresses must not wrap.
  if (info.bytes > std::uint64_t{1} << 56) throw std::invalid_argument("a memory larger than any");
  if (info.sms < 1 || info.sms > 100'000) throw std::invalid_argument("no such number of SMs");
  if (info.most_accesses == 0) throw std::invalid_argument("a machine that answers nothing");
  return info;
}

namespace {

std::string request_of(const char* what, const std::vector<Addresses>& list, const std::string& with, int sm) {
  std::string request = fmt::format("{{\"{}\": [", what);
  for (const Addresses& run : list)
    fmt::format_to(std::back_inserter(request), "{}[{}, {}, {}]", &run == list.data() ? "" : ", ", run.base, run.stride,
                   run.count);
  return request + fmt::format("], \"operator\": {}, \"sm\": {}}}", Json(with).dump(), sm);
}

}  // namespace

std::string access_request(const std::vector<Addresses>& list, const std::string& with, int sm) {
  return request_of("access", list, with, sm);
}

std::string touch_request(const std::vector<Addresses>& list, const std::string& with, int sm) {
  return request_of("touch", list, with, sm);
}

std::string cycles_line(const std::vector<double>& cycles) {
  std::string line = "{\"cycles\": [";
  for (const double& one : cycles)
    fmt::format_to(std::back_inserter(line), "{}{}", &one == cycles.data() ? "" : ", ", one);
  return line + "]}";
}

// Answers have millions of numbers, for which a JSON reader takes longer than the inference.
std::optional<std::vector<double>> cycles_in(std::string_view answer) {
  const auto key = answer.find("\"cycles\"");
  const auto begin = answer.find('[', key);
  const auto end = answer.find(']', begin);
  if (key == std::string_view::npos || begin == std::string_view::npos || end == std::string_view::npos)
    return std::nullopt;
  std::vector<double> cycles;
  const char* at = answer.data() + begin + 1;
  const char* const last = answer.data() + end;
  for (;;) {
    while (at < last && (*at == ' ' || *at == ',')) ++at;
    if (at == last) return cycles;
    const auto read = std::from_chars(at, last, cycles.emplace_back());
    // from_chars also accepts infinity and NaN.
    constexpr double most = 1e12;
    if (read.ec != std::errc{} || !(std::abs(cycles.back()) < most)) return std::nullopt;
    at = read.ptr;
  }
}

std::optional<std::vector<double>> cycles_for(const std::vector<Addresses>& list, std::string_view answer) {
  std::uint64_t wanted = 0;
  for (const Addresses& run : list) wanted += run.count;
  auto cycles = cycles_in(answer);
  if (cycles && cycles->size() != wanted) return std::nullopt;
  return cycles;
}

}  // namespace ptxlat::memory
