// SPDX-License-Identifier: Apache-2.0
#include "gpu/jit_cache.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "../results/test_folder.h"
#include "catch.h"
#include "tiny_cubin.h"

using namespace ptxlat;
using namespace ptxlat::gpu;

namespace {

Bytes cubin() { return standin::tiny_cubin({{"k", {standin::read_clock(1), standin::read_clock(1)}}}); }

Bytes with_company(const Bytes& before, const Bytes& elf, const Bytes& after) {
  Bytes all(before);
  all.insert(all.end(), elf.begin(), elf.end());
  all.insert(all.end(), after.begin(), after.end());
  return all;
}

void write(const std::filesystem::path& file, const Bytes& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
}

}  // namespace

TEST_CASE("an ELF is found between other bytes, and only if it is whole") {
  const auto elf = cubin();
  REQUIRE_FALSE(elf.empty());
  CHECK(elf_within(elf) == elf);
  CHECK(elf_within(with_company(Bytes(540, 'h'), elf, Bytes(7, 't'))) == elf);
  CHECK(elf_within({}).empty());
  CHECK(elf_within(Bytes(1000, 'h')).empty());
  for (std::size_t size = 0; size < elf.size(); ++size)
    CHECK(elf_within(Bytes(elf.begin(), elf.begin() + size)).empty());
}

TEST_CASE("headers of an ELF that point outside it make it no ELF") {
  for (const std::size_t place : {32u, 40u, 54u, 56u, 58u, 60u}) {
    auto elf = cubin();
    elf[place] = elf[place + 1] = 0xff;
    for (std::size_t i = 2; place < 54 && i < 8; ++i) elf[place + i] = 0xff;
    INFO(place);
    CHECK(elf_within(elf).size() <= elf.size());
  }
}

TEST_CASE("the driver's cache hands over the only cubin in it, once") {
  const TestFolder folder;
  JitCache cache(folder.path);
  CHECK(std::string(std::getenv("CUDA_CACHE_PATH")) == folder.path);
  CHECK(std::string(std::getenv("CUDA_CACHE_DISABLE")) == "0");
  for (const char* name : {"CUDA_CACHE_PATH", "CUDA_CACHE_DISABLE", "CUDA_CACHE_MAXSIZE"}) unsetenv(name);
  CHECK(cache.take().empty());
  write(folder.path / "index", Bytes(32, 'i'));
  write(folder.path / "c/f/a99fe9", with_company(Bytes(401, 'h'), cubin(), Bytes(3, 't')));
  CHECK(cache.take() == cubin());
  CHECK(std::filesystem::exists(folder.path / "index"));
  CHECK(cache.take().empty());
  write(folder.path / "1/a", cubin());
  write(folder.path / "2/b", cubin());
  CHECK(cache.take().empty());
}
