// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <random>
#include <set>
#include <string>

#include "catch.h"
#include "ptx/kernel.h"

using namespace ptxlat;
using namespace ptxlat::ptx;

namespace {

std::uint64_t hash_of(const std::vector<std::string>& parts) {
  Hash hash;
  for (const auto& part : parts) hash.add(part);
  return hash.value();
}

}  // namespace

TEST_CASE("parts of a text are distinguished wherever it is cut") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (auto size = 2 + random() % 20; size > 0; --size) text += static_cast<char>('a' + random() % 2);
    std::set<std::uint64_t> hashes{hash_of({text})};
    for (std::size_t cut = 0; cut <= text.size(); ++cut)
      hashes.insert(hash_of({text.substr(0, cut), text.substr(cut)}));
    INFO(text);
    CHECK(hashes.size() == text.size() + 2);
  }
}

TEST_CASE("a list of numbers is not its numbers, nor a list cut elsewhere") {
  using Numbers = std::vector<std::uint64_t>;
  const auto hash_of_lists = [](const std::vector<Numbers>& lists) {
    Hash hash;
    for (const auto& list : lists) hash.add(list);
    return hash.value();
  };
  Hash loose;
  for (const std::uint64_t number : {1, 2, 3}) loose.add(number);
  const std::set<std::uint64_t> hashes{loose.value(), hash_of_lists({{1, 2, 3}}), hash_of_lists({{1, 2}, {3}}),
                                       hash_of_lists({{1}, {2, 3}}), hash_of_lists({{}, {1, 2, 3}})};
  CHECK(hashes.size() == 5);
}

TEST_CASE("a hash is the same for the same parts, and its wide form begins with it") {
  Hash one, other;
  for (auto* hash : {&one, &other}) {
    hash->add(std::string_view("text"));
    hash->add(7);
    hash->add(std::vector<int>{1, 2});
  }
  CHECK(one.value() == other.value());
  CHECK(one.wide() == other.wide());
  CHECK(one.wide()[0] == one.value());
  CHECK(one.wide()[1] != one.value());
}

TEST_CASE("tensors with different shapes have different hashes, and the hashes of other buffers do not change") {
  const auto hash_of_buffer = [](auto change) {
    Launch launch;
    launch.buffers = {{4096}};
    change(launch.buffers.front());
    Hash hash;
    add(hash, launch);
    return hash.value();
  };
  const auto plain = hash_of_buffer([](Buffer&) {});
  CHECK(plain == 0x188d36b0721f16c1);
  const std::set<std::uint64_t> hashes{
      plain,
      hash_of_buffer([](Buffer& b) { b.pitch = 16; }),
      hash_of_buffer([](Buffer& b) { b.pitch = 32; }),
      hash_of_buffer([](Buffer& b) { b.pitch = 16, b.box_row = 16; }),
      hash_of_buffer([](Buffer& b) { b.pitch = 16, b.box_rows = 16; }),
      hash_of_buffer([](Buffer& b) { b.pitch = 16, b.swizzle = 16; }),
  };
  CHECK(hashes.size() == 6);
}

TEST_CASE("trials with different kernels, launches or numbers of launches have different hashes") {
  const auto hash_of_trial = [](auto change) {
    Trial trial;
    trial.kernel.text = "text";
    trial.kernel.module = {"a", "b"};
    change(trial);
    Hash hash;
    add(hash, trial);
    return hash.value();
  };
  const std::set<std::uint64_t> hashes{
      hash_of_trial([](Trial&) {}),
      hash_of_trial([](Trial& t) { t.kernel.text = "texta"; }),
      hash_of_trial([](Trial& t) { t.kernel.module = {"ab"}; }),
      hash_of_trial([](Trial& t) {
        t.kernel.module = {"b", "a"};
      }),
      hash_of_trial([](Trial& t) { t.launch.threads = 1; }),
      hash_of_trial([](Trial& t) { t.launches = 1; }),
      hash_of_trial([](Trial& t) { t.launch.persisting_bytes = 1; }),
      hash_of_trial([](Trial& t) { t.launch.persisting_bytes = 2; }),
      hash_of_trial([](Trial& t) { t.launch.evicts_l2 = true; }),
  };
  CHECK(hashes.size() == 9);
}
