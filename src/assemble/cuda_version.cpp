// SPDX-License-Identifier: Apache-2.0
#include "assemble/cuda_version.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace ptxlat::assemble {
namespace {

// Removes the leading number and the following dot from `text`; 0 if nothing is left.
int take_number(std::string_view& text) {
  constexpr unsigned most = 1'000'000;
  unsigned number = 0;
  const char* const end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty()) text.remove_prefix(1);
  return static_cast<int>(std::min(number, most));
}

}  // namespace

std::string version_in_banner(std::string_view text) {
  constexpr std::string_view mark = "Cuda compilation tools, release ";
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
    const std::string_view rest = text.substr(at + mark.size(), 64);
    const std::size_t begin = rest.find(", V");
    if (begin > 8) continue;  // missing, or part of something else
    std::size_t end = begin + 3;
    while (end < rest.size() && (is_digit(rest[end]) || rest[end] == '.')) ++end;
    const std::string_view version = rest.substr(begin + 3, end - begin - 3);
    if (!version.empty() && is_digit(version.front()) && is_digit(version.back())) return std::string(version);
  }
  return {};
}

std::string release_of(const std::string& version) {
  return version.substr(0, version.find('.', version.find('.') + 1));
}

int compare_versions(std::string_view left, std::string_view right) {
  while (!left.empty() || !right.empty()) {
    const int difference = take_number(left) - take_number(right);
    if (difference != 0) return difference;
  }
  return 0;
}

std::pair<int, int> newest_ptx_of_cuda(std::string_view cuda_version) {
  // The answer of each ptxas from 11.7 to 13.5 to `.version 99.9` ("current version is '8.5'"). PTX 8.6 only came with
  // a driver, and CUDA 12.6 has the PTX of 12.5.
  const int major = take_number(cuda_version);
  const int minor = take_number(cuda_version);
  if (major == 12) return {8, minor >= 7 ? minor - 1 : minor == 6 ? 5 : minor};
  return {major - 4, minor};
}

}  // namespace ptxlat::assemble
