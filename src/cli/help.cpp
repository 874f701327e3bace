// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "base/nearest_names.h"
#include "cli/screen.h"

namespace ptxlat::cli {

const std::vector<CommandGroup>& command_groups() {
  static const std::vector<CommandGroup> groups = {
      {"Ask",
       {{"measure", "ptxlat measure 'mad.lo.u32 d, a, b, c; popc.b32 d, d'"},
        {"show", "ptxlat show fma.rn.f32 --table nvidia-h200"},
        {"list", "ptxlat list --filter 'cvt.*.f32.*' --target sm_90a"},
        {"compare", "ptxlat compare nvidia-h200@O0 nvidia-h200@O3"}}},
      {"Make tables",
       {{"run", "ptxlat run --filter popc --filter '/^add\\./' -O 0,3"},
        {"static", "ptxlat static --target sm_120a --filter 'cvt.*.f32.*'"},
        {"probe", "ptxlat probe chase"},
        {"opcodes", "ptxlat opcodes --chapter 'integer arithmetic'"},
        {"pairs", "ptxlat pairs --chapter 'integer arithmetic'"},
        {"assemble", "ptxlat assemble --toolchain ptxas-11.8,ptxas-12.4 -o two.bundle"},
        {"merge", "ptxlat merge 1.sqlite 2.sqlite --into all.sqlite"}}},
      {"Pass tables on",
       {{"report", "ptxlat report tables -o site"},
        {"export", "ptxlat export nvidia-h200 --target accel-sim -o h200"}}},
      {"Check and set up",
       {{"reproduce", "ptxlat reproduce fma.rn.f32 --table nvidia-h200 -o cell"},
        {"replay", "ptxlat replay nvidia-h200 --sample 40"},
        {"check", "ptxlat check --target sm_100a"},
        {"doctor", "ptxlat doctor"},
        {"toolkits", "ptxlat toolkits 12.4 13.0"}}}};
  return groups;
}

std::string_view example_of(const std::string& command) {
  for (const auto& group : command_groups()) {
    for (const auto& example : group.commands) {
      if (example.command == command) return example.line;
    }
  }
  return {};
}

std::string_view without_gpu(const std::string& command) {
  if (command == "probe")
    return "Without a GPU: `ptxlat show chase` and `ptxlat show l1.ways` of a table, `probe --list`, `probe --reread "
           "FOLDER`.";
  if (command == "opcodes") return "Without a GPU: `ptxlat show FFMA` of a table, `opcodes --reread FOLDER`.";
  if (command == "pairs") return "Without a GPU: `ptxlat show FFMA --pairs` of a table, `pairs --reread FOLDER`.";
  if (command == "replay") return "Without a GPU: `ptxlat compare` of two tables.";
  if (command == "reproduce") return "Without a GPU, --toolchain ptxas assembles the folder's code.";
  return {};
}

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string lines;
  std::istringstream paragraphs(text);
  bool is_first = true;
  for (std::string paragraph; std::getline(paragraphs, paragraph);) {
    std::istringstream words(paragraph);
    std::size_t column = is_first ? 0 : width;  // a new paragraph begins a line
    for (std::string word; words >> word;) {
      if (column > 0 && column + 1 + word.size() > width - indent) {
        lines += '\n' + std::string(indent, ' ');
        column = 0;
      }
      lines += (column > 0 ? " " : "") + word;
      column += word.size() + (column > 0 ? 1 : 0);
      is_first = false;
    }
  }
  return lines;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  if (!option.get_snames().empty()) names.push_back("-" + option.get_snames().front());
  if (!option.get_lnames().empty()) names.push_back("--" + option.get_lnames().front());
  return names;
}

std::vector<std::string> values_of(const CLI::Option& option) {
  const auto type = option.get_type_name();
  const auto open = type.find('{'), close = type.find('}');
  std::vector<std::string> values;
  if (open == std::string::npos || close == std::string::npos) return values;
  std::istringstream list(type.substr(open + 1, close - open - 1));
  for (std::string value; std::getline(list, value, ',');) values.push_back(value);
  return values;
}

std::string value_name(const CLI::Option& option) {
  if (option.get_expected_max() == 0 || option.get_type_size() == 0) return {};
  if (const auto values = values_of(option); !values.empty()) return fmt::format("{}", fmt::join(values, "|"));
  // "INT:INT in [0 - 4]": the checks add their own words.
  auto name = option.get_type_name();
  name = name.substr(0, name.find_first_of(": "));
  if (name == "INT" || name == "UINT" || name == "FLOAT") return "N";
  return name == "TEXT" ? "WORD" : name;
}

