// SPDX-License-Identifier: Apache-2.0
#include "machine/throughput.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "base/parallel.h"
#include "latency/cells.h"
#include "line/window_record.h"
#include "machine/beside_loop.h"
#include "machine/curves.h"
#include "machine/loop.h"
#include "machine/patch.h"
#include "machine/rates.h"
#include "machine/saturated_kernel.h"
#include "machine/stream_loop.h"
#include "machine/warpgroup.h"
#include "sass/opcodes.h"

namespace ptxlat::machine {

namespace {

constexpr std::size_t loops_of_cell =
    16;                           // four loops, each of which keeps the GPU busy for as long as many ordinary cells
constexpr int most_places = 240;  // 3.8 KB: two copies of long code

using latency::Role;

// How an instruction is repeated.
//   copies   its machine code is copied into a loop
//   beside   likewise, if it is known there (machine/beside_loop.h); a stream does not say
//   streams  in a loop of PTX (machine/stream_loop.h)
//   loops    likewise, by warpgroups (machine/warpgroup.h)
//   none     its record is final
enum class Way { copies, beside, streams, loops, none };

struct Work {
  const ThroughputPlan* plan = nullptr;
  latency::Experiment streams;
  latency::TrialNumbers stream_trials;
  Copies copies;
  std::vector<std::vector<std::string>> wanted;  // opcodes, of each code that takes its turn
  BesideLoopTrials beside_loop;
  std::vector<std::size_t> shorter, longer;  // trials of the bench, best first
  std::vector<StreamLoopShape> shapes_left;  // to try in stream_loops
  StreamLoopTrials stream_loops;
  ChainLoops loops;
  results::Record record;
  Way way = Way::copies;
};

results::Record begun(const ThroughputPlan& plan) {
  const auto& form = *plan.variant.form;
  results::Record record;
  record.kind = results::RecordKind::throughput;
  record.ptx = form.ptx;
  record.chapter = form.chapter;
  record.is_core = form.core == form.ptx;
  record.input = plan.variant.input->name;
  record.level = plan.level;
  record.recipe = plan.recipe;
  return record;
}

void give_up(Work& work, sass::Verdict verdict, const std::string& note) {
  work.record.verdict = verdict;
  work.record.note = note;
  work.way = Way::none;
}

// Its machine code cannot be copied, for this reason.
void repeat_in_ptx(Work& work, sass::Verdict verdict, const std::string& note) {
  give_up(work, verdict, note);
  work.way = Way::streams;
}

// A stream does not say what its machine code is, for this reason.
void prove_beside_loop(Work& work, sass::Verdict verdict, const std::string& note) {
  give_up(work, verdict, note);
  work.way = Way::beside;
}

// The rest without an instruction's machine code.
void find_out_of_reach(const ptx::LoadedCatalogue& loaded, const line::Bench& bench, Work& work) {
  const auto& variant = work.plan->variant;
  if (const auto reason = latency::why_unsupported(bench, variant); !reason.empty())
    return give_up(work, sass::Verdict::unsupported, reason);
  if (!variant.form->not_measurable.empty())
    return give_up(work, sass::Verdict::no_dependency, variant.form->not_measurable);
  if (latency::consumers_for(loaded.catalogue, variant).empty())
    return give_up(work, sass::Verdict::no_dependency, "no consumer in the catalogue takes its result's type");
  if (accumulating_variant(loaded, *variant.form)) {
    work.way = Way::loops;
  } else if (const auto reason = why_not_saturated(variant); !reason.empty()) {
    give_up(work, sass::Verdict::no_dependency, reason);
  }
}

template <class Do>
void for_those(Way way, std::vector<Work>& all, Do what) {
  for (auto& work : all) {
    if (work.way == way) what(work);
  }
}

void add_streams(line::Bench& bench, Work& work) {
  for (const Role role : {Role::stream, Role::stream_twice}) {
    const auto& trial = work.streams.trials[role];
    if (!trial.kernel.text.empty()) work.stream_trials[role] = bench.add(trial, work.record.ptx);
  }
}

bool end_waits(const line::Bench& bench, const Work& work) {
  return std::any_of(work.stream_trials.values.begin(), work.stream_trials.values.end(), [&](const auto& trial) {
    return trial && bench.batch().kernel_of(*trial).window && sass::end_waits(*bench.batch().kernel_of(*trial).window);
  });
}

// The code to look for in a loop's kernel: if ptxas takes two opcodes in turn for copies of one machine instruction,
// each of these.
std::vector<std::vector<std::string>> wanted_of(const line::Bench& bench, const Work& work) {
  const auto window_of = [&](Role role) -> const sass::Window& {
    return *bench.batch().kernel_of(*work.stream_trials[role]).window;
  };
  if (work.record.sass.size() == 1) {
    const auto turns = opcodes_of_copies(window_of(Role::stream), window_of(Role::stream_twice), work.streams.copies);
    if (turns.size() == 2) return {{turns[0]}, {turns[1]}};
  }
  return {work.record.sass};
}

// Whether, and how often, the machine code is copied.
void choose_copies(Work& work) {
  const auto& sass = work.record.sass;
  const auto has = [&](sass::Trait trait) {
    return std::any_of(sass.begin(), sass.end(), [&](const auto& opcode) { return sass::has(opcode, trait); });
  };
  if (has(sass::Trait::leaves)) return repeat_in_ptx(work, sass::Verdict::fused, "its code branches");
  if (has(sass::Trait::waits))
    return give_up(work, sass::Verdict::no_dependency, "it waits for what copies of it do not bring");
  work.copies = copies_of(sass.size());
  if (work.copies.longer == 0)
    repeat_in_ptx(work, sass::Verdict::no_dependency,
                  "two copies of its code do not fit the innermost instruction cache");
}

void prove(const ptx::LoadedCatalogue& loaded, line::Bench& bench, std::vector<Work>& all) {
  for_those(Way::copies, all, [&](Work& work) {
    work.streams = latency::expand_streams(loaded, work.plan->variant);
    add_streams(bench, work);
  });
  bench.assemble();
  for_those(Way::copies, all, [&](Work& work) {
    if (work.streams.copies <= 1 || !end_waits(bench, work)) return;
    latency::shorten_stream(loaded, work.plan->variant, work.streams);
    add_streams(bench, work);
  });
  bench.assemble();
  for_those(Way::copies, all, [&](Work& work) {
    const auto audits = latency::audit(loaded.catalogue, bench.batch(), work.stream_trials, work.plan->variant,
                                       bench.level(), work.streams);
    const auto& audit = audits[Role::stream];
    work.record.sass = audit.sass;
    work.record.sass_count = static_cast<int>(audit.sass.size());
    if (!audit.is_proven()) return prove_beside_loop(work, audit.verdict, audit.reason);
    choose_copies(work);
    if (work.way == Way::copies) work.wanted = wanted_of(bench, work);
  });
}

void prove_beside_loops(const ptx::LoadedCatalogue& loaded, line::Bench& bench, std::vector<Work>& all) {
  for_those(Way::beside, all, [&](Work& work) {
    work.beside_loop = add_beside_loop(loaded, bench, work.plan->variant, work.record.ptx);
  });
  bench.assemble();
  for_those(Way::beside, all, [&](Work& work) {
    work.way = Way::streams;
    work.wanted = code_beside_loop(bench, loaded.catalogue, work.plan->variant, work.beside_loop);
    if (work.wanted.empty()) return;
    work.way = Way::copies;
    work.record.verdict = sass::Verdict::proven;
    work.record.note.clear();
    work.record.sass = work.wanted.front();
    work.record.sass_count = static_cast<int>(work.record.sass.size());
    choose_copies(work);
  });
}

// The loops of those that have none yet.
void assemble_loops(const ptx::LoadedCatalogue& loaded, line::Bench& bench, std::vector<Work>& all) {
  for_those(Way::copies, all, [&](Work& work) {
    if (!work.longer.empty()) return;
    const std::vector<isa::Variant> variants(work.wanted.size(), work.plan->variant);
    for (const auto sources : {Sources::shared, Sources::own}) {
      const auto add = [&](int copies) {
        const auto places = copies * work.record.sass_count;
        return bench.add(saturated_trial(loaded, variants, places, sources), work.record.ptx);
      };
      work.shorter.push_back(add(work.copies.shorter));
      work.longer.push_back(add(work.copies.longer));
    }
  });
  bench.assemble();
}

// A single instruction is tried with all numbers of warps at which schedulers differ; long code with a few, and so is
// what leaves the SM, in which nothing depends on whose warp it is (docs/opcodes.md).
std::vector<int> warps_to_try(std::size_t instructions, bool leaves_sm) {
  if (instructions > 1 || leaves_sm) return {1, 2, 4, 8, 12, 16, 20, 24, 28, 32};
  return warps_of_curves();
}

// Copies of the codes in turn.
std::vector<sass::InstructionWord> words_of(const std::vector<Code>& turns, int copies) {
  std::vector<sass::InstructionWord> words;
  for (int i = 0; i < copies; ++i) {
    const auto copy = copy_of(turns[static_cast<std::size_t>(i) % turns.size()]);
    words.insert(words.end(), copy.begin(), copy.end());
  }
  return words;
}

struct Loops {
  Fillable shorter, longer;
};

// The codes of a loop that take turns, by number: each kernel has its own registers.
std::vector<Code> codes_of(const Fillable& fillable, const std::vector<std::size_t>& turns) {
  std::vector<Code> codes;
  for (const auto turn : turns) codes.push_back(fillable.found.codes[turn]);
  return codes;
}

// Why the two loops cannot be compared; empty if they can.
std::string why_not_comparable(const Loops& loops) {
  for (const auto* loop : {&loops.shorter, &loops.longer}) {
    if (!loop->found.problem.empty()) return loop->found.problem;
  }
  for (std::size_t i = 0; i < loops.longer.found.codes.size(); ++i) {
    if (opcodes_of(loops.shorter.found.codes[i]) != opcodes_of(loops.longer.found.codes[i]))
      return "ptxas made other code of it beside the longer loop";
  }
  return {};
}

// Measures codes in turn and puts the result into the record.
void measure(line::Bench& bench, const Loops& loops, const Copies& copies, const std::vector<std::size_t>& turns,
             results::Record& record) {
  bench.begin_cell();
  const auto codes = codes_of(loops.longer, turns);
  const auto warps = warps_to_try(codes.front().size(), bench.batch().trial(loops.longer.trial).launch.uses_memory);
  const auto shorter = words_of(codes_of(loops.shorter, turns), copies.shorter);
  const auto longer = words_of(codes, copies.longer);
  const auto times = time_both(
      [&](const auto& numbers, int rounds) { return time_loop(bench, loops.shorter, shorter, numbers, rounds); },
      [&](const auto& numbers, int rounds) { return time_loop(bench, loops.longer, longer, numbers, rounds); }, warps);
  record.gpu = bench.gpu();
  if (times.shorter.empty()) {
    record.verdict = times.verdict;
    record.note = times.message;
    return;
  }
  put_rates(record, warps, times,
            [&](const Timing& timing) { return cycles_of_copy(timing, copies.shorter, copies.longer); });
}

// Shows codes in turn, and measures them unless the same code has been measured.
void show_and_measure(line::Bench& bench, const isa::Catalogue& catalogue, const isa::Variant& variant,
                      const Loops& loops, const Copies& copies, const std::vector<std::size_t>& turns,
                      MeasuredCodes& measured, results::Record& record) {
  const auto codes = codes_of(loops.longer, turns);
  line::AssembledKernel shown;
  shown.window = with_first_copy(*bench.batch().kernel_of(loops.longer.trial).window, loops.longer.found, codes);
  record.windows = {line::window_record(fmt::format("loop of {}", copies.longer), shown, {})};
  record.code = code_of_copies(catalogue, variant, codes, bench.batch().trial(loops.longer.trial).launch);
  if (bench.measures()) measured.put(record, [&] { measure(bench, loops, copies, turns, record); });
}

Loops loops_of(const line::Bench& bench, const Work& work) {
  const auto places = [&](int copies) { return copies * work.record.sass_count; };
  return {first_fillable(bench.batch(), work.shorter, work.wanted, places(work.copies.shorter)),
          first_fillable(bench.batch(), work.longer, work.wanted, places(work.copies.longer))};
}

// Beside a loop, ptxas may make code of an instruction that is not the stream's.
void prove_loops(const line::Bench& bench, std::vector<Work>& all) {
  for_those(Way::copies, all, [&](Work& work) {
    const auto loops = loops_of(bench, work);
    const auto problem = why_not_comparable(loops);
    if (problem.empty() || !loops.shorter.is_assembled || !loops.longer.is_assembled) return;
    prove_beside_loop(work, sass::Verdict::fused, problem);
    work.shorter.clear();
    work.longer.clear();
  });
}

// The records of one form: the first is its own. If ptxas alternates between opcodes, one for each of these alone
// follows.
std::vector<results::Record> measure(line::Bench& bench, const isa::Catalogue& catalogue, Work& work,
                                     MeasuredCodes& measured) {
  const auto loops = loops_of(bench, work);
  if (const auto problem = why_not_comparable(loops); !problem.empty()) {
    const bool is_assembled = loops.shorter.is_assembled && loops.longer.is_assembled;
    if (is_assembled) {
      repeat_in_ptx(work, sass::Verdict::fused, problem);
    } else {
      give_up(work, sass::Verdict::rejected, problem);
    }
    return {};
  }
  // The code to copy, if ptxas exchanges opcodes.
  const auto& codes = loops.longer.found.codes;
  std::vector<std::size_t> turns{0};
  if (codes.size() > 1 && opcodes_of(codes[0]) != opcodes_of(codes[1])) turns.push_back(1);
  std::vector<results::Record> records{work.record};
  records.front().sass = opcodes_of(codes.front());
  if (turns.size() > 1) {
    records.front().add_flag(results::flag::takes_turns);
    records.front().sass.push_back(opcodes_of(codes[1]).front());
    for (const auto turn : turns) {
      auto alone = work.record;
      alone.sass = opcodes_of(codes[turn]);
      alone.operand = alone.sass.front();
      show_and_measure(bench, catalogue, work.plan->variant, loops, work.copies, {turn}, measured, alone);
      records.push_back(std::move(alone));
    }
  }
  show_and_measure(bench, catalogue, work.plan->variant, loops, work.copies, turns, measured, records.front());
  return records;
}

}  // namespace

results::CellKey key_of(const ThroughputPlan& plan) {
  return {
      results::RecordKind::throughput, plan.variant.form->ptx, {}, plan.variant.input->name, plan.level, plan.recipe};
}

std::vector<ThroughputPlan> plan_throughput(const ptx::LoadedCatalogue& loaded,
                                            const std::vector<const isa::Form*>& forms, int level) {
  std::vector<ThroughputPlan> plan;
  for (const auto* form : forms) plan.push_back({isa::variants_of(*form).front(), level, {}, 0});
  // Arithmetic first, in the order of the chapters.
  std::stable_sort(plan.begin(), plan.end(),
                   [](const auto& x, const auto& y) { return x.variant.form->order < y.variant.form->order; });
  in_parallel(plan.size(), [&](std::size_t i) {
    auto& cell = plan[i];
    Hash hash;
    hash.add(std::string_view(machine_version));
    const auto& form = *cell.variant.form;
    hash.add(form.not_measurable + form.unsupported_because);
    const bool is_possible = form.not_measurable.empty() && form.unsupported_because.empty() &&
                             why_not_saturated(cell.variant).empty() &&
                             !latency::consumers_for(loaded.catalogue, cell.variant).empty();
    const auto add = [&](const kernel::Trial& trial, std::size_t copies) {
      kernel::add(hash, trial);
      cell.ptx_bytes += copies * trial.kernel.text.size();
    };
    if (const auto accumulating = accumulating_variant(loaded, form)) {
      for (const auto& trial : chain_loop_trials(loaded, *accumulating, 1, threads_of_warpgroups(form))) add(trial, 1);
    }
    if (is_possible) {
      for (const auto& trial : stream_loop_trials(loaded, cell.variant)) add(trial, 1);
      for (const auto& trial : latency::expand_streams(loaded, cell.variant).trials.values) add(trial, 1);
      add(saturated_trial(loaded, {&cell.variant, 1}, places_of_body, Sources::shared), loops_of_cell);
    }
    cell.recipe = fmt::format("{:016x}", hash.value());
  });
  return plan;
}

std::vector<int> warps_of_curves() { return {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 20, 24, 25, 28, 29, 32}; }

Copies copies_of(std::size_t instructions) {
  const auto count = static_cast<int>(instructions);
  if (count == 0 || 2 * count > most_places) return {};
  const int longer = std::max(2, places_of_body / count);
  return {std::max(1, longer * 3 / 7), longer};
}

std::vector<results::Record> ThroughputMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  std::vector<Work> all(chunk.size());
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    all[i].plan = &plan_[chunk[i].number];
    all[i].record = begun(*all[i].plan);
    find_out_of_reach(loaded_, bench, all[i]);
  }
  for_those(Way::loops, all, [&](Work& work) {
    const auto& form = *work.plan->variant.form;
    work.loops = add_chain_loops(loaded_, bench, *accumulating_variant(loaded_, form), 1, threads_of_warpgroups(form),
                                 work.record.ptx);
  });
  prove(loaded_, bench, all);
  assemble_loops(loaded_, bench, all);
  prove_loops(bench, all);
  prove_beside_loops(loaded_, bench, all);
  assemble_loops(loaded_, bench, all);
  std::vector<results::Record> records;
  for_those(Way::copies, all, [&](Work& work) {
    auto made = measure(bench, loaded_.catalogue, work, measured_);
    std::move(made.begin(), made.end(), std::back_inserter(records));
  });
  for_those(Way::loops, all, [&](Work& work) {
    measure_warpgroups(bench, *work.plan->variant.form, work.loops, measured_, work.record);
    work.way = Way::none;
  });
  for_those(Way::streams, all,
            [&](Work& work) { work.shapes_left = shapes_to_try(*work.plan->variant.form, work.record.sass_count); });
  while (std::any_of(all.begin(), all.end(), [](const Work& work) { return work.way == Way::streams; })) {
    for_those(Way::streams, all, [&](Work& work) {
      work.stream_loops =
          add_stream_loops(loaded_, bench, work.plan->variant, work.shapes_left.front(), work.record.ptx);
      work.shapes_left.erase(work.shapes_left.begin());
    });
    bench.assemble();
    for_those(Way::streams, all, [&](Work& work) {
      const bool is_proven =
          measure_stream_loops(bench, loaded_.catalogue, work.plan->variant, work.stream_loops, measured_, work.record);
      if (is_proven || work.shapes_left.empty()) work.way = Way::none;
    });
  }
  for (auto& work : all) {
    if (work.way != Way::copies) records.push_back(std::move(work.record));
  }
  return records;
}

}  // namespace ptxlat::machine
