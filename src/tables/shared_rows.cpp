// SPDX-License-Identifier: Apache-2.0
#include "tables/shared_rows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace ptxlat::tables {

namespace {

using Identity = std::array<std::uint64_t, 2>;

// A form at a level: the numbers of its outlines.
struct FormAtLevel {
  std::string_view ptx;
  int level = 0;
  bool is_core = false;
  std::vector<std::size_t> outlines;
};

bool is_preferred(const FormAtLevel& a, const FormAtLevel& b) {
  return std::tuple(!a.is_core, a.ptx.size(), a.ptx) < std::tuple(!b.is_core, b.ptx.size(), b.ptx);
}

std::vector<FormAtLevel> forms_in(const std::vector<RowOutline>& outlines) {
  std::vector<FormAtLevel> forms;
  std::map<std::pair<std::string_view, int>, std::size_t> known;
  for (std::size_t i = 0; i < outlines.size(); ++i) {
    const auto& outline = outlines[i];
    const auto [form, is_new] = known.emplace(std::pair(std::string_view(outline.ptx), outline.level), forms.size());
    if (is_new) forms.push_back({outline.ptx, outline.level, outline.is_core, {}});
    forms[form->second].outlines.push_back(i);
  }
  return forms;
}

std::string reason_of(const FormAtLevel& form, const std::vector<RowOutline>& outlines) {
  const bool has_one =
      std::any_of(form.outlines.begin(), form.outlines.end(), [&](std::size_t i) { return outlines[i].has_number; });
  return has_one ? "" : to_string(outlines[form.outlines.front()].verdict);
}

}  // namespace

SharedRows share_rows(const std::vector<RowOutline>& outlines) {
  const auto forms = forms_in(outlines);

  // The form that has the rows of each code.
  std::map<std::pair<int, std::vector<Identity>>, const FormAtLevel*> of_code;
  std::vector<std::pair<int, std::vector<Identity>>> codes;
  for (const auto& form : forms) {
    auto& code = codes.emplace_back(form.level, std::vector<Identity>());
    for (const std::size_t i : form.outlines) code.second.push_back(outlines[i].code);
    std::sort(code.second.begin(), code.second.end());
    if (outlines[form.outlines.front()].verdict == sass::Verdict::unsupported) continue;
    const FormAtLevel*& best = of_code[code];
    if (best == nullptr || is_preferred(form, *best)) best = &form;
  }

  SharedRows shared;
  std::vector<char> is_row(outlines.size(), 0);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto best = of_code.find(codes[i]);
    const std::string row = best == of_code.end() ? "" : std::string(best->second->ptx);
    const std::string note = row.empty() ? outlines[forms[i].outlines.front()].note : "";
    shared.spellings.push_back({std::string(forms[i].ptx), forms[i].level, row, reason_of(forms[i], outlines), note});
    if (row != forms[i].ptx) continue;
    for (const std::size_t outline : forms[i].outlines) is_row[outline] = 1;
  }

  std::map<std::pair<std::string_view, Identity>, std::size_t> known;
  for (std::size_t i = 0; i < outlines.size(); ++i) {
    if (!is_row[i]) continue;
    const auto& [ptx, level, code] = std::tie(outlines[i].ptx, outlines[i].level, outlines[i].code);
    const auto [row, is_new] = known.emplace(std::pair(std::string_view(ptx), code), shared.rows.size());
    if (is_new) shared.rows.push_back({i, {}});
    auto& [outline, levels] = shared.rows[row->second];
    const auto place = std::lower_bound(levels.begin(), levels.end(), level);
    if (place != levels.end() && *place == level) {  // twice: found when the table is read
      shared.rows.push_back({i, {level}});
      continue;
    }
    levels.insert(place, level);
    if (level > outlines[outline].level) outline = i;
  }
  return shared;
}

}  // namespace ptxlat::tables
