// SPDX-License-Identifier: Apache-2.0
#include "run/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <set>

#include "base/parallel.h"
#include "latency/experiment.h"

namespace ptxlat::run {

namespace {

// How many forms share a module: ptxas stops reporting after some errors in a large one.
constexpr std::size_t forms_per_module = 200;

// Oldest first. CUDA 13's ptxas begins with sm_75.
const std::array<isa::Target, 16> targets_tried = {{{75, ""},
                                                    {80, ""},
                                                    {86, ""},
                                                    {87, ""},
                                                    {88, ""},
                                                    {89, ""},
                                                    {90, ""},
                                                    {90, "a"},
                                                    {100, ""},
                                                    {100, "a"},
                                                    {103, "a"},
                                                    {107, "a"},
                                                    {110, "a"},
                                                    {120, ""},
                                                    {120, "a"},
                                                    {121, "a"}}};

struct Portion {
  isa::Target target;
  std::vector<std::size_t> forms;  // indices
};

std::vector<Portion> portions_of(const CheckLine& line, const std::vector<const isa::Form*>& forms,
                                 std::map<std::size_t, Rejection>& rejections) {
  std::map<std::string, Portion> open;
  std::vector<Portion> portions;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const isa::Target target = line.target.value_or(oldest_target(forms[i]->requirement).value_or(isa::Target{}));
    if (target.sm == 0) {
      rejections[i].form = forms[i];
      rejections[i].words = "no target is known that has " + isa::targets_text(forms[i]->requirement);
      continue;
    }
    if (!forms[i]->unsupported_because.empty()) {
      rejections[i] = {forms[i], target, forms[i]->unsupported_because};
      continue;
    }
    auto& portion = open[target.name()];
    portion.target = target;
    portion.forms.push_back(i);
    if (portion.forms.size() < forms_per_module) continue;
    portions.push_back(std::move(portion));
    open.erase(target.name());
  }
  for (auto& [name, portion] : open) portions.push_back(std::move(portion));
  return portions;
}

void check_portion(const CheckLine& line, assemble::Assembler& assembler, const Portion& portion,
                   const std::vector<const isa::Form*>& forms, std::mutex& mutex,
                   std::map<std::size_t, Rejection>& rejections) {
  auto header = fmt::format(".version {}.{}\n.target {}\n.address_size 64\n", line.toolchain.ptx_major,
                            line.toolchain.ptx_minor, portion.target.name());
  std::vector<assemble::KernelText> texts;
  std::set<std::string> seen;
  for (const auto index : portion.forms) {
    const isa::Form& form = *forms[index];
    const auto kernel = latency::plain_trial(line.loaded, isa::variants_of(form).front()).kernel;
    for (const auto& text : kernel.module) {
      if (seen.insert(text).second) header += text + "\n";
    }
    const auto name = fmt::format("form_{}", index);
    texts.push_back({name, ptx::fill({"frame.ptx", kernel.text}, {{"name", name}})});
  }
  const auto outcome = assemble::assemble_batch(assembler, header, texts, portion.target, 0);
  const std::scoped_lock lock(mutex);
  for (std::size_t i = 0; i < portion.forms.size(); ++i) {
    if (outcome.kernels[i].cubin) continue;
    auto words = outcome.kernels[i].log;
    std::replace(words.begin(), words.end(), '\n', ' ');
    rejections[portion.forms[i]] = {forms[portion.forms[i]], portion.target, std::move(words)};
  }
  if (line.on_finished) line.on_finished(portion.forms.size());
}

}  // namespace

std::optional<isa::Target> oldest_target(const isa::Requirement& requirement) {
  const auto found = std::find_if(targets_tried.begin(), targets_tried.end(),
                                  [&](const isa::Target& target) { return isa::has_target(requirement, target); });
  if (found == targets_tried.end()) return std::nullopt;
  return *found;
}

std::vector<Rejection> check_forms(const CheckLine& line,
                                   const std::vector<std::unique_ptr<assemble::Assembler>>& assemblers,
                                   const std::vector<const isa::Form*>& forms) {
  std::map<std::size_t, Rejection> rejections;
  const auto portions = portions_of(line, forms, rejections);
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  Stop stop(line.interrupted);
  run_threads(assemblers.size(), stop, [&](std::size_t thread) {
    for (auto portion = next++; portion < portions.size() && !stop; portion = next++)
      check_portion(line, *assemblers[thread], portions[portion], forms, mutex, rejections);
  });
  std::vector<Rejection> in_order;
  for (auto& [index, rejection] : rejections) in_order.push_back(std::move(rejection));
  return in_order;
}

}  // namespace ptxlat::run
