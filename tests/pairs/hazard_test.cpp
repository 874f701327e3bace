// SPDX-License-Identifier: Apache-2.0

// Hazards: which words are written over a window, and what is concluded from what a GPU then stores. The GPUs here are
// invented; that patched cubins hold what they should is checked with the assemblers that are here.
#include <algorithm>

#include "../ptx/shipped_catalogue.h"
#include "../sass/real_code.h"
#include "catch.h"
#include "isa/catalogue.h"
#include "latency/experiment.h"
#include "line/kernel_assembler.h"
#include "loops/patch.h"
#include "pairs/hazard_kernel.h"
#include "pairs/hazard_patch.h"
#include "pairs/hazards.h"
#include "sass/disassembler.h"

using namespace ptxlat;
using namespace ptxlat::loops;
using namespace ptxlat::pairs;

namespace {

constexpr std::uint64_t producer_word = 0x7000, consumer_word = 0x7100, move_opcode = 0x200;
constexpr std::size_t threads = 160, words_per_thread = 10;

sass::Instruction instruction(int number, std::uint64_t low, const std::string& text, int write_scoreboard = 7,
                              int wait_mask = 0) {
  sass::ControlWord control;
  control.stall_count = 15;
  control.yields = true;
  control.reuse = 1;
  control.write_scoreboard = write_scoreboard;
  control.wait_mask = wait_mask;
  const auto word = sass::with_control({low, 0}, control);
  return {16 * number, word, control, text};
}

// The window of a hazard kernel: ptxas has moved the producer between the places.
sass::Window hazard_window(int write_scoreboard = 7) {
  sass::Window window;
  auto& code = window.instructions;
  code.push_back(instruction(0, 0x7805, "CS2R.32 R10, SR_CLOCKLO"));
  for (int i = 0; i < places_of_hazard; ++i) {
    if (i == 3)
      code.push_back(
          instruction(static_cast<int>(code.size()), producer_word | 4 << 16, "FADD R4, R2, R3", write_scoreboard));
    code.push_back(instruction(static_cast<int>(code.size()), 0x7801, "PMTRIG 0x1"));
  }
  code.push_back(instruction(static_cast<int>(code.size()),
                             consumer_word | 6 << 16 | std::uint64_t{4} << 24 | std::uint64_t{5} << 32,
                             "FMUL R6, R4, R5", 7, write_scoreboard == 7 ? 0 : 1 << write_scoreboard));
  code.push_back(instruction(static_cast<int>(code.size()), 0x7805, "CS2R.32 R11, SR_CLOCKLO"));
  return window;
}

// When the words issue that are not NOPs, in cycles after the first of all, by their lowest bits.
std::vector<std::pair<std::uint64_t, int>> issues(const std::vector<sass::InstructionWord>& words) {
  std::vector<std::pair<std::uint64_t, int>> found;
  int now = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if ((words[i].low & 0xfff) != 0x918) found.emplace_back(words[i].low & 0xf00, now);
    now += sass::control_word(words[i]).stall_count;
  }
  return found;
}

// What a launch stores in which so many lanes of the last pass have a wrong value.
ptx::LaunchOutcome stored(int wrong) {
  ptx::LaunchOutcome outcome;
  outcome.readout = {1, threads, words_per_thread, false, std::vector<std::uint32_t>(threads * words_per_thread, 7),
                     {}};
  for (int lane = 0; lane < wrong; ++lane)
    outcome.readout.words[(96 + static_cast<std::size_t>(lane)) * words_per_thread + 2] = 8;
  return outcome;
}

// A GPU on which the values are right from this distance on.
RunHazard gpu_with(int latency, int wrong = 32) {
  return [=](Hazard, Arrangement arrangement, int distance) {
    return stored(arrangement == Arrangement::consumer_first || distance < latency ? wrong : 0);
  };
}

}  // namespace

