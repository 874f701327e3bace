// SPDX-License-Identifier: Apache-2.0

// Copies of machine code in a loop: what is found in a kernel, what is written over it, and, with the assemblers that
// are here, that the loop then holds those copies and nothing else.
#include "loops/patch.h"

#include <algorithm>

#include "../ptx/shipped_catalogue.h"
#include "../sass/real_code.h"
#include "catch.h"
#include "isa/catalogue.h"
#include "line/kernel_assembler.h"
#include "loops/saturated_kernel.h"
#include "sass/dataflow.h"
#include "sass/disassembler.h"

using namespace ptxlat;
using namespace ptxlat::loops;

namespace {

// A saturated kernel's window, by its texts. Every word is different, so that a misplaced one is noticed.
sass::Window window_of(const std::vector<std::string>& texts) {
  sass::Window window;
  for (const auto& text : texts) {
    const auto number = static_cast<std::uint64_t>(window.instructions.size());
    sass::ControlWord control;
    control.stall_count = 5;
    control.wait_mask = 3;
    control.read_scoreboard = 1;
    control.write_scoreboard = 2;
    const auto word = sass::with_control({0x7000 | number << 16, number << 8}, control);
    window.instructions.push_back({static_cast<int>(16 * number), word, control, text});
  }
  return window;
}

// What ptxas makes of a popc.
const std::vector<std::string> popc_loop = {"CS2R.32 R10, SR_CLOCKLO",
                                            "POPC R9, R7",
                                            "@P0 BRA 0x9a0",
                                            "VIADD R6, R6, 0x1",
                                            "PMTRIG 0x1",
                                            "ISETP.GE.U32.AND P0, PT, R6, 0x20, PT",
                                            "PMTRIG 0x1",
                                            "PMTRIG 0x1",
                                            "@!P0 BRA 0x1f0",
                                            "CS2R.32 R11, SR_CLOCKLO"};

std::vector<std::string> with(std::vector<std::string> texts, std::size_t at, const std::string& text) {
  texts[at] = text;
  return texts;
}

}  // namespace

TEST_CASE("an instruction and its places are found in a kernel, wherever ptxas put the loop control") {
  const auto found = find_saturable(window_of(popc_loop), {{"POPC"}}, 3);
  REQUIRE(found.problem.empty());
  REQUIRE(found.codes.size() == 1);
  CHECK(opcodes_of(found.codes[0]) == std::vector<std::string>{"POPC"});
  CHECK(found.places == std::vector{64, 96, 112});
  CHECK(found.steering.empty());
}

TEST_CASE("ptxas may choose a different pipe for an instruction, and each instruction is found once") {
  auto texts = with(popc_loop, 1, "IMAD.IADD R9, R7, 0x1, R8");
  CHECK(opcodes_of(find_saturable(window_of(texts), {{"IADD3"}}, 3).codes[0]) == std::vector<std::string>{"IMAD.IADD"});
  CHECK(find_saturable(window_of(texts), {{"IADD3"}, {"IADD3"}}, 3).problem ==
        "the instruction is another one beside a loop");
  texts.insert(texts.begin() + 1, "IADD3 R3, R4, R5, RZ");
  const auto both = find_saturable(window_of(texts), {{"IADD3"}, {"IADD3"}}, 3);
  REQUIRE(both.problem.empty());
  CHECK(opcodes_of(both.codes[0]) == std::vector<std::string>{"IADD3"});
  CHECK(opcodes_of(both.codes[1]) == std::vector<std::string>{"IMAD.IADD"});
}

TEST_CASE("of two opcodes that take turns each is found by its name, or by its operation if it is not there") {
  auto texts = with(popc_loop, 1, "HFMA2.MMA R9, R7, 1, 1, R8");
  texts.insert(texts.begin() + 2, "HADD2 R3, R4, R5");
  const auto by_name = find_saturable(window_of(texts), {{"HADD2"}, {"HFMA2.MMA"}}, 3);
  REQUIRE(by_name.problem.empty());
  CHECK(opcodes_of(by_name.codes[0]) == std::vector<std::string>{"HADD2"});
  CHECK(opcodes_of(by_name.codes[1]) == std::vector<std::string>{"HFMA2.MMA"});
  // Otherwise the second would be left with the first's.
  texts[1] = "HFMA2.MMA R9, R7, R8, R7";
  texts[2] = "HFMA2 R3, R4, R5, R4";
  const auto exact = find_saturable(window_of(texts), {{"HFMA2"}, {"HFMA2.MMA"}}, 3);
  REQUIRE(exact.problem.empty());
  CHECK(opcodes_of(exact.codes[0]) == std::vector<std::string>{"HFMA2"});
  CHECK(opcodes_of(exact.codes[1]) == std::vector<std::string>{"HFMA2.MMA"});
  const auto by_operation = find_saturable(window_of(texts), {{"HFMA2"}, {"HFMA2"}}, 3);
  REQUIRE(by_operation.problem.empty());
  CHECK(opcodes_of(by_operation.codes[1]) == std::vector<std::string>{"HFMA2.MMA"});
}

