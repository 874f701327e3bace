// SPDX-License-Identifier: Apache-2.0

// What SECURITY.md promises of each reader: small inputs that would take all time or memory, or leave their folder.
#include "base/limits.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>

#include "../results/child_process.h"
#include "../results/execute_sql.h"
#include "base/csv.h"
#include "base/error.h"
#include "base/expression.h"
#include "base/file.h"
#include "base/process.h"
#include "base/processor_time.h"
#include "base/text.h"
#include "catch.h"
#include "cuda/ptx_module.h"
#include "cuda/splice.h"
#include "fuzz.h"
#include "isa/toml.h"
#include "memory/l2_talk.h"
#include "probe/points.h"
#include "results/json.h"
#include "results/store.h"
#include "sass/cubin.h"
#include "sass/disassembler.h"
#include "snippet/inline_assembly.h"
#include "snippet/text.h"
#include "tables/compression.h"
#include "tables/csv.h"
#include "tables/folder.h"
#include "tables/table.h"
#include "tiny_cubin.h"
#include "worker/protocol.h"
#include "worker/socket.h"

using namespace ptxlat;
using Catch::Matchers::Contains;

namespace {

std::string error_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

// A cubin whose section table has this many entries, all of which are the same kernel.
Bytes cubin_with_sections(unsigned count, std::uint64_t size) {
  auto bytes = standin::tiny_cubin({{"k", {standin::read_clock(4), standin::read_clock(4)}}});
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  Elf64_Shdr text{};
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes.data() + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type == SHT_PROGBITS) text = section;
  }
  Elf64_Shdr names;
  std::memcpy(&names, bytes.data() + header.e_shoff + header.e_shstrndx * sizeof names, sizeof names);
  text.sh_size = size;
  header.e_shoff = bytes.size();
  header.e_shnum = static_cast<Elf64_Half>(count);
  header.e_shstrndx = 0;
  const auto append = [&](const Elf64_Shdr& section) {
    const auto* begin = reinterpret_cast<const std::uint8_t*>(&section);
    bytes.insert(bytes.end(), begin, begin + sizeof section);
  };
  append(names);
  for (unsigned i = 1; i < count; ++i) append(text);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

}  // namespace