TEST_CASE("producer and consumer get every distance that fits, wherever ptxas put the places") {
  const auto found = find_hazard(hazard_window());
  REQUIRE(found.problem.empty());
  CHECK(found.first().text == "FADD R4, R2, R3");
  CHECK(found.second().text == "FMUL R6, R4, R5");
  REQUIRE(found.slots.size() == places_of_hazard + 2);
  for (const auto hazard : {Hazard::read_after_write, Hazard::write_after_write, Hazard::write_after_read}) {
    for (int distance = 1; distance <= longest_distance; ++distance) {
      INFO(to_string(hazard) << " " << distance);
      const auto words = hazard_words(found, hazard, Arrangement::pair, distance);
      REQUIRE(words.size() == found.slots.size() + 1);
      const auto at = issues(words);
      REQUIRE(at.size() == (is_read(hazard) ? 2 : 3));  // what is no longer written is cleared
      CHECK(at[0].first == (producer_word & 0xf00));
      CHECK(at[1].second - at[0].second == distance);
      // An operand kept for reuse would come from a cache, and not from the register.
      CHECK(std::all_of(words.begin(), words.end() - 1,
                        [](const auto& word) { return sass::control_word(word).reuse == 0; }));
    }
  }
  const auto first = issues(hazard_words(found, Hazard::read_after_write, Arrangement::consumer_first, 4));
  CHECK(first.front().first == (consumer_word & 0xf00));
  CHECK(issues(hazard_words(found, Hazard::read_after_write, Arrangement::consumer_alone, 4)).size() == 1);
}

TEST_CASE("no word with an invalid encoding is made, whatever ptxas wrote") {
  CHECK(is_valid({.stall_count = 11}));
  CHECK_FALSE(is_valid({.stall_count = 12}));
  CHECK(is_valid({.stall_count = 12, .yields = true}));
  CHECK_FALSE(is_valid({.stall_count = 0}));
  for (const int scoreboard : {7, 2}) {
    const auto found = find_hazard(hazard_window(scoreboard));
    for (const auto hazard : all_hazards) {
      if (!why_not_made(found, hazard).empty()) continue;
      for (const auto arrangement : {Arrangement::pair, Arrangement::consumer_first, Arrangement::consumer_alone}) {
        for (int distance = 1; distance <= longest_distance; ++distance) {
          for (const auto& word : hazard_words(found, hazard, arrangement, distance))
            CHECK(is_valid(sass::control_word(word)));
        }
      }
    }
  }
}

TEST_CASE("each hazard changes what makes it, and nothing else") {
  const auto number = [](const sass::InstructionWord& word) { return word.low >> 16 & 0xff; };
  const auto found = find_hazard(hazard_window());
  const auto word_of = [&](Hazard hazard, std::uint64_t low) {
    const auto words = hazard_words(found, hazard, Arrangement::pair, 4);
    return *std::find_if(words.begin(), words.end(), [&](const auto& word) { return (word.low & 0xffff) == low; });
  };
  CHECK(number(word_of(Hazard::read_after_write, producer_word)) == 4);
  CHECK(number(word_of(Hazard::read_after_write, consumer_word)) == 6);
  CHECK(number(word_of(Hazard::write_after_write, producer_word)) == 4);  // both write R4
  const auto second = word_of(Hazard::write_after_write, consumer_word);
  CHECK(number(second) == 4);
  CHECK(sources_of(second) == std::vector{zero_register, 5, 0});         // and the second does not read it
  CHECK(number(word_of(Hazard::write_after_read, consumer_word)) == 2);  // a source of the producer
  const auto waiting = find_hazard(hazard_window(2));
  CHECK(why_not_made(waiting, Hazard::read_after_write) == "it waits for a scoreboard");
  CHECK(why_not_made(waiting, Hazard::write_after_write) == "one of them has a scoreboard");
  CHECK(why_not_made(found, Hazard::unawaited_read) == "its latency is fixed");
  auto tile = hazard_window();
  for (auto& instruction : tile.instructions) {
    if (instruction.text.starts_with("FADD")) instruction.text = "HMMA.16816.F32 R4, R2, R3, RZ";
  }
  CHECK(why_not_made(find_hazard(tile), Hazard::write_after_read) ==
        "the producer does not write one general register");
  CHECK(why_not_made(find_hazard(tile), Hazard::write_after_write).empty());
  const auto words = hazard_words(waiting, Hazard::unawaited_read, Arrangement::pair, 4);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) CHECK(sass::control_word(words[i]).wait_mask == 0);
  CHECK(sass::control_word(words.back()).wait_mask == 1 << 2);  // the code after the window finds it done
}

