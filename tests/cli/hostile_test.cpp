// SPDX-License-Identifier: Apache-2.0

// What SECURITY.md promises about somebody else's files, with the whole program: they are rejected with exit code 7, or
// read and harmless.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../results/execute_sql.h"
#include "../tables/cells.h"
#include "base/environment.h"
#include "bundle/bundle.h"
#include "bundle/bytes.h"
#include "latency/plan.h"
#include "ptxlat_program.h"
#include "results/json.h"
#include "results/store.h"
#include "tables/compression.h"
#include "tables/folder.h"

using namespace ptxlat;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t bomb_bytes = std::size_t{160} << 20;

void write(const fs::path& file, const std::string& content) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
}

// Everything in a folder except what PtxlatProgram keeps there.
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    if (name != "out" && name != "err" && name != "launches") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bundle::Manifest manifest_with(const std::string& toolchain) {
  bundle::Manifest manifest;
  manifest.tool_version = "1.2.3";
  manifest.git_commit = "abc";
  manifest.method_version = latency::method_version;
  manifest.target = {90, "a"};
  manifest.levels = {3};
  manifest.toolchains = {{{assemble::ToolchainKind::ptxas, toolchain, "13.0.88", {}, 9, 0}, {90, "a"}}};
  manifest.created_utc = "2026-01-01T00:00:00Z";
  manifest.command_line = "ptxlat assemble";
  return manifest;
}

struct Part {
  bundle::SectionKind kind;
  Bytes payload;
};

void write_bundle(const fs::path& file, const bundle::Manifest& manifest, const std::vector<Part>& parts) {
  bundle::BundleWriter writer(file);
  writer.begin(0);
  writer.add(bundle::SectionKind::manifest, bundle::manifest_to_json(manifest));
  for (const auto& part : parts) writer.add(part.kind, part.payload);
  writer.finish();
}

constexpr const char* csv_head =
    "ptx,chapter,operand,input,opt,levels,cycles,measure,consumer,sass,sass_count,verdict,note\n";

}  // namespace

TEST_CASE("a bundle with paths that climb writes nothing outside its folder") {
  const PtxlatProgram program;
  for (const std::string path : {"ptx_templates/isa/../../../evil.toml", "/tmp/ptxlat-evil.toml",
                                 "ptx_templates/isa/../../../../../../../../../../tmp/ptxlat-evil.toml"}) {
    write_bundle(program.folder() / "climbing", manifest_with("ptxas-13.0.88"),
                 {{bundle::SectionKind::files, bundle::encode_files({{path, "evil"}})}});
    const auto ended = program.run({"run", "--bundle", "climbing"});
    CHECK(ended.status == 7);
    CHECK(says(ended, "a name that it cannot have"));
    CHECK_FALSE(fs::exists("/tmp/ptxlat-evil.toml"));
    CHECK(names_in(program.folder()) == std::vector<std::string>{"climbing"});
  }
}

TEST_CASE("a bundle with a path that is absolute behind the name of its folder writes nothing") {
  const PtxlatProgram program;
  const auto elsewhere = program.folder() / "elsewhere";
  fs::create_directory(elsewhere);
  for (const std::string name : {"ptx_templates/", "ptx_templates/isa/", "catalogue-1/", "catalogue-2/",
                                 "ptx_templates/.", "ptx_templates/isa/./"}) {
    write_bundle(
        program.folder() / "absolute", manifest_with("ptxas-13.0.88"),
        {{bundle::SectionKind::files, bundle::encode_files({{name + elsewhere.string() + "/evil.sh", "evil"}})}});
    for (const char* command : {"static", "run"}) {
      const auto ended = program.run({command, "--bundle", "absolute"});
      INFO(name << ": " << ended.err);
      CHECK(ended.status == 7);
      CHECK(fs::is_empty(elsewhere));
    }
  }
}

