// SPDX-License-Identifier: Apache-2.0
#include "tables/find_tables.h"

#include <unistd.h>

#include "../results/child_process.h"
#include "../results/test_folder.h"
#include "base/error.h"
#include "catch.h"
#include "cells.h"
#include "compare/groups.h"
#include "tables/folder.h"

using namespace ptxlat;
using namespace ptxlat::compare;
using namespace ptxlat::tables;

namespace {

void write_table_at(const std::filesystem::path& tables, const std::string& name) {
  Table table = table_of({});
  table.run.table = name;
  write_table(tables, table);
}

std::vector<std::string> names(const std::vector<std::filesystem::path>& tables, const std::filesystem::path& root) {
  std::vector<std::string> relative;
  for (const auto& table : tables) relative.push_back(table.lexically_relative(root).string());
  return relative;
}

results::Run provenance(const std::string& gpu, const std::string& toolchain, const std::string& started) {
  results::Run made;
  made.kind = gpu.empty() ? "static" : "measured";
  made.target = gpu == "L4" ? "sm_89" : "sm_90";
  made.toolchain = toolchain;
  made.started_utc = started;
  if (!gpu.empty()) {
    made.device = gpu::DeviceInfo{};
    made.device->name = gpu;
  }
  return made;
}

std::vector<std::string> labels(const std::vector<results::Run>& provenances, std::vector<std::optional<int>> levels) {
  std::vector<Table> tables(provenances.size());
  std::vector<Side> sides;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    tables[i].run = provenances[i];
    sides.push_back({&tables[i], levels.empty() ? std::nullopt : levels[i], "", "folder" + std::to_string(i)});
  }
  label(sides);
  std::vector<std::string> texts;
  for (const Side& side : sides) texts.push_back(side.label);
  return texts;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("names, folders above and globs lead to tables in natural order") {
  const TestFolder folder;
  for (const char* name : {"sm_90/static/ptxas-11.8.89", "sm_90/static/ptxas-9.2.1", "sm_90/h200/driver-1"}) {
    write_table_at(folder.path, name);
  }
  const auto found = [&](const std::string& name) {
    std::vector<std::filesystem::path> unreadable;
    auto tables = find_tables((folder.path / name).string(), unreadable);
    CHECK(unreadable.empty());
    return names(tables, folder.path);
  };
  CHECK(found("sm_90/h200/driver-1") == Names{"sm_90/h200/driver-1"});
  CHECK(found("sm_90/static") == Names{"sm_90/static/ptxas-9.2.1", "sm_90/static/ptxas-11.8.89"});
  CHECK(found("*/static/ptxas-1?.*") == Names{"sm_90/static/ptxas-11.8.89"});
  CHECK(found("*/h*") == Names{"sm_90/h200/driver-1"});
  CHECK(found(".").size() == 3);
  for (const char* nothing : {"none", "*/none*", "sm_90/static/ptxas-11.8.89/none"}) {
    CHECK_THROWS_AS(found(nothing), Error);
  }
}

TEST_CASE("folders that cannot be read are named, and hide no other tables") {
  const TestFolder folder;
  for (const char* name : {"a", "c", "e/f"}) write_table_at(folder.path, name);
  for (const char* name : {"b", "d", "e/g"}) {
    std::filesystem::create_directories(folder.path / name);
    std::filesystem::permissions(folder.path / name, std::filesystem::perms::none);
  }
  std::filesystem::create_directory_symlink(folder.path, folder.path / "e/up");
  std::filesystem::permissions(folder.path, std::filesystem::perms(0755));
  const auto child = start_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 1;  // root reads every folder
    Names found, hidden;
    std::vector<std::filesystem::path> unreadable;
    found = names(find_tables(folder.path.string(), unreadable), folder.path);
    hidden = names(unreadable, folder.path);
    if (found != Names{"a", "c", "e/f"} || hidden != Names{"b", "d", "e/g"}) return 2;
    unreadable.clear();
    for (const char* pattern : {"*/[fg]", "*/f"}) {
      unreadable.clear();
      found = names(find_tables((folder.path / pattern).string(), unreadable), folder.path);
      hidden = names(unreadable, folder.path);
      if (found != Names{"e/f"} || hidden.size() < 2 || hidden[0] != "b" || hidden[1] != "d") return 3;
    }
    try {
      find_tables((folder.path / "b").string(), unreadable);
    } catch (const Error& error) {
      return error.exit_code == ExitCode::storage ? 0 : 4;
    }
    return 5;
  });
  CHECK(exit_status_of(child) == 0);
  for (const char* name : {"b", "d", "e/g"})
    std::filesystem::permissions(folder.path / name, std::filesystem::perms::owner_all);
}

