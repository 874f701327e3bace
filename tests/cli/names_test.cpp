// SPDX-License-Identifier: Apache-2.0

// Names on the command line: of tables, of what `show` shows, and of misspelt commands and options.
#include "../tables/cells.h"
#include "ptxlat_program.h"
#include "text.h"

using namespace ptxlat;

namespace {

std::string table_line(const Ended& ended) {
  const auto begin = ended.err.find("table ");
  return begin == std::string::npos ? "" : ended.err.substr(begin, ended.err.find('\n', begin) - begin);
}

// A machine without a GPU.
struct ProgramWithoutGpu : PtxlatProgram {
  ProgramWithoutGpu() { set("PTXLAT_LIBCUDA", "/nonexistent/libcuda.so.1"); }
};

}  // namespace

TEST_CASE("a table is found by its GPU, architecture or toolchain: measured before static, the newest first") {
  const ProgramWithoutGpu program;
  for (const auto& [name, place] : {std::pair<std::string, std::string>{"nvidia-h200", "nvidia-h200/driver-580.159.04"},
                                    {"H200", "nvidia-h200/driver-580.159.04"},
                                    {"h100", "nvidia-h100-80gb-hbm3/driver-580.159.04"},
                                    {"nvidia-h200@ptxas-12.4", "nvidia-h200/ptxas-12.4.131"},
                                    {"h200@ptxas", "nvidia-h200/ptxas-13.0.88"},
                                    {"sm_90", "nvidia-h200/driver-580.159.04"},
                                    {"sm_90@static@ptxas-12.4", "static/ptxas-12.4.131"},
                                    {"sm_120a", "sm_120a/static/ptxas-13.0.88"}}) {
    INFO(name);
    const auto shown = program.run({"show", "add.u32", "--table", name});
    CHECK(shown.status == 0);
    CHECK(table_line(shown).ends_with(place));
  }
}

TEST_CASE("a name that no table has gets the nearest one, and a level belongs to compare alone") {
  const ProgramWithoutGpu program;
  const auto misspelt = program.run({"show", "add.u32", "--table", "nvidia-h20"});
  CHECK(misspelt.status == 4);
  CHECK(misspelt.out.empty());
  CHECK(says(misspelt, "there is no table called nvidia-h20"));
  CHECK(says(misspelt, "Did you mean nvidia-h200"));
  const auto level = program.run({"show", "add.u32", "--table", "nvidia-h200@O0"});
  CHECK(level.status == 2);
  CHECK(says(level, "write nvidia-h200;"));
  CHECK(program.run({"compare", "nvidia-h200@O7", "nvidia-h200"}).status == 4);
}

TEST_CASE("compare, export and report take the names, each what it can use") {
  const ProgramWithoutGpu program;
  const auto levels = program.run({"compare", "sm_86@O0", "sm_86@O3"});
  CHECK(levels.status == 0);
  CHECK(has(levels.out, "A: O0  "));
  const auto exported = program.run({"export", "nvidia-h200", "--target", "accel-sim", "-o", "exported"});
  CHECK(exported.status == 0);
  CHECK(table_line(exported).ends_with("nvidia-h200/driver-580.159.04"));
  const auto site = program.run({"report", "sm_61", "-o", "site"});
  CHECK(site.status == 0);
  CHECK(says(site, "1 table,"));
}

TEST_CASE("the user's own table is found before a committed one of the same name") {
  const ProgramWithoutGpu program;
  auto run = run_of();
  run.table = "sm_61/static/ptxas-12.9.86";
  tables::write_table(program.folder() / "ptxlat-tables",
                      tables::table_from(run, {}, {cell_of("add.u32", 3, 4, "IADD")}));
  CHECK(table_line(program.run({"show", "add.u32", "--table", "sm_61"})) ==
        "table ptxlat-tables/sm_61/static/ptxas-12.9.86");
}

TEST_CASE("without --table, show takes the table of this machine's GPU, else of the newest that was measured") {
  const ProgramWithoutGpu program;
  const auto newest = program.run({"show", "popc.b32"});
  CHECK(newest.status == 0);
  CHECK(table_line(newest).ends_with("nvidia-h200/driver-580.159.04"));
  CHECK(has(newest.out, "NVIDIA H200, sm_90a, driver-580.159.04\n"));
  CHECK(has(program.run({"show", "l1.ways"}).out, "170 count"));
  CHECK(has(program.run({"show", "memory"}).out, "L1 data cache\n"));

  const PtxlatProgram with_gpu;  // the stand-in is not in any committed table
  auto run = run_of();
  run.table = "sm_90/stand-in-h200/driver-0.0.standin";
  run.toolchain = "driver-0.0.standin";
  tables::write_table(with_gpu.folder() / "ptxlat-tables",
                      tables::table_from(run, {}, {cell_of("popc.b32", 3, 17, "POPC")}));
  CHECK(table_line(with_gpu.run({"show", "popc.b32"})).ends_with("stand-in-h200/driver-0.0.standin"));
  const auto opcode = with_gpu.run({"show", "FFMA"});
  CHECK(opcode.status == 4);
  CHECK(says(opcode, "`ptxlat opcodes` measures SASS opcodes"));

  // Where that GPU is not, its table is not taken for a whole one.
  std::filesystem::copy(with_gpu.folder() / "ptxlat-tables", program.folder() / "ptxlat-tables",
                        std::filesystem::copy_options::recursive);
  CHECK(table_line(program.run({"show", "popc.b32"})).ends_with("nvidia-h200/driver-580.159.04"));
  CHECK(table_line(program.run({"show", "popc.b32", "--table", "stand-in-h200"})).ends_with("driver-0.0.standin"));
}

