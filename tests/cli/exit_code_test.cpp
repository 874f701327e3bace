// SPDX-License-Identifier: Apache-2.0

// The documented exit codes (docs/commands.md), each with a message that says what to do.
#include <sys/stat.h>

#include "../results/child_process.h"
#include "../results/small_disk.h"
#include "ptxlat_program.h"

using namespace ptxlat;

TEST_CASE("a wrong command line ends with 2 and nothing on standard output") {
  const PtxlatProgram program;
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"measure"},
                                                    {"run", "--no-such-option"},
                                                    {"run", "-O", "9"},
                                                    {"run", "--launches", "0"},
                                                    {"run", "--repeat", "2"},
                                                    {"run", "--format", "xml"},
                                                    {"compare"},
                                                    {"show"}}) {
    const auto ended = program.run(arguments);
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK_FALSE(ended.err.empty());
  }
}

TEST_CASE("help and version end with 0 and go to standard output") {
  const PtxlatProgram program;
  const auto help = program.run({"--help"});
  CHECK(help.status == 0);
  CHECK(help.out.find("Exit codes:") != std::string::npos);
  for (const char* command : {"run", "static", "list", "show", "compare", "doctor"}) {
    INFO(command);
    CHECK(help.out.find(command) != std::string::npos);
    CHECK(program.run({command, "--help"}).status == 0);
  }
  CHECK(program.run({"--version"}).out.starts_with("ptxlat "));
}

TEST_CASE("what standard output cannot take ends with 7, also of help, and a reader that has enough is success") {
  const PtxlatProgram program;
  for (const char* arguments : {"--help", "--version", "run --help", "list", "probe --list", "compare --help"}) {
    INFO(arguments);
    CHECK(program.run_in_shell(fmt::format("$P {} >/dev/full", arguments)).status == 7);
    CHECK(program.run_in_shell(fmt::format("$P {} >&-", arguments)).status == 7);
    CHECK(program.run_in_shell(fmt::format("{{ $P {} 3>&1 >&4; echo $? >status; }} 4>&1 | true", arguments)).status ==
          0);
  }
}

TEST_CASE("messages that cannot be written are dropped, and the work and its exit code are as without") {
  PtxlatProgram program;
  program.require_tools();
  const std::string command = "$P static --filter popc -O 3 --format none";
  const auto table_of = [&] {
    const auto folder = program.folder() / "ptxlat-tables";
    std::size_t tables = 0;
    if (!std::filesystem::exists(folder)) return tables;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      tables += entry.path().filename() == "run.json" ? 1 : 0;
    return tables;
  };
  for (const char* lost : {"2>/dev/full", "2>&-", "2>&1 | true"}) {
    INFO(lost);
    const bool is_pipe = std::string(lost).find('|') != std::string::npos;
    const auto line = is_pipe ? fmt::format("{{ {} 2>&1; echo $? >status; }} | true", command)
                              : fmt::format("{} {}; echo $? >status", command, lost);
    program.run_in_shell("rm -rf ptxlat-tables ptxlat.sqlite*");
    program.run_in_shell(line);
    CHECK(content_of(program.folder() / "status") == "0\n");
    CHECK(table_of() == 1);
  }
  CHECK(program.run_in_shell("$P compare nothing x 2>/dev/full").status == 4);
  CHECK(program.run_in_shell("$P list --no-such-option 2>/dev/full").status == 2);
  // Without a standard error, the file that is opened next must not get the messages.
  program.run_in_shell("rm -rf ptxlat-tables ptxlat.sqlite*; " + command + " <&- >&- 2>&-");
  CHECK(table_of() == 1);
  CHECK(program.run({"static", "--filter", "popc", "-O", "3", "--format", "none"}).status == 0);
}

TEST_CASE("a limit on open files with which nothing works is named, and leaves nothing behind") {
  PtxlatProgram program;
  const auto temporary = program.folder() / "temporary";
  std::filesystem::create_directory(temporary);
  program.set("TMPDIR", temporary.string());
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"doctor"}, {"list"}, {"static", "--toolchain", "ptxas"}}) {
    const pid_t child = start_child([&] {
      const rlimit few{8, 8};
      ::setrlimit(RLIMIT_NOFILE, &few);
      const auto ended = program.run(arguments);
      return ended.status == 1 && says(ended, "ulimit -n") ? 0 : 1;
    });
    CHECK(exit_status_of(child) == 0);
    CHECK(std::filesystem::is_empty(temporary));
  }
}

TEST_CASE("a malformed catalogue ends with 3, and every mistake has its file and line") {
  const PtxlatProgram program;
  const auto mine = program.write_catalogue(
      "chapter = \"x\"\n\n[[op]]\nname = \"vadd\"\nsyntax = \"vadd {d:u33}\"\n\n[[op]]\nsyntax = \"y\"\n");
  const auto ended = program.run({"list", "--catalogue", mine.string()});
  CHECK(ended.status == 3);
  CHECK(ended.out.empty());
  CHECK(says(ended, "mine.toml:5: "));
  CHECK(says(ended, "mine.toml:7: "));
}

TEST_CASE("unknown names end with 4 and the nearest ones that exist") {
  PtxlatProgram program;
  const auto show = program.run({"show", "fma.rn.f23"});
  CHECK(show.status == 4);
  CHECK(says(show, "did you mean"));
  CHECK(says(show, "fma.rn.f32"));
  const auto opcode = program.run({"show", "popc"});
  CHECK(opcode.status == 4);
  CHECK(says(opcode, "`ptxlat list --filter popc` lists all forms of popc"));
  const auto list = program.run({"list", "--filter", "popk"});
  CHECK(list.status == 4);
  CHECK(says(list, "popc"));
  CHECK(program.run({"compare", "tables/a@O9", "tables/b"}).status == 4);
  CHECK(program.run({"static", "--filter", "add.u32", "--target", "sm90"}).status != 0);
}

