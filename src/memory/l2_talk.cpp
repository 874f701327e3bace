// SPDX-License-Identifier: Apache-2.0
#include "memory/l2_talk.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "base/error.h"
#include "base/quantile.h"
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

bool L2Talk::has(const std::string& with) const {
  return std::find(info().operators.begin(), info().operators.end(), with) != info().operators.end();
}

void L2Talk::count_call() {
  if (++calls_ > most_calls) throw TooManyAccesses(fmt::format("it would take more than {} calls", most_calls));
}

void L2Talk::prepare() {
  count_call();
  machine_.prepare();
}

std::vector<double> L2Talk::access(const std::vector<Addresses>& list, const std::string& with, int sm) {
  std::vector<double> cycles;
  std::vector<Addresses> part;
  std::uint64_t in_part = 0;
  const auto send = [&] {
    if (part.empty()) return;
    count_call();
    accesses_ += in_part;
    if (accesses_ > most_accesses)
      throw TooManyAccesses(fmt::format("it would take more than {} accesses", most_accesses));
    const auto answer = machine_.access(part, with, sm);
    if (answer.size() != in_part)
      throw Error(ExitCode::failure, fmt::format("a machine answered {} of {} accesses", answer.size(), in_part));
    cycles.insert(cycles.end(), answer.begin(), answer.end());
    part.clear();
    in_part = 0;
  };
  for (Addresses rest : list) {
    while (rest.count > 0) {
      const std::uint64_t count = std::min(rest.count, info().most_accesses - in_part);
      if (count > 0) part.push_back({rest.base, rest.stride, count});
      in_part += count;
      rest = {rest.at(count), rest.stride, rest.count - count};
      if (in_part == info().most_accesses) send();
    }
  }
  send();
  return cycles;
}

void L2Talk::touch(const std::vector<Addresses>& list, const std::string& with, int sm) {
  constexpr std::size_t most_ranges = 1000;
  for (std::size_t i = 0; i < list.size(); i += most_ranges) {
    count_call();
    machine_.touch({list.begin() + static_cast<std::ptrdiff_t>(i),
                    list.begin() + static_cast<std::ptrdiff_t>(std::min(list.size(), i + most_ranges))},
                   with, sm);
  }
}

std::vector<double> L2Talk::hot(const Lines& lines, const std::string& with, int sm, int times) {
  const auto in_a_row = static_cast<std::uint64_t>(times) + 1;
  std::vector<Addresses> list;
  for (const auto line : lines) list.push_back({line, 0, in_a_row});
  const auto cycles = access(list, with, sm);
  std::vector<double> medians;
  for (std::size_t i = 0; i < cycles.size(); i += in_a_row)
    medians.push_back(median_of({cycles.begin() + static_cast<std::ptrdiff_t>(i + 1),
                                 cycles.begin() + static_cast<std::ptrdiff_t>(i + in_a_row)}));
  return medians;
}

std::vector<FirstAndHot> L2Talk::first_and_hot(const Lines& lines, const std::string& with, int sm) {
  std::vector<Addresses> list;
  for (const auto line : lines) {
    list.push_back({neighbour(line), 0, 1});
    list.push_back({line, 0, 4});
  }
  const auto cycles = access(list, with, sm);
  std::vector<FirstAndHot> timed;
  for (std::size_t i = 0; i < cycles.size(); i += 5)
    timed.push_back({cycles[i + 1], median_of({cycles[i + 2], cycles[i + 3], cycles[i + 4]})});
  return timed;
}

std::uint64_t L2Talk::neighbour(std::uint64_t address) {
  // Within 64 KiB: no page of a GPU is smaller.
  const std::uint64_t other = address ^ (spacing * (1 + random_() % 63));
  return other < info().bytes ? other : address - address % spacing;
}

Lines L2Talk::random_lines(std::size_t count) {
  Lines lines(count);
  for (auto& line : lines) line = random_() % (info().bytes / spacing) * spacing;
  return lines;
}

std::uint64_t L2Talk::random_base(std::uint64_t bytes) {
  const std::uint64_t places = (info().bytes - std::min(bytes, info().bytes)) / spacing + 1;
  return random_() % places * spacing;
}

std::vector<int> L2Talk::spread_sms(int most) const {
  const int count = std::min(most, info().sms);
  std::vector<int> sms;
  for (int i = 0; i < count; ++i) sms.push_back(static_cast<int>(static_cast<std::int64_t>(i) * info().sms / count));
  return sms;
}

}  // namespace ptxlat::memory