TEST_CASE("a stream's copies are the opcodes of which the longer stream has more") {
  const auto stream = [](std::vector<std::string> copies) {
    copies.insert(copies.begin(), "CS2R.32 R10, SR_CLOCKLO");
    copies.emplace_back("CS2R.32 R11, SR_CLOCKLO");
    return window_of(copies);
  };
  const std::string fma = "HFMA2.MMA R9, R8, 1, 1, R9", add = "HADD2 R11, R10, R11",
                    bits = "LOP3.LUT R4, R4, R5, RZ, 0xc0";
  CHECK(opcodes_of_copies(stream({fma, add}), stream({fma, add, fma, add}), 2) ==
        std::vector<std::string>{"HADD2", "HFMA2.MMA"});
  CHECK(opcodes_of_copies(stream({bits, add}), stream({bits, add, add}), 1) == std::vector<std::string>{"HADD2"});
  // Copies of several instructions, and a stream that is different code.
  CHECK(opcodes_of_copies(stream({fma, add}), stream({fma, add, fma, add}), 1).empty());
  CHECK(opcodes_of_copies(stream({fma, bits}), stream({fma, fma, add}), 1).empty());
}

TEST_CASE(
    "what fills a uniform register for code of several instructions stays before the loop, unless it needs the code") {
  const auto found = [](const std::string& preparation, const std::vector<std::string>& opcodes) {
    auto texts = with(popc_loop, 1, "LD.E R9, desc[UR4][R2.64]");
    texts.insert(texts.begin() + 2, {preparation, "CCTL.IVALL"});
    return find_saturable(window_of(texts), {opcodes}, 3);
  };
  const std::vector<std::string> acquire{"LD.E", "CCTL.IVALL"};
  const auto prepared = found("R2UR UR4, R7", acquire);
  CHECK(prepared.problem.empty());
  CHECK(opcodes_of(prepared.codes.at(0)) == acquire);
  CHECK(found("NOP", acquire).problem.empty());
  CHECK_FALSE(found("R2UR UR4, R9", acquire).problem.empty());
  CHECK_FALSE(found("IADD3 R5, R7, 0x1, RZ", acquire).problem.empty());
  CHECK_FALSE(found("R2UR UR4, R7", {"LD.E", "ERRBAR"}).problem.empty());
}

TEST_CASE("an instruction that cannot be copied says why") {
  const auto problem = [](const std::vector<std::string>& texts, const std::vector<std::string>& opcodes) {
    return find_saturable(window_of(texts), {opcodes}, 3).problem;
  };
  CHECK(find_saturable(window_of(popc_loop), {{"POPC"}}, 4).problem == "the loop has 3 places and not 4");
  CHECK(problem(popc_loop, {"FLO"}) == "the instruction is another one beside a loop");
  CHECK(problem(popc_loop, {"POPC", "IADD3"}) == "the instruction is another one beside a loop");
  CHECK(problem(with(popc_loop, 1, "CALL.REL.NOINC 0x40"), {"CALL.REL.NOINC"}) == "its code branches");
  CHECK(problem(with(popc_loop, 1, "POPC R6, R7"), {"POPC"}) == "it writes a register that the loop counts with");
  CHECK(problem(with(popc_loop, 1, "POPC R9, R6"), {"POPC"}) == "it reads a register that the loop counts with");
  CHECK(problem(with(with(popc_loop, 1, "TEX.LL R8, R2, R4, UR4, 1D"), 3, "UIADD3 UR4, UR4, 0x1, URZ"), {"TEX.LL"}) ==
        "it reads a register that the loop counts with");
  auto needs_again = popc_loop;
  needs_again.insert(needs_again.begin() + 3, "ST.E.U8.STRONG.SYS [R7], RZ");
  CHECK(problem(needs_again, {"POPC"}).empty());
  CHECK(problem(with(needs_again, 3, "ST.E.U8.STRONG.SYS [R9], RZ"), {"POPC"}) ==
        "it writes a register that the loop counts with");
  auto maxwell = window_of(popc_loop);
  maxwell.layout = sass::CodeLayout::maxwell;
  CHECK(find_saturable(maxwell, {{"POPC"}}, 3).problem == "machine code of this layout is not written over");
}