TEST_CASE("show takes a SASS opcode, in any case, and list the forms that become it") {
  const ProgramWithoutGpu program;
  for (const char* name : {"FFMA", "ffma"}) {
    const auto opcode = program.run({"show", name});
    CHECK(opcode.status == 0);
    CHECK_THAT(opcode.out, Catch::Matchers::Matches("opcode +FFMA[^]*\nthroughput +[0-9.]+ [^]*"));
    CHECK(has(opcode.out, "ptxlat list --sass FFMA\n"));
  }
  const auto list = program.run({"list", "--sass", "POPC", "--filter", "popc"});
  CHECK(list.status == 0);
  CHECK(has(list.out, "\npopc.b32 "));
  const auto none = program.run({"list", "--sass", "POPK"});
  CHECK(none.status == 4);
  CHECK(says(none, "did you mean POPC"));
}

TEST_CASE("a spelling with a qualifier too many or too few, or in capitals, gets the right one") {
  const ProgramWithoutGpu program;
  for (const auto& [wrong, right] : {std::pair<std::string, std::string>{"fma.f32", "did you mean fma.rn.f32"},
                                     {"cvt.rn.f64.f32", "did you mean cvt.f64.f32"},
                                     {"cvt.f32.u32", "did you mean cvt.rn.f32.u32"},
                                     {"ADD.U32", "did you mean add.u32"},
                                     {"fma.rn", "did you mean fma.rn.f32"},
                                     {"mul.u32", "did you mean mul.hi.u32, mul.lo.u32"},
                                     {"FFNA", "did you mean FFMA"},
                                     {"l1.way", "did you mean l1.ways"}}) {
    const auto ended = program.run({"show", wrong});
    INFO(wrong << ": " << ended.err);
    CHECK(ended.status == 4);
    CHECK(ended.out.empty());
    CHECK(says(ended, right));
  }
  CHECK(says(program.run({"reproduce", "fma.f32", "-o", "cell"}), "did you mean fma.rn.f32"));
}

TEST_CASE("a misspelt command or option gets the right one, with 2 and nothing on standard output") {
  const ProgramWithoutGpu program;
  for (const auto& [line, words] :
       {std::pair<std::vector<std::string>, std::string>{{"shwo", "add.u32"}, "did you mean show"},
        {{"mesure", "x"}, "did you mean measure"},
        {{"--nosuch"}, "there is no option --nosuch"},
        {{"list", "--filer", "mul"}, "did you mean --filter"},
        {{"measure", "--statik", "x"}, "did you mean --static"},
        {{"show", "--tabel", "x"}, "did you mean --table"},
        {{"show", "add.u32", "-O", "fast"}, "fast is not an optimisation level"},
        {{"reproduce", "add.u32"}, "ptxlat reproduce fma.rn.f32 --table nvidia-h200 -o cell"}}) {
    const auto ended = program.run(line);
    INFO(ended.err);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err.starts_with("ptxlat: "));
    CHECK(says(ended, words));
  }
  const auto nothing = program.run({});
  CHECK(nothing.status == 2);
  CHECK(says(nothing, "Make tables:"));
}

TEST_CASE("wrong targets and toolchains are said before anything is printed") {
  PtxlatProgram program;
  program.require_tools();
  for (const auto& [line, words] :
       {std::pair<std::vector<std::string>, std::string>{{"show", "add.u32", "--target", "90"}, "did you mean sm_90?"},
        {{"show", "add.u32", "--target", "compute_90"}, "did you mean sm_90?"},
        {{"show", "add.u32", "--target", "sm_999"}, "sm_999"},
        {{"show", "add.u32", "--toolchain", "nvcc"}, "did you mean ptxas"},
        {{"show", "add.u32", "--toolchain", "gcc"}, "there is no toolchain 'gcc'"}}) {
    const auto ended = program.run(line);
    INFO(ended.err);
    CHECK(ended.status == 4);
    CHECK(ended.out.empty());
    CHECK(says(ended, words));
  }
  CHECK_FALSE(says(program.run({"show", "add.u32", "--toolchain", "ptxas-9.2"}), "did you mean"));
}

