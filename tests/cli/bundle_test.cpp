// SPDX-License-Identifier: Apache-2.0

// `ptxlat assemble` and `ptxlat run --bundle`: a machine with toolkits and one with a GPU working together.
#include "bundle/bundle.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <random>

#include "ptxlat_program.h"
#include "tables/compression.h"
#include "tables/folder.h"

using namespace ptxlat;

namespace {

using Arguments = std::vector<std::string>;

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

const Arguments few_forms{"--filter", "add.u32", "--filter", "popc.b32", "--filter", "div.s64", "-O", "0,3"};

// The oldest and the newest ptxas, and a library, as far as they are here.
std::string old_and_new_toolchains() {
  std::vector<std::filesystem::path> folders = assemble::toolkit_folders();
  const std::filesystem::path own = std::filesystem::path(PTXLAT_SOURCE_DIR) / "toolkits";
  if (std::filesystem::is_directory(own)) {
    for (const auto& entry : std::filesystem::directory_iterator(own)) folders.push_back(entry.path());
  }
  std::string newest, oldest, library;
  for (const auto& toolchain : assemble::find_toolchains(folders)) {
    if (toolchain.kind == assemble::ToolchainKind::nvjitlink && library.empty()) library = "," + toolchain.name;
    if (toolchain.kind != assemble::ToolchainKind::ptxas) continue;
    if (newest.empty()) newest = toolchain.name;
    oldest = toolchain.name;
  }
  return oldest + "," + newest + library;
}

std::string tables_of(const PtxlatProgram& program) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(program.folder() / "ptxlat-tables")) {
    if (entry.path().filename() == "latency.csv")
      files[entry.path().lexically_relative(program.folder()).string()] = content_of(entry.path());
    if (entry.path().filename() == "forms.csv.gz")
      files[entry.path().lexically_relative(program.folder()).string()] = tables::gunzip(content_of(entry.path()));
  }
  std::string all;
  for (const auto& [name, text] : files) all += name + "\n" + text;
  return all;
}

// A bundle of few forms, made once.
const std::filesystem::path& little_bundle() {
  static const PtxlatProgram program;
  static const auto file = [] {
    REQUIRE(program.run(with({"assemble", "-o", "little.bundle"}, few_forms)).status == 0);
    return program.folder() / "little.bundle";
  }();
  return file;
}

// No toolkits, no catalogue: what comes from a bundle needs neither.
void take_tools_away(PtxlatProgram& program) {
  program.set("PTXLAT_TOOLKITS", "/nonexistent");
  program.set("PTXLAT_TEMPLATES", "/nonexistent");
}

// Nothing was measured and nothing written.
void check_refused(const PtxlatProgram& program, const Ended& ended, int status) {
  INFO(ended.err);
  CHECK(ended.status == status);
  CHECK(ended.out.empty());
  CHECK_FALSE(std::filesystem::exists(program.store()));
  CHECK_FALSE(std::filesystem::exists(program.folder() / "ptxlat-tables"));
  CHECK_FALSE(std::filesystem::exists(program.launch_log()));
}

}  // namespace

TEST_CASE("a bundle gives the tables that assembling in the run gives, byte for byte, without any toolkit") {
  PtxlatProgram here, there;
  here.require_tools();
  // With an instruction that the assemblers reject, and one of a later PTX version, which they do not even get.
  const auto mine = here.write_catalogue(
      "chapter = \"mine\"\n[[op]]\nname = \"nonsense\"\nsyntax = \"nonsense.u32 {d:u32}, {a:u32}\"\n\n"
      "[[op]]\nname = \"newer\"\nsyntax = \"newer.s32 {d:s32}, {a:s32}\"\nptx = \"99.0\"\n");
  const auto options =
      with(few_forms, {"--filter", "nonsense", "--filter", "newer", "--toolchain", old_and_new_toolchains()});
  const auto catalogue = Arguments{"--catalogue", mine.string()};
  REQUIRE(here.run(with(with({"run", "--format", "none"}, options), catalogue)).status == 0);
  REQUIRE(here.run(with(with({"assemble", "-o", "all.bundle"}, options), catalogue)).status == 0);

  std::filesystem::remove_all(mine);
  take_tools_away(there);
  const auto bundle = (here.folder() / "all.bundle").string();
  REQUIRE(there.run({"run", "--bundle", bundle, "--format", "none"}).status == 0);
  const auto wanted = tables_of(here);
  CHECK(wanted.find(",rejected,") != std::string::npos);
  CHECK(wanted.find(",unsupported,") != std::string::npos);
  CHECK(wanted.find(",proven,") != std::string::npos);
  CHECK((tables_of(there) == wanted));
}

TEST_CASE("the provenance of a bundle's table names the bundle and how it was made") {
  PtxlatProgram program;
  program.require_tools();
  const auto& bundle = little_bundle();
  REQUIRE(program.run({"run", "--bundle", bundle.string()}).status == 0);
  const auto folder = program.folder() / "ptxlat-tables/sm_90/stand-in-h200";
  const auto provenance = tables::read_table(*std::filesystem::directory_iterator(folder)).run;
  CHECK(provenance.kind == "measured");
  REQUIRE(provenance.bundle);
  CHECK(provenance.bundle->file == "little.bundle");
  CHECK(provenance.bundle->size == std::filesystem::file_size(bundle));
  CHECK(provenance.bundle->checksum == fmt::format("{:08x}", bundle::open_bundle(bundle).checksum));
  CHECK(provenance.bundle->command_line.starts_with("ptxlat assemble "));
}