TEST_CASE("a bundle with a file where another needs a folder, or a name that no file can have, writes nothing") {
  const PtxlatProgram program;
  for (const bundle::Files& files :
       {bundle::Files{{"ptx_templates/isa", "a file"}, {"ptx_templates/isa/a.toml", ""}},
        bundle::Files{{"ptx_templates/isa/a.toml", ""}, {"ptx_templates/isa/a.toml/b.toml", ""}},
        bundle::Files{{"ptx_templates/" + std::string(256, 'a'), ""}},
        bundle::Files{{std::string("ptx_templates/a\0b", 17), ""}}, bundle::Files{{"", ""}},
        bundle::Files{{"ptx_templates/", ""}}}) {
    write_bundle(program.folder() / "twice", manifest_with("ptxas-13.0.88"),
                 {{bundle::SectionKind::files, bundle::encode_files(files)}});
    const auto ended = program.run({"static", "--bundle", "twice"});
    INFO(ended.err);
    CHECK(ended.status == 7);
    CHECK(names_in(program.folder()) == std::vector<std::string>{"twice"});
  }
}

TEST_CASE("a store whose table is reached through a link writes nothing there") {
  const PtxlatProgram program;
  const auto precious = program.folder() / "precious";
  fs::create_directories(precious);
  auto run = run_of("static");
  run.table = "sm_90/away/deep/table";
  {
    results::Store store(program.store());
    run.id = store.save_run(run);
    auto record = cell_of("add.u32", 3, 4, "IADD3");
    record.run = run.id;
    auto probe = cell_of("shared_banks", 3, 4, "");
    probe.kind = results::RecordKind::probe;
    probe.run = run.id;
    store.save_records(run.table, {record, probe});
  }
  fs::create_directories(program.folder() / "linked/sm_90");
  fs::create_directory_symlink("../../precious", program.folder() / "linked/sm_90/away");
  const auto ended = program.run({"merge", "ptxlat.sqlite", "--into", "ptxlat.sqlite", "--tables", "linked"});
  CHECK(ended.status == 7);
  CHECK(says(ended, "linked/sm_90/away is a link"));
  CHECK(fs::is_empty(precious));
}

TEST_CASE("a bundle whose toolchain has the name of a path writes no table there") {
  const PtxlatProgram program;
  write_bundle(program.folder() / "named", manifest_with("../../../../evil"), {});
  const auto ended = program.run({"run", "--bundle", "named"});
  CHECK(ended.status == 7);
  CHECK(says(ended, "not the name of a toolchain"));
  CHECK(names_in(program.folder()) == std::vector<std::string>{"named"});
}