TEST_CASE("if the code writes the loop's predicate, the loop gets a free one, or none if there is none") {
  const auto texts = with(popc_loop, 1, "ISETP.LT.AND P0, PT, R7, R8, PT");
  const auto found = find_saturable(window_of(texts), {{"ISETP.LT.AND"}}, 3);
  REQUIRE(found.problem.empty());
  REQUIRE(found.steering.size() == 2);
  CHECK(found.steering[0].text == "ISETP.GE.U32.AND P6, PT, R6, 0x20, PT");
  CHECK(found.steering[1].text == "@!P6 BRA 0x1f0");
  CHECK((found.steering[0].word.high >> 17 & 7) == 6);
  CHECK((found.steering[1].word.low >> 12 & 7) == 6);
  auto taken = texts;
  taken.insert(taken.begin() + 1, "PLOP3.LUT P6, PT, PT, PT, PT, 0x80, 0x0");
  CHECK(find_saturable(window_of(taken), {{"ISETP.LT.AND"}}, 3).problem ==
        "it writes a register that the loop counts with");
}

TEST_CASE("one instruction follows its copy at once, several keep what they wait for among themselves") {
  const auto window = window_of(popc_loop);
  const auto alone = sass::control_word(copy_of({window.instructions[1]}).front());
  CHECK(alone.stall_count == 1);
  CHECK_FALSE(alone.yields);
  CHECK(alone.wait_mask == 0);
  CHECK(alone.read_scoreboard == sass::ControlWord::no_scoreboard);
  CHECK(alone.write_scoreboard == 2);
  // What makes no result says when it has read its operands.
  auto without_result = window.instructions[1];
  without_result.control.write_scoreboard = sass::ControlWord::no_scoreboard;
  CHECK(sass::control_word(copy_of({without_result}).front()).read_scoreboard == 1);
  const auto words = copy_of({window.instructions[1], window.instructions[3]});
  REQUIRE(words.size() == 2);
  CHECK(sass::control_word(words[0]).wait_mask == 0);
  CHECK(sass::control_word(words[0]).stall_count == 5);
  CHECK(sass::control_word(words[1]).wait_mask == 3);
}

TEST_CASE("code whose copies would depend on each other is not copied") {
  const std::string problem = "a copy would read the result of the one before it";
  // The low half of its address would be what the atomic before it returned.
  const std::string atomic = "ATOM.E.ADD.STRONG.GPU PT, R7, desc[UR6][R6.64+0x10000], R11";
  CHECK(find_saturable(window_of(with(popc_loop, 1, atomic)), {{"ATOM.E.ADD.STRONG.GPU"}}, 3).problem == problem);
  CHECK(find_saturable(window_of(with(popc_loop, 1, "FADD R9, R9, R8")), {{"FADD"}}, 3).problem == problem);
  // A step that reads the one before it does not matter.
  auto steps = popc_loop;
  steps.insert(steps.begin() + 1, "FADD R9, R7, R8");
  steps[2] = "FMUL R9, R9, R8";
  auto window = window_of(steps);
  for (const std::size_t step : {1, 2}) window.instructions[step].control = {};  // of fixed latency
  CHECK(find_saturable(window, {{"FADD", "FMUL"}}, 3).problem.empty());
}

TEST_CASE("a copy of an access needs both registers of a generic address, of which its text names one") {
  const auto needs = [](const std::string& text) {
    sass::Instruction access;
    access.text = text;
    return registers_of({access}).needed;
  };
  const auto has = [](const std::set<sass::Register>& registers, int number) {
    return registers.contains({sass::RegisterFile::general, number});
  };
  CHECK(has(needs("ATOM.E.ADD.STRONG.GPU PT, R9, [R8], R5"), 9));
  CHECK(has(needs("LD.E R9, [R8]"), 9));
  CHECK_FALSE(has(needs("LDS R9, [R8]"), 9));
}

