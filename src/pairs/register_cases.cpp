// SPDX-License-Identifier: Apache-2.0
#include "pairs/register_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>

#include "base/error.h"
#include "base/hash.h"
#include "line/window_record.h"
#include "loops/loop.h"
#include "loops/saturated_kernel.h"
#include "results/curve.h"
#include "results/note.h"
#include "sass/dataflow.h"

namespace ptxlat::pairs {

namespace {

constexpr char register_version[] = "registers 2";
constexpr std::size_t source_count = 3;
constexpr int highest_tried = 63;
constexpr unsigned seed_of_cases = 18;
constexpr char cycles_name[] = "cycles";
constexpr char reuse_name[] = "cycles with reuse";

// An opcode with three sources, and a form that becomes it.
//   is_wide  its sources are pairs of registers, which begin at an even one
struct ThreeSources {
  const char* opcode;
  const char* form;
  bool is_wide = false;
};
constexpr ThreeSources first_opcode{"FFMA", "fma.rn.f32"};
constexpr ThreeSources other_opcodes[] = {
    {"IMAD", "mad.lo.s32"}, {"HFMA2", "fma.rn.f16"}, {"PRMT", "prmt.b32"}, {"DFMA", "fma.rn.f64", true}};

std::string name_of(const ThreeSources& one) { return fmt::format("{}: {}", cycles_name, one.opcode); }

const isa::Form& form_of(const ptx::LoadedCatalogue& loaded, const ThreeSources& one) {
  const auto& forms = loaded.catalogue.forms;
  const auto found = std::find_if(forms.begin(), forms.end(), [&](const auto& form) { return form.ptx == one.form; });
  if (found == forms.end()) throw Error(ExitCode::catalogue, fmt::format("the catalogue has no {}", one.form));
  return *found;
}

ptx::Trial trial_of(const ptx::LoadedCatalogue& loaded, const ThreeSources& one) {
  const auto variant = isa::variants_of(form_of(loaded, one)).front();
  return loops::saturated_trial(loaded, {&variant, 1}, loops::places_of_body, loops::Sources::own);
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
std::string why_not_patched(const loops::Fillable& fillable) {
  if (!fillable.found.problem.empty()) return fillable.found.problem;
  const auto& instruction = fillable.found.codes.front().front();
  std::vector<int> numbers;
  for (const auto& read : sass::register_use(instruction.text).reads) {
    if (read.file == sass::RegisterFile::general) numbers.push_back(read.number);
  }
  return numbers == loops::sources_of(instruction.word) ? "" : "its registers are not where they are expected";
}

sass::InstructionWord with_reuse(const sass::InstructionWord& word, const std::vector<KeptSource>& operands) {
  std::vector<int> registers;
  auto control = sass::control_word(word);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    registers.push_back(operands[i].number);
    if (operands[i].is_kept) control.reuse |= 1 << i;
  }
  return loops::with_sources(sass::with_control(word, control), registers);
}

// Times one of the words, when they fill a loop in turns.
class CopyTimer {
 public:
  CopyTimer(line::Bench& bench, const loops::Fillable& fillable) : bench_(bench), fillable_(fillable) {
    empty_ = loop_of({loops::nothing()});
  }
  std::optional<double> operator()(const std::vector<sass::InstructionWord>& turns) {
    const auto time = empty_ ? loop_of(turns) : std::nullopt;
    if (!time) return std::nullopt;
    return 1 + (*time - *empty_) / (loops::default_rounds * loops::places_of_body);  // a NOP takes one cycle
  }
  const loops::LoopTime& last() const { return last_; }

 private:
  std::optional<double> loop_of(const std::vector<sass::InstructionWord>& turns) {
    std::vector<sass::InstructionWord> words;
    for (std::size_t i = 0; i < loops::places_of_body; ++i) words.push_back(turns[i % turns.size()]);
    last_ = loops::time_loop(bench_, fillable_, words, {1});
    return last_.cycles.empty() ? std::nullopt : std::optional(last_.cycles.front().middle);
  }

