// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

#include "catch.h"
#include "isa/catalogue.h"
#include "ptx/skeleton.h"

namespace ptxlat {

// The catalogue of PTX and the skeletons that are shipped.
inline const ptx::LoadedCatalogue& shipped() {
  static const auto templates = std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates";
  static const ptx::LoadedCatalogue loaded{isa::load_catalogue({templates / "isa"}), ptx::load_skeletons(templates)};
  return loaded;
}

inline const isa::Form& shipped_form(const std::string& ptx) {
  const auto& forms = shipped().catalogue.forms;
  const auto form = std::find_if(forms.begin(), forms.end(), [&](const isa::Form& f) { return f.ptx == ptx; });
  REQUIRE(form != forms.end());
  return *form;
}

}  // namespace ptxlat
