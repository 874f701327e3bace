// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/catalogue.h"
#include "isa/form.h"
#include "ptx/skeleton.h"
#include "results/shards.h"

namespace CLI {
class App;
}

namespace ptxlat::cli {

// Which forms, at which levels: options that several subcommands share.
struct Selection {
  std::vector<std::string> filters;
  std::vector<std::string> chapters;
  std::vector<std::string> types;
  std::string ptx_version;
  bool all_forms = false;
  std::vector<int> levels{0, 1, 2, 3};
  std::vector<std::string> catalogues;
  std::string toolchain;
  std::string target;
};
// --filter, --chapter, --type, --ptx: which forms.
void add_form_filters(CLI::App& command, Selection& selection);
void add_selection(CLI::App& command, Selection& selection);
void add_catalogue(CLI::App& command, Selection& selection);
// --shard K/N
void add_shard(CLI::App& command, std::optional<results::Shard>& shard, const std::string& description);

// Catalogue and skeletons: the shipped ones and the user's.
ptx::LoadedCatalogue load_catalogue_for(const Selection& selection);
// Of the catalogue only the entries with these names, or those whose forms these filters can select: the rest takes a
// second. For commands that look at no other form. If a filter selects nothing, all of it, which has what is like it.
ptx::LoadedCatalogue load_opcodes(const Selection& selection, const isa::Opcodes& opcodes);
ptx::LoadedCatalogue load_selected(const Selection& selection, const std::vector<std::string>& filters);

// The form that is spelled so; null if there is none. And what may have been meant.
const isa::Form* find_form(const isa::Catalogue& catalogue, const std::string& spelling);
std::string advice_for_form(const isa::Catalogue& catalogue, const std::string& spelling);

// Whether only core forms are taken. A form that a filter names is always taken, core or not.
bool is_core_only(const Selection& selection);

// The forms that the options select. Error{unknown_name} if an option names nothing.
std::vector<const isa::Form*> selected_forms(const isa::Catalogue& catalogue, const Selection& selection,
                                             bool core_only, const std::optional<isa::Target>& target);

}  // namespace ptxlat::cli