TEST_CASE("a cubin whose sections overlap, or are larger than the file, is rejected") {
  CHECK(sass::read_cubin(cubin_with_sections(2, 32)).kernels.size() == 1);
  CHECK_THAT(error_of([] { sass::read_cubin(cubin_with_sections(60'000, 4096)); }), Contains("larger than the file"));
  CHECK_THAT(error_of([] { sass::read_cubin(cubin_with_sections(2, ~std::uint64_t{0})); }),
             Contains("larger than the file"));
}

TEST_CASE("words are not written past the end of a cubin, whatever its sections say") {
  auto bytes = cubin_with_sections(2, 32);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  Elf64_Shdr text;
  const auto at = header.e_shoff + sizeof text;
  std::memcpy(&text, bytes.data() + at, sizeof text);
  text.sh_offset = ~std::uint64_t{0} - 15;  // + 16 is 0
  std::memcpy(bytes.data() + at, &text, sizeof text);
  CHECK_THAT(error_of([&] { sass::write_words(bytes, "k", {{0, {}}}); }), Contains("ends before byte"));
}

TEST_CASE("data that claims to unpack to too much is rejected before it is unpacked") {
  for (const auto most : {most_gzip_bytes, most_zstd_bytes, most_section_bytes}) {
    CHECK(most_unpacked_bytes(100, most) < (std::uint64_t{65} << 20));
    CHECK(most_unpacked_bytes(~std::uint64_t{0}, most) == most);
  }
  const std::string zeros(std::size_t{160} << 20, '0');
  CHECK_THAT(error_of([&] { tables::unzstd(tables::zstd(zeros)); }), Contains("too many bytes"));
  CHECK_THAT(error_of([&] { tables::gunzip(tables::gzip(zeros)); }), Contains("too many bytes"));
  // What a frame repeats of its base does not count.
  CHECK_THAT(error_of([&] { tables::unzstd(tables::zstd(zeros), "base"); }), Contains("too many bytes"));
  CHECK(error_of([&] { tables::unzstd(tables::zstd(zeros), std::string(std::size_t{100} << 20, '0')); }).empty());
}

TEST_CASE("what is unpacked takes its own size in memory, and what is refused takes none") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  skip("sanitizers need more memory");
#endif
  constexpr std::size_t MiB = 1 << 20;
  // Of which a packed text is more than a five-hundredth.
  std::string text(100 * MiB, '0');
  unsigned random = 1;
  for (std::size_t i = 0; i < text.size(); i += 100)
    text[i] = static_cast<char>('a' + (random = random * 69069 + 1) / 4096 % 26);
  const std::string zeros(60 * MiB, '0');
  const auto member = tables::gzip(zeros);
  std::string members;
  while (members.size() < 10 * MiB) members += member;  // 10 GB
  // Whether a reader succeeds with so many bytes more than this process has.
  const auto is_enough = [](std::size_t bytes, const std::function<void()>& read) {
    return exit_status_of(start_child([&] {
             const rlimit small{bytes_now() + bytes, RLIM_INFINITY};
             ::setrlimit(RLIMIT_DATA, &small);
             read();
             return 0;
           })) == 0;
  };
  const auto packed = tables::gzip(text), frame = tables::zstd(text);
  CHECK(is_enough(text.size() + 8 * MiB, [&] { tables::gunzip(packed); }));
  CHECK_FALSE(is_enough(text.size() - 8 * MiB, [&] { tables::gunzip(packed); }));
  CHECK(is_enough(text.size() + 8 * MiB, [&] { tables::unzstd(frame); }));
  const auto refuses = [&](const std::string& why, const std::function<void()>& read) {
    return is_enough(8 * MiB, [&] {
      const auto words = error_of(read);
      if (words.find(why) == std::string::npos) throw std::runtime_error(words);
    });
  };
  CHECK(refuses("too many bytes", [&] { tables::gunzip(members); }));
  const auto claim = frame.substr(0, 4) + "\xa0\xff\xff\xff\x7f";  // 2 GiB
  CHECK(refuses("too many bytes", [&] { tables::unzstd(claim); }));

  // A window of 2 GiB is not allocated, for 100,000 bytes of one kind.
  const std::string block = {0x03 | (100'000 << 3 & 0xf8), static_cast<char>(100'000 >> 5 & 0xff),
                             static_cast<char>(100'000 >> 13), 'x'};
  const std::string wide = std::string("\x28\xb5\x2f\xfd\x80\xa8", 6) + std::string("\xa0\x86\x01\x00", 4) + block;
  CHECK(is_enough(8 * MiB, [&] {
    if (tables::unzstd(wide) != std::string(100'000, 'x')) throw std::runtime_error("a different text");
  }));
  // A frame after the one whose size is known.
  const auto frames = tables::zstd("short") + tables::zstd(zeros);
  CHECK(refuses("too small", [&] { tables::unzstd(frames); }));
}

TEST_CASE("JSON that nests deeply, and numbers that do not fit, are rejected") {
  CHECK_NOTHROW(results::parse_json(std::string(60, '[') + std::string(60, ']')));
  CHECK_NOTHROW(results::parse_json("\"" + std::string(1000, '[') + "\""));
  CHECK_THAT(error_of([] { results::parse_json(std::string(100'000, '[')); }), Contains("too deeply"));
  for (const char* number : {"1e300", "-1e300", "4294967296", "0.5", "\"7\"", "null"}) {
    INFO(number);
    CHECK_THROWS_AS(results::integer_of<int>(results::parse_json(number)), std::exception);
  }
  CHECK(results::integer_of<int>(results::parse_json("4.0")) == 4);
}

TEST_CASE("the counts in a message of a worker are not trusted, nor a readout without its words") {
  Bytes payload = worker::frame(worker::Kind::module, assemble::ModuleOutcome{Bytes(100), "log"});
  payload.erase(payload.begin(), payload.begin() + 4);
  const std::uint64_t claimed = std::uint64_t{1} << 40;
  std::memcpy(payload.data() + 2, &claimed, sizeof claimed);
  CHECK_THAT(error_of([&] { worker::Message(payload).as<assemble::ModuleOutcome>(); }), Contains("than it says"));

  worker::Outcome outcome;
  outcome.launch.readout = {1000, 1, 2, false, {1, 2}, {}};
  auto frame = worker::frame(worker::Kind::outcome, outcome);
  CHECK_THAT(error_of([&] { worker::Message(Bytes(frame.begin() + 4, frame.end())).as<worker::Outcome>(); }),
             Contains("does not have the words"));
}

TEST_CASE("the socket of a worker has no name, and no other program inherits it") {
  int other = -1;
  const worker::WorkerSocket socket(other);
  sockaddr_un name{};
  socklen_t size = sizeof name;
  REQUIRE(getsockname(other, reinterpret_cast<sockaddr*>(&name), &size) == 0);
  CHECK(size == sizeof name.sun_family);
  CHECK((fcntl(other, F_GETFD) & FD_CLOEXEC) != 0);
  close(other);
}

TEST_CASE("a temporary folder is its owner's alone") {
  const TemporaryFolder folder;
  struct stat status {};
  REQUIRE(stat(folder.path().c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0700);
  CHECK(status.st_uid == geteuid());
}

TEST_CASE("a file is replaced, not what a link of its temporary name leads to") {
  const TemporaryFolder folder;
  const auto precious = folder.path() / "precious", table = folder.path() / "table";
  std::filesystem::create_directory(table);
  std::ofstream(precious) << "keep me";
  std::filesystem::create_symlink(precious, table / fmt::format(".facts.csv.{}", getpid()));
  replace_files(table, {{"facts.csv", "new"}});
  CHECK(read_file(precious) == "keep me");
  CHECK(read_file(table / "facts.csv") == "new");
}

TEST_CASE("a file that is a pipe, a device or a folder is refused at once") {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::filesystem::path& file : {pipe, std::filesystem::path("/dev/zero")}) {
    INFO(file);
    CHECK_THAT(error_of([&] { read_file(file); }), Contains("is a pipe or a device"));
  }
  CHECK_THAT(error_of([&] { read_file(folder.path()); }), Contains("Is a directory"));
}

TEST_CASE("a row of any number of fields, and TOML of any length, are refused") {
  std::istringstream commas("a,b\n" + std::string(1'000'000, ','));
  CHECK_THAT(error_of([&] { read_csv_lines(commas, "x.csv", {"a", "b"}); }), Contains("more than 1000 fields"));
  std::istringstream long_field("a,b\n" + std::string(2'000'000, 'x'));
  CHECK_THAT(error_of([&] { read_csv_lines(long_field, "x.csv", {"a", "b"}); }), Contains("bytes in a row"));
  std::string items;
  while (items.size() < 5'000'000) items += "[[op]]\n";
  CHECK_THAT(error_of([&] { isa::parse_toml(items, "x.toml"); }), Contains("more than"));
}

TEST_CASE("words of any length in a catalogue are refused, however they are written") {
  const std::string word(1'000'000, 'a'), spaces(1'000'000, ' ');
  std::string escaped;
  for (int i = 0; i < 100'000; ++i) escaped += "\\u0061";
  const std::string head = "chapter = \"x\"\n[[op]]\nname = \"x\"\n";
  for (const auto& line :
       {"syntax = \"x.u32 {d:u32}, {" + word + "\"", "syntax = \"x.u32 {d:u32}, {" + word + ":u32}\"",
        "syntax = \"x.u32 {d:u32}, {" + escaped + "\"", "syntax = \"x.u32 {d:u32}, {" + spaces + "\"",
        "m = { a = [\"{" + word + "\"] }", word + " = 1"}) {
    INFO(line.substr(0, 40));
    CHECK_THAT(error_of([&] { isa::parse_toml(head + line, "x.toml"); }), Contains("more than 1000 letters"));
  }
  // Short words that become a long one when the texts are put together.
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "{m}";
  fuzz::expect_end_or_error(fuzz::catalogue, "chapter = \"x\"\n[[op]]\nname = \"x\"\nheader = \"\"\nsyntax = \"" +
                                                 many + " {d:f32}, {a:f32}\"\nm = [\"" + std::string(999, 'a') +
                                                 "\"]\n");
}

TEST_CASE("a path that a file names stays inside the folder") {
  for (const char* path : {"a", "a/b.toml", "a..b", "..."}) CHECK(is_name_beneath(path));
  for (const std::string& path : std::vector<std::string>{"",
                                                          ".",
                                                          "..",
                                                          "../a",
                                                          "a/../../b",
                                                          "/a",
                                                          "a/..",
                                                          "a//b",
                                                          "a/",
                                                          "./a",
                                                          "a/./b",
                                                          "//",
                                                          "/",
                                                          {"a/..\0/b", 7},
                                                          {"a\0", 2},
                                                          std::string(256, 'a'),
                                                          "a/" + std::string(256, 'b')}) {
    INFO(path);
    CHECK_FALSE(is_name_beneath(path));
  }
}

TEST_CASE("expressions of probes neither overflow nor recurse without end") {
  const auto words = [](const std::string& text) { return error_of([&] { evaluate(text, {}); }); };
  CHECK_THAT(words("9223372036854775807 + 1"), Contains("too large"));
  CHECK_THAT(words("9223372036854775807 * 2"), Contains("too large"));
  CHECK_THAT(words("0 - 9223372036854775807 - 2"), Contains("too large"));
  CHECK_THAT(words("(0 - 9223372036854775807 - 1) / (0 - 1)"), Contains("too large"));
  CHECK_THAT(words("9223372036854775807 GiB"), Contains("too large"));
  CHECK_THAT(words(std::string(100'000, '(')), Contains("too many parentheses"));
  CHECK(evaluate(std::string(50, '(') + "7" + std::string(50, ')'), {}) == 7);
}

TEST_CASE("a probe's kernel does not grow without end") {
  probe::Probe one;
  one.name = "p";
  const auto words = [&](const std::string& kernel) {
    one.kernel = kernel;
    return error_of([&] { probe::points_of(one); });
  };
  CHECK(words("{{#i 3}}x{{/}}").empty());
  CHECK_THAT(words("{{#i 1000000000000}}{{/}}"), Contains("too long"));
  CHECK_THAT(words("{{#i 100000}}{{#j 100000}}x{{/}}{{/}}"), Contains("too long"));
  std::string nested;
  for (int i = 0; i < 1000; ++i) nested += fmt::format("{{{{#n{} 1}}}}", i);
  for (int i = 0; i < 1000; ++i) nested += "{{/}}";
  CHECK_THAT(words(nested), Contains("within each other"));
}

TEST_CASE("a snippet has bounds, and the same register in many ways takes no longer") {
  CHECK_THAT(error_of([] { snippet::parse(std::string(100'000, ';'), "x"); }), Contains("more than"));
  std::string repeated = "asm(\"";
  for (int i = 0; i < 5'000; ++i) repeated += "%0";
  repeated += "\" : \"=r\"(" + std::string(10'000, 'a') + "))";
  CHECK_THAT(error_of([&] { snippet::ptx_of_inline_assembly(repeated); }), Contains("more than"));
  std::string ranges = ".reg .b32 ";
  for (int i = 0; i < 100; ++i) ranges += fmt::format("{}%r{}_<9999>", i == 0 ? "" : ", ", i);
  CHECK_THAT(error_of([&] { snippet::parse(ranges + ";", "x"); }), Contains("registers are declared"));
  // Each doubles the ways from the address to p0.
  std::string doubling;
  for (int i = 0; i < 100; ++i) doubling += fmt::format("add.u64 p{}, p{}, p{};\n", i + 1, i, i);
  const auto begin = processor_time();
  fuzz::expect_end_or_error(fuzz::snippet, doubling + "ld.global.u32 d, [p100];");
  CHECK(processor_time() - begin < std::chrono::seconds(30));
}

TEST_CASE("a compiler's functions that use each other in a long chain are a problem, not a crash") {
  std::string ptx;
  for (int i = 0; i < 20'000; ++i)
    ptx += fmt::format(".func f{0}(.param .b32 p{0}) {{ call f{1}, (x); ret; }}\n", i, i + 1);
  const auto module = cuda::parse_ptx_module(ptx);
  CHECK(module.functions.size() == 20'000);
  CHECK(cuda::splice(module, "f0", {{{"{a}", "u32", 0}}, {}}).problem.find("use each other") != std::string::npos);
  // Long lines, which std::regex answers with its stack.
  for (const auto& text : {".version " + std::string(1'000'000, '8'), std::string(1'000'000, '{') + "}",
                           ".func f() { " + std::string(1'000'000, 'a') + " %r1, %r2; }"})
    fuzz::expect_end_or_error(fuzz::ptx_module, text);
}

TEST_CASE("a listing with a target that is not an address is an Error") {
  const auto words = [](const std::string& target) {
    return error_of([&] {
      sass::words_in_listing("        /*0000*/                   BRA " + target + " ;\n", sass::CodeLayout::volta, 1);
    });
  };
  CHECK(words("0x10").empty());
  CHECK(words("0xffffffff").empty());  // WARPSYNC's mask
  for (const char* target : {"0x", "0xffffffffffffffffffff", "-0x", "0x7fffffff", "0x1ffffffff", "0x1g"}) {
    INFO(target);
    CHECK_THAT(words(target), Contains("not an address"));
  }
}

TEST_CASE("answers of a machine are finite numbers, as many as were asked for") {
  const std::vector<memory::Addresses> three{{0, 128, 3}};
  CHECK(memory::cycles_for(three, R"({"cycles": [1, 2, 3]})"));
  for (const char* answer : {R"({"cycles": [1, 2]})", R"({"cycles": [1, 2, nan]})", R"({"cycles": [1, 2, inf]})",
                             R"({"cycles": [1, 2, 1e300]})"})
    CHECK_FALSE(memory::cycles_for(three, answer));
  const auto words = [](const char* line) { return error_of([&] { memory::info_in(line); }); };
  CHECK(words(R"({"kind": "l2", "space": "l2", "bytes": 4096})").empty());
  CHECK_FALSE(words(R"({"kind": "l2", "space": "l2", "bytes": 4096, "most_accesses": 0})").empty());
  CHECK_FALSE(words(R"({"kind": "l2", "space": "l2", "bytes": 1e300})").empty());
  CHECK_FALSE(words(R"({"kind": "l2", "space": "l2", "bytes": 4096, "sms": -1})").empty());
}

TEST_CASE("rows and forms of a table do not multiply without end") {
  const TemporaryFolder folder;
  std::string rows = "ptx,chapter,operand,input,opt,levels,cycles,measure,consumer,sass,sass_count,verdict,note\n";
  std::string forms = "ptx,opt,row,reason,note\n";
  for (int i = 0; i < 5000; ++i) {
    rows += fmt::format("x,C,{},,O3,O3,4,,,IADD3,1,proven,\n", i);
    forms += fmt::format("x{},O3,x,,\n", i);
  }
  const auto packed = tables::gzip(forms);
  std::ofstream(folder.path() / "latency.csv") << rows;
  std::ofstream(folder.path() / "forms.csv.gz", std::ios::binary) << packed;
  std::ofstream(folder.path() / "run.json")
      << fmt::format(R"({{"format": 4, "table": "t", "kind": "measured", "csv_crc32": "{}", "forms_crc32": "{}"}})",
                     tables::checksum_of(rows), tables::checksum_of(forms));
  CHECK_THAT(error_of([&] { tables::read_table(folder.path()); }), Contains("more cells than fit into memory"));
}

TEST_CASE("a store with a view or a trigger instead of its tables is rejected") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "store";
  { const results::Store store(file); }
  execute(file,
          "DROP TABLE runs; CREATE VIEW runs AS WITH RECURSIVE f(id, run, table_name) AS (VALUES(1, '', '') "
          "UNION ALL SELECT id + 1, '', '' FROM f) SELECT * FROM f");
  CHECK_THAT(error_of([&] { results::Store(file).newest_runs(); }), Contains("more than the tables"));
}

TEST_CASE("a store whose tables check or compute anything when they are written is rejected") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "store";
  { const results::Store store(file); }
  const auto rejects = [&](const std::string& change) {
    execute(file, change);
    CHECK_THAT(error_of([&] { const results::Store store(file); }), Contains("more than the tables"));
  };
  const std::string schema =
      "DROP TABLE runs; CREATE TABLE runs (id INTEGER PRIMARY KEY AUTOINCREMENT, table_name TEXT NOT NULL, ";
  SECTION("a check") { rejects(schema + "run TEXT NOT NULL CHECK (length(hex(zeroblob(30000000))) > 0))"); }
  SECTION("a column that is computed") { rejects(schema + "run TEXT AS (hex(zeroblob(30000000))))"); }
  SECTION("an index of an expression") { rejects("CREATE INDEX i ON runs (hex(zeroblob(30000000 + id)))"); }
  SECTION("further tables") { rejects("CREATE TABLE more (x)"); }
  SECTION("a trigger") { rejects("CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM records; END"); }
  SECTION("tables without some columns") { rejects("DROP TABLE runs; CREATE TABLE runs (id, run, table_name)"); }
}

TEST_CASE("a store's record is not longer than any of ours") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "store";
  { const results::Store store(file); }
  execute(file,
          "INSERT INTO runs VALUES (1, 't', '{}'); INSERT INTO records VALUES ('t', 'latency', '', 'x', '', "
          "'', 3, '', 1, zeroblob(100000000))");
  CHECK_THAT(error_of([&] { results::Store(file).records("t", results::RecordKind::latency); }), Contains("too big"));
}

TEST_CASE("a text for a terminal keeps its letters and loses the terminal's commands") {
  CHECK(printable("a\tb\nc é 中") == "a\tb\nc é 中");
  CHECK(printable("\x1b[31m\x07\x7f\r\xc2\x9b"
                  "31m") == "?[31m????31m");
}
