// SPDX-License-Identifier: Apache-2.0
#include "isa/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <regex>
#include <set>

#include "base/error.h"
#include "base/processor_time.h"
#include "isa/nearest_spellings.h"

namespace ptxlat::isa {
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
    // "shfl" is shfl.sync, too.
    return [pattern](const Form& form) {
      const bool begins = form.opcode.starts_with(pattern) &&
                          (form.opcode.size() == pattern.size() || form.opcode[pattern.size()] == '.');
      return begins || matches_glob(pattern, form.ptx);
    };
  }
  constexpr std::size_t longest = 1000;
  if (pattern.size() > longest)
    throw Error(ExitCode::usage, fmt::format("a regular expression has at most {} characters", longest),
                "Write several, each with its own --filter.");
  try {
    // Not the usual search, whose time doubles with each letter for some expressions.
    const std::regex expression(pattern.substr(1, pattern.size() - 2),
                                std::regex::ECMAScript | std::regex_constants::__polynomial);
    // Of the processor: a host full of jobs must not reject an expression that takes a tenth of a second on its own.
    constexpr std::chrono::seconds most{5};
    const auto begin = processor_time();
    return [=](const Form& form) {
      if (processor_time() - begin > most)
        throw Error(ExitCode::usage, fmt::format("\"{}\" takes too long to search for", pattern), "Write it shorter.");
      return std::regex_search(form.ptx, expression);
    };
  } catch (const std::regex_error& error) {
    throw Error(ExitCode::usage, fmt::format("\"{}\" is not a regular expression: {}", pattern, error.what()));
  }
}

Error nothing_selected(const Catalogue& catalogue, const std::string& pattern) {
  std::vector<std::string> names;
  for (const Form& form : catalogue.forms) names.push_back(form.ptx);
  std::string advice;
  for (const std::string& name : nearest_spellings(pattern, names))
    advice += (advice.empty() ? "Did you mean " : ", ") + name;
  advice += advice.empty() ? "`ptxlat list` shows every form." : "?";
  const bool is_upper = std::none_of(pattern.begin(), pattern.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (is_upper) advice = fmt::format("For a SASS opcode: `ptxlat list --sass {}`. {}", pattern, advice);
  return Error(ExitCode::unknown_name, fmt::format("no form matches \"{}\"", pattern), advice);
}

bool is_chapter(const std::string& wanted, const Form& form) {
  return form.chapter.find(wanted) != std::string::npos || matches_glob(wanted, form.chapter);
}

Error no_such_chapter(const Catalogue& catalogue, const std::string& wanted) {
  std::set<std::string> chapters;
  for (const Form& form : catalogue.forms) chapters.insert(form.chapter);
  std::string advice = "The chapters are";
  for (const std::string& chapter : chapters) advice += (advice.ends_with("are") ? " " : ", ") + chapter;
  return Error(ExitCode::unknown_name, fmt::format("no chapter is called \"{}\"", wanted), advice + ".");
}

// "f32" in "fma.rn.f32"; for CUDA C functions, a type of an operand.
bool has_type(const Form& form, const std::string& type) {
  if (form.cuda) {
    return std::any_of(form.operands.begin(), form.operands.end(),
                       [&](const Operand& operand) { return operand.type == type; });
  }
  const auto spelling = form.ptx.substr(0, form.ptx.find(' ')) + ".";
  return spelling.find("." + type + ".") != std::string::npos;
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

std::vector<const Form*> filtered(const Catalogue& catalogue, const std::vector<const Form*>& forms,
                                  const FormFilter& filter) {
  for (const std::string& chapter : filter.chapters) {
    const bool is_known = std::any_of(catalogue.forms.begin(), catalogue.forms.end(),
                                      [&](const Form& form) { return is_chapter(chapter, form); });
    if (!is_known) throw no_such_chapter(catalogue, chapter);
  }
  for (const std::string& type : filter.types) {
    const bool is_known = std::any_of(catalogue.forms.begin(), catalogue.forms.end(),
                                      [&](const Form& form) { return has_type(form, type); });
    if (!is_known) {
      throw Error(ExitCode::unknown_name, fmt::format("no form has the type \"{}\"", type),
                  "write a type such as u32, f16x2 or e4m3");
    }
  }
  std::vector<const Form*> left;
  std::copy_if(forms.begin(), forms.end(), std::back_inserter(left), [&](const Form* form) {
    const auto is_in = [&](const std::string& chapter) { return is_chapter(chapter, *form); };
    const auto has = [&](const std::string& type) { return has_type(*form, type); };
    const auto& needs = form->requirement;
    const bool is_core = form->core == form->ptx && (!form->cuda || !filter.chapters.empty());
    return (!filter.core_only || is_core) &&
           (filter.chapters.empty() || std::any_of(filter.chapters.begin(), filter.chapters.end(), is_in)) &&
           (filter.types.empty() || std::any_of(filter.types.begin(), filter.types.end(), has)) &&
           (!filter.target || has_target(needs, *filter.target)) &&
           (!filter.ptx_version || std::pair(needs.ptx_major, needs.ptx_minor) <= *filter.ptx_version);
  });
  return left;
}

}  // namespace ptxlat::isa
