// SPDX-License-Identifier: Apache-2.0
#include "loops/copy_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "line/window_record.h"
#include "loops/loop.h"
#include "loops/patch.h"
#include "loops/rates.h"
#include "loops/saturated_kernel.h"
#include "sass/audit.h"
#include "sass/opcodes.h"
#include "sass/results.h"

namespace ptxlat::loops {

namespace {

// Whether what an instruction signals by this scoreboard is still in flight when its copy of the code ends.
bool is_in_flight(const Code& code, std::size_t at, int scoreboard) {
  if (scoreboard == sass::ControlWord::no_scoreboard) return false;
  return std::none_of(code.begin() + static_cast<std::ptrdiff_t>(at) + 1, code.end(),
                      [&](const auto& later) { return (later.control.wait_mask >> scoreboard & 1) != 0; });
}

// How many registers an address has of which the first is named: a generic one two (LD's [R8] is R8 and R9), though
// "[R8.64]" names both, and a place in a surface one for each coordinate.
int registers_of_address(const std::string& opcode) {
  constexpr std::array<std::pair<std::string_view, int>, 5> coordinates = {
      {{".1D_ARRAY", 2}, {".2D_ARRAY", 3}, {".1D", 1}, {".2D", 2}, {".3D", 3}}};
  for (const auto& [shape, count] : coordinates) {
    if (opcode.find(shape) != std::string::npos) return count;
  }
  constexpr std::array<std::string_view, 4> generic = {"LD", "ST", "ATOM", "RED"};
  return std::find(generic.begin(), generic.end(), sass::family_of(opcode)) == generic.end() ? 1 : 2;
}

std::set<sass::Register> address_of(const sass::Instruction& instruction) {
  const bool names_all = instruction.text.find(".64") != std::string::npos;
  const int count = names_all ? 1 : registers_of_address(std::string(sass::opcode_of(instruction.text)));
  std::set<sass::Register> address;
  for (const auto& one : sass::register_use(instruction.text).reads) {
    if (!sass::is_in_address(instruction.text, one)) continue;
    for (int i = 0; i < count; ++i) address.insert({one.file, one.number + i});
  }
  return address;
}

// Registers on which addresses of the code depend.
std::set<sass::Register> registers_of_addresses(const Code& code) {
  std::set<sass::Register> found;
  for (const auto& instruction : code) found.merge(address_of(instruction));
  for (auto instruction = code.rbegin(); instruction != code.rend(); ++instruction) {
    const auto use = sass::register_use(instruction->text);
    const auto is_found = [&](const auto& one) { return found.contains(one); };
    if (std::any_of(use.writes.begin(), use.writes.end(), is_found)) found.insert(use.reads.begin(), use.reads.end());
  }
  return found;
}

}  // namespace

Registers registers_of(const Code& code) {
  Registers registers;
  for (const auto& instruction : code) {
    const auto results = sass::results_of(instruction.text);
    const bool has_two = sass::reads_texture(sass::opcode_of(instruction.text));
    auto reads = address_of(instruction);
    const auto named = sass::register_use(instruction.text).reads;
    reads.insert(named.begin(), named.end());
    for (const auto& one : reads) {
      const bool is_result = has_two && std::find(results.begin(), results.end(), one) != results.end();
      if (!is_result && !registers.written.contains(one)) registers.needed.insert(one);
    }
    registers.written.insert(results.begin(), results.end());
  }
  return registers;
}

bool have_common(const std::set<sass::Register>& some, const std::set<sass::Register>& others) {
  return std::any_of(some.begin(), some.end(), [&](const auto& one) { return others.contains(one); });
}

Code without_preparations(const Code& before_loop) {
  Code code, preparations;
  for (const auto& instruction : before_loop) {
    const auto opcode = sass::opcode_of(instruction.text);
    const bool is_never_executed = instruction.text.starts_with("@!PT ");
    const bool prepares =
        is_never_executed || sass::fills_uniform_register(opcode) || sass::has(opcode, sass::Trait::fills);
    (prepares ? preparations : code).push_back(instruction);
  }
  const auto written = registers_of(code).written;
  return have_common(written, registers_of(preparations).needed) ? Code{} : code;
}

Code take_code(Code& before_loop, const std::vector<std::string>& opcodes) {
  if (opcodes.size() > 1) {
    if (before_loop.size() == opcodes.size()) return before_loop;
    const auto code = without_preparations(before_loop);
    const auto of_code = opcodes_of(code);
    return std::is_permutation(of_code.begin(), of_code.end(), opcodes.begin(), opcodes.end()) ? code : Code{};
  }
  const auto first_with = [&](std::string (*name_of)(std::string_view)) {
    const auto wanted = name_of(opcodes.front());
    return std::find_if(before_loop.begin(), before_loop.end(),
                        [&](const auto& instruction) { return name_of(sass::opcode_of(instruction.text)) == wanted; });
  };
  auto found = first_with([](std::string_view opcode) { return std::string(opcode); });
  if (found == before_loop.end()) found = first_with(sass::operation_of);
  if (found == before_loop.end()) return {};
  Code taken{*found};
  before_loop.erase(found);
  return taken;
}

void take_unmoved_address(Code& code) {
  if (code.size() != 2 || sass::opcode_of(code[0].text) != "MOV") return;
  const auto moved = sass::register_use(code[0].text);
  if (moved.reads.size() != 1 || moved.writes.size() != 1) return;
  const auto from = moved.reads.front(), to = moved.writes.front();
  auto& access = code[1];
  auto sources = sources_of(access.word);
  const auto in_address = fmt::format("[R{}", to.number);
  const auto at = access.text.find(in_address + ']');
  const bool is_general = from.file == sass::RegisterFile::general && to.file == from.file;
  if (!is_general || at == std::string::npos || sources.front() != to.number) return;
  if (registers_of_address(std::string(sass::opcode_of(access.text))) != 1) return;
  sources.front() = from.number;
  access.word = with_sources(access.word, sources);
  access.text.replace(at, in_address.size(), fmt::format("[R{}", from.number));
}

bool overtakes(const Code& code) {
  const auto of_addresses = registers_of_addresses(code);
  const auto writers = [&](const sass::Register& one) {
    return std::count_if(code.begin(), code.end(), [&](const auto& instruction) {
      const auto writes = sass::register_use(instruction.text).writes;
      return std::find(writes.begin(), writes.end(), one) != writes.end();
    });
  };
  const auto could_be_wrong = [&](const auto& one) { return of_addresses.contains(one) && writers(one) > 1; };
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto use = sass::register_use(code[i].text);
    auto reads = address_of(code[i]);
    reads.insert(use.reads.begin(), use.reads.end());
    if (is_in_flight(code, i, code[i].control.write_scoreboard) &&
        std::any_of(use.writes.begin(), use.writes.end(), could_be_wrong))
      return true;
    if (is_in_flight(code, i, code[i].control.read_scoreboard) &&
        std::any_of(reads.begin(), reads.end(), could_be_wrong))
      return true;
  }
  return false;
}