TEST_CASE("a bundle of more toolchains or levels than there are is rejected before it is searched for them") {
  const PtxlatProgram program;
  auto manifest = manifest_with("ptxas-13.0.88");
  const auto refused = [&](const std::string& why) {
    write_bundle(program.folder() / "many", manifest, {});
    const auto ended = program.run({"static", "--bundle", "many"});
    CHECK(ended.processor_time < scaled_deadline(std::chrono::seconds(2)));  // more with a sanitizer
    INFO(ended.err);
    CHECK(ended.status == 7);
    CHECK(says(ended, why));
  };
  SECTION("toolchains") {
    const auto one = manifest.toolchains.front();
    for (int i = 0; i < 100'000; ++i) {
      manifest.toolchains.push_back(one);
      manifest.toolchains.back().toolchain.name = fmt::format("ptxas-1.{}", i);
    }
    refused("more than 1000 toolchains");
  }
  SECTION("the same toolchain twice") {
    manifest.toolchains.push_back(manifest.toolchains.front());
    refused("ptxas-13.0.88 twice");
  }
  SECTION("levels") {
    manifest.levels.assign(100'000, 3);
    refused("levels that do not ascend");
  }
}

TEST_CASE("a bundle that unpacks to too much, or claims a section of terabytes, is rejected") {
  const PtxlatProgram program;
  write_bundle(program.folder() / "bomb", manifest_with("ptxas-13.0.88"),
               {{bundle::SectionKind::words, bundle::compress(Bytes(bomb_bytes))}});
  CHECK(fs::file_size(program.folder() / "bomb") < 100'000);
  const auto bomb = program.run({"run", "--bundle", "bomb"});
  CHECK(bomb.status == 7);
  CHECK(says(bomb, "too many bytes"));

  write_bundle(program.folder() / "claim", manifest_with("ptxas-13.0.88"), {});
  auto bytes = content_of(program.folder() / "claim");
  bytes[16 + 8 + 6] = 1;  // the size of the first section, in its sixth byte
  write(program.folder() / "claim", bytes);
  const auto claim = program.run({"run", "--bundle", "claim"});
  CHECK(claim.status == 7);
  CHECK(says(claim, "truncated or altered"));
}

TEST_CASE("a table that unpacks to gigabytes, or is that large, is rejected") {
  const PtxlatProgram program;
  const std::string zeros(bomb_bytes, '0');
  write(program.folder() / "gzip/latency.csv.gz", tables::gzip(zeros));
  write(program.folder() / "probes/probes.jsonl.zst", tables::zstd(zeros));
  write(program.folder() / "probes/probes.json", "{\"runs\": []}");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"compare", "gzip", "gzip"}, {"show", "x", "--table", "probes"}}) {
    const auto ended = program.run(arguments);
    CHECK(ended.status == 7);
    CHECK(says(ended, "too many bytes"));
  }
  // What is too much is counted and not kept.
  const auto member = tables::gzip(zeros);
  std::string members;
  for (int i = 0; i < 64; ++i) members += member;
  write(program.folder() / "members/latency.csv.gz", members);
  const auto counted = program.run({"compare", "members", "members"});
  CHECK(counted.status == 7);
  CHECK(says(counted, "unpacks to too many bytes"));
  CHECK(counted.peak_bytes < std::size_t{512} << 20);
  fs::create_directories(program.folder() / "large");
  std::ofstream(program.folder() / "large/latency.csv").flush();
  fs::resize_file(program.folder() / "large/latency.csv", std::uintmax_t{10} << 30);  // without a block on the disk
  const auto large = program.run({"compare", "large", "large"});
  CHECK(large.status == 7);
  CHECK(says(large, "has more than"));

  const auto lines = tables::zstd(zeros);
  write(program.folder() / "zstd/latency.jsonl.zst", lines);
  write(program.folder() / "zstd/run.json", fmt::format(R"({{"format": 4, "table": "t", "kind": "measured",
      "jsonl_crc32": "{}"}})",
                                                        tables::checksum_of(zeros)));
  const auto zstd = program.run({"compare", "zstd", "zstd"});
  CHECK(zstd.status == 7);
  CHECK(says(zstd, "too many bytes"));
}

TEST_CASE("a pipe or a device where a file should be is refused, and nothing waits for it") {
  const PtxlatProgram program;
  const auto pipe = [&](const std::string& name) {
    const auto file = program.folder() / name;
    fs::create_directories(file.parent_path());
    REQUIRE(mkfifo(file.c_str(), 0600) == 0);
  };
  pipe("rows/latency.csv");
  pipe("run/run.json");
  write(program.folder() / "facts/latency.csv", csv_head);
  pipe("facts/facts.csv");
  pipe("facts/opcodes.csv");
  pipe("probes/p.toml");
  pipe("pipe.ptx");
  fs::create_directories(program.folder() / "endless");
  fs::create_symlink("/dev/zero", program.folder() / "endless/latency.csv");
  struct Given {
    std::vector<std::string> arguments;
    int status;
  };
  for (const Given& given : {Given{{"compare", "rows", "rows"}, 7},
                             {{"show", "add.u32", "--table", "run"}, 7},
                             {{"compare", "facts", "facts"}, 7},
                             {{"report", "facts", "-o", "site"}, 7},
                             {{"compare", "endless", "endless"}, 7},
                             {{"probe", "--list", "--probes", "probes"}, 3},
                             {{"probe", "--replay", "pipe.ptx"}, 7},
                             {{"export", "endless", "--target", "accel-sim", "-o", "e", "--base", "pipe.ptx"}, 2},
                             {{"measure", "pipe.ptx"}, 2}}) {
    const auto ended = program.run(given.arguments);
    INFO(given.arguments.front() << ": " << ended.err);
    CHECK(ended.status == given.status);
    CHECK(says(ended, "is a pipe or a device"));
  }
}

TEST_CASE("a file that is not a cubin is named, and so is one that is cut") {
  const PtxlatProgram program;
  write(program.folder() / "t/pairs.csv", "producer,consumer,slot,schedule,measured,hazard,verdict,note\n");
  for (const std::string content : {"", "text",
                                    "\x7f"
                                    "ELF\x02\x01"}) {
    write(program.folder() / "cut.cubin", content);
    const auto ended = program.run({"pairs", "--count", "cut.cubin", "--against", "t"});
    CHECK(ended.status == 7);
    CHECK(says(ended, "cut.cubin: not a readable cubin"));
  }
}