TEST_CASE("a regular expression is as good with short deadlines, of which there are none in searching") {
#if defined(__SANITIZE_THREAD__)
  skip("with ThreadSanitizer it takes the program more processor time than it has for searching");
#endif
  PtxlatProgram program;
  program.set("PTXLAT_DEADLINE_FACTOR", "0.01");
  const auto ended = program.run({"list", "--filter", "/^(([a-z.0-9]+)+)+X$/"});
  INFO(ended.err);
  CHECK(ended.status == 4);  // nothing has that name
}

TEST_CASE("a deadline factor that is not a number, or absurd, ends with 2, whatever the command") {
  PtxlatProgram program;
  for (const char* factor : {"nan", "-1", "x", "1e308"}) {
    program.set("PTXLAT_DEADLINE_FACTOR", factor);
    const auto ended = program.run({"list", "--filter", "popc.b32"});
    CHECK(ended.status == 2);
    CHECK(says(ended, std::string("PTXLAT_DEADLINE_FACTOR is \"") + factor + "\""));
  }
}

TEST_CASE("an unknown toolchain or target ends with 4") {
  PtxlatProgram program;
  program.require_tools();
  const auto toolchain = program.run({"static", "--filter", "add.u32", "--toolchain", "ptxaz"});
  CHECK(toolchain.status == 4);
  CHECK(says(toolchain, "did you mean ptxas"));
  CHECK(program.run({"static", "--filter", "add.u32", "--target", "sm90"}).status == 4);
}

TEST_CASE("without assembler and disassembler, commands that need them end with 5 and say how to get them") {
  PtxlatProgram program;
  // Tools near the program are found too, so it is copied to a folder without any.
  std::filesystem::create_directories(program.folder() / "bin");
  const auto copy = program.folder() / "bin/ptxlat";
  std::filesystem::copy_file(PTXLAT_TEST_PROGRAM, copy);
  program.set_program(copy);
  std::filesystem::create_directories(program.folder() / "empty");
  program.set("PTXLAT_TOOLKITS", (program.folder() / "empty").string());
  program.set("PATH", (program.folder() / "empty").string());
  const auto doctor = program.run({"doctor"});
  if (doctor.out.find("nvdisasm    none") == std::string::npos)
    skip("this machine has a CUDA toolkit where it is always found");
  CHECK(doctor.status == 5);
  CHECK(doctor.out.find("tools/toolkits.sh") != std::string::npos);
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"static", "--filter", "add.u32"},
                                                    {"show", "add.u32"},
                                                    {"run", "--filter", "add.u32"}}) {
    const auto ended = program.run(arguments);
    CHECK(ended.status == 5);
    CHECK(says(ended, "tools/toolkits.sh"));
  }
}

TEST_CASE("without a driver or a GPU, run ends with 6 and says what works instead") {
  PtxlatProgram program;
  program.set("PTXLAT_LIBCUDA", "/nonexistent/libcuda.so.1");
  const auto no_driver = program.run({"run", "--filter", "add.u32"});
  CHECK(no_driver.status == 6);
  CHECK(no_driver.out.empty());
  CHECK(says(no_driver, "ptxlat static"));
  CHECK_FALSE(std::filesystem::exists(program.store()));

  program.set("PTXLAT_LIBCUDA", PTXLAT_TEST_LIBCUDA);
  program.set("PTXLAT_STANDIN_NO_DEVICE", "1");
  CHECK(program.run({"run", "--filter", "add.u32"}).status == 6);
  program.unset("PTXLAT_STANDIN_NO_DEVICE");
  CHECK(program.run({"run", "--filter", "add.u32", "--device", "5"}).status == 6);
}

TEST_CASE("a store or a table that cannot be written ends with 7") {
  PtxlatProgram program;
  program.require_tools();
  const std::vector<std::string> command{"run", "--filter", "add.u32", "-O", "3", "--repeat", "0"};
  const auto with = [&](const char* option, const std::string& value) {
    auto arguments = command;
    arguments.insert(arguments.end(), {option, value});
    return program.run(arguments);
  };
  CHECK(with("--store", "/proc/no/such/store.sqlite").status == 7);
  CHECK(with("--store", program.folder().string()).status == 7);
  std::ofstream(program.folder() / "foreign") << "not a database, but the user's own text that must survive";
  CHECK(with("--store", "foreign").status == 7);
  CHECK(content_of(program.folder() / "foreign").starts_with("not a database"));
  CHECK(with("--tables", "/proc/no/such/folder").status == 7);
  CHECK(program.run({"compare", "no/table", "here"}).status != 0);
}

TEST_CASE("a full disk ends a run with 7, and with free space the same command continues") {
  const SmallDisk disk("256k");
  disk.require_mounted();
  PtxlatProgram program;
  program.require_tools();
  const std::vector<std::string> command{"run", "--filter", "/^(add|sub|mul|min|max)\\./",
                                         "-O",  "3",        "--repeat",
                                         "0",   "--store",  (disk.folder.path / "store.sqlite").string()};
  const auto ended = program.run(command);
  CHECK(ended.status == 7);
  CHECK(says(ended, "disk"));
  REQUIRE(::mount(nullptr, disk.folder.path.c_str(), nullptr, MS_REMOUNT, "size=64m") == 0);
  CHECK(program.run(command).status == 0);
}
