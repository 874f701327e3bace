// SPDX-License-Identifier: Apache-2.0

// The man page and the completions say what --help says.
#include <regex>
#include <set>

#include "ptxlat_program.h"
#include "text.h"

using namespace ptxlat;

namespace {

// The long options that a command's help has.
std::set<std::string> options_of(const PtxlatProgram& program, const std::string& command) {
  const auto help = program.run({command, "--help"}).out;
  std::set<std::string> options;
  const std::regex option("^  (?:-[A-Za-z0-9], )?(--[a-z-]+)", std::regex::multiline);
  for (std::sregex_iterator match(help.begin(), help.end(), option), end; match != end; ++match)
    options.insert((*match)[1]);
  return options;
}

std::vector<std::string> commands_of(const PtxlatProgram& program) {
  const auto help = program.run({"--help"}).out;
  std::vector<std::string> commands;
  const std::regex command("^  ([a-z]+) ", std::regex::multiline);
  for (std::sregex_iterator match(help.begin() + static_cast<std::ptrdiff_t>(help.find("Ask:")), help.end(), command),
       end;
       match != end; ++match)
    commands.push_back((*match)[1]);
  return commands;
}

std::string with_escaped_dashes(std::string text) {
  for (auto at = text.find('-'); at != std::string::npos; at = text.find('-', at + 2)) text.insert(at, 1, '\\');
  return text;
}

}  // namespace

TEST_CASE("the man page and every completion have each command with each of its options") {
  const PtxlatProgram program;
  const auto man = program.run({"interface", "man"}), bash = program.run({"interface", "bash"}),
             zsh = program.run({"interface", "zsh"}), fish = program.run({"interface", "fish"});
  for (const auto* ended : {&man, &bash, &zsh, &fish}) CHECK(ended->status == 0);
  const auto commands = commands_of(program);
  REQUIRE(commands.size() >= 10);
  for (const auto& command : commands) {
    INFO(command);
    CHECK(man.out.find(".SH ptxlat " + command + "\n") != std::string::npos);
    CHECK(bash.out.find("    " + command + ")\n") != std::string::npos);
    CHECK(zsh.out.find("    '" + command + ":") != std::string::npos);
    CHECK(fish.out.find("-a " + command + " ") != std::string::npos);
    const auto options = options_of(program, command);
    REQUIRE(options.contains("--help"));
    for (const auto& option : options) {
      INFO(option);
      const auto own = man.out.substr(man.out.find(".SH ptxlat " + command + "\n"));
      CHECK(own.substr(0, own.find(".SH ", 4)).find(with_escaped_dashes(option)) != std::string::npos);
      CHECK(bash.out.find(option) != std::string::npos);
      CHECK(zsh.out.find("'*" + option + "[") != std::string::npos);
      CHECK(fish.out.find(" -l " + option.substr(2) + " ") != std::string::npos);
    }
  }
  CHECK(man.out.find("\n.SH EXIT STATUS\nExit codes: 0 done") != std::string::npos);
  CHECK(man.out.find("worker") == std::string::npos);  // hidden
}

TEST_CASE("bash completes commands, options and the values that an option allows") {
  PtxlatProgram program;
  REQUIRE(program.run({"interface", "bash", "-o", "completion"}).status == 0);
  PtxlatProgram bash;
  bash.set_program("/bin/bash");
  const auto completed = [&](const std::string& words) {
    return bash
        .run({"-c", "source " + (program.folder() / "completion").string() + "; COMP_WORDS=(" + words +
                        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ptxlat; echo \"${COMPREPLY[@]}\""})
        .out;
  };
  CHECK(completed("ptxlat comp") == "compare\n");
  CHECK(completed("ptxlat run --filt") == "--filter\n");
  CHECK(completed("ptxlat list --format ''") == "text csv json\n");
  CHECK(completed("ptxlat wor") == "\n");
  // The names that this machine has come from the program.
  bash.set("PATH", std::filesystem::path(PTXLAT_TEST_PROGRAM).parent_path().string() + ":/usr/bin:/bin");
  CHECK(has(completed("ptxlat show popc.b32 --table nvidia-h200@d"), "nvidia-h200@driver-580.159.04"));
  CHECK(completed("ptxlat show popc.b") == "popc.b32 popc.b64\n");
  CHECK(completed("ptxlat probe chas") == "chase\n");
  CHECK(has(completed("ptxlat compare sm_61@"), "sm_61@ptxas-12.9.86"));
}

TEST_CASE("the man page has an example of each command, and every variable of docs/commands.md") {
  const PtxlatProgram program;
  const auto man = program.run({"interface", "man"}).out;
  CHECK(has(man, "\n.SH EXAMPLES\n"));
  for (const auto& command : commands_of(program)) CHECK(has(man, "\nptxlat " + command));
  const auto docs = content_of(PTXLAT_SOURCE_DIR "/docs/commands.md");
  const auto table = docs.substr(docs.find("## Environment variables"));
  const std::regex variable("`([A-Z_0-9]{4,})`");
  for (std::sregex_iterator match(table.begin(), table.end(), variable), end; match != end; ++match) {
    INFO((*match)[1]);
    CHECK(has(man, (*match)[1].str()));
  }
}