TEST_CASE("TOML and PTX of gigabytes are refused before they are read") {
  const PtxlatProgram program;
  for (const std::string name : {"isa/a.toml", "probes/a.toml", "a.ptx"}) {
    write(program.folder() / name, "");
    fs::resize_file(program.folder() / name, std::uintmax_t{10} << 30);  // without a block on the disk
  }
  CHECK(says(program.run({"list", "--catalogue", "isa"}), "has more than"));
  CHECK(says(program.run({"probe", "--list", "--probes", "probes"}), "has more than"));
  CHECK(says(program.run({"measure", "a.ptx"}), "has more than"));
}

TEST_CASE("a table of more rows or records than any has is rejected, however small its files are") {
  const PtxlatProgram program;
  constexpr int rows = 600'000;
  const auto repeated = [](const std::string& line) {
    std::string text;
    for (int i = 0; i < rows; ++i) text += line;
    return text;
  };
  const auto lines = repeated("{}\n");
  write(program.folder() / "records/probes.jsonl.zst", tables::zstd(lines));
  write(program.folder() / "records/probes.json", "{\"runs\": []}");
  write(program.folder() / "lines/latency.jsonl.zst", tables::zstd(lines));
  write(program.folder() / "lines/run.json", fmt::format(R"({{"format": 4, "table": "t", "kind": "measured",
      "jsonl_crc32": "{}"}})",
                                                         tables::checksum_of(lines)));
  write(program.folder() / "csv/latency.csv.gz", tables::gzip(csv_head + repeated("a,C,,,O3,O3,4,,,,1,proven,\n")));
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"show", "x", "--table", "records"},
                                                    {"compare", "lines", "lines"},
                                                    {"compare", "csv", "csv"}}) {
    const auto ended = program.run(arguments);
    INFO(ended.err);
    CHECK(ended.status == 7);
    CHECK(says(ended, "more than 500000"));
  }
}