TEST_CASE("every SM can run what has an address of its own in scratch memory for each thread") {
  const auto can = [](const char* ptx) {
    return can_run_on_every_sm(shipped().catalogue, isa::variants_of(shipped_form(ptx)).front());
  };
  for (const char* ptx : {"atom.global.add.u32", "st.b64", "red.release.gpu.global.add.u32"}) CHECK(can(ptx));
  for (const char* ptx : {"atom.shared.add.u32", "add.u32", "atom.shared::cluster.add.u32", "sust.b.1d.b32.trap"})
    CHECK_FALSE(can(ptx));
  const auto text = [](const char* ptx) {
    const auto variant = isa::variants_of(shipped_form(ptx)).front();
    return saturated_trial(shipped(), {&variant, 1}, 4, Sources::own).kernel.text;
  };
  CHECK_THAT(text("atom.global.add.u32"), Catch::Matchers::Contains("[parameters+24]"));
  CHECK_THAT(text("atom.shared.add.u32"), !Catch::Matchers::Contains("[parameters+24]"));
}

TEST_CASE("an address that ptxas makes is needed again behind the instruction, so that its result goes elsewhere") {
  const auto variant = isa::variants_of(shipped_form("ld.shared::cluster.v4.u32")).front();
  const auto text = saturated_trial(shipped(), {&variant, 1}, 4, Sources::own).kernel.text;
  const auto access = text.find("ld.shared::cluster.v4.u32"), branch = text.find("bra LEFT;");
  const auto again = text.find("st.volatile.shared::cluster.u8 [%v_a], 0;");
  CHECK((access < branch && branch < again && again < text.find("pmevent")));
}

TEST_CASE("code whose copies would overtake each other is not copied") {
  const std::string problem = "a copy would write an address too early for the one before it";
  constexpr int none = sass::ControlWord::no_scoreboard, never = 0, scoreboard_0 = 1;
  struct Step {
    std::string text;
    int write_scoreboard, read_scoreboard, wait_mask;
  };
  const auto problem_of = [](const std::vector<Step>& steps) {
    auto texts = popc_loop;
    texts.erase(texts.begin() + 1);
    std::vector<std::string> opcodes;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) texts.insert(texts.begin() + 1, step->text);
    auto window = window_of(texts);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      auto& control = window.instructions[i + 1].control;
      control.write_scoreboard = steps[i].write_scoreboard;
      control.read_scoreboard = steps[i].read_scoreboard;
      control.wait_mask = steps[i].wait_mask;
      opcodes.emplace_back(sass::opcode_of(steps[i].text));
    }
    return find_saturable(window, {opcodes}, 3).problem;
  };
  // What ptxas makes of ld.shared::cluster.cs: the next copy's address, then what this copy has loaded.
  CHECK(problem_of({{"MOV R8, R13", none, none, never},
                    {"MOV R9, R12", none, none, never},
                    {"LD.E.EF R9, [R8]", 5, 0, never}}) == problem);
  CHECK(problem_of({{"MOV R8, R13", none, none, never},
                    {"MOV R9, R12", none, none, never},
                    {"LD.E.EF R7, [R8]", 5, 0, never}}) == "");
  // The function's values are wrong then, which take as long.
  CHECK(problem_of({{"FMUL.RZ R9, R13, 0.15915493667125701904", none, none, never},
                    {"MUFU.COS R9, R9", 0, none, never}}) == "");
  // The shape of what is stored is not its address.
  CHECK(problem_of({{"PRMT R8, R13, 0x3340, R12", none, none, never},
                    {"PRMT R8, R8, 0x5410, R11", none, none, never},
                    {"STS [R13], R8", none, 0, never}}) == "");
  // The registers after those of the address are data.
  CHECK(problem_of({{"PRMT R16, R13, 0x5410, R12", none, none, never},
                    {"ATOM.E.ADD.F16x2.RN.STRONG.GPU PT, R16, [R14.64], R16", 0, none, never}}) == "");
  CHECK(problem_of({{"PRMT R8, R13, 0x3340, R12", none, none, never},
                    {"PRMT R8, R8, 0x5410, R11", none, none, never},
                    {"SUST.D.BA.1D.STRONG.SM.TRAP [R7], R8, UR4, 0x0", none, 0, never}}) == "");
  CHECK(problem_of({{"PRMT R18, R13, 0x3340, R12", none, none, never},
                    {"PRMT R18, R18, 0x5410, R11", none, none, never},
                    {"SUST.D.BA.3D.STRONG.SM.TRAP [R16], R11, UR4, 0x0", none, 0, never}}) == problem);
  // It waits for it within the copy.
  CHECK(problem_of({{"MOV R8, R13", none, none, never},
                    {"LDS R8, [R8]", 0, none, never},
                    {"MOV R7, R8", none, none, scoreboard_0}}) == "");
  // The address of a store has a different value on the way.
  CHECK(problem_of({{"MOV R8, R13", none, none, never},
                    {"IADD3 R8, R8, R12, RZ", none, none, never},
                    {"STS [R8], R7", none, 0, never}}) == problem);
  CHECK(problem_of({{"IADD3 R8, R13, R12, RZ", none, none, never}, {"STS [R8], R7", none, 0, never}}) == "");
  // An address depends on a value that is loaded again and again.
  CHECK(problem_of({{"MOV R9, R13", none, none, never},
                    {"IADD3 R8, R9, R12, RZ", none, none, never},
                    {"LDS R9, [R8]", 5, none, never}}) == problem);
}

