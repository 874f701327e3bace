// SPDX-License-Identifier: Apache-2.0
#include "opcodes/throughput.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "latency/cells.h"
#include "loops/beside_loop.h"
#include "loops/chain_loop.h"
#include "loops/copy_loops.h"
#include "loops/gpu_rates.h"
#include "loops/loop.h"
#include "loops/patch.h"
#include "loops/program_loop.h"
#include "loops/saturated_kernel.h"
#include "loops/stream_loop.h"
#include "sass/opcodes.h"

namespace ptxlat::opcodes {

namespace {

using latency::Role;

// How an instruction is repeated.
//   copies   its machine code is copied into a loop
//   beside   likewise, if it is known there (loops/beside_loop.h); a stream does not say
//   streams  in a loop of PTX (loops/stream_loop.h)
//   loops    likewise, by warpgroups (loops/chain_loop.h)
//   moves    as beside, with the moves that ptxas makes there (loops/beside_loop.h); nothing else says
//   none     its record is final
//   done     likewise, and it has been handed over
enum class Way { copies, beside, streams, loops, moves, none, done };

struct Work {
  const ThroughputPlan* plan = nullptr;
  latency::Experiment streams;
  latency::TrialNumbers stream_trials;
  loops::Copies copies;
  std::vector<std::vector<std::string>> wanted;  // opcodes, of each code that takes its turn
  std::optional<loops::BesideLoopTrials> beside_loop;
  std::optional<loops::CopyLoops> copy_loops;       // once they are assembled
  std::vector<loops::StreamLoopShape> shapes_left;  // to try in stream_loops
  loops::StreamLoopTrials stream_loops;
  loops::ChainLoops loops;
  std::vector<std::string> of_stream;  // its machine code, if a stream proved it
  std::vector<std::string> alone;  // its machine code by the stream or else a differential; empty if neither proves it
  std::vector<loops::ChainLoops> program_loops;
  results::Record record;
  Way way = Way::copies;
};

results::Record begun(const ThroughputPlan& plan) {
  const auto& form = *plan.variant.form;
  auto record = results::record_of(key_of(plan));
  record.chapter = form.chapter;
  record.is_core = form.core == form.ptx;
  return record;
}

//   has_failed  a tool failed, and that is why: another attempt may not give up
void give_up(Work& work, sass::Verdict verdict, const std::string& note, bool has_failed = false) {
  results::give_up(work.record, verdict, note);
  work.record.set_flag(results::flag::retry, has_failed);
  work.way = Way::none;
}

// Its machine code cannot be copied, for this reason.
void repeat_in_ptx(Work& work, sass::Verdict verdict, const std::string& note) {
  give_up(work, verdict, note);
  work.way = Way::streams;
}

// A stream does not say what its machine code is, for this reason.
void prove_beside_loop(Work& work, sass::Verdict verdict, const std::string& note, bool assembler_failed) {
  give_up(work, verdict, note, assembler_failed);
  work.way = Way::beside;
}

// The rest without an instruction's machine code.
void find_out_of_reach(const ptx::LoadedCatalogue& loaded, const line::Bench& bench, Work& work) {
  const auto& variant = work.plan->variant;
  if (const auto reason = latency::why_unsupported(bench, variant); !reason.empty())
    return give_up(work, sass::Verdict::unsupported, reason, variant.form->compiler_failed);
  if (!variant.form->not_measurable.empty())
    return give_up(work, sass::Verdict::no_dependency, variant.form->not_measurable);
  if (latency::consumers_for(loaded.catalogue, variant).empty())
    return give_up(work, sass::Verdict::no_dependency, "no consumer in the catalogue takes its result's type");
  if (loops::accumulating_variant(loaded, *variant.form)) {
    work.way = Way::loops;
  } else if (const auto reason = loops::why_not_saturated(variant); !reason.empty()) {
    give_up(work, sass::Verdict::no_dependency, reason);
  }
}

template <class Do>
void for_those(Way way, std::vector<Work>& all, Do what) {
  for (auto& work : all) {
    if (work.way == way) what(work);
  }
}

bool end_waits(const line::Bench& bench, const Work& work) {
  return std::any_of(work.stream_trials.values.begin(), work.stream_trials.values.end(), [&](const auto& trial) {
    return trial && bench.batch().kernel_of(*trial).window && sass::end_waits(*bench.batch().kernel_of(*trial).window);
  });
}

const sass::Window& stream_of(const line::Bench& bench, const Work& work, Role role) {
  return *bench.batch().kernel_of(*work.stream_trials[role]).window;
}

// The code to look for in a loop's kernel: if ptxas takes two opcodes in turn for copies of one machine instruction,
// each of these.
std::vector<std::vector<std::string>> wanted_of(const line::Bench& bench, const Work& work) {
  if (work.record.sass.size() == 1) {
    const auto turns = loops::opcodes_of_copies(stream_of(bench, work, Role::stream),
                                                stream_of(bench, work, Role::stream_twice), work.streams.copies);
    if (turns.size() == 2) return {{turns[0]}, {turns[1]}};
  }
  return {work.record.sass};
}

// Whether all that the code waits for are accesses to memory, and it has such an access: st.release is a fence and a
// store. Then each copy waits for the ones before it, as it would in a program.
bool waits_for_copies(const std::vector<std::string>& sass) {
  const auto waits_for_more = [](const auto& opcode) {
    return sass::has(opcode, sass::Trait::waits) && !sass::has(opcode, sass::Trait::fences);
  };
  return std::none_of(sass.begin(), sass.end(), waits_for_more) &&
         std::any_of(sass.begin(), sass.end(), sass::changes_memory);
}

// Whether, and how often, the machine code is copied.
void choose_copies(Work& work) {
  const auto& sass = work.record.sass;
  const auto has = [&](sass::Trait trait) {
    return std::any_of(sass.begin(), sass.end(), [&](const auto& opcode) { return sass::has(opcode, trait); });
  };
  if (has(sass::Trait::leaves)) return repeat_in_ptx(work, sass::Verdict::fused, "its code branches");
  if (has(sass::Trait::waits) && !waits_for_copies(sass))
    return give_up(work, sass::Verdict::no_dependency, "it waits for what copies of it do not bring");
  work.copies = loops::copies_of(sass.size());
  if (work.copies.longer == 0)
    repeat_in_ptx(work, sass::Verdict::no_dependency,
                  "two copies of its code do not fit the innermost instruction cache");
}

void prove(const ptx::LoadedCatalogue& loaded, line::Bench& bench, std::vector<Work>& all) {
  for_those(Way::copies, all, [&](Work& work) {
    work.streams = latency::expand_streams(loaded, work.plan->variant);
    work.stream_trials = latency::add_trials(bench, work.streams, work.record.ptx);
  });
  bench.assemble();
  for_those(Way::copies, all, [&](Work& work) {
    if (work.streams.copies <= 1 || !end_waits(bench, work)) return;
    latency::shorten_stream(loaded, work.plan->variant, work.streams);
    work.stream_trials = latency::add_trials(bench, work.streams, work.record.ptx);
  });
  bench.assemble();
  for_those(Way::copies, all, [&](Work& work) {
    const auto audits = latency::audit(loaded.catalogue, bench.batch(), work.stream_trials, work.plan->variant,
                                       bench.level(), work.streams);
    const auto& audit = audits[Role::stream];
    work.record.sass = audit.sass;
    work.record.sass_count = static_cast<int>(audit.sass.size());
    if (!audit.is_proven()) return prove_beside_loop(work, audit.verdict, audit.reason, audit.assembler_failed);
    work.of_stream = audit.sass;
    work.alone = loops::work_of_copy(stream_of(bench, work, Role::stream), stream_of(bench, work, Role::stream_twice),
                                     work.streams.copies);
    choose_copies(work);
    if (work.way == Way::copies) work.wanted = wanted_of(bench, work);
  });
}

// Code that is known beside a loop is copied.
void copy_from_beside_loop(Work& work, std::vector<std::vector<std::string>> codes) {
  work.wanted = std::move(codes);
  work.way = Way::copies;
  results::prove(work.record, work.wanted.front());
  choose_copies(work);
}

void prove_beside_loops(const ptx::LoadedCatalogue& loaded, line::Bench& bench, std::vector<Work>& all) {
  for_those(Way::beside, all, [&](Work& work) {
    work.beside_loop = loops::add_beside_loop(loaded, bench, work.plan->variant, work.record.ptx);
  });
  bench.assemble();
  for_those(Way::beside, all, [&](Work& work) {
    work.way = Way::streams;
    const auto of_differential =
        loops::code_of_differential(bench, loaded.catalogue, work.plan->variant, *work.beside_loop);
    if (work.alone.empty()) work.alone = of_differential;
    auto codes = loops::code_beside_loop(bench, *work.beside_loop, of_differential);
    if (!codes.empty()) copy_from_beside_loop(work, std::move(codes));
  });
}

// Whether neither a stream nor what is beside a loop proved what the instruction is.
bool is_unproven(const Work& work) {
  const auto verdict = work.record.verdict;
  return work.beside_loop && (verdict == sass::Verdict::fused || verdict == sass::Verdict::elided ||
                              verdict == sass::Verdict::contaminated);
}

void prove_with_moves(line::Bench& bench, std::vector<Work>& all) {
  for_those(Way::moves, all, [&](Work& work) {
    work.way = Way::none;
    auto codes = loops::code_with_moves(bench, *work.beside_loop);
    if (!codes.empty()) copy_from_beside_loop(work, std::move(codes));
  });
}

// The loops of those that have none yet.
void assemble_loops(const ptx::LoadedCatalogue& loaded, line::Bench& bench, std::vector<Work>& all) {
  struct Candidates {
    Work* work;
    std::vector<std::size_t> shorter, longer;  // best first
  };
  std::vector<Candidates> candidates;
  const auto places = [](const Work& work, int copies) { return copies * work.record.sass_count; };
  for_those(Way::copies, all, [&](Work& work) {
    if (work.copy_loops) return;
    Candidates added{&work, {}, {}};
    const std::vector<isa::Variant> variants(work.wanted.size(), work.plan->variant);
    for (const auto sources : {loops::Sources::shared, loops::Sources::own}) {
      const auto add = [&](int copies) {
        return bench.add(loops::saturated_trial(loaded, variants, places(work, copies), sources), work.record.ptx);
      };
      added.shorter.push_back(add(work.copies.shorter));
      added.longer.push_back(add(work.copies.longer));
    }
    candidates.push_back(std::move(added));
  });
  bench.assemble(loops::kernels_per_module);
  for (const auto& candidate : candidates) {
    auto& work = *candidate.work;
    const auto fillable = [&](const auto& trials, int copies) {
      return loops::first_fillable(bench.batch(), trials, work.wanted, places(work, copies));
    };
    work.copy_loops = {fillable(candidate.shorter, work.copies.shorter),
                       fillable(candidate.longer, work.copies.longer)};
  }
}

// Beside a loop, ptxas may make code of an instruction that is not the stream's.
void prove_loops(std::vector<Work>& all) {
  for_those(Way::copies, all, [](Work& work) {
    const auto problem = loops::why_not_comparable(*work.copy_loops);
    if (problem.empty() || !loops::are_assembled(*work.copy_loops)) return;
    prove_beside_loop(work, sass::Verdict::fused, problem, false);
    work.copy_loops.reset();
  });
}

// The machine code of the form alone, as well as it is known.
const std::vector<std::string>& code_alone(const Work& work) {
  return work.alone.empty() ? work.record.sass : work.alone;
}

// The loops of those whose code is known and does not branch.
void assemble_program_loops(const ptx::LoadedCatalogue& loaded, line::Bench& bench, std::vector<Work>& all) {
  for (auto& work : all) {
    const bool is_known = work.way == Way::copies || work.way == Way::streams;
    const auto branches = [](const std::string& opcode) { return sass::has(opcode, sass::Trait::leaves); };
    const auto& sass = code_alone(work);
    if (!is_known || sass.empty() || !work.program_loops.empty()) continue;
    if (std::any_of(sass.begin(), sass.end(), branches)) continue;
    work.program_loops = loops::add_program_loops(loaded, bench, *work.plan->variant.form,
                                                  static_cast<int>(sass.size()), work.record.ptx);
  }
  bench.assemble(loops::kernels_per_module);
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

// The form's own loop, if what it repeats is other machine code than the copies are, by their turns.
std::optional<loops::ProgramLoop> other_than_copies(const line::Bench& bench, const Work& work,
                                                    const std::vector<std::string>& of_copies) {
  auto loop = loops::find_program_loop(bench, work.program_loops, code_alone(work));
  if (!loop) return std::nullopt;
  const auto& code = loop->code;
  const auto of_program = sorted(code.in_turn.empty() ? code.opcodes : code.in_turn);
  return of_program == sorted(of_copies) ? std::nullopt : std::move(loop);
}

// The records of one form: the first is its own. If a program alternates between opcodes, one for each of these alone
// follows.
std::vector<results::Record> measure(line::Bench& bench, const isa::Catalogue& catalogue, Work& work,
                                     loops::MeasuredCodes& measured) {
  const auto& loops = *work.copy_loops;
  if (const auto problem = loops::why_not_comparable(loops); !problem.empty()) {
    if (loops::are_assembled(loops)) {
      repeat_in_ptx(work, sass::Verdict::fused, problem);
    } else {
      give_up(work, sass::Verdict::rejected, problem, loops::assembler_failed(loops));
    }
    return {};
  }
  // The code to copy, if ptxas exchanges opcodes.
  const auto& codes = loops.longer.found.codes;
  std::vector<std::size_t> turns{0};
  if (codes.size() > 1 && loops::opcodes_of(codes[0]) != loops::opcodes_of(codes[1])) turns.push_back(1);
  const auto of_first = loops::opcodes_of(codes.front());
  auto of_copies = of_first;
  if (turns.size() > 1) of_copies.push_back(loops::opcodes_of(codes[1]).front());
  const auto program = other_than_copies(bench, work, of_copies);
  std::vector<results::Record> records{work.record};
  const bool is_of_single_opcodes = codes.front().size() == 1;
  if (turns.size() > 1 || (program && is_of_single_opcodes)) {
    for (const auto turn : turns) {
      auto alone = work.record;
      alone.sass = loops::opcodes_of(codes[turn]);
      alone.operand = alone.sass.front();
      loops::measure_copies(bench, catalogue, work.plan->variant, loops, work.copies, {turn}, measured, alone);
      records.push_back(std::move(alone));
    }
  }
  auto& own = records.front();
  if (program) {
    loops::measure_program_loop(bench, *program, measured, own);
    return records;
  }
  own.sass = std::move(of_copies);
  own.set_flag(results::flag::takes_turns, turns.size() > 1);
  const auto& variant = work.plan->variant;
  loops::measure_copies(bench, catalogue, variant, loops, work.copies, turns, measured, own);
  const bool leaves_the_sm = own.verdict == sass::Verdict::unstable || loops::leaves_the_sm(of_first);
  if (bench.measures() && leaves_the_sm) {
    auto of_gpu = loops::measure_on_every_sm(bench, catalogue, variant, loops, work.copies, turns, measured, own);
    std::move(of_gpu.begin(), of_gpu.end(), std::back_inserter(records));
  }
  return records;
}

// What cannot be copied, but has a loop of its own.
void measure_program_loops(line::Bench& bench, std::vector<Work>& all, loops::MeasuredCodes& measured) {
  for_those(Way::streams, all, [&](Work& work) {
    const auto loop = loops::find_program_loop(bench, work.program_loops, code_alone(work));
    if (!loop) return;
    loops::measure_program_loop(bench, *loop, measured, work.record);
    work.way = Way::none;
  });
}

}  // namespace

std::vector<results::Record> ThroughputMethod::make(line::Bench& bench, std::span<const line::Cell> chunk) const {
  std::vector<Work> all(chunk.size());
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    all[i].plan = &plan_[chunk[i].number];
    all[i].record = begun(*all[i].plan);
    find_out_of_reach(loaded_, bench, all[i]);
  }
  for_those(Way::loops, all, [&](Work& work) {
    const auto& form = *work.plan->variant.form;
    work.loops = loops::add_chain_loops(loaded_, bench, *loops::accumulating_variant(loaded_, form), 1,
                                        loops::threads_of_warpgroups(form), work.record.ptx);
  });
  bench.assemble(loops::kernels_per_module);
  prove(loaded_, bench, all);
  assemble_loops(loaded_, bench, all);
  prove_loops(all);
  prove_beside_loops(loaded_, bench, all);
  std::vector<results::Record> records;
  const auto measure_all_copies = [&] {
    assemble_loops(loaded_, bench, all);
    assemble_program_loops(loaded_, bench, all);
    for_those(Way::copies, all, [&](Work& work) {
      auto made = measure(bench, loaded_.catalogue, work, measured_);
      std::move(made.begin(), made.end(), std::back_inserter(records));
      if (work.way == Way::copies) work.way = Way::done;
    });
  };
  measure_all_copies();
  measure_program_loops(bench, all, measured_);
  for_those(Way::loops, all, [&](Work& work) {
    loops::measure_warpgroups(bench, *work.plan->variant.form, work.loops, measured_, work.record);
    work.way = Way::none;
  });
  for_those(Way::streams, all, [&](Work& work) {
    work.shapes_left = loops::shapes_to_try(*work.plan->variant.form, work.record.sass_count);
  });
  while (std::any_of(all.begin(), all.end(), [](const Work& work) { return work.way == Way::streams; })) {
    for_those(Way::streams, all, [&](Work& work) {
      work.stream_loops =
          loops::add_stream_loops(loaded_, bench, work.plan->variant, work.shapes_left.front(), work.record.ptx);
      work.shapes_left.erase(work.shapes_left.begin());
    });
    bench.assemble(loops::kernels_per_module);
    for_those(Way::streams, all, [&](Work& work) {
      const bool is_settled = loops::measure_stream_loops(bench, loaded_.catalogue, work.plan->variant,
                                                          work.stream_loops, work.of_stream, measured_, work.record);
      if (is_settled || work.shapes_left.empty()) work.way = is_unproven(work) ? Way::moves : Way::none;
    });
  }
  prove_with_moves(bench, all);
  measure_all_copies();
  for (auto& work : all) {
    if (work.way != Way::done) records.push_back(std::move(work.record));
  }
  return records;
}

}  // namespace ptxlat::opcodes
