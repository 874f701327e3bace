// SPDX-License-Identifier: Apache-2.0
#include "bundle/manifest.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <stdexcept>

#include "base/limits.h"
#include "results/json.h"

namespace ptxlat::bundle {

namespace {

const std::vector<std::pair<assemble::ToolchainKind, std::string>> kind_names = {
    {assemble::ToolchainKind::driver, "driver"},
    {assemble::ToolchainKind::ptxas, "ptxas"},
    {assemble::ToolchainKind::nvjitlink, "nvjitlink"}};

std::string name_of(assemble::ToolchainKind kind) {
  for (const auto& [value, name] : kind_names) {
    if (value == kind) return name;
  }
  throw std::invalid_argument("a toolchain that does not assemble");
}

assemble::ToolchainKind kind_from(const std::string& wanted) {
  for (const auto& [value, name] : kind_names) {
    if (name == wanted) return value;
  }
  throw std::invalid_argument("no such kind of toolchain: " + wanted);
}

isa::Target target_in(const results::Json& json) {
  const auto name = json.at("target").get<std::string>();
  if (const auto target = isa::target_from_name(name)) return *target;
  throw std::invalid_argument("no such target: " + name);
}

// It becomes the name of a table's folder.
std::string toolchain_name_in(const results::Json& entry) {
  auto name = entry.at("name").get<std::string>();
  const bool is_name = !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
  });
  if (!is_name) throw std::invalid_argument("not the name of a toolchain: " + name);
  return name;
}

std::vector<int> levels_in(const results::Json& json) {
  auto levels = results::integers_of<int>(json);
  for (const int level : levels) {
    if (level < 0 || level > 4) throw std::invalid_argument("no such level: " + std::to_string(level));
  }
  if (std::adjacent_find(levels.begin(), levels.end(), std::greater_equal<>()) != levels.end())
    throw std::invalid_argument("levels that do not ascend");
  return levels;
}

// Each has a table of its own, by its name.
std::vector<BundledToolchain> toolchains_in(const results::Json& json) {
  if (json.size() > most_toolchains)
    throw std::invalid_argument("more than " + std::to_string(most_toolchains) + " toolchains");
  std::vector<BundledToolchain> toolchains;
  std::set<std::string> names;
  for (const auto& entry : json) {
    auto& [toolchain, target] = toolchains.emplace_back();
    toolchain.name = toolchain_name_in(entry);
    if (!names.insert(toolchain.name).second) throw std::invalid_argument(toolchain.name + " twice");
    toolchain.kind = kind_from(entry.at("kind").get<std::string>());
    toolchain.version = entry.at("version").get<std::string>();
    toolchain.ptx_major = results::integer_of<int>(entry.at("ptx").at(0));
    toolchain.ptx_minor = results::integer_of<int>(entry.at("ptx").at(1));
    target = target_in(entry);
  }
  return toolchains;
}

}  // namespace

Bytes manifest_to_json(const Manifest& manifest) {
  results::Json json;
  json["tool_version"] = manifest.tool_version;
  json["git_commit"] = manifest.git_commit;
  json["method_version"] = manifest.method_version;
  json["target"] = manifest.target.name();
  json["levels"] = manifest.levels;
  json["toolchains"] = results::Json::array();
  for (const auto& [toolchain, target] : manifest.toolchains) {
    results::Json entry;
    entry["name"] = toolchain.name;
    entry["kind"] = name_of(toolchain.kind);
    entry["version"] = toolchain.version;
    entry["ptx"] = {toolchain.ptx_major, toolchain.ptx_minor};
    entry["target"] = target.name();
    json["toolchains"].push_back(std::move(entry));
  }
  results::put(json, "shard", manifest.shard);
  results::put(json, "plan", manifest.plan);
  json["created_utc"] = manifest.created_utc;
  json["command_line"] = manifest.command_line;
  const auto text = json.dump(2) + '\n';
  return {text.begin(), text.end()};
}

Manifest manifest_from_json(const Bytes& text) {
  const auto json = results::parse_json({reinterpret_cast<const char*>(text.data()), text.size()});
  Manifest manifest;
  manifest.tool_version = json.at("tool_version").get<std::string>();
  manifest.git_commit = json.at("git_commit").get<std::string>();
  manifest.method_version = json.at("method_version").get<std::string>();
  manifest.target = target_in(json);
  manifest.levels = levels_in(json.at("levels"));
  manifest.toolchains = toolchains_in(json.at("toolchains"));
  manifest.shard = results::text_at(json, "shard");
  manifest.plan = results::text_at(json, "plan");
  manifest.created_utc = json.at("created_utc").get<std::string>();
  manifest.command_line = json.at("command_line").get<std::string>();
  return manifest;
}

bool is_same_assembling(const Manifest& x, const Manifest& y) {
  const auto timeless = [](Manifest manifest) {
    manifest.created_utc.clear();
    manifest.command_line.clear();
    return manifest_to_json(manifest);
  };
  return timeless(x) == timeless(y);
}

}  // namespace ptxlat::bundle
