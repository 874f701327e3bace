// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>

#include "assemble/toolchain.h"
#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/print.h"
#include "cli/selection.h"
#include "cli/table_names.h"
#include "isa/catalogue.h"
#include "probe/probe.h"
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

bool takes_value(const CLI::Option& option) { return !value_name(option).empty(); }

bool takes_path(const CLI::Option& option) {
  const auto type = value_name(option);
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
  const auto type = value_name(option);
  return fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "),
                     type.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(type)), roff(option.get_description()));
}

// What the man page has besides the commands.
constexpr std::pair<const char*, const char*> man_environment[] = {
    {"PTXLAT_TOOLKITS",
     "a folder of toolkits (13.0/bin/ptxas), searched before all others; `ptxlat toolkits` writes to it"},
    {"CUDA_HOME, CUDA_PATH, CONDA_PREFIX, VIRTUAL_ENV, PATH", "where CUDA toolkits are looked for next"},
    {"PTXLAT_TEMPLATES, PTXLAT_SITE, PTXLAT_SIMULATORS",
     "the folders with the catalogue, the page of `report` and the data files of `export`, instead of the program's "
     "own"},
    {"PTXLAT_CACHE", "the folder for answers of nvdisasm, or off; default: ptxlat/ in $XDG_CACHE_HOME or ~/.cache"},
    {"PTXLAT_DEADLINE_FACTOR", "a factor for every deadline, 0.01 to 1000: more than 1 for a slow machine"},
    {"PTXLAT_LIBCUDA, PTXLAT_LIBNVML, PTXLAT_LIBCUPTI", "libraries to open instead of those that are found"},
    {"NO_COLOR", "no colours, unless --color says otherwise"},
    {"TMPDIR", "where the temporary files of ptxas and nvdisasm go"}};
constexpr std::pair<const char*, const char*> man_files[] = {
    {"ptxlat.sqlite", "finished cells and probes, in the current folder (--store)"},
    {"ptxlat-tables/", "tables, in the current folder (--tables)"},
    {"share/ptxlat/", "catalogue, tables, page and tools, beside the folder of the program"}};

template <typename Pairs>
std::string man_section(const char* title, const Pairs& pairs) {
  auto text = fmt::format(".SH {}\n", title);
  for (const auto& [name, meaning] : pairs) text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(name), roff(meaning));
  return text;
}

std::string man_examples() {
  std::string text = ".SH EXAMPLES\n";
  for (const auto& group : command_groups()) {
    for (const auto& example : group.commands) text += fmt::format(".nf\n{}\n.fi\n", roff(std::string(example.line)));
  }
  return text;
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
  text += fmt::format(".SH EXIT STATUS\n{}\n", roff(program.get_footer()));
  text += man_section("ENVIRONMENT", man_environment) + man_section("FILES", man_files) + man_examples();
  return text + ".SH SEE ALSO\n.BR nvcc (1),\n.BR cuobjdump (1)\n";
}

