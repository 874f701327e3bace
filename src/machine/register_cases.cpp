// SPDX-License-Identifier: Apache-2.0
#include "machine/register_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "base/hash.h"
#include "line/window_record.h"
#include "machine/loop.h"
#include "machine/saturated_kernel.h"
#include "results/curve.h"
#include "sass/dataflow.h"

namespace ptxlat::machine {

namespace {

constexpr char register_version[] = "registers 1";
constexpr char form_name[] = "fma.rn.f32";
constexpr char opcode[] = "FFMA";
constexpr int source_bits[] = {24, 32, 64};
constexpr int highest_tried = 63;
constexpr unsigned seed_of_cases = 18;

const isa::Form& form_of(const ptx::LoadedCatalogue& loaded) {
  const auto& forms = loaded.catalogue.forms;
  const auto found = std::find_if(forms.begin(), forms.end(), [](const auto& form) { return form.ptx == form_name; });
  if (found == forms.end()) throw Error(ExitCode::catalogue, fmt::format("the catalogue has no {}", form_name));
  return *found;
}

kernel::Trial trial_of(const ptx::LoadedCatalogue& loaded) {
  const auto variant = isa::variants_of(form_of(loaded)).front();
  return saturated_trial(loaded, {&variant, 1}, places_of_body, Sources::own);
}

// The highest general register that the kernel names: it may read those.
int highest_register(const sass::Window& window) {
  int highest = 0;
  for (const auto* part : {&window.prologue, &window.instructions, &window.epilogue}) {
    for (const auto& instruction : *part) {
      const auto use = sass::register_use(instruction.text);
      for (const auto* all : {&use.reads, &use.writes}) {
        for (const auto& one : *all) {
          if (one.file == sass::RegisterFile::general) highest = std::max(highest, one.number);
        }
      }
    }
  }
  return std::min(highest, highest_tried);
}

std::string name_of(const std::vector<int>& registers) {
  std::vector<std::string> names;
  for (const int number : registers) names.push_back(fmt::format("R{}", number));
  return fmt::format("{}", fmt::join(names, " "));
}

// Why copies of the instruction cannot have other registers; empty if they can.
std::string why_not_patched(const Fillable& fillable) {
  if (!fillable.found.problem.empty()) return fillable.found.problem;
  const auto& instruction = fillable.found.codes.front().front();
  std::vector<int> numbers;
  for (const auto& read : sass::register_use(instruction.text).reads) {
    if (read.file == sass::RegisterFile::general) numbers.push_back(read.number);
  }
  return numbers == sources_of(instruction.word) ? "" : "its registers are not where they are expected";
}

void measure(line::Bench& bench, const Fillable& fillable, const sass::Window& window, results::Record& record) {
  const auto copy = copy_of(fillable.found.codes.front()).front();
  const auto time_of = [&](const sass::InstructionWord& word) {
    auto time = time_loop(bench, fillable, std::vector(places_of_body, word), {1});
    record.verdict = time.verdict;
    record.note = time.message;
    return time.cycles.empty() ? std::nullopt : std::optional(time.cycles.front());
  };
  const auto empty = time_of(nothing());
  if (!empty) return;
  results::Series series{"cycles", "cycles", {{"sources", "", {}}}, {}};
  for (const auto& registers : register_cases(highest_register(window), seed_of_cases)) {
    const auto time = time_of(with_sources(copy, registers));
    if (!time) return;
    auto& axis = series.axes.front();
    axis.values.push_back(static_cast<double>(axis.names.size()));
    axis.names.push_back(name_of(registers));
    series.values.emplace_back(1 + (*time - *empty) / (rounds * places_of_body));  // a NOP takes one cycle
  }
  record.series.push_back(std::move(series));
  read_registers_again(record);
}

}  // namespace

results::CellKey key_of(const RegisterPlan& plan) {
  return {results::RecordKind::probe, registers_name, {}, {}, plan.level, plan.recipe};
}

RegisterPlan plan_registers(const ptx::LoadedCatalogue& loaded, int level) {
  Hash hash;
  hash.add(std::string_view(register_version));
  kernel::add(hash, trial_of(loaded));
  return {level, fmt::format("{:016x}", hash.value())};
}

std::vector<std::vector<int>> register_cases(int highest, unsigned seed) {
  std::vector<std::vector<int>> cases;
  // Of two even and two odd registers.
  const std::vector<int> few{2, 4, 3, 5};
  for (const int a : few) {
    for (const int b : few) {
      for (const int c : few) cases.push_back({a, b, c});
    }
  }
  std::erase_if(cases, [&](const auto& one) { return *std::max_element(one.begin(), one.end()) > highest; });
  constexpr int random_cases = 64;
  std::mt19937 random(seed);
  for (int i = 0; i < random_cases; ++i) {
    std::vector<int> one;
    for (std::size_t source = 0; source < std::size(source_bits); ++source)
      one.push_back(static_cast<int>(random() % static_cast<unsigned>(highest + 1)));
    cases.push_back(std::move(one));
  }
  std::shuffle(cases.begin(), cases.end(), random);
  return cases;
}

sass::InstructionWord with_sources(sass::InstructionWord word, const std::vector<int>& registers) {
  for (std::size_t i = 0; i < std::size(source_bits); ++i) {
    auto& half = source_bits[i] < 64 ? word.low : word.high;
    const int bit = source_bits[i] % 64;
    half = (half & ~(std::uint64_t{0xff} << bit)) | static_cast<std::uint64_t>(registers[i]) << bit;
  }
  return word;
}

std::vector<int> sources_of(const sass::InstructionWord& word) {
  std::vector<int> registers;
  for (const int bit : source_bits)
    registers.push_back(static_cast<int>((bit < 64 ? word.low : word.high) >> bit % 64 & 0xff));
  return registers;
}

void read_registers_again(results::Record& record) {
  record.facts.clear();
  if (record.series.empty() || !results::is_named_curve(record.series.front())) return;
  const auto& series = record.series.front();
  std::vector<infer::RegisterCase> cases;
  for (std::size_t i = 0; i < series.values.size(); ++i)
    cases.push_back({infer::registers_in(series.axes.front().names[i]), series.values[i].value_or(0)});
  const auto inferred = infer::infer_bank_rule(cases);
  const bool holds = inferred.tested > 0 && inferred.tested_right == inferred.tested;
  const auto how = fmt::format(
      "copies of an FFMA with patched source registers, one warp: the rule gives {} of the {} cases that it was "
      "inferred from within a quarter of a cycle, and {} of {} others",
      inferred.learned_right, inferred.learned, inferred.tested_right, inferred.tested);
  const auto add = [&](const char* quantity, const std::string& value, const char* unit) {
    const auto verdict = holds ? results::FactVerdict::inferred : results::FactVerdict::undetermined;
    record.facts.push_back({quantity, {}, holds ? value : "", {}, {}, unit, "kind", verdict, how});
  };
  add("register.banks", std::to_string(inferred.rule.banks), "count");
  if (holds) record.facts.back().low = record.facts.back().high = inferred.rule.banks;
  add("register.bank_rule", text_of(inferred.rule), "text");
}

std::vector<results::Record> RegisterMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  if (chunk.empty()) return {};
  results::Record record;
  record.kind = results::RecordKind::probe;
  record.ptx = registers_name;
  record.level = plan_.level;
  record.recipe = plan_.recipe;
  const auto trial = bench.add(trial_of(loaded_), registers_name);
  bench.assemble();
  const auto fillable = first_fillable(bench.batch(), {trial}, {{opcode}}, places_of_body);
  const auto& kernel = bench.batch().kernel_of(trial);
  if (const auto problem = why_not_patched(fillable); !problem.empty()) {
    record.verdict = fillable.is_assembled ? sass::Verdict::fused : sass::Verdict::rejected;
    record.note = problem;
  } else {
    auto shown = kernel;
    shown.window = with_first_copy(*kernel.window, fillable.found, fillable.found.codes);
    record.windows = {line::window_record("copies", shown, {})};
    if (bench.measures()) measure(bench, fillable, *kernel.window, record);
  }
  record.gpu = bench.gpu();
  return {std::move(record)};
}

}  // namespace ptxlat::machine
