// SPDX-License-Identifier: Apache-2.0
#include "gpu/buffers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::gpu;
using Words = std::vector<std::uint64_t>;

namespace {

constexpr std::uint64_t address = 0x7f0000000000;

ptx::Buffer buffer_of(ptx::Buffer::Contents contents, std::uint64_t bytes, std::uint64_t stride = 0,
                      std::uint64_t seed = 1) {
  ptx::Buffer buffer;
  buffer.bytes = bytes;
  buffer.contents = contents;
  buffer.stride = stride;
  buffer.seed = seed;
  return buffer;
}

Words words_of(const ptx::Buffer& buffer) { return BufferContents(buffer, address).words(0, buffer.bytes); }

// How many loads lead from the buffer's beginning back to it; 0 if they leave its places or need more than there are.
std::uint64_t lap(const ptx::Buffer& buffer) {
  const auto words = words_of(buffer);
  const auto places = buffer.bytes / buffer.stride;
  std::uint64_t at = address;
  for (std::uint64_t loads = 1; loads <= places; ++loads) {
    at = words.at((at - address) / 8);
    if (at < address || (at - address) % buffer.stride != 0 || (at - address) / buffer.stride >= places) return 0;
    if (at == address) return loads;
  }
  return 0;
}

// Rows of 512 bytes, of which a copy brings 128 bytes each of 4.
ptx::Buffer tensor_of(std::uint64_t bytes, std::uint64_t swizzle) {
  auto buffer = buffer_of(ptx::Buffer::Contents::random, bytes);
  buffer.pitch = 512;
  buffer.box_row = 128;
  buffer.box_rows = 4;
  buffer.swizzle = swizzle;
  return buffer;
}

bool is_refused(const ptx::Buffer& buffer) {
  try {
    const BufferContents made(buffer, address);
    return false;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

}  // namespace

TEST_CASE("a chase comes through every place of its buffer once, whatever the size, the stride and the seed") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t stride = 8 * (1 + random() % 40);
    const std::uint64_t places = 1 + random() % (round % 10 == 0 ? 3'000 : 20);
    const std::uint64_t bytes = stride * places + 8 * (random() % (stride / 8));
    INFO(bytes << " bytes in steps of " << stride);
    CHECK(lap(buffer_of(ptx::Buffer::Contents::ring, bytes, stride)) == places);
    CHECK(lap(buffer_of(ptx::Buffer::Contents::permutation, bytes, stride, random())) == places);
  }
}

TEST_CASE("a ring goes to the next place and a permutation elsewhere") {
  const auto ring = words_of(buffer_of(ptx::Buffer::Contents::ring, 64, 16));
  CHECK(ring == Words{address + 16, 0, address + 32, 0, address + 48, 0, address, 0});
  const auto permutation = words_of(buffer_of(ptx::Buffer::Contents::permutation, 8 * 1024, 8));
  int neighbours = 0;
  for (std::size_t i = 0; i < permutation.size(); ++i) neighbours += permutation[i] == address + 8 * i + 8;
  CHECK(neighbours < 10);
}

TEST_CASE("the same description gives the same contents, and a different seed gives different ones") {
  for (const auto contents : {ptx::Buffer::Contents::permutation, ptx::Buffer::Contents::random}) {
    const auto buffer = buffer_of(contents, 8 * 256, 8, 5);
    CHECK(words_of(buffer) == words_of(buffer));
    CHECK(words_of(buffer) != words_of(buffer_of(contents, 8 * 256, 8, 6)));
  }
  INFO("on every machine");
  CHECK(words_of(buffer_of(ptx::Buffer::Contents::random, 16, 0, 0)) == Words{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4});
}

TEST_CASE("a part of a buffer equals that part of the whole") {
  std::mt19937_64 random(2);
  for (const auto contents : {ptx::Buffer::Contents::zeros, ptx::Buffer::Contents::random, ptx::Buffer::Contents::ring,
                              ptx::Buffer::Contents::permutation, ptx::Buffer::Contents::self}) {
    const auto buffer = buffer_of(contents, 8 * 331, 24);
    const BufferContents made(buffer, address);
    const auto whole = made.words(0, buffer.bytes);
    for (int round = 0; round < 100; ++round) {
      auto begin = random() % 332, end = random() % 332;
      if (begin > end) std::swap(begin, end);
      CHECK(made.words(8 * begin, 8 * end) == Words(whole.begin() + static_cast<std::ptrdiff_t>(begin),
                                                    whole.begin() + static_cast<std::ptrdiff_t>(end)));
    }
  }
}

TEST_CASE("zeros are zeros, and random words are not") {
  const auto zeros = words_of(buffer_of(ptx::Buffer::Contents::zeros, 800));
  CHECK(std::count(zeros.begin(), zeros.end(), 0u) == 100);
  auto words = words_of(buffer_of(ptx::Buffer::Contents::random, 800));
  std::sort(words.begin(), words.end());
  CHECK(std::adjacent_find(words.begin(), words.end()) == words.end());
}

TEST_CASE("words of `self` hold their own addresses, in every part of the buffer") {
  const auto buffer = buffer_of(ptx::Buffer::Contents::self, 32);
  CHECK(words_of(buffer) == Words{address, address + 8, address + 16, address + 24});
  CHECK(BufferContents(buffer, address).words(16, 32) == Words{address + 16, address + 24});
}

TEST_CASE("a chase through a texture is the same, in indices of its words of 32 bits") {
  for (const auto contents : {ptx::Buffer::Contents::ring, ptx::Buffer::Contents::permutation}) {
    auto buffer = buffer_of(contents, 8 * 128, 128, 3);
    const auto addresses = words_of(buffer);
    buffer.is_texture = true;
    const auto indices = words_of(buffer);
    for (std::size_t place = 0; place < 8; ++place)
      CHECK(indices.at(16 * place) == (addresses.at(16 * place) - address) / 4);
  }
}

TEST_CASE("a description that makes no sense is rejected") {
  CHECK(is_refused({}));
  CHECK(is_refused(buffer_of(ptx::Buffer::Contents::zeros, 12)));
  for (const auto contents : {ptx::Buffer::Contents::ring, ptx::Buffer::Contents::permutation}) {
    for (const std::uint64_t stride : {0, 4, 12, 72}) CHECK(is_refused(buffer_of(contents, 64, stride)));
    CHECK_FALSE(is_refused(buffer_of(contents, 64, 64)));
  }
  auto buffer = buffer_of(ptx::Buffer::Contents::zeros, 8);
  buffer.read_words = 2;
  CHECK_FALSE(is_refused(buffer));
  buffer.read_words = 3;
  CHECK(is_refused(buffer));
}

TEST_CASE("a tensor's description that makes no sense is rejected, and each part of it is named") {
  const auto words_of = [](auto change) {
    auto buffer = tensor_of(4096, 128);
    change(buffer);
    try {
      const BufferContents made(buffer, address);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  using Catch::Matchers::Contains;
  CHECK(words_of([](ptx::Buffer&) {}) == "none");
  for (const std::uint64_t pitch : {8, 520, 8192})
    CHECK_THAT(words_of([&](ptx::Buffer& b) { b.pitch = pitch; }), Contains("a tensor's pitch"));
  for (const std::uint64_t bytes : {0, 8, 24, 272})
    CHECK_THAT(words_of([&](ptx::Buffer& b) { b.box_row = bytes; }), Contains("the bytes of a row"));
  for (const std::uint64_t rows : {0, 257})
    CHECK_THAT(words_of([&](ptx::Buffer& b) { b.box_rows = rows; }), Contains("has no rows, or more than 256"));
  for (const std::uint64_t swizzle : {1, 16, 256})
    CHECK_THAT(words_of([&](ptx::Buffer& b) { b.swizzle = swizzle; }), Contains("a tensor's swizzle"));
  for (const std::uint64_t swizzle : {32, 64})
    CHECK_THAT(words_of([&](ptx::Buffer& b) { b.swizzle = swizzle; }), Contains("longer than its swizzle"));
  CHECK(words_of([](ptx::Buffer& b) { b.box_row = b.box_rows = 256, b.swizzle = 0; }) == "none");
  INFO("of what is no tensor nothing is looked at");
  CHECK(words_of([](ptx::Buffer& b) { b.pitch = 0, b.box_row = 1, b.swizzle = 5; }) == "none");
}

TEST_CASE("a kernel gets the address of a tensor's map before that of the tensor") {
  setenv("PTXLAT_LIBCUDA", PTXLAT_TEST_LIBCUDA, 1);
  const CudaApi api = load_cuda_api();
  const CudaStream stream(api);
  for (const auto& [bytes, number] : {std::pair{0, 0}, {32, 1}, {64, 2}, {128, 3}}) {
    auto buffer = tensor_of(4096 + 256, static_cast<std::uint64_t>(bytes));
    if (bytes == 32 || bytes == 64) buffer.box_row = 32;
    const FilledBuffer filled(api, stream, buffer);
    const auto parameters = filled.parameters();
    REQUIRE(parameters.size() == 2);
    CHECK(parameters[1] == filled.address());
    CHECK(parameters[0] % 128 == 0);
    // The stand-in's maps can be read (standin/objects.cpp): an incomplete last row is not part of the tensor.
    Words map(6);
    std::memcpy(map.data(), reinterpret_cast<const void*>(parameters[0]), 6 * sizeof map[0]);
    CHECK(map == Words{filled.address(), static_cast<std::uint64_t>(number), 512, buffer.box_row, 8, 4});
    const auto words = BufferContents(buffer, filled.address()).words(0, buffer.bytes);
    CHECK(std::memcmp(words.data(), reinterpret_cast<const void*>(filled.address()), buffer.bytes) == 0);
  }
  CHECK(FilledBuffer(api, stream, buffer_of(ptx::Buffer::Contents::zeros, 64)).parameters().size() == 1);
}

TEST_CASE("a tensor map that the driver cannot make is an error in its words") {
  setenv("PTXLAT_LIBCUDA", PTXLAT_TEST_OLD_LIBCUDA, 1);
  const CudaApi api = load_cuda_api();
  const CudaStream stream(api);
  CHECK_THROWS_AS(FilledBuffer(api, stream, tensor_of(4096, 0)), CudaError);
}
