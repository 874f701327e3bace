#include "gpu/buffers.h"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::gpu;
using Words = std::vector<std::uint64_t>;

namespace {

constexpr std::uint64_t address = 0x7f0000000000;

kernel::Buffer buffer_of(kernel::Buffer::Contents contents, std::uint64_t bytes, std::uint64_t stride = 0,
                         std::uint64_t seed = 1) {
  kernel::Buffer buffer;
  buffer.bytes = bytes;
  buffer.contents = contents;
  buffer.stride = stride;
  buffer.seed = seed;
  return buffer;
}

Words words_of(const kernel::Buffer& buffer) { return BufferContents(buffer, address).words(0, buffer.bytes); }

// How many loads lead from the buffer's beginning back to it; 0 if they leave its places or need more than there are.
std::uint64_t lap(const kernel::Buffer& buffer) {
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

bool is_refused(const kernel::Buffer& buffer) {
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
    CHECK(lap(buffer_of(kernel::Buffer::Contents::ring, bytes, stride)) == places);
    CHECK(lap(buffer_of(kernel::Buffer::Contents::permutation, bytes, stride, random())) == places);
  }
}

TEST_CASE("a ring goes to the next place and a permutation elsewhere") {
  const auto ring = words_of(buffer_of(kernel::Buffer::Contents::ring, 64, 16));
  CHECK(ring == Words{address + 16, 0, address + 32, 0, address + 48, 0, address, 0});
  const auto permutation = words_of(buffer_of(kernel::Buffer::Contents::permutation, 8 * 1024, 8));
  int neighbours = 0;
  for (std::size_t i = 0; i < permutation.size(); ++i) neighbours += permutation[i] == address + 8 * i + 8;
  CHECK(neighbours < 10);
}

TEST_CASE("the same description gives the same contents, and another seed gives others") {
  for (const auto contents : {kernel::Buffer::Contents::permutation, kernel::Buffer::Contents::random}) {
    const auto buffer = buffer_of(contents, 8 * 256, 8, 5);
    CHECK(words_of(buffer) == words_of(buffer));
    CHECK(words_of(buffer) != words_of(buffer_of(contents, 8 * 256, 8, 6)));
  }
  INFO("on every machine");
  CHECK(words_of(buffer_of(kernel::Buffer::Contents::random, 16, 0, 0)) ==
        Words{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4});
}

TEST_CASE("a part of a buffer is what the whole has there") {
  std::mt19937_64 random(2);
  for (const auto contents :
       {kernel::Buffer::Contents::zeros, kernel::Buffer::Contents::random, kernel::Buffer::Contents::ring,
        kernel::Buffer::Contents::permutation, kernel::Buffer::Contents::self}) {
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
  const auto zeros = words_of(buffer_of(kernel::Buffer::Contents::zeros, 800));
  CHECK(std::count(zeros.begin(), zeros.end(), 0u) == 100);
  auto words = words_of(buffer_of(kernel::Buffer::Contents::random, 800));
  std::sort(words.begin(), words.end());
  CHECK(std::adjacent_find(words.begin(), words.end()) == words.end());
}

TEST_CASE("words of `self` hold their own addresses, in every part of the buffer") {
  const auto buffer = buffer_of(kernel::Buffer::Contents::self, 32);
  CHECK(words_of(buffer) == Words{address, address + 8, address + 16, address + 24});
  CHECK(BufferContents(buffer, address).words(16, 32) == Words{address + 16, address + 24});
}

TEST_CASE("a chase through a texture is the same, in indices of its words of 32 bits") {
  for (const auto contents : {kernel::Buffer::Contents::ring, kernel::Buffer::Contents::permutation}) {
    auto buffer = buffer_of(contents, 8 * 128, 128, 3);
    const auto addresses = words_of(buffer);
    buffer.is_texture = true;
    const auto indices = words_of(buffer);
    for (std::size_t place = 0; place < 8; ++place)
      CHECK(indices.at(16 * place) == (addresses.at(16 * place) - address) / 4);
  }
}

TEST_CASE("a description that makes no sense is refused") {
  CHECK(is_refused({}));
  CHECK(is_refused(buffer_of(kernel::Buffer::Contents::zeros, 12)));
  for (const auto contents : {kernel::Buffer::Contents::ring, kernel::Buffer::Contents::permutation}) {
    for (const std::uint64_t stride : {0, 4, 12, 72}) CHECK(is_refused(buffer_of(contents, 64, stride)));
    CHECK_FALSE(is_refused(buffer_of(contents, 64, 64)));
  }
  auto buffer = buffer_of(kernel::Buffer::Contents::zeros, 8);
  buffer.read_words = 2;
  CHECK_FALSE(is_refused(buffer));
  buffer.read_words = 3;
  CHECK(is_refused(buffer));
}
