#include "results/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ptxlat {

namespace {

// Cycles are nearly always whole: 4, not 4.0.
Json number(double value) {
  constexpr double exact_integers = 9007199254740992.0;  // 2^53
  if (value == std::trunc(value) && std::abs(value) < exact_integers) return static_cast<std::int64_t>(value);
  return value;
}

void put(Json& json, const char* key, const std::optional<double>& value) {
  if (value) json[key] = number(*value);
}

void put(Json& json, const char* key, const std::string& value) {
  if (!value.empty()) json[key] = value;
}

std::optional<double> optional_number(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return found->get<double>();
}

std::string text(const Json& json, const char* key) { return json.value(key, std::string()); }

Verdict verdict_at(const Json& json) {
  const std::string name = json.at("verdict").get<std::string>();
  const std::optional<Verdict> verdict = verdict_from(name);
  if (!verdict) throw std::invalid_argument("unknown verdict \"" + name + "\"");
  return *verdict;
}

Json window_to_json(const WindowRecord& window) {
  Json json;
  json["role"] = window.role;
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
  if (window.mode_share != (all_equal ? 1.0 : 0.0)) json["mode_share"] = number(window.mode_share);
  if (!window.measured_as.empty()) json["measured_as"] = window.measured_as;
  if (!window.sass.empty()) {
    json["at"] = fmt::format("{:04x}", window.sass.front().offset);
    json["sass"] = sass_lines(window.sass);
  }
  return json;
}

WindowRecord window_from_json(const Json& json) {
  WindowRecord window;
  window.role = json.at("role").get<std::string>();
  window.verdict = verdict_at(json);
  window.reason = text(json, "reason");
  window.static_cycles = json.value("static", 0);
  window.static_is_lower_bound = json.value("static_is_lower_bound", false);
  window.cycles = optional_number(json, "cycles");
  if (const auto launches = json.find("launches"); launches != json.end()) {
    const auto count = launches->get<std::size_t>();
    if (!window.cycles || count > 1'000'000) throw std::invalid_argument("\"launches\" without their cycles");
    window.samples.assign(count, static_cast<std::uint32_t>(*window.cycles));
    window.mode_share = 1;
  } else if (const auto samples = json.find("samples"); samples != json.end()) {
    window.samples = samples->get<std::vector<std::uint32_t>>();
  }
  window.mode_share = json.value("mode_share", window.mode_share);
  window.measured_as = text(json, "measured_as");
  if (const auto sass = json.find("sass"); sass != json.end()) {
    const int start_offset = std::stoi(json.at("at").get<std::string>(), nullptr, 16);
    window.sass = sass_from_lines(start_offset, sass->get<std::vector<std::string>>());
  }
  return window;
}

Json device_to_json(const DeviceInfo& device) {
  return {{"index", device.index},
          {"name", device.name},
          {"uuid", device.uuid},
          {"sm", device.sm},
          {"sm_count", device.sm_count},
          {"sm_clock_khz", device.sm_clock_khz},
          {"memory_clock_khz", device.memory_clock_khz},
          {"driver_version", device.driver_version},
          {"cuda_api_version", device.cuda_api_version}};
}

DeviceInfo device_from_json(const Json& json) {
  DeviceInfo device;
  device.index = json.value("index", 0);
  device.name = text(json, "name");
  device.uuid = text(json, "uuid");
  device.sm = json.value("sm", 0);
  device.sm_count = json.value("sm_count", 0);
  device.sm_clock_khz = json.value("sm_clock_khz", 0);
  device.memory_clock_khz = json.value("memory_clock_khz", 0);
  device.driver_version = text(json, "driver_version");
  device.cuda_api_version = json.value("cuda_api_version", 0);
  return device;
}

Json bundle_to_json(const BundleOrigin& bundle) {
  Json json;
  json["file"] = bundle.file;
  json["checksum"] = bundle.checksum;
  json["size"] = bundle.size;
  json["created_utc"] = bundle.created_utc;
  json["tool_version"] = bundle.tool_version;
  json["git_commit"] = bundle.git_commit;
  json["command_line"] = bundle.command_line;
  return json;
}

BundleOrigin bundle_from_json(const Json& json) {
  return {text(json, "file"),        text(json, "checksum"),     json.value("size", std::uint64_t{0}),
          text(json, "created_utc"), text(json, "tool_version"), text(json, "git_commit"),
          text(json, "command_line")};
}

constexpr int instruction_bytes = 16;

std::string sass_line(const SassRecord& instruction, int distance) {
  std::string line;
  if (distance != instruction_bytes) line += fmt::format("{:+x} ", distance);
  line += fmt::format("S{}", instruction.stall_count);
  if (instruction.yields) line += " Y";
  if (instruction.write_scoreboard != 7) line += fmt::format(" W{}", instruction.write_scoreboard);
  if (instruction.read_scoreboard != 7) line += fmt::format(" R{}", instruction.read_scoreboard);
  if (instruction.wait_mask != 0) {
    line += " B";
    for (int scoreboard = 0; scoreboard < 6; ++scoreboard) {
      if (instruction.wait_mask >> scoreboard & 1) line += static_cast<char>('0' + scoreboard);
    }
  }
  if (instruction.reuse != 0) line += fmt::format(" U{}", instruction.reuse);
  return line + " | " + instruction.text;
}

int wait_mask_from(const std::string& scoreboards) {
  int mask = 0;
  for (const char digit : scoreboards) {
    if (digit < '0' || digit > '5') throw std::invalid_argument("no such scoreboard: " + scoreboards);
    mask |= 1 << (digit - '0');
  }
  return mask;
}

SassRecord sass_from_line(const std::string& line, int expected_offset) {
  // The text may have a '|' of its own (an absolute value), the control fields have none.
  const std::size_t bar = line.find(" | ");
  if (bar == std::string::npos) throw std::invalid_argument("not an instruction: " + line);
  SassRecord instruction;
  instruction.offset = expected_offset;
  instruction.text = line.substr(bar + 3);
  std::size_t begin = 0;
  while (begin < bar) {
    const std::size_t end = std::min(line.find(' ', begin), bar);
    const std::string value = line.substr(begin + 1, end - begin - 1);
    switch (line[begin]) {
      case '+':
        instruction.offset += std::stoi(value, nullptr, 16) - instruction_bytes;
        break;
      case '-':
        instruction.offset -= std::stoi(value, nullptr, 16) + instruction_bytes;
        break;
      case 'S':
        instruction.stall_count = std::stoi(value);
        break;
      case 'Y':
        instruction.yields = true;
        break;
      case 'W':
        instruction.write_scoreboard = std::stoi(value);
        break;
      case 'R':
        instruction.read_scoreboard = std::stoi(value);
        break;
      case 'B':
        instruction.wait_mask = wait_mask_from(value);
        break;
      case 'U':
        instruction.reuse = std::stoi(value);
        break;
      default:
        throw std::invalid_argument("unknown control field: " + line);
    }
    begin = end + 1;
  }
  return instruction;
}

}  // namespace