TEST_CASE("the second clock waits for registers that queued copies have not read or written yet") {
  const auto window = window_of(popc_loop);
  const auto found = find_saturable(window, {{"POPC"}}, 3);
  const auto end_of = [&](const sass::Window& shown) { return sass::control_word(shown.instructions.back().word); };
  REQUIRE(end_of(window).wait_mask == 3);
  CHECK(end_of(with_first_copy(window, found, found.codes)).wait_mask == (3 | 1 << 2));
  auto fixed = found;
  fixed.codes[0][0].control.write_scoreboard = sass::ControlWord::no_scoreboard;
  fixed.codes[0][0].control.read_scoreboard = sass::ControlWord::no_scoreboard;
  CHECK(end_of(with_first_copy(window, fixed, fixed.codes)).wait_mask == 3);
}

TEST_CASE("evidence has the loop with the first copy, as it runs") {
  const auto window = window_of(with(popc_loop, 1, "ISETP.LT.AND P0, PT, R7, R8, PT"));
  const auto found = find_saturable(window, {{"ISETP.LT.AND"}}, 3);
  const auto shown = with_first_copy(window, found, found.codes);
  std::vector<std::string> texts;
  for (const auto& instruction : shown.instructions) texts.push_back(instruction.text);
  CHECK(texts == std::vector<std::string>{"CS2R.32 R10, SR_CLOCKLO", "ISETP.LT.AND P0, PT, R7, R8, PT", "@P0 BRA 0x9a0",
                                          "VIADD R6, R6, 0x1", "ISETP.LT.AND P0, PT, R7, R8, PT",
                                          "ISETP.GE.U32.AND P6, PT, R6, 0x20, PT", "@!P6 BRA 0x1f0",
                                          "CS2R.32 R11, SR_CLOCKLO"});
}

TEST_CASE("an access takes an address that is only moved from where it was") {
  auto texts = with(popc_loop, 1, "MOV R8, R13");
  texts.insert(texts.begin() + 2, "LDSM.16.M88 R8, [R8]");
  auto window = window_of(texts);
  auto& access = window.instructions[2];
  access.control.wait_mask = 0;
  constexpr std::uint64_t address = 8, source_bit = 24;
  access.word.low = (access.word.low & ~(std::uint64_t{0xff} << source_bit)) | address << source_bit;
  const auto found = find_saturable(window, {{"MOV", "LDSM.16.M88"}}, 3);
  CHECK(found.problem.empty());
  CHECK(found.codes[0][1].text == "LDSM.16.M88 R8, [R13]");
  CHECK((found.codes[0][1].word.low >> source_bit & 0xff) == 13);
  // Not if the word has something else in that place.
  access.word.low = (access.word.low & ~(std::uint64_t{0xff} << source_bit)) | (address + 1) << source_bit;
  CHECK_FALSE(find_saturable(window, {{"MOV", "LDSM.16.M88"}}, 3).problem.empty());
}

TEST_CASE("sources share a register unless they are coordinates, each of which has its own range") {
  const auto is_same = [&](const std::string& ptx) {
    const auto variant = isa::variants_of(shipped_form(ptx)).front();
    const auto text = [&](Sources sources) {
      return saturated_trial(shipped(), {&variant, 1}, 12, sources).kernel.text;
    };
    return text(Sources::shared) == text(Sources::own);
  };
  CHECK_FALSE(is_same("fma.rn.f32"));
  CHECK(is_same("sured.b.add.3d.u32.trap"));
  CHECK(is_same("tex.3d.v4.f32.f32"));
}

