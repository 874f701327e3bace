// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "isa/form.h"

namespace ptxlat::ptx {

// A PTX text with holes in double braces. Comment lines are for readers of the file and are not in `text`.
struct Skeleton {
  std::filesystem::path file;
  std::string text;
};

// The kernel around a window, one window per role, and the kernel that measures the clock.
struct Skeletons {
  Skeleton frame, subroutine, memory;
  Skeleton overhead, bracket, differential, differential_base, chain, chain_loop, bridge, stream;
  Skeleton saturated, aligned, every_sm;
  Skeleton sm_clock;
};

// Reads the file without its comment lines. Error{catalogue} if it cannot be read or is not ASCII.
Skeleton load_skeleton(const std::filesystem::path& file);

// Reads `folder`/skeletons/*.ptx. Error{catalogue} names the file that is missing or malformed (a brace left open, not
// ASCII).
Skeletons load_skeletons(const std::filesystem::path& folder);

// The catalogue and the skeletons for its forms.
struct LoadedCatalogue {
  isa::Catalogue catalogue;
  Skeletons skeletons;
};

// The skeleton with its holes filled. A hole without a filling is an Error{catalogue}; a filling without a hole is
// ignored.
std::string fill(const Skeleton& skeleton, const std::map<std::string, std::string>& fillings);

}  // namespace ptxlat::ptx