TEST_CASE("JSON, TOML and expressions of any depth are rejected without a crash") {
  const PtxlatProgram program;
  const std::string deep(1'000'000, '[');
  write(program.folder() / "deep/run.json", "{\"format\": 4, \"x\": " + deep);
  write(program.folder() / "deep/latency.csv", csv_head);
  CHECK(program.run({"compare", "deep", "deep"}).status == 7);
  write(program.folder() / "probes/probes.jsonl.zst", tables::zstd("{\"x\": " + deep));
  CHECK(program.run({"show", "x", "--table", "probes"}).status == 7);

  std::string dots = "a";
  for (int i = 0; i < 100'000; ++i) dots += ".a";
  for (const auto& text : {"x = " + deep, "[" + dots + "]\n", dots + " = 1\n"}) {
    const auto folder = program.write_catalogue(text);
    CHECK(program.run({"list", "--catalogue", folder.string()}).status == 3);
  }
}

TEST_CASE("texts of a catalogue that name each other without end are a mistake in it") {
  const PtxlatProgram program;
  const auto folder = program.write_catalogue(
      "chapter = \"x\"\n[[op]]\nname = \"x\"\nsyntax = \"x{m(type)} {d:u32}, {a:u32}\"\ntype = [\"u32\"]\n"
      "m = { u32 = \"{m(type)}\" }\n");
  const auto ended = program.run({"list", "--catalogue", folder.string()});
  CHECK(ended.status == 3);
  CHECK(says(ended, "without end"));
}

TEST_CASE("an entry of CUDA C that is a program, a file's name or a compiler's option is a mistake in it") {
  const PtxlatProgram program;
  std::string macros = "{d:u32} = {a:u32}\n#define A0 1+1+1+1+1+1+1+1+1+1\n";
  for (int i = 1; i < 9; ++i) {
    macros += fmt::format("#define A{} A{}", i, i - 1);
    for (int j = 1; j < 10; ++j) macros += fmt::format("+A{}", i - 1);
    macros += '\n';
  }
  const std::string plain = "\"\"\"{d:u32} = f({a:u32})\"\"\"";
  for (const auto& [entry, why] : std::vector<std::pair<std::string, std::string>>{
           {"call = \"\"\"" + macros + "+(A8)\"\"\"", "one expression"},
           {"call = \"\"\"{d:u32} = {a:u32};\n#include \"/etc/passwd\"\n\"\"\"", "one expression"},
           {"call = " + plain + "\nheader = \"/etc/passwd\"", "not the name of a header"},
           {"call = " + plain + "\noptions = [\"--pre-include=/etc/passwd\"]", "not an option that only"}}) {
    const auto folder = program.write_catalogue("chapter = \"CUDA C: mine\"\n[[op]]\nname = \"mine\"\n" + entry + "\n");
    const auto ended = program.run({"static", "--catalogue", folder.string(), "--chapter", "mine", "-O", "3"});
    INFO(ended.err);
    CHECK(ended.status == 3);
    CHECK(says(ended, why));
  }
}

TEST_CASE("PTX for which an assembler finds no memory only costs its own cell, and says so") {
  PtxlatProgram program;
  program.require_tools();
  const auto folder = program.write_catalogue(
      "chapter = \"mine\"\n[[op]]\nname = \"mine\"\nsyntax = \"mine.u32 {d:u32}, {a:u32}\"\n"
      "around = \"{ .reg .b32 many<2000000000>; add.u32 {d}, {a}, {a}; }\"\n");
  REQUIRE(program
              .run({"static", "--catalogue", folder.string(), "--filter", "/^(mine|add|sub).u32$/", "-O", "3",
                    "--target", "sm_90", "--format", "none"})
              .status == 0);
  std::map<std::string, results::Record> cells;
  for (const auto& table : fs::directory_iterator(program.folder() / "ptxlat-tables/sm_90/static"))
    for (auto& cell : records_in(table.path())) cells[cell.ptx] = std::move(cell);
  CHECK(cells.at("add.u32").verdict == sass::Verdict::proven);
  CHECK(cells.at("sub.u32").verdict == sass::Verdict::proven);
  CHECK(cells.at("mine.u32").verdict == sass::Verdict::rejected);
  CHECK_THAT(cells.at("mine.u32").note, Catch::Matchers::Contains("the assembler failed: ptxas "));
}

TEST_CASE("a table with a script or a terminal's commands in its texts shows them as text") {
  const PtxlatProgram program;
  const std::string row = "add.u32,C,a,default,O3,O3,{},dependent,add,IADD3,1,proven,";
  const std::string note =
      "<script>alert(1)</script> \x1b]0;title\x07 \xc2\x9b"
      "31m";
  write(program.folder() / "a/latency.csv", csv_head + fmt::format(fmt::runtime(row), 4) + note + "\n");
  write(program.folder() / "b/latency.csv", csv_head + fmt::format(fmt::runtime(row), 5) + "\n");
  for (const std::string format : {"text", "markdown"}) {
    const auto ended = program.run({"compare", "a", "b", "--format", format});
    CHECK(ended.status == 0);
    CHECK(ended.out.find('\x1b') == std::string::npos);
    CHECK(ended.out.find("\xc2\x9b") == std::string::npos);
    if (format == "markdown") CHECK(ended.out.find("<script") == std::string::npos);
  }

  const std::string facts = "probe,quantity,condition,value,low,high,unit,scope,verdict,how\n";
  write(program.folder() / "a/facts.csv", facts + "p,l1.bytes,,1,1,1," + note + ",SM,measured," + note + "\n");
  write(program.folder() / "b/facts.csv", facts + "p,l1.bytes,,2,2,2,B,SM,measured,h\n");
  results::Record probe;
  probe.kind = results::RecordKind::probe;
  probe.ptx = "p";
  auto& fact = probe.facts.emplace_back();
  fact.quantity = "l1.index";
  fact.value = note;
  fact.unit = "text";
  fact.verdict = results::FactVerdict::measured;
  write(program.folder() / "a/probes.json", "{\"runs\": []}");
  write(program.folder() / "a/probes.jsonl.zst", tables::zstd(results::to_line(results::to_json(probe)) + "\n"));
  program.write_catalogue(R"(
chapter = "\u001b]0;title\u0007 \u009b31m"
section = "1"
[[op]]
name = "strange"
syntax = "strange.u32 {d:u32}, {a:u32}"
)");
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"compare", "a", "b", "--format", "facts"},
                                                    {"compare", "a", "b", "--format", "csv"},
                                                    {"show", "memory", "--table", "a"},
                                                    {"list", "--catalogue", "mine", "--filter", "strange"},
                                                    {"list", "--catalogue", "mine", "--format", "csv"},
                                                    {"list", "--table", "a", "--format", "csv"},
                                                    {"export", "a", "--target", "accel-sim", "-o", "exported"}}) {
    const auto ended = program.run(arguments);
    INFO(ended.err);
    CHECK(ended.status == 0);
    for (const std::string* shown : {&ended.out, &ended.err}) {
      CHECK(shown->find('\x1b') == std::string::npos);
      CHECK(shown->find("\xc2\x9b") == std::string::npos);
    }
  }
}