std::vector<sass::InstructionWord> words_of(const std::vector<Code>& turns, int copies) {
  std::vector<sass::InstructionWord> words;
  for (int i = 0; i < copies; ++i) {
    const auto copy = copy_of(turns[static_cast<std::size_t>(i) % turns.size()]);
    words.insert(words.end(), copy.begin(), copy.end());
  }
  return words;
}

std::vector<Code> codes_of(const Fillable& fillable, const std::vector<std::size_t>& turns) {
  std::vector<Code> codes;
  for (const auto turn : turns) codes.push_back(fillable.found.codes[turn]);
  return codes;
}

bool leaves_the_sm(const std::vector<std::string>& opcodes) {
  constexpr std::array<std::string_view, 4> inside = {"ATOMS", "STS", "STL", "STAS"};
  return std::any_of(opcodes.begin(), opcodes.end(), [&](const std::string& opcode) {
    const auto family = sass::family_of(opcode);
    const bool changes =
        sass::changes_memory(opcode) && std::find(inside.begin(), inside.end(), family) == inside.end();
    return changes || sass::has(opcode, sass::Trait::fences) || opcode.find(".STRONG") != std::string::npos;
  });
}

Settling settling_of(const std::vector<std::string>& opcodes) {
  constexpr int seldom = 4;
  return leaves_the_sm(opcodes) ? Settling{seldom, true} : Settling{};
}