TEST_CASE("a second writer that cannot be made, or would show something else, is refused") {
  const auto with = [](const std::string& producer, const std::string& consumer) {
    auto window = hazard_window();
    for (auto& instruction : window.instructions) {
      if (instruction.text.starts_with("FADD")) instruction.text = producer;
      if (instruction.text.starts_with("FMUL")) instruction.text = consumer;
    }
    return why_not_made(find_hazard(window), Hazard::write_after_write);
  };
  CHECK(with("IMAD.WIDE R4, R2, R3, RZ", "FMUL R6, R4, R5") == "");
  CHECK(with("FADD R4, R7, R4", "FMUL R6, R4, R5") == "the producer reads what is overwritten");  // not in this word
  CHECK(with("FADD R4, R2, R3", "FMUL R6, R4, R4") == "the consumer cannot be made to read something else");
  CHECK(with("FADD R4, R2, R3", "DADD R6, R4, R8") == "the consumer does not write one general register");
  CHECK(with("FSETP.GT.AND P0, PT, R2, R3, PT", "FSEL R6, R4, R5, P0") ==
        "the producer's result is not in a general register");
  // A source that would be overwritten before it is read is another register.
  const auto sources = [](const sass::InstructionWord& word, const std::string& text) {
    auto window = hazard_window();
    for (auto& instruction : window.instructions) {
      if (instruction.text.starts_with("FADD")) instruction.text = text, instruction.word = word;
    }
    const auto found = find_hazard(window);
    REQUIRE(why_not_made(found, Hazard::write_after_write).empty());
    const auto words = hazard_words(found, Hazard::write_after_write, Arrangement::pair, 4);
    return sources_of(*std::find_if(words.begin(), words.end(), [](auto one) { return (one.low & 0xfff) == 0; }));
  };
  const auto word = [](const std::vector<int>& registers) {
    return with_sources(instruction(0, producer_word | 4 << 16, "").word, registers);
  };
  CHECK(sources(word({4, 2, 255}), "IMAD.WIDE R4, R4, R2, RZ") == std::vector{2, 2, 255});
  CHECK(sources(word({4, 5, 255}), "IMAD.WIDE R4, R4, R5, RZ") == std::vector{255, 255, 255});
  CHECK(sources(word({2, 3, 4}), "IMAD.WIDE R4, R2, R3, R4") == std::vector{2, 3, 2});
  CHECK(sources(word({4, 255, 8}), "DADD R4, R4, R8") == std::vector{8, 255, 8});
  CHECK(sources(word({4, 8, 4}), "HMMA.16816.F32 R4, R4, R8, R4") == std::vector{4, 8, 4});
  auto addressed = hazard_window();
  addressed.instructions[2].text = "LDS R9, [R8]";
  addressed.instructions[2].word.low = 0x984;
  CHECK(why_not_made(find_hazard(addressed), Hazard::write_after_write) ==
        "an address may depend on what is overwritten");
}

TEST_CASE("an old value that becomes an address later is known before it is used") {
  auto window = hazard_window();
  CHECK_FALSE(reaches_address(find_hazard(window)));
  auto& code = window.instructions;
  code.insert(code.end() - 1, instruction(static_cast<int>(code.size()), 0x7984, "LDS R8, [R6+0x4]"));
  CHECK(reaches_address(find_hazard(window)));
  code[code.size() - 2].text = "LDS R8, [R7+0x4]";
  CHECK_FALSE(reaches_address(find_hazard(window)));
}

TEST_CASE("a window in which the pair is not what was wanted says why") {
  auto none = hazard_window();
  none.instructions[4].text = "FADD R9, R2, R3";
  CHECK(find_hazard(none).problem == "the consumer does not follow the producer");
  auto few = hazard_window();
  few.instructions.erase(few.instructions.begin() + 1);
  CHECK(find_hazard(few).problem == "ptxas moved the places out of the window");
  auto branch = hazard_window();
  branch.instructions[4].text = "BRA 0x40";
  CHECK(find_hazard(branch).problem == "its code branches");
  auto old = hazard_window();
  old.layout = sass::CodeLayout::maxwell;
  CHECK(find_hazard(old).problem == "machine code of this layout is not written over");
  // A source that is needed after the window is not overwritten; of two, the other one is.
  auto needed = hazard_window();
  needed.epilogue = {instruction(20, 0x7000, "STG.E R2, [R12.64]")};
  CHECK(find_hazard(needed).overwritten == 3);
}