TEST_CASE("folders for output are tried before the work, and nothing of that remains") {
  PtxlatProgram program;
  for (const std::vector<std::string>& line : {std::vector<std::string>{"static", "--tables", "/proc/x"},
                                               {"report", "sm_61", "-o", "/proc/x"},
                                               {"show", "chase", "--plot", "/proc/x"}}) {
    const auto ended = program.run(line);
    CHECK(ended.status == 7);
    CHECK(says(ended, "/proc/x"));
    CHECK_FALSE(std::filesystem::exists(program.store()));
  }
  CHECK(program.run({"show", "nothing.here", "--table", "sm_61", "--plot", "new/plots"}).status != 0);
  CHECK_FALSE(std::filesystem::exists(program.folder() / "new"));
}

TEST_CASE("help is within 80 columns, with an example of each command; help, -h and --help are the same") {
  const PtxlatProgram program;
  const auto whole = program.run({"help"});
  CHECK(whole.status == 0);
  CHECK(program.run({"--help"}).out == whole.out);
  CHECK(has(whole.out, "Ask:\n"));
  CHECK(program.run({"-V"}).out.starts_with("ptxlat "));
  for (const char* command : {"run", "static", "probe", "opcodes", "pairs", "assemble", "merge", "list", "check",
                              "show", "measure", "compare", "report", "export", "reproduce", "replay", "doctor"}) {
    INFO(command);
    CHECK(has(whole.out, std::string("\n  ") + command + ' '));
    const auto help = program.run({"help", command});
    CHECK(help.status == 0);
    CHECK(program.run({command, "--help"}).out == help.out);
    CHECK(has(help.out, std::string("\nExample: ptxlat ") + command));
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(line.size() <= 80);
    }
  }
  for (const char* name : {"-O", "--level", "--levels"}) {
    CHECK(program.run({"list", "--help"}).status == 0);
    CHECK(program.run({"show", "popc.b32", name, "3", "--table", "nvidia-h200"}).status == 0);
  }
}

TEST_CASE("words that people type are understood, or the answer says what to type") {
  const ProgramWithoutGpu program;
  CHECK(program.run({"list", "--filter", "shfl", "--core"}).out.find("shfl.sync.down.b32") != std::string::npos);
  struct Mistake {
    std::vector<std::string> arguments;
    int status;
    std::string words;
  };
  const std::vector<Mistake> mistakes = {
      {{"list", "--filter", "FFMA"}, 4, "`ptxlat list --sass FFMA`"},
      {{"static", "--target", "h100", "--filter", "popc"}, 4, "h100 is sm_90a"},
      {{"static", "--target", "RTX 4090", "--filter", "popc"}, 4, "is sm_89"},
      {{"static", "--target", "4090", "--filter", "popc"}, 4, "write a target such as sm_90"},
      {{"list", "--target", "sm_999"}, 4, "no such target: sm_999"},
      {{"--filter", "add", "list"}, 2, "--filter is an option of list and comes after it"},
      {{"-O", "3", "show", "add.u32"}, 2, "-O is an option of show and comes after it"},
      {{"help", "rnu"}, 2, "did you mean run?"},
      {{"compare", "nvidia-h200", "--rows", "-1"}, 2, "-1 is not a number of rows"},
      {{"show", "memory", "--table", "sm_120a"}, 4, "has no probes, and memory is of a probe"},
      {{"show", "l1.ways", "--table", "sm_120a"}, 4, "has no probes"},
      {{"list", "mul"}, 2, "did you mean --filter mul?"},
      {{"show", "add.u32", "-O", "fast"}, 2, "-O: fast is not an optimisation level"},
      {{"static", "--target", "sm_90", "--target", "sm_90"}, 2, "--target may be given once"},
      {{"run", "--seed", "x"}, 2, "--seed x: that is not a number"},
  };
  for (const auto& [arguments, status, words] : mistakes) {
    const auto ended = program.run(arguments);
    INFO(ended.err);
    CHECK(ended.status == status);
    CHECK(ended.out.empty());
    CHECK(says(ended, words));
  }
}

TEST_CASE("a binary file is not a snippet, and the program alone answers in a screen") {
  const ProgramWithoutGpu program;
  const auto file = program.folder() / "kernel.ptx";
  std::ofstream(file) << std::string("add.u32 d\0, a, b;", 17);
  const auto ended = program.run({"measure", "--static", file.string()});
  CHECK(ended.status == 2);
  CHECK(says(ended, "is not text"));
  const auto alone = program.run({}).err;
  CHECK(std::count(alone.begin(), alone.end(), '\n') <= 24);
}

TEST_CASE("what is not a table becomes none, and what is not a bundle is not replaced") {
  const ProgramWithoutGpu program;
  const auto folder = program.folder() / "nosuch", file = program.folder() / "notes.txt";
  CHECK(program.run({"pairs", "--reread", folder.string()}).status == 7);
  CHECK_FALSE(std::filesystem::exists(folder));
  std::ofstream(file) << "mine";
  const auto ended = program.run({"assemble", "--filter", "popc.b32", "-O", "3", "-o", file.string()});
  CHECK(ended.status == 7);
  CHECK(says(ended, "is not a ptxlat bundle"));
  CHECK(read_file(file) == "mine");
}