TEST_CASE("a part of a bundle can be measured, and the rest later") {
  PtxlatProgram program, whole;
  program.require_tools();
  take_tools_away(program);
  const auto bundle = little_bundle().string();
  REQUIRE(program.run({"run", "--bundle", bundle, "--filter", "popc.b32", "-O", "3"}).status == 0);
  const auto launched = lines_of(program.launch_log()).size();
  const auto rest = program.run({"run", "--bundle", bundle});
  REQUIRE(rest.status == 0);
  CHECK(says(rest, "cells are already in ptxlat.sqlite"));
  CHECK(lines_of(program.launch_log()).size() > launched);
  REQUIRE(whole.run({"run", "--bundle", bundle}).status == 0);
  CHECK((tables_of(program) == tables_of(whole)));
}

TEST_CASE("things that a bundle does not have cannot be chosen") {
  PtxlatProgram program;
  program.require_tools();
  const auto bundle = little_bundle().string();
  for (const auto& [status, options] : {std::pair<int, Arguments>{4, {"-O", "1"}},
                                        {4, {"--filter", "sub.u32"}},
                                        {4, {"--toolchain", "ptxas-9.0"}},
                                        {2, {"--catalogue", "."}},
                                        {2, {"--all"}},
                                        {2, {"--target", "sm_90"}}}) {
    check_refused(program, program.run(with({"run", "--bundle", bundle}, options)), status);
  }
  check_refused(program, program.run({"run", "--bundle", "no/such.bundle"}), 7);
  check_refused(program, program.run({"run", "--bundle", ""}), 7);  // from an unset variable
}

TEST_CASE("a bundle for a different architecture is rejected before anything is measured") {
  PtxlatProgram program;
  program.require_tools();
  REQUIRE(program.run({"assemble", "--target", "sm_80", "--filter", "popc.b32", "-O", "3", "-o", "a.bundle"}).status ==
          0);
  const auto ended = program.run({"run", "--bundle", "a.bundle"});
  check_refused(program, ended, 6);
  CHECK(says(ended, "ptxlat assemble --target sm_90a"));
}

TEST_CASE("a bundle damaged at random places is rejected before anything is measured") {
  PtxlatProgram program;
  program.require_tools();
  const auto whole = content_of(little_bundle());
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    auto damaged = whole;
    const auto at = random() % damaged.size();
    INFO((round % 2 == 0 ? "cut short at byte " : "altered at byte ") << at << " of " << whole.size());
    if (round % 2 == 0)
      damaged.resize(at);
    else
      damaged[at] = static_cast<char>(~damaged[at]);
    std::ofstream(program.folder() / "damaged.bundle", std::ios::binary) << damaged;
    check_refused(program, program.run({"run", "--bundle", "damaged.bundle"}), 7);
  }
}

TEST_CASE("assemble continues after kill -9 and Ctrl-C, and gives the bundle of an undisturbed call") {
  PtxlatProgram program;
  program.require_tools();
  const Arguments several_chunks{"--filter", "/^(add|sub|and|min|fma)\\./", "-O", "3", "--threads", "1"};
  const auto cells_and_code = [](const std::filesystem::path& file) {
    std::vector<Bytes> payloads;
    for (const auto& section : bundle::read_contents(file).sections) {
      if (section.kind != bundle::SectionKind::manifest) payloads.push_back(bundle::read_section(file, section));
    }
    return payloads;
  };
  REQUIRE(program.run(with({"assemble", "-o", "undisturbed.bundle"}, several_chunks)).status == 0);
  // The catalogue is in the file from the beginning; half of all has some code.
  const auto half = std::filesystem::file_size(program.folder() / "undisturbed.bundle") / 2;
  for (const int signal : {SIGKILL, SIGINT, SIGTERM}) {
    const auto child = program.start(with({"assemble", "-o", "a.bundle"}, several_chunks));
    const auto part = program.folder() / "a.bundle.part";
    const auto has_a_chunk = [&] {
      std::error_code none_yet;
      return std::filesystem::file_size(part, none_yet) > half && !none_yet;
    };
    while (!has_ended(child) && !has_a_chunk()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ::kill(child, signal);
    const auto ended = program.wait_for(child);
    CHECK(ended.status == (signal == SIGKILL ? 128 + SIGKILL : 130));
    CHECK_FALSE(std::filesystem::exists(program.folder() / "a.bundle"));
    const auto again = program.run(with({"assemble", "-o", "a.bundle"}, several_chunks));
    REQUIRE(again.status == 0);
    CHECK(says(again, "cells are already in a.bundle.part"));
    CHECK((cells_and_code(program.folder() / "a.bundle") == cells_and_code(program.folder() / "undisturbed.bundle")));
    std::filesystem::remove(program.folder() / "a.bundle");
  }
}

TEST_CASE("a limit on file sizes is an error that says so, and without it the same command continues") {
  PtxlatProgram program;
  program.require_tools();
  const Arguments assemble{"assemble", "--filter", "popc.b32", "-O", "3", "-o", "a.bundle"};
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{20'000, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const auto limited = program.run(assemble);
  ::setrlimit(RLIMIT_FSIZE, &before);
  CHECK(limited.status == 7);
  CHECK(says(limited, "a.bundle.part cannot be written: File too large"));
  CHECK(program.run(assemble).status == 0);
}

TEST_CASE("assemble rejects what it cannot write or make") {
  PtxlatProgram program;
  program.require_tools();
  CHECK(program.run({"assemble"}).status == 2);
  CHECK(program.run({"assemble", "-o", "no/such/folder/a.bundle", "--filter", "popc.b32"}).status == 7);
  CHECK(program.run({"assemble", "-o", "a.bundle", "-O", "4", "--filter", "popc.b32"}).status == 4);
  CHECK(program.run({"assemble", "-o", "a.bundle", "--target", "sm_1"}).status == 4);
  CHECK_FALSE(std::filesystem::exists(program.folder() / "a.bundle"));
}
