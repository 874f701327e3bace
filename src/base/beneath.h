// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/descriptor.h"

// Files below a folder that the user named, under names that come from somebody's file: a bundle, a store, a list of a
// site's files. Such a file must not reach anything outside the folder, whatever it says and whatever lies there.
namespace ptxlat {

// Whether a text can name a file below a folder: components with one '/' between them, none of them empty, "." or "..",
// with a NUL, or longer than a file's name can be.
bool is_name_beneath(std::string_view name);

// A folder that the user named, which may be a link, and one below it whose name may come from somebody's file. Empty:
// the folder itself.
struct Folder {
  std::filesystem::path named;
  std::string below;

  Folder(std::filesystem::path folder, std::string name_below = {})
      : named(std::move(folder)), below(std::move(name_below)) {}
  std::filesystem::path path() const { return below.empty() ? named : named / below; }
};

// The folder of `name` in `folder`, and its last component.
struct Place {
  Folder folder;
  std::string file;
};
// Error{storage} if the name cannot be one beneath a folder (is_name_beneath).
Place place_of(const Folder& folder, std::string_view name);

// Opens a folder one component after the other, without following links below the one that the user named: what
// openat2 would do with RESOLVE_BENEATH and RESOLVE_NO_SYMLINKS, on any kernel, and while making what is missing.
// Error{storage} if a link or something else that is not a folder is in the way, or if `below` cannot be its name.
//   make  folders that are missing; otherwise a missing one gives a descriptor that is none
enum class Missing { make, is_none };
Descriptor open_folder(const Folder& folder, Missing missing);

}  // namespace ptxlat