  line::Bench& bench_;
  const loops::Fillable& fillable_;
  std::optional<double> empty_;
  loops::LoopTime last_;
};

// A case's name and its words.
struct NamedTurns {
  std::string name;
  std::vector<sass::InstructionWord> turns;
};

// Puts the times into the record, as a series of this name. False if a launch failed.
bool measure(CopyTimer& time_of, const std::string& name, const std::vector<NamedTurns>& cases,
             results::Record& record) {
  results::Series series{name, "cycles", {{"sources", "", {}}}, {}};
  for (const auto& one : cases) {
    const auto time = time_of(one.turns);
    if (!time) return false;
    auto& axis = series.axes.front();
    axis.values.push_back(static_cast<double>(axis.names.size()));
    axis.names.push_back(one.name);
    series.values.emplace_back(*time);
  }
  record.series.push_back(std::move(series));
  return true;
}

void measure_first(line::Bench& bench, const loops::Fillable& fillable, int highest, results::Record& record) {
  const auto copy = loops::copy_of(fillable.found.codes.front()).front();
  std::vector<NamedTurns> plain, kept;
  for (const auto& registers : register_cases(highest, seed_of_cases))
    plain.push_back({name_of(registers), {loops::with_sources(copy, registers)}});
  for (const auto& one : reuse_cases(highest, seed_of_cases)) {
    kept.push_back({text_of(one), {}});
    for (const auto& operands : one.instructions) kept.back().turns.push_back(with_reuse(copy, operands));
  }
  CopyTimer time_of(bench, fillable);
  if (measure(time_of, cycles_name, plain, record) && measure(time_of, reuse_name, kept, record)) return;
  results::give_up(record, time_of.last().verdict, time_of.last().message);
}

void measure_other(line::Bench& bench, const loops::Fillable& fillable, const ThreeSources& one, int highest,
                   results::Record& record) {
  constexpr std::size_t most_cases = 64;
  const auto copy = loops::copy_of(fillable.found.codes.front()).front();
  std::vector<NamedTurns> cases;
  for (auto registers : register_cases(one.is_wide ? highest - 1 : highest, seed_of_cases)) {
    for (int& number : registers) number -= one.is_wide ? number % 2 : 0;
    cases.push_back({name_of(registers), {loops::with_sources(copy, registers)}});
  }
  cases.resize(std::min(cases.size(), most_cases));
  CopyTimer time_of(bench, fillable);
  if (measure(time_of, name_of(one), cases, record)) return;
  results::add_note(record.note, fmt::format("{}: a launch failed: {}", one.opcode, time_of.last().message));
  record.add_flag(results::flag::retry);
}

// The fact of a rule that was inferred from half of the cases and tested on the others. It may be wrong for a few: on
// an H100, a register that the first and the last operand name and keep is read again now and then.
template <class Inferred>
results::Fact fact_of(const char* quantity, const std::string& condition, const Inferred& inferred,
                      const std::string& value, const std::string& copies) {
  constexpr double enough = 0.95;
  const bool holds = inferred.tested > 0 && inferred.tested_right >= enough * inferred.tested;
  const auto how = fmt::format(
      "copies of {}, one warp: the rule gives {} of the {} cases that it was inferred from within a quarter of a "
      "cycle, and {} of {} others",
      copies, inferred.learned_right, inferred.learned, inferred.tested_right, inferred.tested);
  const auto verdict = holds ? results::FactVerdict::inferred : results::FactVerdict::undetermined;
  return {quantity, condition, holds ? value : "", {}, {}, "text", "kind", verdict, how};
}

std::vector<RegisterCase> cases_in(const results::Series& series, bool is_wide) {
  std::vector<RegisterCase> cases;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    auto& one =
        cases.emplace_back(RegisterCase{registers_in(series.axes.front().names[i]), series.values[i].value_or(0)});
    const auto count = is_wide ? one.registers.size() : 0;
    for (std::size_t source = 0; source < count; ++source) one.registers.push_back(one.registers[source] + 1);
  }
  return cases;
}

const results::Series* series_of(const results::Record& record, const std::string& name) {
  for (const auto& series : record.series) {
    if (series.name == name && results::is_named_curve(series)) return &series;
  }
  return nullptr;
}

}  // namespace

results::CellKey key_of(const RegisterPlan& plan) {
  return {results::RecordKind::probe, registers_name, {}, {}, plan.level, plan.recipe};
}

RegisterPlan plan_registers(const ptx::LoadedCatalogue& loaded, int level) {
  Hash hash;
  hash.add(std::string_view(register_version));
  ptx::add(hash, trial_of(loaded, first_opcode));
  for (const auto& one : other_opcodes) ptx::add(hash, trial_of(loaded, one));
  return {level, hash.text()};
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
    for (std::size_t source = 0; source < source_count; ++source)
      one.push_back(static_cast<int>(random() % static_cast<unsigned>(highest + 1)));
    cases.push_back(std::move(one));
  }
  std::shuffle(cases.begin(), cases.end(), random);
  return cases;
}