std::vector<std::string> sass_lines(const std::vector<SassRecord>& sass) {
  std::vector<std::string> lines;
  lines.reserve(sass.size());
  for (std::size_t i = 0; i < sass.size(); ++i) {
    const int distance = i == 0 ? instruction_bytes : sass[i].offset - sass[i - 1].offset;
    lines.push_back(sass_line(sass[i], distance));
  }
  return lines;
}

std::vector<SassRecord> sass_from_lines(int start_offset, const std::vector<std::string>& lines) {
  std::vector<SassRecord> sass;
  sass.reserve(lines.size());
  int expected_offset = start_offset;
  for (const std::string& line : lines) {
    sass.push_back(sass_from_line(line, expected_offset));
    expected_offset = sass.back().offset + instruction_bytes;
  }
  return sass;
}

Json to_json(const CellRecord& cell) {
  Json json;
  json["ptx"] = cell.ptx;
  put(json, "chapter", cell.chapter);
  put(json, "operand", cell.operand);
  put(json, "input", cell.input);
  json["opt"] = cell.level;
  json["verdict"] = to_string(cell.verdict);
  put(json, "note", cell.note);
  put(json, "cycles", cell.cycles);
  put(json, "issue", cell.issue);
  put(json, "bracket", cell.bracket);
  put(json, "overhead", cell.overhead);
  put(json, "differential", cell.differential);
  put(json, "chain", cell.chain);
  put(json, "static", cell.static_cycles);
  if (!cell.sass.empty()) json["sass"] = cell.sass;
  json["sass_count"] = cell.sass_count;
  put(json, "consumer", cell.consumer);
  put(json, "recipe", cell.recipe);
  if (cell.elapsed_ns != 0) json["elapsed_ns"] = number(cell.elapsed_ns);
  if (!cell.windows.empty()) {
    Json& windows = json["windows"] = Json::array();
    for (const WindowRecord& window : cell.windows) windows.push_back(window_to_json(window));
  }
  return json;
}

