// SPDX-License-Identifier: Apache-2.0

// replay BUNDLE [REFERENCE]
//
// What audit and estimate make of the machine code in a bundle, without a GPU. Whoever changes a rule of theirs sees in
// the differences from the reference what the rule decides now. Alone it prints a line for each cell and each of its
// windows; with a reference (gzip) it prints the cells that differ and exits with 1 if there are any. The catalogue,
// the skeletons and all rules are this checkout's: only the machine code is the bundle's.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>

#include "base/error.h"
#include "bundle/bundle.h"
#include "isa/catalogue.h"
#include "latency/method.h"
#include "tables/compression.h"
#include "tables/number.h"

namespace {

using namespace ptxlat;

// "ptx TAB operand TAB input TAB level" → its lines, the key left out.
using Lines = std::map<std::string, std::vector<std::string>>;

// A rule that finds a cell unproven asks for kernels with different consumers, which the bundle may lack. They count as
// rejected; the cell shows as a difference either way.
class LenientAssembler : public line::KernelAssembler {
 public:
  explicit LenientAssembler(std::unique_ptr<line::KernelAssembler> recorded) : recorded_(std::move(recorded)) {}

  assemble::BatchOutcome assemble(const std::vector<line::NamedKernel>& kernels, int level) override {
    try {
      return recorded_->assemble(kernels, level);
    } catch (const Error&) {
      return one_by_one(kernels, level);
    }
  }

 private:
  assemble::BatchOutcome one_by_one(const std::vector<line::NamedKernel>& kernels, int level) {
    assemble::BatchOutcome all;
    for (const auto& kernel : kernels) {
      try {
        auto one = recorded_->assemble({kernel}, level);
        auto& outcome = one.kernels.front();
        if (outcome.cubin) outcome.cubin = all.cubins.size() + *outcome.cubin;
        std::move(one.cubins.begin(), one.cubins.end(), std::back_inserter(all.cubins));
        all.kernels.push_back(std::move(outcome));
      } catch (const Error&) {
        all.kernels.push_back({std::nullopt, {}, "not in the bundle: tools/replay.sh --fresh makes another"});
      }
    }
    return all;
  }

