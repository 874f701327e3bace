// SPDX-License-Identifier: Apache-2.0
#include "cli/bundled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/process.h"
#include "isa/catalogue.h"

namespace ptxlat::cli {

namespace {

constexpr char shipped[] = "ptx_templates";

// "catalogue-1", "catalogue-2", …: the user's folders.
std::string name_of_folder(std::size_t index) { return fmt::format("catalogue-{}", index + 1); }

bool has_folder(const bundle::Files& files, const std::string& name) {
  const auto first = files.lower_bound(name + "/");
  return first != files.end() && first->first.starts_with(name + "/");
}

using Row = std::tuple<std::string, std::string, std::string>;

}  // namespace

bundle::Files files_of(const Selection& selection) {
  bundle::Files files;
  for (const auto& entry : entries_of(isa::templates_folder(), ExitCode::catalogue)) {
    if (std::filesystem::is_directory(entry))
      bundle::add_folder(files, fmt::format("{}/{}", shipped, entry.filename().string()), entry);
  }
  for (std::size_t i = 0; i < selection.catalogues.size(); ++i)
    bundle::add_folder(files, name_of_folder(i), selection.catalogues[i]);
  return files;
}

ptx::LoadedCatalogue load_catalogue_for(const bundle::Bundle& bundle, const cuda::CudaFunctions& functions) {
  const TemporaryFolder folder;
  const auto templates = folder.path() / shipped;
  bundle::write_folder(bundle.files, shipped, templates);
  std::vector<std::filesystem::path> catalogues{templates / "isa", templates / "cuda"};
  for (std::size_t i = 0; has_folder(bundle.files, name_of_folder(i)); ++i) {
    catalogues.push_back(folder.path() / name_of_folder(i));
    bundle::write_folder(bundle.files, name_of_folder(i), catalogues.back());
  }
  ptx::LoadedCatalogue loaded{isa::load_catalogue(catalogues), ptx::load_skeletons(templates)};
  cuda::apply_compiled(loaded.catalogue.forms, functions);
  return loaded;
}

std::vector<std::size_t> bundled_toolchains(const bundle::Bundle& bundle, const std::string& wanted) {
  const auto available = toolchains_of(bundle);
  std::vector<std::size_t> chosen;
  for (const auto& toolchain : wanted.empty() ? available : assemble::pick_toolchains(available, wanted)) {
    const auto found = std::find_if(available.begin(), available.end(),
                                    [&](const assemble::Toolchain& other) { return other.name == toolchain.name; });
    chosen.push_back(static_cast<std::size_t>(found - available.begin()));
  }
  return chosen;
}

std::vector<int> bundled_levels(const bundle::Bundle& bundle, const std::vector<int>& wanted) {
  const auto& levels = bundle.manifest.levels;
  for (const int level : wanted) {
    if (std::find(levels.begin(), levels.end(), level) != levels.end()) continue;
    throw Error(ExitCode::unknown_name, fmt::format("{} has no -O{}", bundle.path.string(), level),
                fmt::format("it has -O {}", fmt::join(levels, ",")));
  }
  return wanted.empty() ? levels : wanted;
}

std::vector<latency::CellPlan> bundled_plan(const bundle::Bundle& bundle, const ptx::LoadedCatalogue& loaded,
                                            const Selection& selection, const std::vector<int>& levels) {
  std::set<std::string> bundled_forms;
  std::map<Row, std::string> recipes;
  for (const auto& cell : bundle.cells) {
    bundled_forms.insert(cell.ptx);
    recipes[{cell.ptx, cell.operand, cell.input}] = cell.recipe;
  }
  auto forms = selected_forms(loaded.catalogue, selection, false, std::nullopt);
  std::erase_if(forms, [&](const isa::Form* form) { return !bundled_forms.contains(form->ptx); });
  const bool is_of_shard = !bundle.manifest.shard.empty();
  if (forms.empty() && !(is_of_shard && bundle.cells.empty())) {
    throw Error(ExitCode::unknown_name, fmt::format("{} has none of these forms", bundle.path.string()),
                fmt::format("it was made with: {}", bundle.manifest.command_line));
  }
  const auto recipe_of = [&](const latency::CellPlan& cell) {
    return recipes.find({cell.variant.form->ptx, cell.variant.operand, cell.variant.input->name});
  };
  auto plan = latency::plan_cells(loaded, forms, levels);
  // Different variants of a form may be in different shards.
  if (is_of_shard) std::erase_if(plan, [&](const auto& cell) { return recipe_of(cell) == recipes.end(); });
  for (const auto& cell : plan) {
    const auto found = recipe_of(cell);
    if (found != recipes.end() && (found->second == cell.recipe || cell.variant.form->cuda)) continue;
    throw Error(ExitCode::storage,
                fmt::format("{} was made by a ptxlat that expands {} differently", bundle.path.string(),
                            cell.variant.form->ptx),
                fmt::format("run it with ptxlat {} ({}), which made it, or assemble it again with this one",
                            bundle.manifest.tool_version, bundle.manifest.git_commit));
  }
  return plan;
}

std::string name_of_plan(const bundle::Bundle& bundle, const Selection& selection, const std::vector<int>& levels) {
  Hash hash;
  hash.add(bundle.manifest.plan);
  for (const auto* patterns : {&selection.filters, &selection.chapters, &selection.types}) {
    hash.add(patterns->size());
    for (const auto& pattern : *patterns) hash.add(std::string_view(pattern));
  }
  hash.add(std::string_view(selection.ptx_version));
  hash.add(levels);
  return hash.text();
}

void require_shard(const bundle::Bundle& bundle, const std::optional<results::Shard>& wanted) {
  if (!wanted || to_string(*wanted) == bundle.manifest.shard) return;
  throw Error(ExitCode::unknown_name,
              fmt::format("{} is of shard {}, not {}", bundle.path.string(), bundle.manifest.shard, to_string(*wanted)),
              "leave out --shard, or name the bundle of that shard");
}

void require_fitting(const bundle::Bundle& bundle, const gpu::DeviceInfo& device) {
  const auto& target = bundle.manifest.target;
  if (target.sm == device.sm) return;
  throw Error(
      ExitCode::no_gpu,
      fmt::format("{} is for {}, but the {} is sm_{}", bundle.path.string(), target.name(), device.name, device.sm),
      fmt::format("make one with `ptxlat assemble --target sm_{}{}`", device.sm, device.sm >= 90 ? "a" : ""));
}

results::BundleOrigin origin_of(const bundle::Bundle& bundle) {
  return {bundle.path.filename().string(), fmt::format("{:08x}", bundle.checksum), bundle.size,
          bundle.manifest.created_utc,     bundle.manifest.tool_version,           bundle.manifest.git_commit,
          bundle.manifest.command_line};
}

}  // namespace ptxlat::cli
