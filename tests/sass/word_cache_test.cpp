// SPDX-License-Identifier: Apache-2.0

// Answers of a disassembler that are kept between runs.
#include "sass/word_cache.h"

#include <sys/stat.h>

#include "base/file.h"
#include "base/process.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::sass;

namespace {

using Answers = std::vector<std::pair<InstructionWord, WordText>>;

const Answers two = {{{1, 2}, {"IADD3 R1, R2, R3, RZ", false, 0}}, {{3, 4}, {"BRA ", true, -0x40}}};

struct Kept {
  TemporaryFolder folder;
  std::filesystem::path caches = folder.path() / "new" / "caches", program = folder.path() / "nvdisasm";

  Kept() { replace_file(program, "a program"); }
  WordCache open(int sm = 90) const { return {caches, program, sm}; }
  std::filesystem::path file() const { return std::filesystem::directory_iterator(caches)->path(); }
};

}  // namespace

TEST_CASE("an answer is found by a later run, for its program and architecture alone") {
  const Kept place;
  CHECK_FALSE(place.open().find({1, 2}));
  place.open().add({two.front()});
  place.open().add({two.back()});
  const auto cache = place.open();
  for (const auto& [word, text] : two) CHECK(cache.find(word) == text);
  CHECK_FALSE(cache.find({1, 3}));
  CHECK_FALSE(place.open(80).find({1, 2}));
  replace_file(place.program, "another program");
  CHECK_FALSE(place.open().find({1, 2}));
}

TEST_CASE("a damaged cache has what is before the damage, and is written anew") {
  const Kept place;
  place.open().add({two.front()});
  const auto first = read_file(place.file()).size();
  place.open().add({two.back()});
  auto content = read_file(place.file());
  content[first + 20] ^= 1;
  const auto damaged = GENERATE(true, false);
  replace_file(place.file(), damaged ? content : content.substr(0, content.size() - 1));
  auto cache = place.open();
  CHECK(cache.find({1, 2}));
  CHECK_FALSE(cache.find({3, 4}));
  cache.add({two.back()});
  CHECK(place.open().find({3, 4}) == two.back().second);
  CHECK_FALSE(place.open().find({1, 2}));
}

TEST_CASE("a folder that others can write, or none, is no cache") {
  const Kept place;
  std::filesystem::create_directories(place.caches);
  chmod(place.caches.c_str(), 0777);
  place.open().add(two);
  CHECK(std::filesystem::is_empty(place.caches));
  const WordCache none({}, place.program, 90);
  none.add(two);
  CHECK_FALSE(none.find({1, 2}));
  const WordCache unwritable("/proc/ptxlat", place.program, 90);
  unwritable.add(two);
  CHECK_FALSE(unwritable.find({1, 2}));
}
