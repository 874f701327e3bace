// SPDX-License-Identifier: Apache-2.0

// Follows the walk through of docs/adding-an-instruction.md: its TOML, its commands, and what they print.
#include <algorithm>
#include <sstream>

#include "../sass/real_code.h"
#include "assemble/toolchain.h"
#include "base/error.h"
#include "ptxlat_program.h"
#include "tables/table.h"

using namespace ptxlat;

namespace {

const std::filesystem::path source = PTXLAT_SOURCE_DIR;

// The fenced blocks of one language on the walk through, without their indentation.
std::vector<std::string> blocks(const std::string& language) {
  const auto page = content_of(source / "docs/adding-an-instruction.md");
  const auto begin = page.find("## A walk through\n"), end = page.find("\n## A file\n");
  REQUIRE(begin < end);
  std::vector<std::string> found;
  const std::string fence = "   ```" + language + "\n";
  for (auto at = page.find(fence, begin); at < end; at = page.find(fence, at + 1)) {
    const auto stop = page.find("   ```\n", at + fence.size());
    std::string block = "\n" + page.substr(at + fence.size(), stop - at - fence.size());
    for (auto line = block.find("\n   "); line != std::string::npos; line = block.find("\n   ", line + 1))
      block.erase(line + 1, 3);
    found.push_back(block.substr(1));
  }
  return found;
}

// "$ ptxlat list --filter x" → its arguments.
std::vector<std::string> arguments_of(const std::string& block) {
  std::istringstream words(block.substr(0, block.find('\n')));
  std::string prompt, program;
  words >> prompt >> program;
  REQUIRE(prompt == "$");
  REQUIRE(program == "ptxlat");
  return {std::istream_iterator<std::string>(words), {}};
}

// Skips the case without a ptxas and a disassembler for sm_100a.
void require_sm_100a() {
  for (const auto& toolchain : ptxas_or_skip()) {
    const auto targets = assemble::targets_of(toolchain.path);
    if (std::find(targets.begin(), targets.end(), "sm_100a") == targets.end()) continue;
    try {
      assemble::nvdisasm_for({100, "a"}, all_toolkits());
      return;
    } catch (const Error&) {
      break;
    }
  }
  skip("no ptxas and nvdisasm for sm_100a on this machine (tools/toolkits.sh brings both)");
}

// The reader's folder, and a catalogue that has not got the instruction yet.
struct Reader {
  PtxlatProgram program;

  Reader() {
    const auto templates = program.folder() / "ptx_templates";
    std::filesystem::copy(templates_snapshot(), templates, std::filesystem::copy_options::recursive);
    std::filesystem::remove(templates / "isa/synchronization.toml");
    program.set("PTXLAT_TEMPLATES", templates.string());
    if (const char* toolkits = std::getenv("PTXLAT_TOOLKITS")) program.set("PTXLAT_TOOLKITS", toolkits);
    const auto entries = blocks("toml");
    REQUIRE(entries.size() == 1);
    program.write_catalogue(entries.front());
  }

  Ended follow(const std::string& command) const {
    for (const auto& block : blocks("console")) {
      const auto arguments = arguments_of(block);
      if (arguments.front() == command) return program.run(arguments);
    }
    FAIL("the page has no command " << command);
    return {};
  }
};

}  // namespace

TEST_CASE("the entry on the page about adding an instruction is listed as the page says") {
  const Reader reader;
  const auto listed = reader.follow("list");
  CHECK(listed.status == 0);
  const auto shown = blocks("console").front();
  REQUIRE(shown.find("ptxlat list") != std::string::npos);
  CHECK(listed.out == shown.substr(shown.find('\n') + 1));
}

TEST_CASE("the entry on the page about adding an instruction is taken by ptxas and proven for sm_100a") {
  require_sm_100a();
  const Reader reader;
  CHECK(reader.follow("check").status == 0);
  CHECK(reader.follow("static").status == 0);
  std::vector<results::Record> cells;
  for (const auto& folder :
       std::filesystem::directory_iterator(reader.program.folder() / "ptxlat-tables/sm_100a/static"))
    cells = records_in(folder.path());
  REQUIRE(cells.size() == 8);
  for (const auto& cell : cells) {
    INFO(cell.ptx << ": " << cell.note);
    CHECK(cell.verdict == sass::Verdict::proven);
    CHECK(cell.number(results::metric::static_cycles));
    CHECK(cell.sass.front().find("CREDUX") != std::string::npos);
  }
}

TEST_CASE("the entry on the page about adding an instruction is a mistake in a catalogue that already has it") {
  Reader reader;
  reader.program.set("PTXLAT_TEMPLATES", templates_snapshot().string());
  const auto listed = reader.follow("list");
  CHECK(listed.status == 3);
  CHECK_THAT(listed.err, Catch::Matchers::Contains("redux.sync.min.f32 is already at ") &&
                             Catch::Matchers::Contains("synchronization.toml:"));
}