TEST_CASE("numbers inside names count as numbers") {
  CHECK(natural_less("ptxas-9", "ptxas-10"));
  CHECK_FALSE(natural_less("ptxas-10", "ptxas-9"));
  CHECK(natural_less("a-1.2", "a-1.10"));
  CHECK(natural_less("a", "b"));
  CHECK(natural_less("a", "a1"));
  CHECK_FALSE(natural_less("a1", "a1"));
  CHECK(natural_less("2026-01-09", "2026-01-10"));
}

TEST_CASE("tables are grouped by what they share, in the order of what they do not") {
  const std::vector<results::Run> tables = {
      provenance("H200", "ptxas-13.0.88", "2026-01-03"), provenance("L4", "ptxas-11.8.89", "2026-01-01"),
      provenance("H200", "ptxas-9.2.1", "2026-01-02"), provenance("H200", "ptxas-13.0.88", "2026-01-01"),
      provenance("L4", "ptxas-13.0.88", "2026-01-01")};
  using Groups = std::vector<std::vector<std::size_t>>;
  const auto sorted = [](Groups groups) {
    std::sort(groups.begin(), groups.end());
    return groups;
  };
  CHECK(sorted(group_by(By::toolchain, tables)) == Groups{{1, 4}, {2, 0, 3}});
  CHECK(sorted(group_by(By::gpu, tables)) == Groups{{1}, {2}, {4, 0, 3}});
  CHECK(sorted(group_by(By::date, tables)) == Groups{{1}, {2}, {3, 0}, {4}});
  CHECK(group_by(By::level, tables) == Groups{{0}, {1}, {2}, {3}, {4}});
}

TEST_CASE("a card's tables are grouped even if an old assembler did not know its newest target; schedules are not") {
  auto old = provenance("H200", "ptxas-11.8.89", "1"), newer = provenance("H200", "ptxas-13.0.88", "2");
  newer.target = "sm_90a";
  CHECK(group_by(By::toolchain, {old, newer}).size() == 1);
  auto schedule = provenance("", "ptxas-11.8.89", "1"), other = provenance("", "ptxas-13.0.88", "2");
  other.target = "sm_90a";
  CHECK(group_by(By::toolchain, {schedule, other}).size() == 2);
}

TEST_CASE("a label says what distinguishes a table from the others") {
  const results::Run h200 = provenance("H200", "ptxas-13", "1"), l4 = provenance("L4", "ptxas-13", "2"),
                     older = provenance("H200", "ptxas-11", "3"), later = provenance("H200", "ptxas-13", "4"),
                     scheduled = provenance("", "ptxas-13", "5");
  CHECK(labels({h200, older}, {}) == Names{"ptxas-13", "ptxas-11"});
  CHECK(labels({h200, l4}, {}) == Names{"H200", "L4"});
  CHECK(labels({h200, scheduled}, {}) == Names{"H200", "sm_90 static"});
  CHECK(labels({l4, older}, {}) == Names{"L4 ptxas-13", "H200 ptxas-11"});
  CHECK(labels({h200, later}, {}) == Names{"1", "4"});
  CHECK(labels({h200, h200}, {0, 3}) == Names{"O0", "O3"});
  CHECK(labels({h200, h200}, {}) == Names{"folder0", "folder1"});
  CHECK(labels({results::Run{}, results::Run{}}, {0, 0}) == Names{"folder0@O0", "folder1@O0"});
}