namespace {

// A table's records of probes, and the runs that they name.
void copy_probes(const fs::path& from, const fs::path& to) {
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(from)) {
    if (entry.path().filename().string().starts_with("probes.json"))
      fs::copy(entry.path(), to / entry.path().filename());
  }
}

}  // namespace

TEST_CASE("facts are not written through a link in a table's folder") {
  const PtxlatProgram program;
  const fs::path committed = PTXLAT_SOURCE_DIR "/tables/sm_90/nvidia-h200/driver-580.159.04";
  const auto table = program.folder() / "table", precious = program.folder() / "precious";
  copy_probes(committed, table);
  write(precious, "keep me");
  fs::create_symlink(precious, table / "facts.csv");
  CHECK(program.run({"probe", "--reread", table.string()}).status == 0);
  CHECK(content_of(precious) == "keep me");
  CHECK(fs::symlink_status(table / "facts.csv").type() == fs::file_type::regular);
}

TEST_CASE("a table with code in its names puts none into a simulator's configuration") {
  const PtxlatProgram program;
  const fs::path committed = PTXLAT_SOURCE_DIR "/tables/sm_90/nvidia-h200/driver-580.159.04";
  const auto table = program.folder() / "table";
  copy_probes(committed, table);
  auto runs = results::parse_json(content_of(committed / "probes.json"));
  for (auto& run : runs["runs"]) {
    run["device"]["name"] = "x\", \"y\": __import__(\"os\").system(\"touch evil\"), \"z\": \"";
    run["table"] = "a\nimport os";
  }
  write(table / "probes.json", runs.dump());
  const auto ended = program.run({"export", table.string(), "--target", "ppt-gpu", "-o", "exported"});
  INFO(ended.err);
  REQUIRE(ended.status == 0);
  CHECK(ended.err.find("gpu_name") != std::string::npos);
  const auto module = content_of(program.folder() / "exported/hardware/ptxlat.py");
  CHECK(module.find("num_SMs") != std::string::npos);
  CHECK(module.find("__import__") == std::string::npos);
  CHECK(module.find("\nimport") == std::string::npos);
}

TEST_CASE("a store whose tables have names of paths or a terminal's commands writes none of them") {
  const PtxlatProgram program;
  int number = 0;
  for (const std::string name :
       {"../../evil", "/tmp/ptxlat-evil", "a/../../evil", "", ".", "a/./b", "\x1b]0;evil\x07"}) {
    for (const auto kind : {results::RecordKind::latency, results::RecordKind::probe, results::RecordKind::hazard}) {
      const auto file = program.folder() / fmt::format("store{}", ++number);
      {
        results::Store store(file);
        results::Run run;
        run.table = name;
        run.kind = "measured";
        const int id = store.save_run(run);
        results::Record record;
        record.kind = kind;
        record.ptx = "x";
        record.level = 3;
        record.run = id;
        store.save_records(name, {record});
      }
      const auto ended = program.run({"merge", file.string(), "--into", file.string() + "-merged", "--tables", "in"});
      INFO(name << ": " << ended.err);
      CHECK(ended.status == 7);
      CHECK(says(ended, "a table cannot be called"));
      CHECK(ended.err.find('\x1b') == std::string::npos);
      CHECK_FALSE(fs::exists(program.folder() / "in"));
      CHECK_FALSE(fs::exists(program.folder() / "evil"));
      CHECK_FALSE(fs::exists("/tmp/ptxlat-evil"));
    }
  }
}