std::vector<ReuseCase> reuse_cases(int highest, unsigned seed) {
  std::vector<ReuseCase> cases;
  const auto kept = [](const std::vector<int>& registers, unsigned mask) {
    std::vector<KeptSource> operands;
    for (std::size_t i = 0; i < registers.size(); ++i) operands.push_back({registers[i], (mask >> i & 1) != 0});
    return operands;
  };
  constexpr unsigned masks = 1u << source_count;
  for (const auto& registers : {std::vector{2, 4, 6}, {3, 5, 7}, {2, 4, 3}, {2, 2, 4}}) {
    for (unsigned mask = 1; mask < masks; ++mask) cases.push_back({{kept(registers, mask)}});
  }
  // What one operand keeps, another one reads.
  for (const auto& registers : {std::vector{2, 4, 6}, {3, 5, 7}}) {
    for (std::size_t turn = 0; turn < source_count; ++turn) {
      auto turned = registers;
      std::rotate(turned.begin(), turned.begin() + static_cast<std::ptrdiff_t>(turn), turned.end());
      for (unsigned slot = 0; slot < source_count; ++slot)
        cases.push_back({{kept(registers, 1u << slot), kept(turned, 0)}});
    }
  }
  std::erase_if(cases, [&](const auto& one) {
    const auto& operands = one.instructions.front();
    return std::any_of(operands.begin(), operands.end(), [&](const auto& source) { return source.number > highest; });
  });
  constexpr int random_cases = 50;
  std::mt19937 random(seed);
  const auto any_below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  for (int i = 0; i < random_cases; ++i) {
    const int parity = any_below(2);
    std::vector<int> few;  // so that both instructions often name one register
    for (std::size_t one = 0; one <= source_count; ++one) few.push_back(2 * any_below((highest + 1) / 2) + parity);
    ReuseCase made;
    for (int instruction = 0; instruction < 2; ++instruction) {
      std::vector<int> registers;
      for (std::size_t source = 0; source < source_count; ++source)
        registers.push_back(few[static_cast<std::size_t>(any_below(static_cast<int>(few.size())))]);
      made.instructions.push_back(kept(registers, static_cast<unsigned>(any_below(masks))));
    }
    cases.push_back(std::move(made));
  }
  std::shuffle(cases.begin(), cases.end(), random);
  return cases;
}

void read_registers_again(results::Record& record) {
  record.facts.clear();
  const auto* plain = series_of(record, cycles_name);
  if (plain == nullptr) return;
  const std::string patched = "an FFMA with patched source registers";
  const auto inferred = infer_bank_rule(cases_in(*plain, false));
  auto banks = fact_of("register.banks", {}, inferred, std::to_string(inferred.rule.banks), patched);
  banks.unit = "count";
  if (!banks.value.empty()) banks.low = banks.high = inferred.rule.banks;
  record.facts.push_back(std::move(banks));
  record.facts.push_back(fact_of("register.bank_rule", {}, inferred, text_of(inferred.rule), patched));
  if (record.facts.back().value.empty()) return;
  if (const auto* kept = series_of(record, reuse_name)) {
    std::vector<ReuseCase> cases;
    for (std::size_t i = 0; i < kept->values.size(); ++i) {
      cases.push_back(reuse_case_in(kept->axes.front().names[i]));
      cases.back().cycles = kept->values[i].value_or(0);
    }
    const auto reuse = infer_reuse(inferred.rule, cases);
    record.facts.push_back(
        fact_of("register.reuse_rule", {}, reuse, text_of(reuse.rule), patched + " and bits for reuse"));
  }
  for (const auto& one : other_opcodes) {
    const auto* series = series_of(record, name_of(one));
    if (series == nullptr) continue;
    const auto least = infer_least(inferred.rule, cases_in(*series, one.is_wide));
    const auto copies = fmt::format("{} with patched source registers{}", one.opcode,
                                    one.is_wide ? ", each a pair, which is a read in each bank" : "");
    record.facts.push_back(
        fact_of("register.opcode_rule", fmt::format("opcode={}", one.opcode), least, text_of(least.rule), copies));
  }
}

std::vector<results::Record> RegisterMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  if (chunk.empty()) return {};
  auto record = results::record_of(key_of(plan_));
  const auto trial = bench.add(trial_of(loaded_, first_opcode), registers_name);
  std::vector<std::size_t> others;
  for (const auto& one : other_opcodes) others.push_back(bench.add(trial_of(loaded_, one), registers_name));
  bench.assemble(loops::kernels_per_module);
  const auto filled = [&](std::size_t number, const ThreeSources& one) {
    return loops::first_fillable(bench.batch(), {number}, {{one.opcode}}, loops::places_of_body);
  };
  const auto fillable = filled(trial, first_opcode);
  const auto& kernel = bench.batch().kernel_of(trial);
  if (const auto problem = why_not_patched(fillable); !problem.empty()) {
    results::give_up(record, fillable.is_assembled ? sass::Verdict::fused : sass::Verdict::rejected, problem);
    record.set_flag(results::flag::retry, fillable.assembler_failed);
    return {std::move(record)};
  }
  auto shown = kernel;
  shown.window = loops::with_first_copy(*kernel.window, fillable.found, fillable.found.codes);
  record.windows = {line::window_record("copies", shown, {})};
  if (!bench.measures()) return {std::move(record)};
  measure_first(bench, fillable, highest_register(*kernel.window), record);
  record.gpu = bench.gpu();
  for (std::size_t i = 0; i < others.size() && record.verdict == sass::Verdict::proven; ++i) {
    const auto other = filled(others[i], other_opcodes[i]);
    if (const auto problem = why_not_patched(other); !problem.empty()) {
      results::add_note(record.note, fmt::format("{}: {}", other_opcodes[i].opcode, problem));
      if (other.assembler_failed) record.add_flag(results::flag::retry);
    } else {
      measure_other(bench, other, other_opcodes[i], highest_register(*bench.batch().kernel_of(others[i]).window),
                    record);
    }
  }
  read_registers_again(record);
  return {std::move(record)};
}

}  // namespace ptxlat::pairs
