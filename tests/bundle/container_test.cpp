// SPDX-License-Identifier: Apache-2.0
#include "bundle/container.h"

#include <sys/stat.h>

#include "../results/small_disk.h"
#include "base/error.h"
#include "little_bundle.h"

using namespace ptxlat;
using namespace ptxlat::bundle;

namespace {

Bytes payload(const std::string& text) { return {text.begin(), text.end()}; }

void write_small(const std::filesystem::path& file) {
  BundleWriter writer(file);
  writer.begin(0);
  writer.add(SectionKind::manifest, payload("{}"));
  writer.add(SectionKind::code, payload("0123456789"));
  writer.add(SectionKind::words, {});
  writer.finish();
}

std::string problem_of(const std::filesystem::path& file) {
  try {
    return read_contents(file).problem;
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::storage);
    CHECK_FALSE(error.advice.empty());
    return error.what();
  }
}

}  // namespace

TEST_CASE("the sections of a container come back, in their order") {
  const TestFolder folder;
  const auto file = folder.path / "a.bundle";
  write_small(file);
  const auto contents = read_contents(file);
  CHECK(contents.problem.empty());
  REQUIRE(contents.sections.size() == 3);
  CHECK(contents.sections[0].kind == SectionKind::manifest);
  CHECK(read_section(file, contents.sections[1]) == payload("0123456789"));
  CHECK(read_section(file, contents.sections[2]).empty());
  CHECK_FALSE(std::filesystem::exists(file.string() + ".part"));
}

TEST_CASE("a container truncated anywhere is rejected") {
  const TestFolder folder;
  const auto file = folder.path / "a.bundle";
  write_small(file);
  const auto whole = content_of(file);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size << " of " << whole.size() << " bytes");
    overwrite(file, whole.substr(0, size));
    CHECK_FALSE(problem_of(file).empty());
  }
}

TEST_CASE("a container with any bit altered is rejected") {
  const TestFolder folder;
  const auto file = folder.path / "a.bundle";
  write_small(file);
  const auto whole = content_of(file);
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    INFO("bit " << bit);
    auto altered = whole;
    altered[bit / 8] = static_cast<char>(altered[bit / 8] ^ (1 << (bit % 8)));
    overwrite(file, altered);
    CHECK_FALSE(problem_of(file).empty());
  }
}

TEST_CASE("bytes after the end of a container are rejected") {
  const TestFolder folder;
  const auto file = folder.path / "a.bundle";
  write_small(file);
  overwrite(file, content_of(file) + "x");
  CHECK(problem_of(file) == "has 1 bytes after its end");
}

TEST_CASE("a file of a different kind, a newer format and a missing file each have their own message") {
  const TestFolder folder;
  const auto file = folder.path / "a.bundle";
  CHECK(problem_of(file).find("cannot be read") != std::string::npos);
  CHECK(problem_of(folder.path).find("cannot be read") != std::string::npos);
  for (const std::string& foreign : {std::string(), std::string("SQLite format 3"), std::string(4096, '\0')}) {
    overwrite(file, foreign);
    CHECK(problem_of(file).find("is not a ptxlat bundle") != std::string::npos);
  }
  // The first 16 bytes of a bundle of format 2, with their CRC-32.
  overwrite(file, std::string("ptxlat\x1a\n\x02\x00\x00\x00\xfc\x74\x3f\x08", 16) + std::string(100, 'x'));
  CHECK(problem_of(file).find("format 2") != std::string::npos);
}

TEST_CASE("an interrupted writer leaves its sections, and the next one can keep them") {
  const TestFolder folder;
  const auto file = folder.path / "a.bundle";
  {
    BundleWriter writer(file);
    CHECK(writer.leftover().empty());
    writer.begin(0);
    writer.add(SectionKind::manifest, payload("{}"));
    writer.add(SectionKind::code, payload("first"));
  }
  CHECK_FALSE(std::filesystem::exists(file));
  BundleWriter writer(file);
  const auto left = read_contents(writer.leftover());
  CHECK_FALSE(left.problem.empty());
  REQUIRE(left.sections.size() == 2);
  writer.begin(left.sections[0].offset + left.sections[0].size);
  writer.add(SectionKind::code, payload("second"));
  writer.finish();
  const auto contents = read_contents(file);
  CHECK(contents.problem.empty());
  REQUIRE(contents.sections.size() == 2);
  CHECK(read_section(file, contents.sections[1]) == payload("second"));
}

TEST_CASE("two writers do not write the same bundle") {
  const TestFolder folder;
  const auto file = folder.path / "a.bundle";
  BundleWriter writer(file);
  CHECK(says(error_of([&] { const BundleWriter second(file); }), "being written by another"));
  writer.begin(0);
  writer.finish();
  CHECK_NOTHROW(BundleWriter(file));
}

TEST_CASE("something that is not a file is neither read, which may wait forever, nor replaced") {
  const TestFolder folder;
  const auto pipe = folder.path / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(problem_of(pipe).find("cannot be read") != std::string::npos);
  std::filesystem::create_directory(folder.path / "folder");
  for (const char* name : {"pipe", "folder"}) {
    CHECK(says(error_of([&] { const BundleWriter writer(folder.path / name); }), "exists and is not a file"));
    CHECK_FALSE(std::filesystem::exists(folder.path / (std::string(name) + ".part")));
    std::filesystem::rename(folder.path / name, folder.path / (std::string(name) + ".part"));
    CHECK(says(error_of([&] { const BundleWriter writer(folder.path / name); }), "exists and is not a file"));
  }
}

TEST_CASE("a full disk is an error, and the written part is kept") {
  const SmallDisk disk("64k");
  disk.require_mounted();
  const auto file = disk.folder.path / "a.bundle";
  {
    BundleWriter writer(file);
    writer.begin(0);
    writer.add(SectionKind::manifest, payload("{}"));
    try {
      for (int i = 0; i < 100; ++i) writer.add(SectionKind::code, Bytes(4000, 7));
      FAIL("the disk was not full");
    } catch (const Error& error) {
      CHECK(error.exit_code == ExitCode::storage);
      CHECK(error.advice.find("free some space") != std::string::npos);
    }
  }
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(read_contents(file.string() + ".part").sections.size() > 10);
}