TEST_CASE("on every architecture the loop contains only the copies and control that they do not overwrite") {
  const auto toolchain = ptxas_or_skip().front();
  sass::Nvdisasm nvdisasm(nvdisasm_or_skip());
  constexpr int places = 12;
  // The first writes the predicate that ptxas would steer with, except on sm_120.
  const std::string ptx = GENERATE("set.eq.s32.b64", "popc.b32", "setp.lt.f32", "atom.add.u32");
  const int sm = GENERATE(75, 80, 90, 120);
  INFO(ptx << " sm_" << sm);
  const auto variant = isa::variants_of(shipped_form(ptx)).front();
  const auto trial = saturated_trial(shipped(), {&variant, 1}, places, Sources::shared);
  const isa::Target target{sm, ""};
  const auto outcome = line::make_kernel_assembler(assemble::make_ptxas(toolchain), toolchain, target)
                           ->assemble({{"k", &trial.kernel}}, 3);
  INFO(outcome.kernels.front().log);
  REQUIRE(outcome.cubins.size() == 1);
  const auto& cubin = outcome.cubins.front();

  const auto before = disassembled(nvdisasm, cubin, sm);
  const auto branch = std::find_if(before.instructions.begin(), before.instructions.end(),
                                   [](const auto& i) { return sass::changes_control_flow(i.text); });
  const Code code(before.instructions.begin() + 1, branch);
  const auto found = find_saturable(before, {opcodes_of(code)}, places);
  INFO(found.problem);
  REQUIRE(found.problem.empty());
  CHECK(found.steering.empty() == (ptx != "set.eq.s32.b64" || sm == 120));
  std::vector<sass::InstructionWord> words;
  std::vector<std::string> expected;
  while (words.size() + code.size() <= places) {
    const auto copy = copy_of(code);
    words.insert(words.end(), copy.begin(), copy.end());
    for (const auto& instruction : code) expected.push_back(instruction.text);
  }
  for (; words.size() < places; words.push_back(nothing())) expected.emplace_back("NOP");

  const auto after = disassembled(nvdisasm, fill_places(cubin, outcome.kernels.front().symbol, found, words), sm);
  REQUIRE(after.instructions.size() == before.instructions.size());
  std::vector<std::string> filled;
  for (std::size_t i = 0; i < after.instructions.size(); ++i) {
    const auto &now = after.instructions[i], &then = before.instructions[i];
    const auto steering = std::find_if(found.steering.begin(), found.steering.end(),
                                       [&](const auto& other) { return other.offset == now.offset; });
    if (std::find(found.places.begin(), found.places.end(), now.offset) != found.places.end()) {
      filled.push_back(now.text);
    } else {
      CHECK(now.text == (steering == found.steering.end() ? then.text : steering->text));
    }
  }
  CHECK(filled == expected);
}

TEST_CASE("a copy without registers reads and writes only RZ, and keeps everything else") {
  const auto toolchain = ptxas_or_skip().front();
  sass::Nvdisasm nvdisasm(nvdisasm_or_skip());
  const std::string ptx = GENERATE("fma.rn.f32", "add.f64", "lop3.b32", "popc.b32", "shfl.sync.up.b32");
  INFO(ptx);
  const auto variant = isa::variants_of(shipped_form(ptx)).front();
  const auto trial = saturated_trial(shipped(), {&variant, 1}, 4, Sources::own);
  const auto outcome = line::make_kernel_assembler(assemble::make_ptxas(toolchain), toolchain, {90, ""})
                           ->assemble({{"k", &trial.kernel}}, 3);
  REQUIRE(outcome.cubins.size() == 1);
  const auto before = code_before_loop(disassembled(nvdisasm, outcome.cubins.front(), 90));
  REQUIRE(before.size() == 1);
  sass::Instruction copy{0, copy_without_registers(before.front()), {}, {}};
  nvdisasm.disassemble(90, {&copy});
  INFO(before.front().text << " is " << copy.text);
  CHECK(sass::opcode_of(copy.text) == sass::opcode_of(before.front().text));
  const auto use = sass::register_use(copy.text);
  for (const auto* all : {&use.reads, &use.writes}) {
    CHECK(std::none_of(all->begin(), all->end(),
                       [](const auto& one) { return one.file == sass::RegisterFile::general; }));
  }
}
