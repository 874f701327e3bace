// SPDX-License-Identifier: Apache-2.0
#include "pairs/learn_arrivals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/parallel.h"
#include "line/window_record.h"
#include "sass/path.h"

namespace ptxlat::pairs {

namespace {

constexpr std::string_view differential = "differential";

// A window, and what it took.
//   is_usual      the instruction has the usual values of its form
//   is_alone      it is there once: in a chain, only the first step has its values
//   scoreboarded  opcodes whose results come under a scoreboard
//   producers     opcodes of fixed latency whose results something in the window reads
struct Case {
  std::string form;
  bool is_usual = false, is_alone = false;
  sass::Window window;
  double cycles = 0;
  std::set<std::string> scoreboarded, producers;
};

void find_producers(Case& made) {
  const auto& code = made.window.instructions;
  const auto producers = sass::producers_in(made.window);
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    if (sass::writes_scoreboard(code[i].control)) made.scoreboarded.emplace(sass::opcode_of(code[i].text));
    for (const auto producer : producers[i]) {
      if (!sass::writes_scoreboard(code[producer].control))
        made.producers.emplace(sass::opcode_of(code[producer].text));
    }
  }
}

bool is_of_use(const results::Record& record, const results::WindowRecord& window) {
  return record.kind == results::RecordKind::latency && record.level > 0 && window.cycles &&
         window.verdict == sass::Verdict::proven && !record.has_flag(results::flag::survey) && window.sass.size() > 3;
}

// Opcodes that leave the SM with the usual values of a form: distributions over lines of memory have no one arrival. In
// a window with several opcodes it may be another one.
std::set<std::string> surveyed_opcodes(const std::vector<results::Record>& latency) {
  std::set<std::string> opcodes;
  for (const auto& record : latency) {
    if (record.level == 0 || !record.input.empty() || !record.has_flag(results::flag::survey)) continue;
    const auto* window = results::window_of_role(record, differential);
    if (window == nullptr) continue;
    std::set<std::string> scoreboarded;
    for (const auto& one : window->sass) {
      if (one.write_scoreboard != sass::ControlWord::no_scoreboard) scoreboarded.emplace(sass::opcode_of(one.text));
    }
    if (scoreboarded.size() == 1) opcodes.insert(*scoreboarded.begin());
  }
  return opcodes;
}

// The class of a form's usual values: the one without a name, or else its first.
std::map<std::string, std::string> usual_inputs(const std::vector<results::Record>& latency) {
  std::map<std::string, std::string> inputs;
  for (const auto& record : latency) {
    const auto [known, is_new] = inputs.emplace(record.ptx, record.input);
    if (record.input.empty()) known->second.clear();
  }
  return inputs;
}

std::vector<Case> cases_of(const std::vector<results::Record>& latency) {
  const auto usual = usual_inputs(latency);
  std::vector<std::vector<Case>> of_records(latency.size());
  in_parallel(latency.size(), [&](std::size_t i) {
    for (const auto& window : latency[i].windows) {
      if (!is_of_use(latency[i], window)) continue;
      Case made{.form = latency[i].ptx,
                .is_usual = latency[i].input == usual.at(latency[i].ptx),
                .is_alone = window.role == differential,
                .window = line::window_of(window),
                .cycles = *window.cycles,
                .scoreboarded = {},
                .producers = {}};
      find_producers(made);
      of_records[i].push_back(std::move(made));
    }
  });
  std::vector<Case> cases;
  for (auto& some : of_records) std::move(some.begin(), some.end(), std::back_inserter(cases));
  return cases;
}

// The arrival with which the window takes as long as it took; empty if it does not depend on that, or if there is none.
std::optional<double> solved(const Case& one, const std::string& opcode, bool is_interlocked, sass::Arrivals known) {
  const auto with = [&](double cycles) {
    known[opcode] = {is_interlocked, cycles};
    return sass::expected_cycles(one.window, known);
  };
  const auto least = with(0);
  if (!least || *least >= one.cycles) return std::nullopt;
  double low = 0, high = one.cycles + 16;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (*with(middle) < one.cycles ? low : high) = middle;
  }
  constexpr double fraction = 4;  // medians may end in a half
  const double cycles = std::round(high * fraction) / fraction;
  return std::abs(*with(cycles) - one.cycles) < 0.01 ? std::optional(cycles) : std::nullopt;
}

// How often windows have which solution.
using Counts = std::map<double, std::size_t>;