namespace {

constexpr int most_places = 240;  // 3.8 KB: two copies of long code
constexpr int few_launches = 3;   // of most codes, all launches take the same time

// A single instruction is tried with all numbers of warps at which schedulers differ; code of several with a few, and
// one that leaves the SM, where nothing depends on whose warp it is, with fewer (docs/opcodes.md). A fence takes a
// microsecond.
std::vector<int> warps_to_try(const Code& code, bool leaves_sm) {
  const bool has_fence = std::any_of(code.begin(), code.end(), [](const auto& instruction) {
    return sass::has(sass::opcode_of(instruction.text), sass::Trait::fences);
  });
  if (has_fence) return {1, 4, 16, 32};
  if (code.size() > 1) return {1, 2, 4, 8, 12, 16, 20, 24, 28, 32};
  if (leaves_sm) return {1, 2, 4, 8, 12, 16, 24, 32};
  return warps_of_curves();
}

// Measures codes in turn and puts the result into the record.
void measure(line::Bench& bench, const CopyLoops& loops, const Copies& copies, const std::vector<std::size_t>& turns,
             bool has_rates_of_gpu, results::Record& record) {
  bench.begin_cell();
  const auto codes = codes_of(loops.longer, turns);
  const bool uses_memory = bench.batch().trial(loops.longer.trial).launch.uses_memory;
  const auto warps = warps_to_try(codes.front(), uses_memory);
  const auto shorter = words_of(codes_of(loops.shorter, turns), copies.shorter);
  const auto longer = words_of(codes, copies.longer);
  const auto timers = [&](int launches) {
    return TimeLoops{timer_of(bench, loops.shorter, shorter, launches),
                     timer_of(bench, loops.longer, longer, launches)};
  };
  const auto time = timers(default_launches);
  auto times = time_both(timers(few_launches), warps);
  record.gpu = bench.gpu();
  if (times.shorter.empty()) return results::give_up(record, times.verdict, times.message);
  if (!uses_memory) time_more_often(time, warps, those_that_differ(times), 1, times);
  auto settling = settling_of(opcodes_of(codes.front()));
  settling.is_survey = settling.is_survey && !has_rates_of_gpu;
  put_settled_rates(
      record, warps, time, std::move(times),
      [&](const Timing& timing) { return cycles_of_copy(timing, copies.shorter, copies.longer); }, settling);
}

}  // namespace

std::vector<int> warps_of_curves() { return {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 17, 20, 24, 25, 28, 29, 32}; }

Copies copies_of(std::size_t instructions) {
  const auto count = static_cast<int>(instructions);
  if (count == 0 || 2 * count > most_places) return {};
  const int longer = std::max(2, places_of_body / count);
  return {std::max(1, longer * 3 / 7), longer};
}

bool are_assembled(const CopyLoops& loops) { return loops.shorter.is_assembled && loops.longer.is_assembled; }

std::string why_not_comparable(const CopyLoops& loops) {
  for (const auto* loop : {&loops.shorter, &loops.longer}) {
    if (!loop->found.problem.empty()) return loop->found.problem;
  }
  for (std::size_t i = 0; i < loops.longer.found.codes.size(); ++i) {
    if (opcodes_of(loops.shorter.found.codes[i]) != opcodes_of(loops.longer.found.codes[i]))
      return "ptxas made other code of it beside the longer loop";
  }
  return {};
}

bool assembler_failed(const CopyLoops& loops) {
  return (loops.shorter.found.problem.empty() ? loops.longer : loops.shorter).assembler_failed;
}

void measure_copies(line::Bench& bench, const isa::Catalogue& catalogue, const isa::Variant& variant,
                    const CopyLoops& loops, const Copies& copies, const std::vector<std::size_t>& turns,
                    MeasuredCodes& measured, results::Record& record) {
  const auto codes = codes_of(loops.longer, turns);
  line::AssembledKernel shown;
  shown.window = with_first_copy(*bench.batch().kernel_of(loops.longer.trial).window, loops.longer.found, codes);
  record.windows = {line::window_record(fmt::format("loop of {}", copies.longer), shown, {})};
  record.code = code_of_copies(catalogue, variant, codes, bench.batch().trial(loops.longer.trial).launch);
  const bool has_rates_of_gpu = can_run_on_every_sm(catalogue, variant);
  if (bench.measures()) measured.put(record, [&] { measure(bench, loops, copies, turns, has_rates_of_gpu, record); });
}

}  // namespace ptxlat::loops
