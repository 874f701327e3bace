// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include "catch.h"
#include "gpu/host_objects.h"
#include "isa/toml.h"

using namespace ptxlat;
using namespace ptxlat::gpu;

namespace {

// The offset of %memory that the text of an object names.
std::uint32_t offset_in(const std::string& text) {
  for (const std::string before : {"%memory+", "{o}, "})
    if (const auto at = text.find(before); at != std::string::npos)
      return static_cast<std::uint32_t>(std::stoul(text.substr(at + before.size())));
  return 0;
}

}  // namespace

TEST_CASE("the catalogue looks for the host's objects where the host puts them") {
  const auto file = toml::parse_file(PTXLAT_SOURCE_DIR "/ptx_templates/isa/host_objects.toml");
  std::map<std::string, std::uint32_t> in_catalogue, in_host;
  for (const toml::node& object : *file["object"].as_array()) {
    const toml::table& table = *object.as_table();
    const auto name = table["name"].value<std::string>().value();
    INFO(name);
    in_catalogue[name] = offset_in(table["each"].value<std::string>().value());
    if (table.contains("once")) CHECK(offset_in(table["once"].value<std::string>().value()) == in_catalogue[name]);
  }
  for (const HostObject& object : host_objects) in_host.emplace(object.name, object.offset);
  CHECK(in_catalogue == in_host);
}
