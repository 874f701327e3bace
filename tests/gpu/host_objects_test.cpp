// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <string>

#include "catch.h"
#include "gpu/buffers.h"

using namespace ptxlat;
using namespace ptxlat::gpu;

namespace {

// The memory of a stand-in driver, which is this process' own.
struct TestMemory {
  explicit TestMemory(const char* libcuda) {
    setenv("PTXLAT_LIBCUDA", libcuda, 1);
    api = load_cuda_api();
    stream.emplace(api);
    memory.emplace(api);
    memory->restore(*stream);
  }
  ~TestMemory() { unsetenv("PTXLAT_STANDIN_REFUSE"); }
  TestMemory(const TestMemory&) = delete;  // its parts know its address
  TestMemory& operator=(const TestMemory&) = delete;

  unsigned char* bytes() const { return reinterpret_cast<unsigned char*>(memory->objects(0)); }
  std::uint64_t first_word_of(const HostObject& object) const {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes() + object.offset, sizeof word);
    return word;
  }

  CudaApi api;
  std::optional<CudaStream> stream;
  std::optional<KernelMemory> memory;
};

bool is_tensor_map(const HostObject& object) { return object.name.starts_with("tensormap"); }

}  // namespace

TEST_CASE("no two objects overlap in the object page") {
  std::set<std::uint32_t> taken;
  for (const HostObject& object : host_objects) {
    INFO(object.name);
    const std::uint32_t size = is_tensor_map(object) ? sizeof(CUtensorMap) : sizeof(CUtexObject);
    CHECK(object.offset % size == 0);
    CHECK(object.offset + size <= objects_end);
    for (std::uint32_t byte = object.offset; byte < object.offset + size; ++byte) CHECK(taken.insert(byte).second);
  }
  CHECK(objects_end <= object_page_bytes);
}

TEST_CASE("every object is made, each with its own handle") {
  const TestMemory test(PTXLAT_TEST_LIBCUDA);
  CHECK(test.memory->rejected_objects().empty());
  std::set<std::uint64_t> handles;
  for (const HostObject& object : host_objects) {
    INFO(object.name);
    CHECK(test.first_word_of(object) != 0);
    // The stand-in's tensor maps begin with the tensor's address.
    if (is_tensor_map(object))
      CHECK(test.first_word_of(object) == test.memory->line(0));
    else
      CHECK(handles.insert(test.first_word_of(object)).second);
  }
}

TEST_CASE("restoring memory clears what a kernel wrote and repairs the objects") {
  const TestMemory test(PTXLAT_TEST_LIBCUDA);
  const std::uint64_t texture = test.first_word_of(host_objects[0]);
  auto* scratch = reinterpret_cast<unsigned char*>(test.memory->line(0));
  std::memset(test.bytes(), 0xee, object_page_bytes);
  std::memset(scratch, 0xee, scratch_bytes);
  test.memory->restore(*test.stream);
  CHECK(test.first_word_of(host_objects[0]) == texture);
  CHECK(std::count(test.bytes() + objects_end, test.bytes() + object_page_bytes, 0) ==
        static_cast<long>(object_page_bytes - objects_end));
  CHECK(std::count(scratch, scratch + scratch_bytes, 0) == static_cast<long>(scratch_bytes));
}

TEST_CASE("lines do not overlap, and each place of a survey sees all pages") {
  std::set<std::size_t> lines;
  for (std::size_t launch = 0; launch < memory_lines; ++launch) lines.insert(line_offset(launch));
  CHECK(lines.size() == memory_lines);
  CHECK(*lines.rbegin() + line_reach <= scratch_bytes);
  for (auto line = lines.begin(); std::next(line) != lines.end(); ++line)
    CHECK(*std::next(line) - *line >= line_distance);
  CHECK(line_offset(memory_lines) == line_offset(0));

  for (const std::size_t places : {std::size_t{16}, std::size_t{64}}) {
    std::map<std::size_t, std::set<std::size_t>> pages;  // of each place
    for (std::size_t launch = 0; launch < memory_lines; ++launch)
      pages[launch % places].insert(line_offset(launch) / page_distance);
    for (const auto& [place, seen] : pages) CHECK(seen.size() == memory_pages);
  }
}

TEST_CASE("each object page has the same handles, and tensors at its own line") {
  const TestMemory test(PTXLAT_TEST_LIBCUDA);
  for (std::size_t page = 0; page < object_pages; ++page) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(test.memory->objects(page));
    for (const HostObject& object : host_objects) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + object.offset, sizeof word);
      CHECK(word == (is_tensor_map(object) ? test.memory->line(page) : test.first_word_of(object)));
    }
  }
}

TEST_CASE("objects that the driver rejects stay zero, are named, and do not affect others") {
  setenv("PTXLAT_STANDIN_REFUSE", "TexObjectCreate", 1);
  const TestMemory test(PTXLAT_TEST_LIBCUDA);
  for (const HostObject& object : host_objects) {
    INFO(object.name);
    CHECK((test.first_word_of(object) == 0) == object.name.starts_with("tex_"));
  }
  CHECK(test.memory->rejected_objects() ==
        "tex_1d, tex_2d, tex_3d, tex_a1d, tex_a2d, tex_cube, tex_acube, tex_2d_linear "
        "(CUDA_ERROR_NOT_SUPPORTED: the stand-in's own words)");
}

TEST_CASE("a driver that is older than the objects still gives scratch memory") {
  const TestMemory test(PTXLAT_TEST_OLD_LIBCUDA);
  for (const HostObject& object : host_objects) CHECK(test.first_word_of(object) == 0);
  CHECK(test.memory->rejected_objects().find("tensormap_im2col_5d (CUDA_ERROR_NOT_SUPPORTED") != std::string::npos);
}
