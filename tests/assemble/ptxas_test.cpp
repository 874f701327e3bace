// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "assemble/toolchain.h"
#include "base/error.h"
#include "catch.h"
#include "fake_toolkit.h"

namespace ptxlat::assemble {
namespace {

using std::chrono::milliseconds;

// Which every CUDA since 11.0 knows.
const isa::Target sm_80{80, ""};

ModuleOutcome assemble_with_script(const std::string& body, milliseconds deadline = std::chrono::minutes(10)) {
  FakeToolkits toolkits;
  const auto program = toolkits.add_program("fake", "ptxas", body);
  return make_ptxas({ToolchainKind::ptxas, "ptxas-0", "0", program}, deadline)->assemble("ptx\n", sm_80, 3);
}

// The toolchains of this machine that are ptxas: $PTXLAT_TOOLKITS, the repository's own, an installation. Skips the
// case without any.
std::vector<Toolchain> real_ptxas() {
  auto folders = toolkit_folders();
  const std::filesystem::path own = std::filesystem::path(PTXLAT_SOURCE_DIR) / "toolkits";
  if (std::filesystem::is_directory(own)) {
    for (const auto& entry : std::filesystem::directory_iterator(own)) folders.push_back(entry.path());
  }
  auto found = find_toolchains(folders);
  std::erase_if(found, [](const Toolchain& toolchain) { return toolchain.kind != ToolchainKind::ptxas; });
  if (found.empty()) skip("no ptxas on this machine (tools/toolkits.sh brings one)");
  return found;
}

std::string header_for(const Toolchain& toolchain) {
  return ".version " + std::to_string(toolchain.ptx_major) + "." + std::to_string(toolchain.ptx_minor) +
         "\n.target sm_80\n.address_size 64\n";
}

KernelText kernel(const std::string& name, const std::string& statement) {
  return {name, ".visible .entry " + name + "(.param .u64 out)\n{\n  .reg .b32 %r<4>;\n  .reg .b64 %d<4>;\n  " +
                    statement + "\n  ret;\n}"};
}

}  // namespace

TEST_CASE("ptxas gets target, level and module, and its cubin comes back") {
  const auto outcome = assemble_with_script("echo \"$@\" > module.cubin; cat module.ptx >> module.cubin");
  REQUIRE(outcome.cubin.has_value());
  CHECK(std::string(outcome.cubin->begin(), outcome.cubin->end()) ==
        "-arch sm_80 -O3 module.ptx -o module.cubin\nptx\n");
}

TEST_CASE("a broken ptxas is a rejection that says how it ended") {
  CHECK(assemble_with_script("echo 'ptxas fatal   : no'; exit 255").log == "ptxas fatal   : no\n");
  CHECK(assemble_with_script("exit 1").log == "the assembler failed: ptxas ended with status 1\n");
  CHECK(assemble_with_script("kill -SEGV $$").log ==
        "the assembler failed: ptxas died of signal 11 (Segmentation fault)\n");
  CHECK(assemble_with_script("true").log == "the assembler failed: ptxas wrote no cubin\n");
  CHECK_FALSE(assemble_with_script("echo half > module.cubin; exit 1").cubin.has_value());
}

TEST_CASE("a ptxas that ends without a verdict has failed, whatever the words of one that has a verdict") {
  for (const char* failing : {"exit 1", "kill -SEGV $$", "true", "echo 'ptxas fatal   : no'; kill -SEGV $$"}) {
    INFO(failing);
    CHECK(assemble_with_script(failing).assembler_failed);
  }
  const auto rejected =
      assemble_with_script("echo 'ptxas module.ptx, line 1; error   : the assembler failed: or so it says'; exit 255");
  CHECK_FALSE(rejected.cubin.has_value());
  CHECK_FALSE(rejected.assembler_failed);
  CHECK_FALSE(assemble_with_script("echo cubin > module.cubin").assembler_failed);
}

TEST_CASE("a ptxas that writes or prints without end, or runs out of memory, is a failed attempt that says so") {
  const std::string without_end = "the assembler failed: ptxas wrote more output than expected\n";
  CHECK(assemble_with_script("exec cat /dev/zero > module.cubin", milliseconds(300'000)).log == without_end);
  CHECK(assemble_with_script("exec yes", milliseconds(300'000)).log == without_end);
  // What is no file.
  CHECK(assemble_with_script("mkfifo module.cubin").log == "the assembler failed: ptxas wrote no cubin\n");
  for (const char* words :
       {"ptxas fatal   : Memory allocation failure", "std::bad_alloc", "LLVM ERROR: out of memory"}) {
    CHECK(assemble_with_script(std::string("echo '") + words + "'; exit 255").log ==
          "the assembler failed: ptxas ran out of memory, of which it may use 4 GiB\n");
  }
  CHECK(assemble_with_script("ulimit -v > module.cubin").cubin == Bytes{'4', '1', '9', '4', '3', '0', '4', '\n'});
}

TEST_CASE("a ptxas that hangs is killed with its children at the deadline") {
  // Without the kill, CTest's TIMEOUT would end this test: both sleeps are longer.
  const TemporaryFolder folder;
  const auto pipe = (folder.path() / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int open_while_they_live = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  const auto outcome =
      assemble_with_script("exec 3>" + pipe + "; echo before; sleep 100000 & sleep 100000", std::chrono::seconds(3));
  CHECK_FALSE(outcome.cubin.has_value());
  CHECK(outcome.assembler_failed);
  REQUIRE(outcome.log == "before\nthe assembler failed: ptxas did not end within 3 s\n");
  pollfd writers{open_while_they_live, POLLIN, 0};
  CHECK(::poll(&writers, 1, -1) == 1);
  CHECK((writers.revents & POLLHUP) != 0);
  ::close(open_while_they_live);
}

TEST_CASE("a cubin of the last module is not taken for this one's") {
  FakeToolkits toolkits;
  const auto program =
      toolkits.add_program("fake", "ptxas", "grep -q good module.ptx && echo cubin > module.cubin; true");
  const auto assembler = make_ptxas({ToolchainKind::ptxas, "ptxas-0", "0", program});
  CHECK(assembler->assemble("good", sm_80, 3).cubin.has_value());
  CHECK_FALSE(assembler->assemble("other", sm_80, 3).cubin.has_value());
}

TEST_CASE("a program that is not there and a folder that cannot be written end the command with a reason") {
  const Toolchain missing{ToolchainKind::ptxas, "ptxas-0", "0", "/nonexistent/ptxas"};
  try {
    make_ptxas(missing)->assemble("", sm_80, 3);
    FAIL("started a program that does not exist");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::missing_tool);
    CHECK(std::string(error.what()) == "cannot start /nonexistent/ptxas: No such file or directory");
  }

  const char* const before = getenv("TMPDIR");
  const std::string saved = before == nullptr ? "" : before;
  setenv("TMPDIR", "/nonexistent", 1);
  try {
    make_ptxas(missing);
    FAIL("made a folder in /nonexistent");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::storage);
  }
  before == nullptr ? unsetenv("TMPDIR") : setenv("TMPDIR", saved.c_str(), 1);
}

TEST_CASE("temporary files are gone when the assembler is") {
  FakeToolkits toolkits;
  const auto program = toolkits.add_program("fake", "ptxas", "pwd > module.cubin");
  auto assembler = make_ptxas({ToolchainKind::ptxas, "ptxas-0", "0", program});
  const Bytes cubin = assembler->assemble("", sm_80, 3).cubin.value();
  const std::string folder(cubin.begin(), cubin.end() - 1);
  CHECK(std::filesystem::exists(folder + "/module.ptx"));
  assembler.reset();
  CHECK_FALSE(std::filesystem::exists(folder));
}

TEST_CASE("every ptxas here loses only the kernels that are wrong, at every level") {
  const std::vector<std::pair<KernelText, std::string>> wrong = {
      {kernel("unknown_name", "foo.bar %r1, %r2;"), "line 5: error: Not a name of any known instruction: 'foo'"},
      {kernel("mismatch", "mov.u64 %r1, %r2;"), "line 5: error: Arguments mismatch for instruction 'mov'"},
      {kernel("syntax", "add.u32 %r1 %r2;;:"), "fatal: Parsing error near"},
      {kernel("no_brace", "{ add.u32 %r1, %r2, %r3;"), "fatal: Parsing error near"},
      // 16 GB.
      {kernel("too_many_registers", ".reg .b32 %q<2000000000>;"), "the assembler failed: ptxas "},
      {kernel("too_much", ".shared .b8 x[300000]; mov.u32 %r1, x; st.shared.u32 [x], %r1;"), "too much shared data"}};
  std::vector<KernelText> kernels;
  std::vector<std::string> expected;
  for (int i = 0; i < 48; ++i) {
    kernels.push_back(kernel("good" + std::to_string(i), "add.u32 %r1, %r2, %r3;"));
    expected.emplace_back();
    if (i % 8 != 0) continue;
    kernels.push_back(wrong[i / 8].first);
    expected.push_back(wrong[i / 8].second);
  }
  for (const Toolchain& toolchain : real_ptxas()) {
    for (int level = 0; level <= 3; ++level) {
      const auto assembler = make_ptxas(toolchain);
      const BatchOutcome outcome = assemble_batch(*assembler, header_for(toolchain), kernels, sm_80, level);
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        INFO(toolchain.name << " -O" << level << " " << kernels[i].name << ": " << outcome.kernels[i].log);
        CHECK(outcome.kernels[i].cubin.has_value() == expected[i].empty());
        CHECK(outcome.kernels[i].log.find(expected[i]) != std::string::npos);
      }
    }
  }
}

TEST_CASE("every ptxas here accepts the PTX version that the table gives it") {
  for (const Toolchain& toolchain : real_ptxas()) {
    INFO(toolchain.name);
    const std::string newest = header_for(toolchain);
    CHECK(make_ptxas(toolchain)->assemble(newest, sm_80, 3).cubin.has_value());
    Toolchain beyond = toolchain;
    ++beyond.ptx_minor;
    CHECK_FALSE(make_ptxas(toolchain)->assemble(header_for(beyond), sm_80, 3).cubin.has_value());
  }
}

}  // namespace ptxlat::assemble
