// SPDX-License-Identifier: Apache-2.0
#include "base/beneath.h"

#include <set>

#include "../results/test_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "catch.h"

using namespace ptxlat;
namespace fs = std::filesystem;

namespace {

// A folder of the user's with a link to what must not be touched.
struct LinkedFolder {
  TestFolder test;
  fs::path precious = test.path / "precious", named = test.path / "named";

  LinkedFolder() {
    replace_file(precious / "deep/keep.txt", "kept");
    replace_file(named / "a.txt", "mine");
    fs::create_directory_symlink("../precious", named / "away");
    fs::create_symlink("../precious/deep/keep.txt", named / "keep.txt");
    fs::create_directory_symlink("nowhere", named / "dangling");
  }

  bool is_untouched() const {
    return read_file(precious / "deep/keep.txt") == "kept" &&
           std::distance(fs::recursive_directory_iterator(precious), {}) == 2;
  }
};

std::string storage_error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::storage);
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("files are written below a folder, in folders that are made for them") {
  const TestFolder folder;
  replace_files({folder.path / "new", "sm_90/gpu"},
                {{"a.csv", "1"}, {"series/b.csv", "2"}, {"series/deep/c.csv", "3"}});
  CHECK(read_file(folder.path / "new/sm_90/gpu/a.csv") == "1");
  CHECK(read_file(folder.path / "new/sm_90/gpu/series/b.csv") == "2");
  CHECK(read_file(folder.path / "new/sm_90/gpu/series/deep/c.csv") == "3");
  remove_file(folder.path / "new", "sm_90/gpu/series/b.csv");
  CHECK_FALSE(fs::exists(folder.path / "new/sm_90/gpu/series/b.csv"));
}

TEST_CASE("the folder that the user named may be a link") {
  const LinkedFolder linked;
  fs::create_directory_symlink("named", linked.test.path / "link");
  replace_files(linked.test.path / "link", {{"b.txt", "2"}});
  CHECK(read_file(linked.named / "b.txt") == "2");
}

TEST_CASE("nothing is written or removed through a link below the folder") {
  const LinkedFolder linked;
  for (const char* name :
       {"away/evil.txt", "away/deep/keep.txt", "away/new/evil.txt", "dangling/evil.txt", "a.txt/evil.txt"}) {
    INFO(name);
    CHECK_FALSE(storage_error_of([&] { replace_files(linked.named, {{"b.txt", "2"}, {name, "evil"}}); }).empty());
    CHECK_FALSE(storage_error_of([&] { create_files(linked.named, {{name, "evil"}}); }).empty());
    remove_file(linked.named, name);
    CHECK_FALSE(fs::exists(linked.named / "b.txt"));
    CHECK(linked.is_untouched());
  }
  CHECK_FALSE(storage_error_of([&] { replace_files({linked.named, "away"}, {{"evil.txt", ""}}); }).empty());
  CHECK_FALSE(fs::exists(linked.named / "nowhere"));
  // A link in the file's own place is replaced, and not what it leads to.
  CHECK_FALSE(storage_error_of([&] { create_files(linked.named, {{"keep.txt", "evil"}}); }).empty());
  replace_files(linked.named, {{"keep.txt", "mine"}});
  CHECK_FALSE(fs::is_symlink(linked.named / "keep.txt"));
  remove_file(linked.named, "away");
  CHECK(linked.is_untouched());
}

TEST_CASE("nothing is written or removed under a name that leads out of the folder") {
  const LinkedFolder linked;
  for (const std::string& name : std::vector<std::string>{"../precious/deep/keep.txt",
                                                          "b/../../precious/deep/keep.txt",
                                                          (linked.precious / "deep/keep.txt").string(),
                                                          "/" + (linked.precious / "deep/keep.txt").string(),
                                                          "b//c",
                                                          "./b",
                                                          "b/",
                                                          "",
                                                          ".",
                                                          "..",
                                                          {"b\0c", 3},
                                                          std::string(300, 'b')}) {
    INFO(name);
    CHECK_FALSE(storage_error_of([&] { replace_files(linked.named, {{name, "evil"}}); }).empty());
    CHECK_FALSE(storage_error_of([&] { create_files(linked.named, {{name, "evil"}}); }).empty());
    if (!name.empty()) CHECK_FALSE(storage_error_of([&] { open_folder({linked.named, name}, Missing::make); }).empty());
    remove_file(linked.named, name);
    CHECK(linked.is_untouched());
  }
  CHECK(std::distance(fs::directory_iterator(linked.named), {}) == 4);
}

TEST_CASE("a file that has an ordinary name of many is found, and one that a killed process left is removed") {
  const TestFolder folder;
  replace_file(folder.path / "series/.a.csv.4711", "half");
  replace_file(folder.path / "series/.b.csv.4711", "half of another");
  replace_files(folder.path, {{"series/a.csv", "1"}, {"c.csv", "2"}});
  CHECK_FALSE(fs::exists(folder.path / "series/.a.csv.4711"));
  CHECK(fs::exists(folder.path / "series/.b.csv.4711"));
  CHECK(std::distance(fs::recursive_directory_iterator(folder.path), {}) == 4);
}

TEST_CASE("the entries of a folder are sorted, and a folder that cannot be read is an error") {
  const TestFolder folder;
  for (const char* name : {"b", "a", "c"}) replace_file(folder.path / name, "");
  CHECK(entries_of(folder.path) == std::vector{folder.path / "a", folder.path / "b", folder.path / "c"});
  CHECK_FALSE(storage_error_of([&] { entries_of(folder.path / "none"); }).empty());
}
