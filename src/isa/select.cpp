#include "isa/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <regex>
#include <set>

#include "error.h"

namespace ptxlat {
namespace {

// '*' is any run of characters, '?' any one; linear in the text for each star, so no pattern can stall the tool.
bool matches_glob(std::string_view glob, std::string_view text) {
  std::size_t g = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return std::all_of(glob.begin() + g, glob.end(), [](char c) { return c == '*'; });
}

using Predicate = std::function<bool(const Form&)>;

Predicate predicate_of(const std::string& pattern) {
  if (pattern.size() < 2 || pattern.front() != '/' || pattern.back() != '/') {
    return [pattern](const Form& form) { return form.opcode == pattern || matches_glob(pattern, form.ptx); };
  }
  try {
    const std::regex expression(pattern.substr(1, pattern.size() - 2));
    return [expression](const Form& form) { return std::regex_search(form.ptx, expression); };
  } catch (const std::regex_error& error) {
    throw Error(ExitCode::usage, fmt::format("\"{}\" is no regular expression: {}", pattern, error.what()));
  }
}

Error nothing_selected(const Catalogue& catalogue, const std::string& pattern) {
  std::set<std::string> names;
  for (const Form& form : catalogue.forms) names.insert({form.ptx, form.opcode});
  std::string advice;
  for (const std::string& name : nearest_names(pattern, {names.begin(), names.end()})) {
    advice += (advice.empty() ? "Did you mean " : ", ") + name;
  }
  advice += advice.empty() ? "`ptxlat list` shows every form." : "?";
  return Error(ExitCode::unknown_name, fmt::format("no form matches \"{}\"", pattern), advice);
}

// Insertions, deletions, replacements and swaps of neighbours that turn one name into the other.
std::size_t edit_distance(const std::string& x, const std::string& y) {
  std::vector<std::vector<std::size_t>> distance(x.size() + 1, std::vector<std::size_t>(y.size() + 1));
  for (std::size_t i = 0; i <= x.size(); ++i) {
    for (std::size_t j = 0; j <= y.size(); ++j) {
      if (i == 0 || j == 0) {
        distance[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = distance[i - 1][j - 1] + (x[i - 1] == y[j - 1] ? 0 : 1);
      distance[i][j] = std::min({distance[i - 1][j] + 1, distance[i][j - 1] + 1, replaced});
      const bool is_swap = i > 1 && j > 1 && x[i - 1] == y[j - 2] && x[i - 2] == y[j - 1];
      if (is_swap) distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
    }
  }
  return distance[x.size()][y.size()];
}

}  // namespace

std::vector<const Form*> select_forms(const Catalogue& catalogue, const std::vector<std::string>& patterns) {
  std::set<const Form*> wanted;
  for (const std::string& pattern : patterns) {
    const Predicate is_wanted = predicate_of(pattern);
    bool selects_any = false;
    for (const Form& form : catalogue.forms) {
      if (!is_wanted(form)) continue;
      wanted.insert(&form);
      selects_any = true;
    }
    if (!selects_any) throw nothing_selected(catalogue, pattern);
  }
  std::vector<const Form*> selected;
  for (const Form& form : catalogue.forms) {
    if (patterns.empty() || wanted.contains(&form)) selected.push_back(&form);
  }
  return selected;
}

std::vector<std::string> nearest_names(const std::string& wanted, const std::vector<std::string>& names,
                                       std::size_t limit) {
  // A third of the letters may be wrong; a name further off is no misspelling of this one.
  const std::size_t tolerance = (wanted.size() + 2) / 3;
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wanted, name);
    if (distance <= tolerance && distance < std::max(wanted.size(), name.size())) near.emplace_back(distance, name);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min(limit, near.size()); ++i) nearest.push_back(near[i].second);
  return nearest;
}

}  // namespace ptxlat
