// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "run/provenance.h"

// The man page and the shell completions, generated from the commands' descriptions in CLI11. No option is described
// twice.
namespace ptxlat::cli {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  std::vector<const CLI::App*> commands;
  for (const auto* command : program.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); }))
    commands.push_back(command);
  return commands;
}

std::vector<const CLI::Option*> options_of(const CLI::App& app, bool are_positional) {
  std::vector<const CLI::Option*> options;
  for (const auto* option : app.get_options()) {
    if (!option->get_group().empty() && option->get_positional() == are_positional) options.push_back(option);
  }
  return options;
}

// "-O", "--levels".
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const auto& name : option.get_snames()) names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_expected_max() > 0 && option.get_type_size() > 0; }

// How CLI11 prints the kind of a value: "FILE", or the allowed values, "{text,csv}".
std::string type_of(const CLI::Option& option) { return takes_value(option) ? option.get_type_name() : ""; }

// The values that an option allows, if its kind lists them.
std::vector<std::string> values_of(const CLI::Option& option) {
  const auto type = type_of(option);
  const auto open = type.find('{'), close = type.find('}');
  std::vector<std::string> values;
  if (open == std::string::npos || close == std::string::npos) return values;
  std::istringstream list(type.substr(open + 1, close - open - 1));
  for (std::string value; std::getline(list, value, ',');) values.push_back(value);
  return values;
}

bool takes_path(const CLI::Option& option) {
  const auto type = type_of(option);
  for (const char* kind : {"FILE", "FOLDER", "DIR", "TABLE", "PROGRAM"}) {
    if (type.find(kind) != std::string::npos) return true;
  }
  return false;
}

// Text of roff: a backslash is its escape, a dash stays one that can be copied, and a line may not begin with a dot.
std::string roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if (c == '\n') {
      escaped += "\n.br\n";
    } else {
      if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) escaped += "\\&";
      escaped += c;
    }
  }
  return escaped;
}

std::string man_option(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const auto& name : names_of(option)) names.push_back(fmt::format("\\fB{}\\fR", roff(name)));
  if (names.empty()) names.push_back(fmt::format("\\fI{}\\fR", roff(option.get_name())));
  const auto type = type_of(option);
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "),
                     type.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(type)), roff(option.get_description()));
}

std::string man_page(const CLI::App& program) {
  auto text = fmt::format(
      ".TH PTXLAT 1 \"\" \"ptxlat {}\" \"User Commands\"\n.SH NAME\nptxlat \\- latency of every PTX instruction\n"
      ".SH SYNOPSIS\n.B ptxlat\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n{}\n",
      run::tool_version(), roff(program.get_description()));
  for (const auto* option : options_of(program, false)) text += man_option(*option);
  for (const auto* command : commands_of(program)) {
    text += fmt::format(".SH {}\n{}\n", roff("ptxlat " + command->get_name()), roff(command->get_description()));
    for (const bool are_positional : {true, false}) {
      for (const auto* option : options_of(*command, are_positional)) text += man_option(*option);
    }
  }
  return text + fmt::format(".SH EXIT STATUS\n{}\n", roff(program.get_footer()));
}

// The first sentence of a description, for a list of candidates.
std::string brief(const std::string& description) {
  const auto end = std::min(description.find(". "), description.find('\n'));
  auto text = description.substr(0, end);
  while (!text.empty() && text.back() == '.') text.pop_back();
  return text;
}

std::string bash_completion(const CLI::App& program) {
  std::vector<std::string> names, cases;
  for (const auto* command : commands_of(program)) {
    names.push_back(command->get_name());
    std::vector<std::string> options;
    std::string of_values;
    for (const auto* option : options_of(*command, false)) {
      const auto spelled = names_of(*option);
      options.insert(options.end(), spelled.begin(), spelled.end());
      if (const auto values = values_of(*option); !values.empty())
        of_values += fmt::format("        {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                                 fmt::join(spelled, "|"), fmt::join(values, " "));
    }
    if (!of_values.empty()) of_values = fmt::format("      case $before in\n{}      esac\n", of_values);
    cases.push_back(
        fmt::format("    {})\n{}      options='{}' ;;\n", command->get_name(), of_values, fmt::join(options, " ")));
  }
  return fmt::format(
      "# bash completion of ptxlat, made by `ptxlat interface bash`\n"
      "_ptxlat() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options=''\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '{} --help --version' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n"
      "{}"
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _ptxlat ptxlat\n",
      fmt::join(names, " "), fmt::join(cases, ""));
}

// In single quotes, with `special` characters escaped.
std::string quoted(const std::string& text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_completion(const CLI::App& program) {
  std::string commands, cases;
  for (const auto* command : commands_of(program)) {
    commands += fmt::format("    '{}:{}'\n", command->get_name(), quoted(brief(command->get_description()), ":"));
    cases += fmt::format("    {})\n      _arguments", command->get_name());
    for (const auto* option : options_of(*command, false)) {
      for (const auto& name : names_of(*option)) {
        const auto values = values_of(*option);
        const auto what = !values.empty()        ? fmt::format(":value:({})", fmt::join(values, " "))
                          : takes_path(*option)  ? ":path:_files"
                          : takes_value(*option) ? ":value:"
                                                 : "";
        cases += fmt::format(" \\\n        '*{}[{}]{}'", name, quoted(brief(option->get_description()), "[]:"), what);
      }
    }
    cases += " \\\n        '*::argument:_files'\n      ;;\n";
  }
  return fmt::format(
      "#compdef ptxlat\n# made by `ptxlat interface zsh`\n_ptxlat() {{\n  local -a commands\n  commands=(\n{}  )\n"
      "  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n"
      "  shift words\n  ((CURRENT--))\n  case $command in\n{}  esac\n}}\n_ptxlat \"$@\"\n",
      commands, cases);
}

std::string fish_completion(const CLI::App& program) {
  std::string text = "# fish completion of ptxlat, made by `ptxlat interface fish`\n";
  for (const auto* command : commands_of(program)) {
    text += fmt::format("complete -c ptxlat -n __fish_use_subcommand -f -a {} -d '{}'\n", command->get_name(),
                        quoted(brief(command->get_description()), "\\"));
    for (const auto* option : options_of(*command, false)) {
      text += fmt::format("complete -c ptxlat -n '__fish_seen_subcommand_from {}'", command->get_name());
      for (const auto& name : option->get_snames()) text += " -s " + name;
      for (const auto& name : option->get_lnames()) text += " -l " + name;
      if (const auto values = values_of(*option); !values.empty())
        text += fmt::format(" -x -a '{}'", fmt::join(values, " "));
      else if (takes_value(*option))
        text += takes_path(*option) ? " -r -F" : " -x";
      text += fmt::format(" -d '{}'\n", quoted(brief(option->get_description()), "\\"));
    }
  }
  return text;
}

}  // namespace

void add_interface(CLI::App& program) {
  auto* command = program.add_subcommand("interface", "")->group("");
  struct Options {
    std::string form, file;
  };
  auto options = std::make_shared<Options>();
  command->add_option("form", options->form, "")->required()->check(CLI::IsMember({"man", "bash", "zsh", "fish"}));
  command->add_option("-o", options->file, "");
  command->callback([options, &program] {
    const auto text = options->form == "man"    ? man_page(program)
                      : options->form == "bash" ? bash_completion(program)
                      : options->form == "zsh"  ? zsh_completion(program)
                                                : fish_completion(program);
    if (options->file.empty()) {
      std::cout << text;
    } else {
      replace_file(options->file, text);
    }
  });
}

}  // namespace ptxlat::cli
