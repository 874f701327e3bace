// SPDX-License-Identifier: Apache-2.0

// Folders of `reproduce`, compiled with the C compiler at hand and run with the stand-in driver as their libcuda.so.1.
#include <algorithm>
#include <cstdlib>

#include "ptxlat_program.h"
#include "results/json.h"
#include "text.h"

using namespace ptxlat;

namespace {

// The stand-in driver needs the runtime of the sanitizer that it is compiled with, in the program that loads it.
std::vector<std::string> sanitizer() {
#if defined(__SANITIZE_ADDRESS__)
  return {"-fsanitize=address,undefined"};
#elif defined(__SANITIZE_THREAD__)
  return {"-fsanitize=thread"};
#else
  return {};
#endif
}

std::string compiler() {
  for (const char* path : {"/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"}) {
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

// The folder that `ptxlat reproduce` wrote, as a program.
class Reproducer {
 public:
  explicit Reproducer(const std::filesystem::path& folder) : folder_(folder) {
    if (compiler().empty()) skip("no C compiler on this machine");
    PtxlatProgram cc;
    cc.set_program(compiler());
    auto options = sanitizer();
    options.insert(options.end(), {"-O1", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-o",
                                   (folder / "reproduce").string(), (folder / "reproduce.c").string(), "-ldl"});
    const auto compiled = cc.run(options);
    INFO(compiled.err);
    REQUIRE(compiled.status == 0);
    std::filesystem::create_symlink(PTXLAT_TEST_LIBCUDA, program_.folder() / "libcuda.so.1");
    program_.set_program(folder / "reproduce");
    program_.set("LD_LIBRARY_PATH", program_.folder().string());
  }
  PtxlatProgram& program() { return program_; }
  Ended run() const { return program_.run({}); }

 private:
  std::filesystem::path folder_;
  PtxlatProgram program_;
};

// A measured table of a few forms, and the folder of one of them.
std::filesystem::path reproduced(PtxlatProgram& program, const std::string& form, const std::string& level = "3") {
  REQUIRE(program.run({"run", "--filter", form, "-O", level, "--repeat", "0"}).status == 0);
  const auto ended = program.run({"reproduce", form, "-O", level, "--table", program.table().string(), "-o", "folder"});
  INFO(ended.err);
  REQUIRE(ended.status == 0);
  CHECK(ended.err.empty());
  return program.folder() / "folder";
}

std::filesystem::path script(const PtxlatProgram& program, const std::string& text) {
  const auto file = program.folder() / "script.toml";
  std::ofstream(file) << text;
  return file;
}

// A launch's shape without the kernel's name, whose number is its place in a module.
std::vector<std::string> shapes(const std::filesystem::path& log) {
  auto lines = lines_of(log);
  for (auto& line : lines) line.erase(0, line.find(' '));
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

TEST_CASE("a reproducer measures the table's numbers, for cells of every kind") {
  for (const std::string form :
       {"fma.rn.f32", "ld.global.u32", "ld.shared.u32", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        "barrier.cluster.arrive.aligned"}) {
    INFO(form);
    PtxlatProgram program;
    program.require_tools();
    Reproducer reproducer(reproduced(program, form));
    const auto ended = reproducer.run();
    INFO(ended.out << ended.err);
    CHECK(ended.status == 0);
    CHECK(has(ended.out, "GPU       Stand-in H200, sm_90, a driver of CUDA 13.0"));
    CHECK(has(ended.out, "expected  Stand-in H200, driver-0.0.standin, 20"));
    CHECK(has(ended.out, "  ok  = "));
    CHECK_FALSE(has(ended.out, "DIFFERENT"));
  }
}

TEST_CASE("a reproducer on a GPU with different latencies says which number differs and ends with 1") {
  PtxlatProgram program;
  program.require_tools();
  Reproducer reproducer(reproduced(program, "add.u32"));
  reproducer.program().set("PTXLAT_STANDIN_SCRIPT", script(program, R"(
[[rule]]
kernel = "^differential_add"
cycles = 40
)"));
  const auto ended = reproducer.run();
  CHECK(ended.status == 1);
  CHECK(has(ended.out, "DIFFERENT  = w0 - w1 + 1"));
}

TEST_CASE("texts of a table are texts in a reproducer, not code") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(program.run({"run", "--filter", "add.u32", "-O", "3", "--repeat", "0"}).status == 0);
  auto run = results::parse_json(content_of(program.table() / "run.json"));
  // A trigraph, in C11 a backslash, undoes the one before a quote.
  run["device"]["name"] = "x?\?/\"; __attribute__((constructor)) static void evil(void) { _exit(77); } //\r\n\x01";
  std::ofstream(program.table() / "run.json") << run.dump();
  REQUIRE(program.run({"reproduce", "add.u32", "--table", program.table().string(), "-o", "folder"}).status == 0);
  const auto ended = Reproducer(program.folder() / "folder").run();
  CHECK(ended.status == 0);
  CHECK(has(ended.out, "expected  x?\?/\"; __attribute__"));
}

TEST_CASE("a reproducer's windows are launched as the line launches them") {
  PtxlatProgram program;
  program.require_tools();
  // A load with scratch memory and its survey, an eviction of L2, and a kernel of several warps.
  for (const std::string form : {"ld.global.u32", "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", "add.f64"}) {
    INFO(form);
    PtxlatProgram runs;
    runs.require_tools();
    Reproducer reproducer(reproduced(runs, form));
    // The line's launches: the same form again into a different store, with nothing else.
    const auto theirs = runs.folder() / "theirs", ours = runs.folder() / "ours";
    runs.set("PTXLAT_STANDIN_LAUNCH_SHAPES", theirs.string());
    REQUIRE(runs.run({"run", "--filter", form, "-O", "3", "--repeat", "0", "--store", "again"}).status == 0);
    reproducer.program().set("PTXLAT_STANDIN_LAUNCH_SHAPES", ours.string());
    REQUIRE(reproducer.run().status == 0);
    const auto wanted = shapes(theirs);
    for (const auto& shape : shapes(ours)) {
      // The reproducer makes no objects, and the windows that it runs use none.
      auto plain = shape.substr(0, shape.find(" tex_2d"));
      INFO(plain);
      CHECK(
          std::any_of(wanted.begin(), wanted.end(), [&](const std::string& line) { return line.starts_with(plain); }));
    }
  }
}

TEST_CASE("a reproducer's operands are in the slots of their lanes") {
  PtxlatProgram program;
  program.require_tools();
  const auto folder = reproduced(program, "fma.rn.f32");
  // The first two lanes of the first window's operands, as the C file lists them: eight words a line.
  const auto lines = lines_of(folder / "reproduce.c");
  const auto first = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("static const uint64_t input_0");
  });
  REQUIRE(first != lines.end());
  const auto lane_1 = *(first + 2);
  const auto bits = std::strtoull(lane_1.c_str(), nullptr, 16);
  REQUIRE(bits != 0);
  REQUIRE(bits != std::strtoull((first + 1)->c_str(), nullptr, 16));
  Reproducer reproducer(folder);
  reproducer.program().set("PTXLAT_STANDIN_SCRIPT",
                           script(program, "[[rule]]\nkernel = \"^chain\"\noperand = {index = 0, bits = " +
                                               std::to_string(bits) + ", lane = 1}\ncycles = 777\n"));
  const auto ended = reproducer.run();
  CHECK(ended.status == 1);
  CHECK(has(ended.out, "777  of 777 777"));
}

TEST_CASE("without a table a reproducer expects the schedule's number, or at least that") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(program.run({"reproduce", "popc.b32", "-O", "3", "-o", "popc"}).status == 0);
  Reproducer reproducer(program.folder() / "popc");
  const auto ended = reproducer.run();
  CHECK(ended.status == 0);
  CHECK(has(ended.out, "not measured"));
  CHECK(has(ended.out, "expected at least"));
  for (const char* file : {"windows.ptx", "windows.cubin", "windows.sass", "README.md", "Makefile"})
    CHECK(std::filesystem::file_size(program.folder() / "popc" / file) > 0);
  CHECK(has(content_of(program.folder() / "popc/windows.sass"), "POPC"));
}

TEST_CASE("machine code that is not the table's is named") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(program.run({"run", "--filter", "popc.b32", "-O", "0", "--repeat", "0"}).status == 0);
  // The same table, as if the code of level 0 were that of level 3.
  auto table = tables::read_table(program.table());
  auto records = records_in(program.table());
  for (auto& record : records) record.level = 3;
  tables::write_table(program.folder() / "wrong", tables::table_from(table.run, table.runs, records));
  const auto ended = program.run({"reproduce", "popc.b32", "-O", "3", "--table",
                                  (program.folder() / "wrong" / table.run.table).string(), "-o", "folder"});
  CHECK(ended.status == 0);
  CHECK(has(ended.err, "the machine code here is not the table's in these windows: "));
  CHECK(has(content_of(program.folder() / "folder/README.md"), "the machine code here is not the table's"));
}

