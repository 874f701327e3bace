// SPDX-License-Identifier: Apache-2.0
#include "infer/talk.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <stdexcept>

#include "results/json.h"

namespace ptxlat::infer {

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
  const Json json = Json::parse(line);
  MachineInfo info;
  info.kind = json.at("kind").get<std::string>();
  info.space = json.at("space").get<std::string>();
  info.bytes = json.at("bytes").get<std::uint64_t>();
  if (const auto found = json.find("operators"); found != json.end())
    info.operators = found->get<std::vector<std::string>>();
  info.sms = json.value("sms", 1);
  info.most_accesses = json.value("most_accesses", MachineInfo::unlimited);
  info.page_bytes = json.value("page_bytes", std::uint64_t{0});
  if (info.bytes == 0) throw std::invalid_argument("a memory of no bytes");
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
    if (read.ec != std::errc{}) return std::nullopt;
    at = read.ptr;
  }
}

}  // namespace ptxlat::infer
