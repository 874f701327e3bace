// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"
#include "isa/catalogue.h"
#include "ptx/skeleton.h"
#include "snippet/flow.h"

namespace ptxlat {

// The shipped catalogue of PTX: its spellings and operand types are what snippets are understood by.
inline const isa::Catalogue& shipped_catalogue() {
  static const isa::Catalogue catalogue =
      isa::load_catalogue({std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates" / "isa"});
  return catalogue;
}

inline snippet::Snippet understood(const std::string& text, const snippet::Marks& marks = {}) {
  static const snippet::Syntaxes syntaxes(shipped_catalogue());
  return snippet::understand(snippet::parse(text, "snippet"), "snippet", syntaxes, shipped_catalogue(), marks);
}

// The mistake in a text: "snippet:1:5: …", followed by the advice; empty if there is none.
inline std::string mistake_in(const std::string& text, const snippet::Marks& marks = {}) {
  try {
    understood(text, marks);
    return {};
  } catch (const Error& error) {
    return error.exit_code == ExitCode::usage ? std::string(error.what()) + "\n" + error.advice : "another exit code";
  }
}

}  // namespace ptxlat
