// SPDX-License-Identifier: Apache-2.0
#include "results/json.h"

namespace ptxlat::results {

namespace {

Json device_to_json(const gpu::DeviceInfo& device) {
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

gpu::DeviceInfo device_from_json(const Json& json) {
  gpu::DeviceInfo device;
  device.index = integer_at(json, "index", 0);
  device.name = text_at(json, "name");
  device.uuid = text_at(json, "uuid");
  device.sm = integer_at(json, "sm", 0);
  device.sm_count = integer_at(json, "sm_count", 0);
  device.sm_clock_khz = integer_at(json, "sm_clock_khz", 0);
  device.memory_clock_khz = integer_at(json, "memory_clock_khz", 0);
  device.driver_version = text_at(json, "driver_version");
  device.cuda_api_version = integer_at(json, "cuda_api_version", 0);
  return device;
}

Json bundle_to_json(const BundleOrigin& bundle) {
  return {{"file", bundle.file},
          {"checksum", bundle.checksum},
          {"size", bundle.size},
          {"created_utc", bundle.created_utc},
          {"tool_version", bundle.tool_version},
          {"git_commit", bundle.git_commit},
          {"command_line", bundle.command_line}};
}

BundleOrigin bundle_from_json(const Json& json) {
  return {text_at(json, "file"),        text_at(json, "checksum"),     integer_at(json, "size", std::uint64_t{0}),
          text_at(json, "created_utc"), text_at(json, "tool_version"), text_at(json, "git_commit"),
          text_at(json, "command_line")};
}

}  // namespace

Json to_json(const Run& run) {
  Json json;
  json["format"] = run.format;
  if (run.id != 0) json["id"] = run.id;
  json["table"] = run.table;
  json["kind"] = run.kind;
  put(json, "method", run.method);
  put(json, "rules", run.rules);
  json["toolchain"] = run.toolchain;
  if (run.code) json["code"] = {{"whole_program", run.code->is_whole_program}, {"way", run.code->way}};
  put(json, "nvrtc", run.nvrtc);
  put(json, "cupti", run.cupti);
  json["target"] = run.target;
  put(json, "plan", run.plan);
  put(json, "shard", run.shard);
  if (run.device) json["device"] = device_to_json(*run.device);
  put(json, "sm_clock_mhz", run.sm_clock_mhz);
  put(json, "card", run.card);
  if (run.bundle) json["bundle"] = bundle_to_json(*run.bundle);
  json["tool_version"] = run.tool_version;
  json["git_commit"] = run.git_commit;
  json["command_line"] = run.command_line;
  json["seed"] = run.seed;
  if (run.launches != 0) json["launches"] = run.launches;
  json["started_utc"] = run.started_utc;
  json["finished_utc"] = run.finished_utc;
  if (run.was_interrupted) json["interrupted"] = true;
  if (!run.warnings.empty()) json["warnings"] = run.warnings;
  json["environment"] = run.environment;
  json["station_seconds"] = run.station_seconds;
  return json;
}

Run run_from_json(const Json& json) {
  Run run;
  run.format = integer_of<int>(json.at("format"));
  run.id = integer_at(json, "id", 0);
  run.table = json.at("table").get<std::string>();
  run.kind = json.at("kind").get<std::string>();
  run.method = text_at(json, "method");
  run.rules = text_at(json, "rules");
  run.toolchain = text_at(json, "toolchain");
  if (const auto code = json.find("code"); code != json.end())
    run.code = {code->at("whole_program").get<bool>(), code->at("way").get<std::string>()};
  run.nvrtc = text_at(json, "nvrtc");
  run.cupti = text_at(json, "cupti");
  run.target = text_at(json, "target");
  run.plan = text_at(json, "plan");
  run.shard = text_at(json, "shard");
  if (const auto device = json.find("device"); device != json.end()) run.device = device_from_json(*device);
  run.sm_clock_mhz = number_at(json, "sm_clock_mhz");
  run.card = text_at(json, "card");
  if (const auto bundle = json.find("bundle"); bundle != json.end()) run.bundle = bundle_from_json(*bundle);
  run.tool_version = text_at(json, "tool_version");
  run.git_commit = text_at(json, "git_commit");
  run.command_line = text_at(json, "command_line");
  run.seed = integer_at(json, "seed", std::uint64_t{0});
  run.launches = integer_at(json, "launches", 0);
  run.started_utc = text_at(json, "started_utc");
  run.finished_utc = text_at(json, "finished_utc");
  run.was_interrupted = json.value("interrupted", false);
  run.warnings = json.value("warnings", run.warnings);
  run.environment = json.value("environment", run.environment);
  run.station_seconds = json.value("station_seconds", run.station_seconds);
  return run;
}

Json runs_to_json(const std::vector<Run>& runs) {
  Json list = Json::array();
  for (const Run& run : runs) {
    Json json;
    json["id"] = run.id;
    json["started_utc"] = run.started_utc;
    json["finished_utc"] = run.finished_utc;
    if (run.device) {
      json["driver_version"] = run.device->driver_version;
      json["device_uuid"] = run.device->uuid;
    }
    put(json, "shard", run.shard);
    if (run.launches != 0) json["launches"] = run.launches;
    put(json, "sm_clock_mhz", run.sm_clock_mhz);
    json["command_line"] = run.command_line;
    json["git_commit"] = run.git_commit;
    list.push_back(std::move(json));
  }
  return list;
}

std::vector<Run> runs_from_json(const Json& json) {
  std::vector<Run> runs;
  for (const Json& one : json) {
    Run& run = runs.emplace_back();
    run.id = integer_of<int>(one.at("id"));
    run.started_utc = text_at(one, "started_utc");
    run.finished_utc = text_at(one, "finished_utc");
    if (one.contains("device_uuid")) {
      run.device.emplace();
      run.device->driver_version = text_at(one, "driver_version");
      run.device->uuid = text_at(one, "device_uuid");
    }
    run.shard = text_at(one, "shard");
    run.launches = integer_at(one, "launches", 0);
    run.sm_clock_mhz = number_at(one, "sm_clock_mhz");
    run.command_line = text_at(one, "command_line");
    run.git_commit = text_at(one, "git_commit");
  }
  return runs;
}

}  // namespace ptxlat::results
