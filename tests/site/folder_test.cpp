// SPDX-License-Identifier: Apache-2.0

// The folder of a site: nothing that is not the site's is lost.
#include "site/folder.h"

#include "../results/test_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "catch.h"

using namespace ptxlat;
namespace fs = std::filesystem;

namespace {

const site::SiteFiles some_site = {{"index.html", "<!doctype html>"}, {"data/names.js", "1"}, {"data/list-0.js", "2"}};

ExitCode error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(!error.advice.empty());
    return error.exit_code;
  }
  return ExitCode::success;
}

}  // namespace

TEST_CASE("a site is made in a new folder, and made again in its own") {
  const TestFolder folder;
  const auto out = folder.path / "a/site";
  site::write_folder(out, some_site);
  CHECK(read_file(out / "data/list-0.js") == "2");
  replace_file(out / "mine.txt", "mine");
  replace_file(out / "data/mine.csv", "mine");
  site::write_folder(out, {{"index.html", "new"}, {"data/names.js", "3"}});
  CHECK(read_file(out / "index.html") == "new");
  CHECK(read_file(out / "data/names.js") == "3");
  CHECK(!fs::exists(out / "data/list-0.js"));  // the site's, and no longer needed
  CHECK(read_file(out / "mine.txt") == "mine");
  CHECK(read_file(out / "data/mine.csv") == "mine");
}

TEST_CASE("a folder with anything else in it is left as it is") {
  const TestFolder folder;
  replace_file(folder.path / "index.html", "a page of mine");
  CHECK(error_of([&] { site::write_folder(folder.path, some_site); }) == ExitCode::storage);
  CHECK(read_file(folder.path / "index.html") == "a page of mine");
  CHECK(!fs::exists(folder.path / "data"));
  // Nor is a list of files believed that is not ours, or names files elsewhere.
  replace_file(folder.path / "ptxlat-site.txt", "index.html\n");
  CHECK(error_of([&] { site::write_folder(folder.path, some_site); }) == ExitCode::storage);
}

TEST_CASE("a list of files cannot name one outside the folder") {
  const TestFolder folder;
  const auto out = folder.path / "site";
  site::write_folder(out, some_site);
  replace_file(folder.path / "precious", "kept");
  replace_file(out / "ptxlat-site.txt", read_file(out / "ptxlat-site.txt") + "../precious\n");
  site::write_folder(out, some_site);
  CHECK(read_file(folder.path / "precious") == "kept");
}

TEST_CASE("a list of files cannot name one that is reached through a link") {
  const TestFolder folder;
  const auto out = folder.path / "site";
  site::write_folder(out, some_site);
  for (const char* kept : {"precious/keep.txt", "precious/deep/keep.txt"}) replace_file(folder.path / kept, "kept");
  fs::create_directory_symlink("../precious", out / "away");
  fs::create_directory(out / "data/far");
  fs::create_directory_symlink("../../../precious", out / "data/far/away");
  auto list = read_file(out / "ptxlat-site.txt");
  for (const char* name : {"away/keep.txt", "away/deep/keep.txt", "data/far/away/keep.txt", "./away/keep.txt",
                           "data//../away/keep.txt", "/etc/hostname", "data", "away"})
    list += std::string(name) + '\n';
  replace_file(out / "ptxlat-site.txt", list);
  site::write_folder(out, some_site);
  CHECK(read_file(folder.path / "precious/keep.txt") == "kept");
  CHECK(read_file(folder.path / "precious/deep/keep.txt") == "kept");
  CHECK(fs::exists("/etc/hostname"));
  CHECK(fs::is_directory(out / "data"));
}

TEST_CASE("a file or a link in the way is an error") {
  const TestFolder folder;
  replace_file(folder.path / "file", "");
  CHECK(error_of([&] { site::require_site_or_empty(folder.path / "file"); }) == ExitCode::storage);
  const auto out = folder.path / "site";
  site::write_folder(out, {{"index.html", ""}});
  fs::create_directory(folder.path / "elsewhere");
  fs::create_directory_symlink(folder.path / "elsewhere", out / "data");
  CHECK(error_of([&] { site::write_folder(out, some_site); }) == ExitCode::storage);
  CHECK(fs::is_empty(folder.path / "elsewhere"));
}

TEST_CASE("a site is not taken for the page that sites are made of") {
  const TestFolder folder;
  const auto chosen = [&] { return error_of([&] { site::page_folder(); }); };
  site::write_folder(folder.path / "site", some_site);
  setenv("PTXLAT_SITE", (folder.path / "site").c_str(), 1);
  CHECK(chosen() == ExitCode::catalogue);
  replace_file(folder.path / "page/index.html", "");
  setenv("PTXLAT_SITE", (folder.path / "page").c_str(), 1);
  CHECK(chosen() == ExitCode::success);
  unsetenv("PTXLAT_SITE");
}

TEST_CASE("a plot library needs its licence") {
  const TestFolder folder;
  CHECK(error_of([&] { site::plot_library(folder.path); }) == ExitCode::missing_tool);
  replace_file(folder.path / "chart.min.js", "plots");
  CHECK(error_of([&] { site::plot_library(folder.path); }) == ExitCode::missing_tool);
  replace_file(folder.path / "LICENSE.md", "MIT");
  const auto library = site::plot_library(folder.path);
  CHECK(library.missing.empty());
  CHECK(library.files.at("library/chart.js") == "plots");
  CHECK(library.files.at("library/LICENCE.txt") == "MIT");
}