results::ArrivalTime row_of(const std::string& opcode, results::Held held, double cycles, const Counts& counts) {
  std::size_t windows = 0;
  for (const auto& [solution, count] : counts) windows += count;
  return {opcode, held, cycles, counts.begin()->first, counts.rbegin()->first, windows};
}

// The solution that most windows have; of two, the nearer one.
double most_frequent(const Counts& counts) {
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& x, const auto& y) { return x.second < y.second; })
      ->first;
}

// The solution with which all these windows together come nearest to what they took.
double nearest(const std::vector<const Case*>& cases, const std::string& opcode, const Counts& counts) {
  double best = 0, least = -1;
  for (const auto& [cycles, count] : counts) {
    const sass::Arrivals known = {{opcode, {true, cycles}}};
    double error = 0;
    for (const auto* one : cases)
      error += std::abs(*sass::expected_cycles(one->window, known) - one->cycles) / one->cycles;
    if (least >= 0 && error >= least) continue;
    best = cycles;
    least = error;
  }
  return best;
}

// Opcodes of fixed latency that are in windows that take longer than their schedule, and in no window that does not.
// What may as well explain such a window with another opcode does not count, nor what a single form shows.
std::vector<results::ArrivalTime> interlocked(const std::vector<Case>& cases) {
  std::set<std::string> as_scheduled;
  std::vector<const Case*> late;
  for (const auto& one : cases) {
    const auto schedule = one.scoreboarded.empty() ? sass::expected_cycles(one.window, {}) : std::nullopt;
    if (!schedule) continue;
    if (one.cycles > *schedule) {
      late.push_back(&one);
    } else {
      as_scheduled.insert(one.producers.begin(), one.producers.end());
    }
  }
  std::map<std::string, std::vector<const Case*>> of_opcodes;
  for (const auto* one : late) {
    std::vector<std::string> suspects;
    std::set_difference(one->producers.begin(), one->producers.end(), as_scheduled.begin(), as_scheduled.end(),
                        std::back_inserter(suspects));
    if (suspects.size() == 1) of_opcodes[suspects.front()].push_back(one);
  }
  std::vector<results::ArrivalTime> rows;
  for (const auto& [opcode, of_opcode] : of_opcodes) {
    Counts counts;
    std::set<std::string> forms;
    for (const auto* one : of_opcode) {
      const auto cycles = solved(*one, opcode, true, {});
      if (!cycles) continue;
      ++counts[*cycles];
      forms.insert(one->form);
    }
    constexpr std::size_t several = 2;
    if (forms.size() < several) continue;
    rows.push_back(row_of(opcode, results::Held::interlock, nearest(of_opcode, opcode, counts), counts));
  }
  return rows;
}

}  // namespace

sass::Arrivals arrivals_in(const std::vector<results::ArrivalTime>& rows) {
  sass::Arrivals arrivals;
  for (const auto& row : rows) {
    if (row.cycles) arrivals[row.opcode] = {row.held == results::Held::interlock, *row.cycles};
  }
  return arrivals;
}

std::vector<results::ArrivalTime> learned_arrivals(const std::vector<results::Record>& latency) {
  const auto cases = cases_of(latency);
  auto rows = interlocked(cases);
  const auto known = arrivals_in(rows);
  std::vector<std::optional<double>> solutions(cases.size());
  in_parallel(cases.size(), [&](std::size_t i) {
    if (cases[i].scoreboarded.size() == 1)
      solutions[i] = solved(cases[i], *cases[i].scoreboarded.begin(), false, known);
  });
  // The best windows that there are decide: with usual values and alone, with usual values, and all.
  std::map<std::string, std::array<Counts, 3>> of_opcodes;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!solutions[i]) continue;
    auto& tiers = of_opcodes[*cases[i].scoreboarded.begin()];
    const std::size_t best = !cases[i].is_usual ? 2 : !cases[i].is_alone ? 1 : 0;
    for (std::size_t tier = best; tier < tiers.size(); ++tier) ++tiers[tier][*solutions[i]];
  }
  const auto surveyed = surveyed_opcodes(latency);
  for (const auto& [opcode, tiers] : of_opcodes) {
    if (surveyed.contains(opcode)) continue;
    const auto counts = std::find_if(tiers.begin(), tiers.end(), [](const Counts& tier) { return !tier.empty(); });
    rows.push_back(row_of(opcode, results::Held::scoreboard, most_frequent(*counts), *counts));
  }
  std::sort(rows.begin(), rows.end(), [](const auto& x, const auto& y) { return x.opcode < y.opcode; });
  return rows;
}

}  // namespace ptxlat::pairs