TEST_CASE("an invented latency is found again, and one wrong lane is noticed") {
  for (const int latency : {2, 4, 9, 12, 23, 55}) {
    INFO(latency);
    CHECK(lowest_right(climb(Hazard::read_after_write, 55, Fault::nowhere, gpu_with(latency))) == latency);
    CHECK(lowest_right(climb(Hazard::unawaited_read, 55, Fault::nowhere, gpu_with(latency, 1))) == latency);
    CHECK(lowest_right(climb(Hazard::write_after_write, 55, Fault::nowhere, gpu_with(latency))) == latency);
  }
  CHECK(lowest_right(climb(Hazard::write_after_read, 1, Fault::nowhere, gpu_with(1))) == 1);
  // An overwritten register may begin anywhere.
  for (const int start : {1, 8, 9, 20}) {
    INFO(start);
    CHECK(lowest_right(climb(Hazard::write_after_write, start, Fault::nowhere, gpu_with(9))) == 9);
  }
  CHECK(climb(Hazard::write_after_write, 8, Fault::nowhere, gpu_with(9)).distances == std::vector{8, 9});
  CHECK(climb(Hazard::write_after_write, 10, Fault::nowhere, gpu_with(9)).distances == std::vector{10, 9, 8});
  // A schedule that is too short, or of different code: wrong where it begins.
  const auto from_below = climb(Hazard::read_after_write, 3, Fault::nowhere, gpu_with(5));
  CHECK(from_below.distances == std::vector{3, 4, 5});
  CHECK(lowest_right(from_below) == 5);
  CHECK(is_settled({from_below}, {}));
  // Wrong once in the middle: what is above it counts.
  const auto ladder = climb(Hazard::read_after_write, 8, Fault::nowhere, [](Hazard, Arrangement, int distance) {
    return stored(distance == 6 || distance < 4 ? 1 : 0);
  });
  CHECK(lowest_right(ladder) == 7);
  CHECK(ladder.distances == std::vector{8, 7, 6});
  CHECK(ladder.wrong == std::vector{0, 0, 1});
}

TEST_CASE("the write latencies of an invented machine are found from what its register holds in the end") {
  // It runs the words: a value is in its register so many cycles after its instruction's issue, and the latest stays.
  const auto code = find_hazard(hazard_window());
  const int first = GENERATE(4, 8, 24), second = GENERATE(4, 5, 6), start = GENERATE(1, 4, 20);
  INFO(first << " and " << second << " from " << start);
  const auto machine_with = [&](int planted) -> RunHazard {
    return [=](Hazard hazard, Arrangement arrangement, int distance) {
      std::uint64_t left = 0;
      int written = -1;
      for (const auto& [opcode, at] : issues(hazard_words(code, hazard, arrangement, distance))) {
        if (opcode == move_opcode) continue;  // clears what is no longer written
        const int there = at + (opcode == (producer_word & 0xf00) ? first : second);
        if (there >= written) left = opcode, written = there;
      }
      const bool is_late = left == (consumer_word & 0xf00);
      return stored(!is_late ? 32 : arrangement == Arrangement::pair && distance == planted ? 1 : 0);
    };
  };
  const int expected = std::max(first - second, 1);
  CHECK(lowest_right(climb(Hazard::write_after_write, start, Fault::nowhere, machine_with(0))) == expected);
  // One wrong lane is enough.
  CHECK(lowest_right(climb(Hazard::write_after_write, start, Fault::nowhere, machine_with(expected))) == expected + 1);
}

TEST_CASE("a form is tried again with the same opcodes only if nothing is known") {
  CHECK(is_settled({climb(Hazard::unawaited_read, 20, Fault::nowhere, gpu_with(15))}, {}));
  CHECK_FALSE(is_settled({climb(Hazard::unawaited_read, 20, Fault::nowhere, gpu_with(15, 0))}, {}));
  CHECK_FALSE(is_settled({climb(Hazard::write_after_read, 1, Fault::nowhere, gpu_with(1))}, {}));
  const auto far = climb(Hazard::unawaited_read, 55, Fault::nowhere, [](Hazard hazard, Arrangement, int) {
    return stored(hazard == Hazard::unawaited_read ? 32 : 0);  // right if it waits
  });
  CHECK_FALSE(lowest_right(far));
  CHECK(is_settled({far}, 305));
}

TEST_CASE("a result that looks right long before the wait for it ends leaves another form to be tried") {
  const auto early = climb(Hazard::unawaited_read, 55, Fault::nowhere, gpu_with(15));
  CHECK_FALSE(is_settled({early}, 305));
  CHECK_FALSE(is_settled({early}, 21));
  CHECK(is_settled({early}, 20));
  // A fixed latency does not wait.
  CHECK(is_settled({climb(Hazard::read_after_write, 55, Fault::nowhere, gpu_with(4))}, 305));
}