TEST_CASE("cells that a reproducer cannot launch are rejected, and nothing is written") {
  PtxlatProgram program;
  program.require_tools();
  const auto texture = program.run({"reproduce", "tex.1d.v4.f32.s32", "-o", "folder"});
  CHECK(texture.status == 1);
  CHECK(has(texture.err, "it needs an object that the host makes (a texture, a surface or a tensor map)"));
  const auto none = program.run({"reproduce", "exit", "-o", "folder"});
  CHECK(none.status == 1);
  CHECK(has(none.err, "no_dependency, ends the thread"));
  const auto misspelled = program.run({"reproduce", "popc.b23", "-o", "folder"});
  CHECK(misspelled.status == 4);
  CHECK(has(misspelled.err, "did you mean popc.b32"));
  const auto operand = program.run({"reproduce", "popc.b32", "--operand", "z", "-o", "folder"});
  CHECK(operand.status == 4);
  CHECK(has(operand.err, "--operand 'a'"));
  CHECK(program.run({"reproduce", "popc.b32"}).status == 2);
  CHECK_FALSE(std::filesystem::exists(program.folder() / "folder"));
}

TEST_CASE("a reproducer without a driver, on a different architecture or with a fault ends with 2 and says why") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(program.run({"reproduce", "popc.b32", "-o", "popc"}).status == 0);
  Reproducer reproducer(program.folder() / "popc");
  reproducer.program().set("PTXLAT_STANDIN_FAULT", "differential_popc");
  auto ended = reproducer.run();
  CHECK(ended.status == 2);
  CHECK(has(ended.err, "failed with error 700"));
  reproducer.program().set("PTXLAT_STANDIN_SCRIPT", script(program, "[[device]]\nsm = 80\n"));
  ended = reproducer.run();
  CHECK(ended.status == 2);
  CHECK(has(ended.err, "machine code for sm_90"));
  reproducer.program().set("LD_LIBRARY_PATH", "/nowhere");
  ended = reproducer.run();
  if (!has(ended.out, "GPU ")) CHECK(ended.status == 2);
}
