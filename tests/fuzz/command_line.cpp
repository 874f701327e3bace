// SPDX-License-Identifier: Apache-2.0
#include "assemble/toolchain.h"
#include "base/error.h"
#include "catalogue_here.h"
#include "fuzz.h"
#include "isa/select.h"
#include "isa/target.h"

namespace ptxlat::fuzz {

// The words that a command line has for forms, targets and toolchains. CLI11 reads the line itself, and calls the
// command as soon as it has read it: it is tested by the program's tests.
void command_line(std::string_view input) {
  static const auto catalogue = part_of_catalogue();
  static const std::vector<assemble::Toolchain> toolchains = {
      {assemble::ToolchainKind::ptxas, "ptxas-12.4.131", "12.4.131", {}, 8, 4},
      {assemble::ToolchainKind::ptxas, "ptxas-13.0.88", "13.0.88", {}, 9, 0}};
  const std::string word(input);
  isa::target_from_name(word);
  const auto tried = [](auto read) {
    try {
      read();
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): there is no such thing
    }
  };
  // A regular expression is the user's own, and may take as long as it likes.
  if (!word.starts_with('/')) tried([&] { isa::select_forms(catalogue, {word}); });
  isa::FormFilter filter;
  filter.chapters = {word};
  tried([&] { isa::filtered(catalogue, isa::select_forms(catalogue, {}), filter); });
  filter.chapters = {};
  filter.types = {word};
  tried([&] { isa::filtered(catalogue, isa::select_forms(catalogue, {}), filter); });
  tried([&] { assemble::pick_toolchains(toolchains, word); });
}

}  // namespace ptxlat::fuzz