TEST_CASE("if a wrong value would look right, or the launch fails, there is no number but a reason") {
  const auto blind =
      climb(Hazard::read_after_write, 8, Fault::nowhere, [](Hazard, Arrangement, int) { return stored(0); });
  CHECK(blind.problem == "no distance gives a wrong value: an old one may look the same");
  CHECK_FALSE(lowest_right(blind));
  const auto fails = climb(Hazard::read_after_write, 8, Fault::nowhere, [](Hazard, Arrangement, int distance) {
    auto outcome = stored(distance == 1 ? 1 : 0);
    if (distance == 3) outcome = {ptx::LaunchStatus::fault, "illegal address", {}};
    return outcome;
  });
  CHECK(fails.problem == "a launch failed: illegal address");
  CHECK(fails.has_failed);
  CHECK_FALSE(lowest_right(fails));
  // A driver that failed once is no reason to lack the number for good.
  results::Record without_number, without_wrong_value;
  put(without_number, fails);
  CHECK_FALSE(is_final(without_number));
  put(without_wrong_value, blind);
  CHECK(is_final(without_wrong_value));
  auto in_words = blind;
  in_words.problem = "not a word of \"a launch failed: \" is read";
  put(without_wrong_value, in_words);
  CHECK(is_final(without_wrong_value));
}

TEST_CASE("a read is followed down step by step, and its consumer never comes first") {
  // As ISETP.EQ.AND before a SEL on an H100: right one cycle later, but not two or three.
  const auto ladder =
      climb(Hazard::read_after_write, 6, Fault::nowhere, [](Hazard, Arrangement arrangement, int distance) {
        REQUIRE(arrangement == Arrangement::pair);
        return stored(distance == 2 || distance == 3 ? 32 : 0);
      });
  CHECK(ladder.distances == std::vector{6, 5, 4, 3});
  CHECK(lowest_right(ladder) == 4);
}

TEST_CASE("an old address that faults is a wrong value, and is not provoked without need") {
  const auto ladder =
      climb(Hazard::read_after_write, 8, Fault::old_address, [](Hazard, Arrangement arrangement, int distance) {
        REQUIRE(arrangement == Arrangement::pair);
        return distance < 6 ? ptx::LaunchOutcome{ptx::LaunchStatus::fault, "illegal address", {}} : stored(0);
      });
  CHECK(ladder.problem.empty());
  CHECK_FALSE(ladder.has_failed);
  CHECK(ladder.distances == std::vector{8, 7, 6, 5});
  CHECK(lowest_right(ladder) == 6);
  results::Record record;
  put(record, ladder);
  CHECK(lowest_right(ladders_of(record).front()) == 6);
}

TEST_CASE("after many failed launches, what may fail again is not run") {
  FailedLaunches failed;
  for (int i = 0; i < most_failed_launches; ++i) {
    CHECK_FALSE(failed.forbid("LDG.E", true));
    failed.add("LDG.E");
  }
  CHECK(failed.forbid("LDG.E", false));
  CHECK(failed.forbid("IADD3", true));
  CHECK_FALSE(failed.forbid("IADD3", false));
}

TEST_CASE("a record keeps its ladders") {
  results::Record record;
  put(record, climb(Hazard::read_after_write, 8, Fault::nowhere, gpu_with(5)));
  put(record, climb(Hazard::write_after_read, 8, Fault::nowhere, gpu_with(2)));
  const auto ladders = ladders_of(record);
  REQUIRE(ladders.size() == 2);
  CHECK(lowest_right(ladders[0]) == 5);
  CHECK(ladders[1].hazard == Hazard::write_after_read);
  CHECK(lowest_right(ladders[1]) == 2);
}

namespace {

// Hazard kernels of forms with their first consumers, as ptxas makes them.
struct RealHazards {
  assemble::Toolchain toolchain = ptxas_or_skip().front();
  sass::Nvdisasm nvdisasm{nvdisasm_or_skip()};

  auto made(const std::string& ptx, int sm) const {
    const auto variant = isa::variants_of(shipped_form(ptx)).front();
    const auto trial = hazard_trial(shipped(), variant, *latency::consumers_for(shipped().catalogue, variant).front());
    auto outcome = line::make_kernel_assembler(assemble::make_ptxas(toolchain), toolchain, isa::Target{sm, ""})
                       ->assemble({{"k", &trial.kernel}}, 3);
    INFO(outcome.kernels.front().log);
    REQUIRE(outcome.cubins.size() == 1);
    return outcome;
  }
};

}  // namespace

