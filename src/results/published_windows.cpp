// SPDX-License-Identifier: Apache-2.0
#include "results/published_windows.h"

#include <algorithm>

namespace ptxlat::results {

std::vector<const WindowRecord*> published_windows(const Record& record) {
  const auto backing = backing_windows(record);
  const auto* issue = record.find(metric::issue);
  const auto is_behind_issue = [&](const WindowRecord& window) {
    return issue != nullptr && std::find(issue->from.begin(), issue->from.end(), window.role) != issue->from.end();
  };
  std::vector<const WindowRecord*> windows;
  for (const WindowRecord& window : record.windows) {
    const bool is_backing = std::find(backing.begin(), backing.end(), &window) != backing.end();
    if (is_backing || (backing.empty() && is_behind_issue(window))) windows.push_back(&window);
  }
  return windows;
}

}  // namespace ptxlat::results
