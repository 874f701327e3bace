// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assemble/toolchain.h"
#include "cli/selection.h"
#include "isa/form.h"
#include "isa/target.h"
#include "ptx/skeleton.h"
#include "snippet/choices.h"
#include "snippet/cuda_source.h"
#include "snippet/flow.h"
#include "snippet/method.h"
#include "snippet/module.h"

namespace ptxlat::cli {

// What the user gives `ptxlat measure`.
//   expression  CUDA C, or inline assembly
//   ptx         instructions, or a file of them
//   source      a file of CUDA C
struct GivenSnippet {
  enum class Kind { ptx, expression, source };
  Kind kind = Kind::ptx;
  std::string text, name;  // its name in messages
};

// PTX, the name of a file, or - for standard input. Error{usage} if the file cannot be read.
GivenSnippet given_snippet(const std::string& snippet);

// Registers as options name them: "a", "a=f32"; and in CUDA C "p=f32*". Error{usage} for a type that is none.
snippet::Marks marks_from(const std::vector<std::string>& sources, const std::vector<std::string>& results,
                          const std::vector<std::string>& types);

// A snippet after analysis, and its pairs.
//   loaded  the part of the catalogue that it needs
struct PlannedSnippet {
  ptx::LoadedCatalogue loaded;
  snippet::Snippet snippet;
  snippet::Plan plan;
  std::string nvrtc;
};

// What the options say about all snippets of a command.
//   is_for_several  there are several: a type may be of a register that only another one has
struct SnippetRequest {
  Selection selection;
  std::optional<snippet::Lines> lines;
  snippet::Marks marks;
  snippet::Choices choices;
  bool is_for_several = false;
};

// A snippet that was read: PTX, which is the same for all toolchains, or CUDA C, which each one's NVRTC compiles.
struct ReadSnippet {
  GivenSnippet given;
  std::shared_ptr<const PlannedSnippet> ptx = {};
  std::optional<snippet::CudaText> cuda = {};
};
ReadSnippet read_snippet(GivenSnippet given, const SnippetRequest& request);

// The same for one toolchain.
std::shared_ptr<const PlannedSnippet> planned_for(const ReadSnippet& read, const SnippetRequest& request,
                                                  const assemble::Toolchain& toolchain, const isa::Target& target);

// What was measured of the text: of a file, the lines alone.
std::string measured_text(const ReadSnippet& read, const SnippetRequest& request, const PlannedSnippet& planned);

}  // namespace ptxlat::cli
