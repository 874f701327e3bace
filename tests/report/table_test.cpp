#include "report/table.h"

#include <fstream>
#include <set>
#include <sstream>

#include "../results/random_record.h"
#include "../results/test_folder.h"
#include "catch.h"
#include "error.h"
#include "report/outline.h"
#include "results/json.h"

using namespace ptxlat;

namespace {

Table random_table(unsigned seed, int count) {
  RandomRecords random(seed);
  Table table;
  table.provenance.table = "sm_90/nvidia-h200/driver-580.159.04";
  table.provenance.kind = "measured";
  table.provenance.toolchain = "driver-580.159.04";
  for (int i = 0; i < count; ++i) table.cells.push_back(random.cell());
  return table;
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void overwrite(const std::filesystem::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

ExitCode exit_code_of_reading(const std::filesystem::path& folder) {
  try {
    read_table(folder);
  } catch (const Error& error) {
    CHECK_FALSE(error.advice.empty());
    CHECK(std::string(error.what()).find(folder.string()) != std::string::npos);
    return error.exit_code;
  }
  return ExitCode::success;
}

}  // namespace

TEST_CASE("a table is read back as it was written") {
  const TestFolder folder;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Table table = random_table(seed, 50);
    write_table(folder.path, table);
    const Table back = read_table(folder.path / table.provenance.table);
    REQUIRE(back.cells == table.cells);
    REQUIRE(to_json(back.provenance) == to_json(table.provenance));
  }
}

TEST_CASE("equal tables are equal bytes, and nothing but the four files is left") {
  const TestFolder a, b;
  const Table table = random_table(3, 100);
  write_table(a.path, table);
  write_table(a.path, table);
  write_table(b.path, table);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(a.path / table.provenance.table)) {
    ++files;
    CHECK(content_of(entry.path()) == content_of(b.path / table.provenance.table / entry.path().filename()));
  }
  CHECK(files == 4);
}

TEST_CASE("an empty table can be written and read") {
  const TestFolder folder;
  const Table table = random_table(0, 0);
  write_table(folder.path, table);
  CHECK(read_table(folder.path / table.provenance.table).cells.empty());
}

TEST_CASE("a window that several cells share is written once") {
  const TestFolder folder;
  Table table = random_table(0, 0);
  CellRecord cell;
  cell.ptx = "popc.b32";
  cell.windows.resize(1);
  cell.windows[0].role = "overhead";
  std::mt19937 noise(7);  // text that gzip alone cannot shrink
  for (int i = 0; i < 1000; ++i) cell.windows[0].sass.push_back({i * 16, "OP " + std::to_string(noise())});
  table.cells = {cell};
  write_table(folder.path, table);
  const auto file = folder.path / table.provenance.table / "latency.jsonl.gz";
  const auto size_of_one = std::filesystem::file_size(file);
  for (SassRecord& instruction : cell.windows[0].sass) instruction.offset += 0x240;  // elsewhere in its kernel
  for (int i = 0; i < 200; ++i) table.cells.push_back(cell);
  write_table(folder.path, table);
  CHECK(std::filesystem::file_size(file) < size_of_one * 6 / 5);
  CHECK(read_table(file.parent_path()).cells == table.cells);
}