CellRecord cell_from_json(const Json& json) {
  CellRecord cell;
  cell.ptx = json.at("ptx").get<std::string>();
  cell.chapter = text(json, "chapter");
  cell.operand = text(json, "operand");
  cell.input = text(json, "input");
  cell.level = json.at("opt").get<int>();
  cell.verdict = verdict_at(json);
  cell.note = text(json, "note");
  cell.cycles = optional_number(json, "cycles");
  cell.issue = optional_number(json, "issue");
  cell.bracket = optional_number(json, "bracket");
  cell.overhead = optional_number(json, "overhead");
  cell.differential = optional_number(json, "differential");
  cell.chain = optional_number(json, "chain");
  cell.static_cycles = optional_number(json, "static");
  if (const auto sass = json.find("sass"); sass != json.end()) cell.sass = sass->get<std::vector<std::string>>();
  cell.sass_count = json.value("sass_count", 0);
  cell.consumer = text(json, "consumer");
  cell.recipe = text(json, "recipe");
  cell.elapsed_ns = json.value("elapsed_ns", 0.0);
  if (const auto windows = json.find("windows"); windows != json.end()) {
    for (const Json& window : *windows) cell.windows.push_back(window_from_json(window));
  }
  return cell;
}

Json to_json(const Provenance& provenance) {
  Json json;
  json["format"] = provenance.format;
  json["table"] = provenance.table;
  json["kind"] = provenance.kind;
  json["toolchain"] = provenance.toolchain;
  if (!provenance.nvrtc.empty()) json["nvrtc"] = provenance.nvrtc;
  json["target"] = provenance.target;
  if (provenance.device) json["device"] = device_to_json(*provenance.device);
  if (provenance.bundle) json["bundle"] = bundle_to_json(*provenance.bundle);
  json["tool_version"] = provenance.tool_version;
  json["git_commit"] = provenance.git_commit;
  json["command_line"] = provenance.command_line;
  json["seed"] = provenance.seed;
  json["started_utc"] = provenance.started_utc;
  json["finished_utc"] = provenance.finished_utc;
  json["environment"] = provenance.environment;
  json["station_seconds"] = provenance.station_seconds;
  return json;
}

Provenance provenance_from_json(const Json& json) {
  Provenance provenance;
  provenance.format = json.at("format").get<int>();
  provenance.table = json.at("table").get<std::string>();
  provenance.kind = json.at("kind").get<std::string>();
  provenance.toolchain = text(json, "toolchain");
  provenance.nvrtc = text(json, "nvrtc");
  provenance.target = text(json, "target");
  if (const auto device = json.find("device"); device != json.end()) provenance.device = device_from_json(*device);
  if (const auto bundle = json.find("bundle"); bundle != json.end()) provenance.bundle = bundle_from_json(*bundle);
  provenance.tool_version = text(json, "tool_version");
  provenance.git_commit = text(json, "git_commit");
  provenance.command_line = text(json, "command_line");
  provenance.seed = json.value("seed", std::uint64_t{0});
  provenance.started_utc = text(json, "started_utc");
  provenance.finished_utc = text(json, "finished_utc");
  provenance.environment = json.value("environment", provenance.environment);
  provenance.station_seconds = json.value("station_seconds", provenance.station_seconds);
  return provenance;
}

std::string to_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace ptxlat