  std::unique_ptr<line::KernelAssembler> recorded_;
};

std::string one_line(std::string text) {
  for (char& c : text) {
    if (c == '\t' || c == '\n') c = ' ';
  }
  return text;
}

// How many instructions after the first clock read wait for a scoreboard.
std::ptrdiff_t waits_of(const results::WindowRecord& window) {
  if (window.sass.empty()) return 0;
  return std::count_if(window.sass.begin() + 1, window.sass.end(), [](const auto& i) { return i.wait_mask != 0; });
}

std::vector<std::string> lines_of(const results::Record& cell) {
  std::vector<std::string> lines{fmt::format(
      "cell\t{}\t{}\t{}\t{}", to_string(cell.verdict), tables::decimal(cell.number(results::metric::static_cycles)),
      tables::decimal(cell.number(results::metric::issue)), one_line(cell.note))};
  for (const auto& window : cell.windows) {
    lines.push_back(fmt::format("{}\t{}\t{}{}\t{}\t{}", window.role, to_string(window.verdict),
                                window.static_is_lower_bound ? ">=" : "", window.static_cycles, waits_of(window),
                                one_line(window.reason)));
  }
  return lines;
}

Lines replay(const bundle::Bundle& bundle) {
  const auto templates = isa::templates_folder();
  const ptx::LoadedCatalogue loaded{isa::load_catalogue({templates / "isa", templates / "cuda"}),
                                    ptx::load_skeletons(templates)};
  std::set<std::string> bundled;
  for (const auto& cell : bundle.cells) bundled.insert(cell.ptx);
  std::vector<const isa::Form*> forms;
  for (const auto& form : loaded.catalogue.forms) {
    if (bundled.contains(form.ptx) && !form.cuda) forms.push_back(&form);
  }
  const auto plan = latency::plan_cells(loaded, forms, bundle.manifest.levels);
  const auto disassembler = bundle::make_recorded_disassembler(bundle);
  std::vector<std::unique_ptr<line::KernelAssembler>> assemblers;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    assemblers.push_back(std::make_unique<LenientAssembler>(bundle::make_recorded_assembler(bundle, 0)));

  Lines lines;
  const auto keep = [&](const std::vector<results::Record>& cells) {
    for (const auto& cell : cells)
      lines[fmt::format("{}\t{}\t{}\t{}", cell.ptx, cell.operand, cell.input, cell.level)] = lines_of(cell);
  };
  const line::Line line{.toolchain = bundle.manifest.toolchains.front().toolchain,
                        .target = bundle.manifest.toolchains.front().target,
                        .disassembler = *disassembler,
                        .on_finished = keep};
  run_line(line, latency::LatencyMethod(loaded, plan), assemblers, latency::line_cells(plan));
  return lines;
}

Lines read_reference(const char* file) {
  std::ifstream in(file, std::ios::binary);
  std::istringstream text(tables::gunzip({std::istreambuf_iterator<char>(in), {}}));
  constexpr int tabs_in_key = 4;
  Lines lines;
  for (std::string line; std::getline(text, line);) {
    std::size_t end = 0;
    for (int i = 0; i < tabs_in_key; ++i) end = line.find('\t', end + (i > 0 ? 1 : 0));
    lines[line.substr(0, end)].push_back(line.substr(end + 1));
  }
  return lines;
}

std::string role_of(const std::string& line) { return line.substr(0, line.find('\t')); }
std::string role_and_verdict_of(const std::string& line) {
  return line.substr(0, line.find('\t', line.find('\t') + 1));
}

// Prints the lines of one cell that are only in one of both; counts how verdicts changed.
void print_difference(const std::string& key, const std::vector<std::string>& before,
                      const std::vector<std::string>& now, std::map<std::string, int>& changes) {
  fmt::print("{}\n", key);
  std::map<std::string, std::pair<std::string, std::string>> by_role;
  for (const auto& line : before) by_role[role_of(line)].first = line;
  for (const auto& line : now) by_role[role_of(line)].second = line;
  for (const auto& [role, pair] : by_role) {
    const auto& [was, is] = pair;
    if (was == is) continue;
    if (!was.empty()) fmt::print("  - {}\n", was);
    if (!is.empty()) fmt::print("  + {}\n", is);
    const auto old_verdict = role_and_verdict_of(was), new_verdict = role_and_verdict_of(is);
    ++changes[old_verdict == new_verdict ? old_verdict + " with different numbers or reason"
                                         : fmt::format("{} -> {}", old_verdict, new_verdict)];
  }
}

// How many cells differ from the reference. What the bundle does not have is left out: it may be a part of the whole.
int compare(const Lines& lines, const Lines& reference) {
  int differ = 0;
  std::map<std::string, int> changes;
  for (const auto& [key, now] : lines) {
    const auto before = reference.find(key);
    const auto& was = before == reference.end() ? std::vector<std::string>{} : before->second;
    if (was == now) continue;
    ++differ;
    print_difference(key, was, now, changes);
  }
  for (auto& [change, count] : changes) {
    std::string text = change;
    std::replace(text.begin(), text.end(), '\t', ' ');
    fmt::print("{:6} {}\n", count, text);
  }
  fmt::print("{} cells replayed, {} differ from the reference\n", lines.size(), differ);
  return differ;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count != 2 && count != 3) {
      fmt::print(stderr, "replay BUNDLE [REFERENCE]\n");
      return static_cast<int>(ExitCode::usage);
    }
    const auto lines = replay(bundle::open_bundle(arguments[1]));
    if (count == 3) return compare(lines, read_reference(arguments[2])) == 0 ? 0 : 1;
    for (const auto& [key, cell] : lines) {
      for (const auto& line : cell) fmt::print("{}\t{}\n", key, line);
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