TEST_CASE("a damaged table is reported as damaged, never read in part") {
  const TestFolder folder;
  const Table table = random_table(5, 40);
  write_table(folder.path, table);
  const auto place = folder.path / table.provenance.table;
  const std::string jsonl = content_of(place / "latency.jsonl.gz");
  const std::string run = content_of(place / "run.json");

  SECTION("truncated anywhere") {
    for (std::size_t size = 0; size < jsonl.size(); size += 1 + jsonl.size() / 97) {
      overwrite(place / "latency.jsonl.gz", jsonl.substr(0, size));
      REQUIRE(exit_code_of_reading(place) == ExitCode::storage);
    }
  }
  SECTION("altered anywhere") {
    for (std::size_t at = 10; at < jsonl.size(); at += 1 + jsonl.size() / 97) {  // the first ten bytes are the header
      std::string altered = jsonl;
      altered[at] = static_cast<char>(altered[at] ^ 0x10);
      overwrite(place / "latency.jsonl.gz", altered);
      REQUIRE(exit_code_of_reading(place) == ExitCode::storage);
    }
  }
  SECTION("something behind the end") {
    overwrite(place / "latency.jsonl.gz", jsonl + "x");
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
  SECTION("the rows of another table") {
    write_table(folder.path, random_table(6, 40));
    overwrite(place / "run.json", run);
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
  SECTION("a csv with other rows than those with machine code") {
    overwrite(place / "latency.csv", content_of(place / "latency.csv") + "one,more\n");
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
  SECTION("a checksum that is no text") {
    std::string number = run;
    const std::size_t begin = number.find('"', number.find("jsonl_crc32") + 12);
    overwrite(place / "run.json", number.replace(begin, 10, "12345678"));
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
  SECTION("neither measured nor static") {
    std::string other = run;
    overwrite(place / "run.json", other.replace(other.find("measured"), 8, "imagined"));
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
  SECTION("run.json is truncated or of another shape") {
    for (const std::string& content : {std::string(), run.substr(0, run.size() / 2), std::string("[]"),
                                       std::string("{}"), std::string(R"({"format":"1"})")}) {
      overwrite(place / "run.json", content);
      CHECK(exit_code_of_reading(place) == ExitCode::storage);
    }
  }
  SECTION("a later format") {
    std::string later = run;
    later.replace(later.find("\"format\": 2"), 11, "\"format\": 3");
    overwrite(place / "run.json", later);
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
  SECTION("a file is missing") {
    std::filesystem::remove(place / "latency.jsonl.gz");
    CHECK(exit_code_of_reading(place) == ExitCode::storage);
  }
}

TEST_CASE("a whole table without its csv, or from before the csv had a checksum, is read") {
  const TestFolder folder;
  const Table table = random_table(5, 40);
  write_table(folder.path, table);
  const auto place = folder.path / table.provenance.table;
  std::filesystem::remove(place / "latency.csv");
  CHECK(read_table(place).cells == table.cells);
  Json run = Json::parse(content_of(place / "run.json"));
  run.erase("csv_crc32");
  overwrite(place / "run.json", run.dump());
  CHECK(read_table(place).cells == table.cells);
}

TEST_CASE("a folder that is no table is an unknown name") {
  const TestFolder folder;
  CHECK(exit_code_of_reading(folder.path) == ExitCode::unknown_name);
  CHECK(exit_code_of_reading(folder.path / "nothing") == ExitCode::unknown_name);
}

TEST_CASE("a table of format 1 is read, and has no issue cost") {
  const TestFolder folder;
  Table table = random_table(9, 60);
  for (CellRecord& cell : table.cells) cell.issue = std::nullopt;
  write_table(folder.path, table);
  const auto place = folder.path / table.provenance.table;
  std::string run = content_of(place / "run.json");
  run.replace(run.find("\"format\": 2"), 11, "\"format\": 1");
  overwrite(place / "run.json", run);
  CHECK(read_table(place).cells == table.cells);
  CHECK(read_table(place).provenance.format == 1);

  std::filesystem::remove(place / "run.json");
  overwrite(
      place / "latency.csv",
      "ptx,chapter,operand,input,opt,cycles,bracket,overhead,differential,chain,static,sass,sass_count,verdict,note\n"
      "add.u32,integer,a,,O3,4,2,3,5,6,7,IADD3,1,proven,fine\n");
  const std::vector<CellRecord> cells = read_table(place).cells;
  REQUIRE(cells.size() == 1);
  CHECK(cells[0].cycles == 4);
  CHECK_FALSE(cells[0].issue);
  CHECK(cells[0].bracket == 2);
  CHECK(cells[0].note == "fine");
}

TEST_CASE("a csv alone is enough for the columns") {
  const TestFolder folder;
  const Table table = random_table(8, 60);
  write_table(folder.path, table);
  const auto place = folder.path / table.provenance.table;
  std::filesystem::remove(place / "run.json");
  const Table back = read_table(place);
  REQUIRE(back.cells.size() == table.cells.size());
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    CellRecord columns = table.cells[i];
    columns.windows.clear();
    columns.consumer.clear();
    columns.recipe.clear();
    columns.elapsed_ns = 0;
    CHECK(back.cells[i] == columns);
  }
}

TEST_CASE("a brief table is its csv and where it comes from, and is read like a whole one") {
  const TestFolder folder;
  Table table = random_table(3, 30);
  write_table(folder.path, table);
  write_table(folder.path, table, Extent::brief);
  const auto place = folder.path / table.provenance.table;
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(place)) files.insert(entry.path().filename().string());
  CHECK(files == std::set<std::string>{"latency.csv", "run.json"});

  const Table read = read_table(place);
  CHECK(read.provenance.toolchain == table.provenance.toolchain);
  CHECK(read.provenance.kind == table.provenance.kind);
  std::ostringstream before, after;
  write_csv(before, table.cells);
  write_csv(after, read.cells);
  CHECK(before.str() == after.str());
  CHECK(read_outline(place).provenance.toolchain == table.provenance.toolchain);

  std::ofstream(place / "latency.csv", std::ios::app) << "an,altered,row\n";
  CHECK_THROWS_AS(read_table(place), Error);
}
