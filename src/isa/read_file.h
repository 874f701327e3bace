// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/form.h"
#include "isa/mistakes.h"
#include "isa/op.h"
#include "isa/toml.h"

namespace ptxlat::isa {

// A default of a type as written: "u32" → "7 .. 1000", "3 .. 17".
struct DefaultText {
  std::vector<Value> values;
  SourceLocation where;
};

// One catalogue file, expanded. Checks that need all files are not made yet.
struct CatalogueFile {
  std::vector<Form> forms;
  std::vector<Consumer> consumers;
  std::map<std::string, DefaultText> defaults;
};

// The text of a file as TOML; empty, with the mistake reported, if it is not TOML.
std::optional<toml::table> parse_file(const std::filesystem::path& path, Mistakes& mistakes);

// The [[object]]s of a file. Those of all files are known before the first [[op]] is read.
std::vector<Object> read_objects(const toml::table& root, const std::string& file, Mistakes& mistakes);

//   opcodes  only the [[op]]s with these names; none: all
CatalogueFile read_file(const toml::table& root, const std::string& file, const Objects& objects,
                        const std::optional<std::set<std::string>>& opcodes, Mistakes& mistakes);

}  // namespace ptxlat::isa
