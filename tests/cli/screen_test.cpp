// SPDX-License-Identifier: Apache-2.0

// What a command prints on a terminal, into a pipe, and for programs.
#include <nlohmann/json.hpp>

#include "../tables/cells.h"
#include "ptxlat_program.h"
#include "text.h"

using namespace ptxlat;

namespace {

struct ProgramOnScreen : PtxlatProgram {
  ProgramOnScreen() { set("PTXLAT_LIBCUDA", "/nonexistent/libcuda.so.1"); }
};

std::vector<std::string> lines_in(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Characters of a line: neither colours nor the further bytes of a character.
std::size_t width_of_line(const std::string& line) {
  std::size_t width = 0;
  bool in_command = false;
  for (const unsigned char byte : line) {
    if (in_command)
      in_command = byte < '@' || byte == '[';
    else if (byte == 0x1b)
      in_command = true;
    else
      width += (byte & 0xc0) != 0x80 ? 1 : 0;
  }
  return width;
}

void check_screenful(const Ended& ended, std::size_t columns, std::size_t rows) {
  CHECK(ended.status == 0);
  const auto lines = lines_in(ended.out);
  CHECK(lines.size() > 2);
  CHECK(lines.size() < rows);
  for (const auto& line : lines) {
    INFO(line);
    CHECK(width_of_line(line) <= columns);
  }
}

// The document of a command, which has the head that all have.
nlohmann::json document_of(const Ended& ended) {
  INFO(ended.err);
  CHECK(ended.status == 0);
  auto document = nlohmann::json::parse(ended.out);
  CHECK(document.at("format") == 1);
  CHECK(document.at("version").is_string());
  CHECK(document.at("method").is_string());
  return document;
}

const std::vector<std::vector<std::string>>& long_answers() {
  static const std::vector<std::vector<std::string>> commands = {{"list"},
                                                                 {"list", "--sass", "IMAD"},
                                                                 {"show", "popc.b32"},
                                                                 {"show", "sinf", "-O", "0,3"},
                                                                 {"show", "chase"},
                                                                 {"show", "l1.ways"},
                                                                 {"show", "memory"},
                                                                 {"show", "FFMA"},
                                                                 {"show", "FFMA", "--pairs"},
                                                                 {"probe", "--list"},
                                                                 {"compare", "sm_86@O0", "sm_86@O3"}};
  return commands;
}

}  // namespace

TEST_CASE("on a terminal every answer fits it, and says what it leaves out; --full and a pipe leave out nothing") {
  const ProgramOnScreen program;
  for (const auto& command : long_answers()) {
    INFO(command[0] << ' ' << (command.size() > 1 ? command[1] : ""));
    check_screenful(program.run_on_terminal(command), 80, 24);
    check_screenful(program.run_on_terminal(command, 60, 40), 60, 40);
    auto full = command;
    full.emplace_back("--full");
    full.insert(full.end(), {"--color", "never"});
    CHECK(program.run_on_terminal(full).out == program.run(command).out);
  }
  CHECK(has(program.run_on_terminal({"list"}).out, " more lines: add --full, or send them to a file or a pipe\n"));
}

TEST_CASE("a sentence continues in the next line, and aligned text is cut") {
  const ProgramOnScreen program;
  const auto shown = program.run_on_terminal({"compare", "sm_86@O0", "sm_86@O3", "--color", "never"}, 60, 100).out;
  const auto sentence = shown.find("cycles of the schedule from A to B");
  REQUIRE(sentence != std::string::npos);
  CHECK(shown.find('\n', sentence) < shown.find("median ratio", sentence));
  CHECK(has(shown, "…\n"));
}

TEST_CASE("static prints a glance on a terminal, and only what was requested as csv and JSON") {
  PtxlatProgram program;
  program.require_tools();
  const auto glance = program.run_on_terminal({"static", "--filter", "popc", "--filter", "clz", "-O", "0,3"});
  check_screenful(glance, 80, 24);
  CHECK(has(glance.out, "\nIn all of these rows: operand a"));
  const auto csv = program.run({"static", "--filter", "popc", "-O", "3", "--format", "csv"});
  CHECK(has(csv.out, "\npopc.b32,"));
  CHECK_FALSE(has(csv.out, "\nclz."));
  const auto json = document_of(program.run({"static", "--filter", "popc", "-O", "3", "--format", "json"}));
  CHECK(json.at("rows").size() >= 2);
  for (const auto& row : json.at("rows")) CHECK(row.at("ptx").get<std::string>().starts_with("popc."));
  CHECK(json.at("rows").at(0).at("static").is_number());
}

TEST_CASE("--dry-run makes nothing, and counts what would be made") {
  PtxlatProgram program;
  program.require_tools();
  const auto plan = program.run({"static", "--filter", "popc", "-O", "0,3", "--dry-run"});
  CHECK(plan.status == 0);
  CHECK(has(plan.out, "4 cells of 2 forms, 0 of them already in ptxlat.sqlite; about "));
  CHECK_FALSE(std::filesystem::exists(program.store()));
  CHECK_FALSE(std::filesystem::exists(program.folder() / "ptxlat-tables"));
  REQUIRE(program.run({"static", "--filter", "popc.b32", "-O", "0,3"}).status == 0);
  const auto rest =
      document_of(program.run({"static", "--filter", "popc", "-O", "0,3", "--dry-run", "--format", "json"}));
  CHECK(rest.at("cells") == 4);
  CHECK(rest.at("in_store") == 2);
  INFO("and so do the commands that need a GPU");
  for (const auto& [command, words] : std::vector<std::pair<std::string, std::string>>{
           {"opcodes", "1 cells of 1 forms"}, {"pairs", "cells of 1 forms"}, {"probe", "1 probes"}}) {
    std::vector<std::string> arguments{command, "--dry-run", "--store", "none.sqlite"};
    if (command == "probe") arguments.emplace_back("clock_timer");
    if (command != "probe") arguments.insert(arguments.end(), {"--filter", "popc.b32"});
    const auto ended = program.run(arguments);
    INFO(command << " " << ended.err);
    CHECK(ended.status == 0);
    CHECK(has(ended.out, words));
    CHECK_FALSE(std::filesystem::exists(program.folder() / "none.sqlite"));
  }
}

TEST_CASE("--quiet leaves out progress and remarks, --verbose adds the stations' seconds") {
  PtxlatProgram program;
  program.require_tools();
  const std::vector<std::string> command{"static", "--filter", "popc", "-O", "3", "--format", "none"};
  const auto with = [&](const char* option) {
    std::filesystem::remove(program.store());
    auto arguments = command;
    arguments.insert(arguments.begin(), option);  // before the command, too
    return program.run(arguments);
  };
  const auto verbose = with("--verbose");
  CHECK(says(verbose, "  assemble "));
  CHECK(says(verbose, "cells made in"));
  const auto quiet = with("--quiet");
  CHECK(lines_in(quiet.err).size() == 1);
  CHECK(quiet.err.starts_with("ptxlat-tables/"));
}

TEST_CASE("--color decides on colours, also in a pipe") {
  const ProgramOnScreen program;
  const std::vector<std::string> compare{"compare", "sm_61@O0", "sm_61@O3", "--color"};
  const auto with = [&](const char* when) {
    auto arguments = compare;
    arguments.emplace_back(when);
    return program.run(arguments).out;
  };
  CHECK(has(with("always"), "\x1b["));
  CHECK_FALSE(has(with("never"), "\x1b["));
  CHECK_FALSE(has(with("auto"), "\x1b["));
  CHECK(has(program.run_on_terminal({"compare", "sm_61@O0", "sm_61@O3"}).out, "\x1b["));
}

TEST_CASE("every command that a script reads prints a document with format, version and method") {
  const ProgramOnScreen program;
  const auto json = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--format", "json"});
    return document_of(program.run(arguments));
  };
  CHECK(json({"list", "--filter", "popc"}).at("forms").at(0).at("ptx") == "popc.b32");
  const auto rows = json({"list", "--filter", "popc", "--table", "nvidia-h200"}).at("rows");
  CHECK(rows.at(0).at("cycles").is_number());
  CHECK(rows.at(0).at("pipe").is_string());
  const auto form = json({"show", "popc.b32"});
  CHECK(form.at("shown").at(0).at("gpu") == "NVIDIA H200");
  CHECK(form.at("shown").at(0).at("cells").at(0).at("ptx") == "popc.b32");
  CHECK(json({"show", "FFMA"}).at("opcode").at("latency") == 4);
  CHECK(json({"show", "l1.ways"}).at("facts").size() > 1);
  CHECK(json({"show", "chase"}).at("probes").size() == 1);
  CHECK(json({"show", "memory"}).at("levels").at(0).at("name") == "l1");
  CHECK(json({"probe", "--list"}).at("probes").size() > 20);
}

TEST_CASE("doctor and check print documents, too") {
  PtxlatProgram program;
  program.require_tools();
  const auto doctor = document_of(program.run({"doctor", "--format", "json"}));
  CHECK(doctor.at("gpu").at("sm") == 90);
  CHECK(doctor.at("has_nvdisasm") == true);
  CHECK_FALSE(doctor.at("toolkits").empty());
  const auto check = document_of(program.run({"check", "--filter", "popc", "--format", "json"}));
  CHECK(check.at("forms") == 2);
  CHECK(check.at("rejected").empty());
}

TEST_CASE("a warning of a run has a line of its own, whatever progress is shown") {
  PtxlatProgram program;
  program.require_tools();
  const auto ended = program.run_in_shell(
      "script -qec \"$P run --filter popc --toolchain ptxas -O 3 --format none\" /dev/null </dev/null");
  if (ended.status == 127) skip("no `script` on this machine");
  for (const auto& line : lines_in(ended.out)) {
    const auto at = line.find("warning: ");
    if (at != std::string::npos) CHECK((at == 0 || line.substr(0, at).ends_with("\033[K")));
  }
  CHECK(has(ended.out, "warning: "));
}
