#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "isa/form.h"
#include "isa/mistakes.h"

namespace ptxlat {

// A default of a type as written: "u32" → "7 .. 1000", "3 .. 17".
struct DefaultText {
  std::vector<Value> values;
  SourceLocation where;
};

// One catalogue file, expanded. What only all files together can tell is not checked yet.
struct CatalogueFile {
  std::vector<Form> forms;
  std::vector<Consumer> consumers;
  std::map<std::string, DefaultText> defaults;
};

CatalogueFile read_file(const std::filesystem::path& path, Mistakes& mistakes);

}  // namespace ptxlat