TEST_CASE("a pair begins where ptxas left it, and where a wait is seen if ptxas left no such pair") {
  const auto fixed = find_hazard(hazard_window()), scoreboard = find_hazard(hazard_window(2));
  REQUIRE(scoreboard.waits());
  CHECK(first_distance(fixed, 5) == 5);
  CHECK(first_distance(fixed, {}) == 1);
  CHECK(first_distance(scoreboard, 9) == 9);
  CHECK(first_distance(scoreboard, {}) == 2);
}

TEST_CASE("a consumer that waits for the producer's scoreboard is not so near that it would miss it") {
  RealHazards real;
  const auto of_form = GENERATE(table<std::string, int>(
      {{"atom.exch.b128", 2}, {"atom.global.exch.b128", 2}, {"ld.global.b32", 2}, {"ld.shared.b32", 1}}));
  const auto& ptx = std::get<0>(of_form);
  const int shortest = std::get<1>(of_form);
  INFO(ptx);
  // The atomic's address is overwritten by its consumer, which waits until it has been read.
  const auto code = find_hazard(disassembled(real.nvdisasm, real.made(ptx, 90).cubins.front(), 90));
  REQUIRE(code.problem.empty());
  INFO(code.first().text << "; " << code.second().text);
  CHECK(shortest_distance(code, Hazard::unawaited_read) == shortest);

  const auto ladder = climb(
      Hazard::unawaited_read, 40, Fault::nowhere,
      [&](Hazard, Arrangement, int distance) {
        return distance < shortest ? ptx::LaunchOutcome{ptx::LaunchStatus::fault, "illegal address", {}} : stored(0);
      },
      shortest);
  CHECK_FALSE(ladder.has_failed);
  CHECK(ladder.distances.back() == shortest);
}

TEST_CASE("on every architecture a patched cubin has the pair at its distance, and is otherwise unchanged") {
  RealHazards real;
  const std::string ptx = GENERATE("fma.rn.f32", "popc.b32");
  const int sm = GENERATE(75, 80, 90, 120);
  INFO(ptx << " sm_" << sm);
  const auto outcome = real.made(ptx, sm);
  const auto before = disassembled(real.nvdisasm, outcome.cubins.front(), sm);
  const auto found = find_hazard(before);
  INFO(found.problem);
  REQUIRE(found.problem.empty());
  const auto patched = [&](const std::vector<sass::InstructionWord>& words) {
    return disassembled(real.nvdisasm,
                        with_hazard(outcome.cubins.front(), outcome.kernels.front().symbol, found, words), sm);
  };
  const auto hazard = found.waits() ? Hazard::unawaited_read : Hazard::read_after_write;
  for (const int distance : {1, 4, 11, 12, 40}) {
    const auto words = hazard_words(found, hazard, Arrangement::pair, distance);
    const auto after = patched(words);
    int now = 0, producer = -1, consumer = -1;
    for (const auto& one : after.instructions) {
      if (one.text == found.first().text) producer = now;
      if (one.text == found.second().text) consumer = now;
      CHECK(sass::opcode_of(one.text) != "PMTRIG");
      now += one.control.stall_count;
    }
    REQUIRE(producer >= 0);
    CHECK(consumer - producer == distance);
    const auto texts = [](const std::vector<sass::Instruction>& code) {
      std::vector<std::string> all;
      for (const auto& one : code) all.push_back(one.text);
      return all;
    };
    CHECK(texts(after.prologue) == texts(before.prologue));
    CHECK(texts(after.epilogue) == texts(before.epilogue));
  }
  if (found.waits()) return;
  REQUIRE(why_not_made(found, Hazard::write_after_write).empty());
  const auto words = hazard_words(found, Hazard::write_after_write, Arrangement::pair, 4);
  const auto after = patched(words);
  const auto is_in = [&](const std::string& text) {
    return std::any_of(after.instructions.begin(), after.instructions.end(),
                       [&](const auto& one) { return one.text.starts_with(text); });
  };
  const auto opcode = std::string(sass::opcode_of(found.second().text));
  CHECK(is_in("MOV R"));
  CHECK(is_in(opcode + " R" + std::to_string(found.passed.number) + ", "));
  for (const auto& one : after.instructions) {
    INFO(one.text);
    if (one.text.starts_with(opcode)) CHECK(sass::slot_of(one.text, found.passed).empty());
    if (one.text.starts_with("MOV R")) CHECK(one.text.ends_with(", RZ"));
  }
}