namespace {

constexpr std::size_t widest_help = 100, help_indent = 16;

std::size_t help_width() { return std::min(screen().columns, widest_help); }

// "  -O, --levels LEVELS", and its description beside or below it.
std::string help_entry(const std::string& name, const std::string& description) {
  auto text = "  " + name;
  text += text.size() + 2 <= help_indent ? std::string(help_indent - text.size(), ' ')
                                         : '\n' + std::string(help_indent, ' ');
  return text + wrapped(description, help_indent, help_width()) + '\n';
}

std::string option_entries(const CLI::App& app) {
  std::string text;
  for (const auto* option : app.get_options()) {
    if (option->get_group().empty() || option->get_positional()) continue;
    const auto value = value_name(*option);
    text += help_entry(fmt::format("{}{}{}", fmt::join(names_of(*option), ", "), value.empty() ? "" : " ", value),
                       option->get_description());
  }
  return text;
}

std::string help_of_program(const CLI::App& program) {
  auto text = wrapped(program.get_description(), 0, help_width()) + "\n\nUsage: ptxlat COMMAND [OPTIONS]\n";
  for (const auto& group : command_groups()) {
    text += fmt::format("\n{}:\n", group.title);
    for (const auto& example : group.commands) {
      const auto* command = program.get_subcommand(std::string(example.command));
      text += help_entry(command->get_name(), first_sentence(command->get_description()));
    }
  }
  return text + fmt::format("\nOptions of every command:\n{}\n{}\n", option_entries(program),
                            wrapped(program.get_footer(), 0, help_width()));
}

std::string help_of_command(const CLI::App& command) {
  std::string usage = "ptxlat " + command.get_name(), operands;
  for (const auto* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const auto name = value_name(*option);
    const auto words = name + (option->get_expected_max() > 1 ? "..." : "");
    usage += option->get_required() ? ' ' + words : fmt::format(" [{}]", words);
    operands += help_entry(name, option->get_description());
  }
  return fmt::format("{}\n\nUsage: {} [OPTIONS]\nExample: {}\n\n{}{}{}\n{}\n",
                     wrapped(command.get_description(), 0, help_width()), usage, example_of(command.get_name()),
                     operands, operands.empty() ? "" : "\n", option_entries(command),
                     wrapped("`ptxlat help` lists the options of every command and the exit codes; docs/commands.md "
                             "describes the commands.",
                             0, help_width()));
}

// CLI11's words, where a person would choose others.
std::string plain_words(const CLI::ParseError& error) {
  std::string words = error.what();
  for (const std::string name : {"--levels: ", "--level: "}) {
    if (words.starts_with(name)) words.replace(0, name.size(), "-O: ");
  }
  const auto replace = [&](const std::string& theirs, const std::string& ours) {
    if (const auto at = words.find(theirs); at != std::string::npos) words.replace(at, theirs.size(), ours);
  };
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    replace("Could not convert: ", "");
    replace(" = ", " ");
    return words + ": that is not a number";
  }
  if (const auto at = words.find(": At Most 1 required"); at != std::string::npos)
    return words.substr(0, at) + " may be given once";
  if (const auto at = words.find(": 1 required"); at != std::string::npos)
    return words.substr(0, at) + " needs a value";
  replace(" is required", " is missing");
  return words;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace

std::string first_sentence(const std::string& description) {
  const auto end = std::min(description.find(". "), description.find('\n'));
  auto text = description.substr(0, end);
  while (!text.empty() && text.back() == '.') text.pop_back();
  return text;
}

std::string short_help_of(const CLI::App& program) {
  constexpr std::size_t indent = 13;
  std::string text = "Usage: ptxlat COMMAND [OPTIONS]\n";
  for (const auto& group : command_groups()) {
    text += fmt::format("{}:\n", group.title);
    for (const auto& example : group.commands) {
      const auto what = first_sentence(program.get_subcommand(std::string(example.command))->get_description());
      auto line = fmt::format("  {:<{}}{}", example.command, indent - 2, what);
      if (line.size() > help_width()) line = line.substr(0, line.rfind(' ', help_width() - 4)) + " …";
      text += line + '\n';
    }
  }
  return text + "`ptxlat help` has more, `ptxlat help COMMAND` all of a command.\n";
}

std::string help_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? help_of_program(app) : help_of_command(app);
}

Error no_such_command(const std::string& wanted) {
  std::vector<std::string> names;
  for (const auto& group : command_groups()) {
    for (const auto& example : group.commands) names.emplace_back(example.command);
  }
  return {ExitCode::usage, fmt::format("there is no command {}", wanted),
          did_you_mean(nearest_names(wanted, names, 1)) + "`ptxlat help` lists the commands"};
}

Error usage_error(const CLI::App& program, const CLI::ParseError& error) {
  const auto used = program.get_subcommands();
  const auto left = program.remaining(true);
  if (used.empty()) {
    if (left.empty()) return {ExitCode::usage, error.what(), "`ptxlat help` lists the commands"};
    if (!left.front().starts_with('-')) return no_such_command(left.front());
    return {ExitCode::usage, fmt::format("there is no option {}", left.front()),
            did_you_mean(nearest_names(left.front(), option_names(program), 1)) + "`ptxlat help` lists the commands"};
  }
  const auto& command = *used.front();
  for (const auto& argument : left) {
    const auto name = argument.substr(0, argument.find('='));
    if (argument.size() < 2 || argument[0] != '-' || command.get_option_no_throw(name) == nullptr) continue;
    return {ExitCode::usage, fmt::format("{} is an option of {} and comes after it", name, command.get_name()),
            fmt::format("write ptxlat {} … {} …", command.get_name(), name)};
  }
  const auto help = fmt::format("`ptxlat {} --help` lists its options", command.get_name());
  for (const auto& argument : left) {
    if (!argument.starts_with("--")) continue;
    const auto name = argument.substr(0, argument.find('='));
    auto names = option_names(command);
    const auto of_all = option_names(program);
    names.insert(names.end(), of_all.begin(), of_all.end());
    return {ExitCode::usage, fmt::format("{} has no option {}", command.get_name(), name),
            did_you_mean(nearest_names(name, names, 1)) + help};
  }
  if (!left.empty() && command.get_option_no_throw("--filter") != nullptr)
    return {ExitCode::usage, fmt::format("{} takes no argument {}", command.get_name(), left.front()),
            fmt::format("did you mean --filter {}? {}", left.front(), help)};
  return {ExitCode::usage, fmt::format("{}: {}", command.get_name(), plain_words(error)),
          fmt::format("for example: {}\n        {}", example_of(command.get_name()), help)};
}

}  // namespace ptxlat::cli
