// SPDX-License-Identifier: Apache-2.0

// Machines that are not as expected, and where toolkits are found and put.
#include <fstream>
#include <nlohmann/json.hpp>

#include "ptxlat_program.h"
#include "text.h"

using namespace ptxlat;

namespace {

// The program in a folder of its own, away from the toolkits and tables of the checkout.
struct CopiedProgram : PtxlatProgram {
  explicit CopiedProgram(const std::filesystem::path& place) {
    std::filesystem::create_directories((folder() / place).parent_path());
    std::filesystem::copy_file(PTXLAT_TEST_PROGRAM, folder() / place);
    set_program(folder() / place);
    unset("PTXLAT_TOOLKITS");
    set("PATH", "/usr/bin:/bin");
    set("HOME", folder().string());
    set("XDG_DATA_HOME", "");
    set("PTXLAT_LIBCUDA", "/nonexistent/libcuda.so.1");
  }

  void write_program(const std::filesystem::path& place, const std::string& text) const {
    std::filesystem::create_directories((folder() / place).parent_path());
    std::ofstream(folder() / place) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(folder() / place, std::filesystem::perms::owner_all);
  }
};

constexpr char old_ptxas[] = "echo 'Cuda compilation tools, release 11.9, V11.9.99'\n";

}  // namespace

TEST_CASE("the wheels beside a program in site-packages are found without an active environment, and Triton's folder") {
  const CopiedProgram program("lib/python3.11/site-packages/ptxlat/bin/ptxlat");
  program.write_program("lib/python3.11/site-packages/nvidia/cuda_nvcc/bin/ptxas", old_ptxas);
  program.write_program("lib/python3.11/site-packages/triton/backends/nvidia/bin/ptxas-blackwell",
                        "echo 'Cuda compilation tools, release 12.7, V12.7.77'\n");
  const auto doctor = program.run({"doctor"});
  CHECK(has(doctor.out, "site-packages/nvidia/cuda_nvcc\n"));
  CHECK(has(doctor.out, "site-packages/triton/backends/nvidia\n"));
}

TEST_CASE("toolkits are searched in the user's folder, where they go if the program's cannot be written") {
  const CopiedProgram program("bin/ptxlat");
  program.write_program(".local/share/ptxlat/toolkits/11.9/bin/ptxas", old_ptxas);
  CHECK(has(program.run({"doctor"}).out, ".local/share/ptxlat/toolkits/11.9\n"));
}

TEST_CASE("ptxlat toolkits runs the script with the versions and a folder that can be written") {
  CopiedProgram program("bin/ptxlat");
  program.write_program("tools/toolkits.sh", "echo \"$PTXLAT_TOOLKITS: $*\"\n");
  const auto beside = program.run({"toolkits", "12.4", "13.0"});
  CHECK(beside.status == 0);
  CHECK(beside.out == (program.folder() / "toolkits").string() + ": 12.4 13.0\n");
  program.set("PTXLAT_TOOLKITS", (program.folder() / "mine").string());
  std::filesystem::create_directory(program.folder() / "mine");
  CHECK(program.run({"toolkits", "cupti"}).out == (program.folder() / "mine").string() + ": cupti\n");
  program.set("PATH", "/nonexistent");
  const auto without = program.run({"toolkits"});
  CHECK(without.status == 5);
  CHECK(says(without, "dnf install python3-pip, or pacman -S python-pip"));
}

TEST_CASE("a toolkit's stub of the driver is called one, and a driver without a visible GPU names the variable") {
  PtxlatProgram program;
  program.set("PTXLAT_STANDIN_STUB", "1");
  const auto stub = program.run({"run", "--filter", "add.u32"});
  CHECK(stub.status == 6);
  CHECK(says(stub, "the stub of a CUDA toolkit"));
  CHECK(says(stub, "LD_LIBRARY_PATH"));
  program.unset("PTXLAT_STANDIN_STUB");
  program.set("PTXLAT_STANDIN_INVISIBLE", "1");
  const auto none = program.run({"run", "--filter", "add.u32"});
  CHECK(none.status == 6);
  CHECK(says(none, "CUDA_VISIBLE_DEVICES"));
}

TEST_CASE("a target that ptxas gave up comes with the last CUDA that knows it") {
  PtxlatProgram program;
  program.require_tools();
  const auto ended = program.run({"show", "add.u32", "--target", "sm_61", "--toolchain", "ptxas-13"});
  CHECK(ended.status == 4);
  CHECK(says(ended, "CUDA 12.9 is the last that knows it: `tools/toolkits.sh 12.9`"));
}

TEST_CASE("an export of a static table ends with 4 and writes nothing") {
  const PtxlatProgram program;
  const auto ended = program.run({"export", "sm_61", "--target", "accel-sim", "-o", "exported"});
  CHECK(ended.status == 4);
  CHECK(says(ended, "sm_61 is a static table, which has no measured cycles"));
  CHECK_FALSE(std::filesystem::exists(program.folder() / "exported"));
}

TEST_CASE("an option that can be repeated does not take the snippet behind it") {
  PtxlatProgram program;
  program.require_tools();
  const auto mine = program.write_catalogue("chapter = \"mine\"\n");
  const auto ended = program.run({"measure", "--static", "--catalogue", mine.string(), "add.u32 d, a, b"});
  INFO(ended.err);
  CHECK(ended.status == 0);
}

TEST_CASE("commands that need a GPU say what they can do without one") {
  PtxlatProgram program;
  program.require_tools();
  program.set("PTXLAT_LIBCUDA", "/nonexistent/libcuda.so.1");
  for (const auto& [line, words] :
       {std::pair<std::vector<std::string>, std::string>{{"probe", "chase"}, "probe --reread"},
        {{"opcodes", "--filter", "popc"}, "ptxlat show FFMA"},
        {{"pairs", "--filter", "popc"}, "ptxlat show FFMA --pairs"},
        {{"replay", "nvidia-h200"}, "ptxlat compare"},
        {{"reproduce", "popc.b32", "--table", "nvidia-h200", "-o", "cell"}, "--toolchain ptxas"}}) {
    const auto ended = program.run(line);
    INFO(ended.err);
    CHECK(ended.status == 6);
    CHECK(says(ended, words));
  }
}