TEST_CASE("a store whose runs name a table elsewhere makes no folder there") {
  const PtxlatProgram program;
  const auto file = program.folder() / "store";
  {
    results::Store store(file);
    results::Run run;
    run.table = "t";
    run.kind = "measured";
    run.started_utc = "2026-01-02T00:00:00Z";
    results::Record record;
    record.ptx = "x";
    record.run = store.save_run(run);
    store.save_records("t", {record});
    run.started_utc = "2026-01-01T00:00:00Z";
    store.save_run(run);
  }
  execute(file, R"(UPDATE runs SET run = replace(run, '"table":"t"', '"table":"../../evil"') WHERE id = 1)");
  const auto ended = program.run({"merge", file.string(), "--into", file.string(), "--tables", "in/tables"});
  CHECK(ended.status == 7);
  CHECK(says(ended, "damaged record"));
  CHECK(names_in(program.folder()) == std::vector<std::string>{"store"});
}

TEST_CASE("a series with gnuplot's commands in its names runs none of them") {
  const PtxlatProgram program;
  const std::string evil = "x'; system 'touch evil'; `touch evil` \\\"\\nsystem 'touch evil'\\n";
  const auto json = fmt::format(
      R"({{"kind": "probe", "ptx": "../../p{0}", "opt": 3, "verdict": "proven", "series": [{{"name": "{0}",
          "unit": "{0}", "axes": [{{"name": "{0}", "unit": "{0}", "values": [0, 1], "names": ["{0}", "b"]}}],
          "values": [1, 2]}}]}})",
      evil);
  std::string line;
  for (const char c : json) line += c == '\n' ? ' ' : c;
  write(program.folder() / "t/probes.jsonl.zst", tables::zstd(line + "\n"));
  write(program.folder() / "t/probes.json", "{\"runs\": []}");
  const std::string name = "../../px'; system 'touch evil'; `touch evil` \"\nsystem 'touch evil'\n";
  const auto ended = program.run({"show", name, "--table", "t", "--plot", "plots"});
  if (ended.status == 5) skip("no gnuplot on this machine");
  CHECK(ended.status == 0);
  CHECK(names_in(program.folder()) == std::vector<std::string>{"plots", "t"});
  for (const auto& plot : fs::directory_iterator(program.folder() / "plots")) CHECK(plot.path().extension() == ".svg");
}

TEST_CASE("a program with more rights than its caller opens no library and runs no program that a variable names") {
  if (geteuid() != 0) skip("only root makes a program with more rights");
  const PtxlatProgram program;
  // An installed copy that anybody may run as root.
  const auto copy = program.folder() / "bin/ptxlat";
  fs::create_directories(copy.parent_path());
  fs::create_directories(program.folder() / "share/ptxlat");
  fs::copy(templates_snapshot(), program.folder() / "share/ptxlat/ptx_templates", fs::copy_options::recursive);
  fs::copy_file(PTXLAT_TEST_PROGRAM, copy);
  fs::permissions(copy, static_cast<fs::perms>(04755));
  fs::permissions(program.folder(), static_cast<fs::perms>(0777));
  const auto doctor = [&](uid_t user) {
    const auto file = program.folder() / "doctor";
    const pid_t child = fork();
    if (child == 0) {
      dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
      setenv("PTXLAT_LIBCUDA", "/nonexistent/evil.so", 1);
      setenv("PTXLAT_TOOLKITS", "/nonexistent", 1);
      if (user != 0 && setuid(user) != 0) _exit(97);
      execl(copy.c_str(), copy.c_str(), "doctor", nullptr);
      _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) == 99) skip("programs of this folder cannot be run");
    return content_of(file);
  };
  INFO(doctor(0));
  CHECK(doctor(0).find("/nonexistent/evil.so") != std::string::npos);
  const auto of_nobody = doctor(65534);
  INFO(of_nobody);
  CHECK(of_nobody.find("driver") != std::string::npos);
  CHECK(of_nobody.find("/nonexistent/evil.so") == std::string::npos);
}
