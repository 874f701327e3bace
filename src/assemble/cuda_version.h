// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace ptxlat::assemble {

// "13.0.88" out of "Cuda compilation tools, release 13.0, V13.0.88", which every program of the toolkit prints and
// every library contains; empty if it is not there.
std::string version_in_banner(std::string_view text);

// Compares "13.0.88" and "9.2" number by number: < 0, 0, > 0.
int compare_versions(std::string_view left, std::string_view right);

// "12.4" of "12.4.131", the argument for tools/toolkits.sh.
std::string release_of(const std::string& version);

// The newest PTX version that a toolkit's assemblers accept.
std::pair<int, int> newest_ptx_of_cuda(std::string_view cuda_version);

}  // namespace ptxlat::assemble