// The list of `ptxlat interface` that completes a value: tables, probes, toolchains, or forms that begin with the word.
std::string list_for(const CLI::Option& option) {
  const auto name = option.get_positional() ? value_name(option) : option.get_lnames().front();
  if (value_name(option).starts_with("TABLE")) return "tables";
  if (name == "toolchain") return "toolchains";
  return {};
}
std::string list_for_operands(const CLI::App& command) {
  if (command.get_name() == "probe") return "probes";
  if (command.get_name() == "show" || command.get_name() == "reproduce") return "forms";
  for (const auto* option : options_of(command, true)) {
    if (const auto list = list_for(*option); !list.empty()) return list;
  }
  return {};
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
      if (const auto list = list_for(*option); !list.empty())
        of_values += fmt::format(
            "        {}) COMPREPLY=($(compgen -W \"$(ptxlat interface {} 2>/dev/null)\" -- \"$word\") $(compgen -f -- "
            "\"$word\")); return ;;\n",
            fmt::join(spelled, "|"), list);
    }
    if (!of_values.empty()) of_values = fmt::format("      case $before in\n{}      esac\n", of_values);
    cases.push_back(fmt::format("    {})\n{}      options='{}' operands='{}' ;;\n", command->get_name(), of_values,
                                fmt::join(options, " "), list_for_operands(*command)));
  }
  return fmt::format(
      "# bash completion of ptxlat, made by `ptxlat interface bash`\n"
      "_ptxlat() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options='' operands=''\n"
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
      "    [[ -z $operands ]] || COMPREPLY+=($(compgen -W \"$(ptxlat interface \"$operands\" \"$word\" 2>/dev/null)\" "
      "-- "
      "\"$word\"))\n"
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
    commands +=
        fmt::format("    '{}:{}'\n", command->get_name(), quoted(first_sentence(command->get_description()), ":"));
    cases += fmt::format("    {})\n      _arguments", command->get_name());
    for (const auto* option : options_of(*command, false)) {
      for (const auto& name : names_of(*option)) {
        const auto values = values_of(*option);
        const auto list = list_for(*option);
        const auto what = !values.empty()        ? fmt::format(":value:({})", fmt::join(values, " "))
                          : !list.empty()        ? fmt::format(":{0}:{{_files; compadd $(ptxlat interface {0})}}", list)
                          : takes_path(*option)  ? ":path:_files"
                          : takes_value(*option) ? ":value:"
                                                 : "";
        cases += fmt::format(" \\\n        '*{}[{}]{}'", name, quoted(first_sentence(option->get_description()), "[]:"),
                             what);
      }
    }
    const auto list = list_for_operands(*command);
    cases += list.empty()
                 ? " \\\n        '*::argument:_files'\n      ;;\n"
                 : fmt::format(" \\\n        '*::{0}:{{_files; compadd $(ptxlat interface {0} $PREFIX)}}'\n      ;;\n",
                               list);
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
                        quoted(first_sentence(command->get_description()), "\\"));
    if (const auto list = list_for_operands(*command); !list.empty())
      text += fmt::format(
          "complete -c ptxlat -n '__fish_seen_subcommand_from {}' -a '(ptxlat interface {} (commandline -ct))'\n",
          command->get_name(), list);
    for (const auto* option : options_of(*command, false)) {
      text += fmt::format("complete -c ptxlat -n '__fish_seen_subcommand_from {}'", command->get_name());
      for (const auto& name : option->get_snames()) text += " -s " + name;
      for (const auto& name : option->get_lnames()) text += " -l " + name;
      if (const auto values = values_of(*option); !values.empty())
        text += fmt::format(" -x -a '{}'", fmt::join(values, " "));
      else if (const auto list = list_for(*option); !list.empty())
        text += fmt::format(" -r -a '(ptxlat interface {})'", list);
      else if (takes_value(*option))
        text += takes_path(*option) ? " -r -F" : " -x";
      text += fmt::format(" -d '{}'\n", quoted(first_sentence(option->get_description()), "\\"));
    }
  }
  return text;
}

// The words of such a list, a line each.
std::vector<std::string> words_of(const std::string& list, const std::string& begin) {
  std::vector<std::string> words;
  if (list == "tables") return table_names();
  if (list == "toolchains") {
    for (const auto& toolchain : assemble::find_toolchains()) words.push_back(toolchain.name);
  } else if (list == "probes") {
    for (const auto& probe : probe::load_probes({isa::templates_folder() / "probes"})) words.push_back(probe.name);
  } else {
    // With its opcode, the rest of the catalogue need not be read.
    const auto point = begin.find('.');
    const auto opcodes = point == std::string::npos ? isa::Opcodes() : std::set<std::string>{begin.substr(0, point)};
    std::set<std::string> known;
    for (const auto& form : load_opcodes({}, opcodes).catalogue.forms)
      known.insert(point == std::string::npos ? form.opcode + '.' : form.ptx);
    std::copy_if(known.begin(), known.end(), std::back_inserter(words),
                 [&](const std::string& word) { return word.starts_with(begin); });
  }
  return words;
}

}  // namespace

void add_interface(CLI::App& program) {
  auto* command = program.add_subcommand("interface", "")->group("");
  struct Options {
    std::string form, begin, file;
  };
  auto options = std::make_shared<Options>();
  command->add_option("form", options->form, "")
      ->required()
      ->check(CLI::IsMember({"man", "bash", "zsh", "fish", "tables", "toolchains", "probes", "forms"}));
  command->add_option("begin", options->begin, "");
  command->add_option("-o", options->file, "");
  command->callback([options, &program] {
    if (options->form == "tables" || options->form == "toolchains" || options->form == "probes" ||
        options->form == "forms")
      return say("{}\n", fmt::join(words_of(options->form, options->begin), "\n"));
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
