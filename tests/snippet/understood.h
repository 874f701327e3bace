// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "../ptx/shipped_catalogue.h"
#include "base/error.h"
#include "snippet/flow.h"

namespace ptxlat {

// By the shipped catalogue's spellings and operand types.
inline snippet::Snippet understood(const std::string& text, const snippet::Marks& marks = {}) {
  static const snippet::Syntaxes syntaxes(shipped().catalogue);
  return snippet::understand(snippet::parse(text, "snippet"), "snippet", syntaxes, shipped().catalogue, marks);
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
