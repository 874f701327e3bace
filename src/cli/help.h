// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI

namespace ptxlat::cli {

// The commands as help lists them: what they are for, each with an example of its use.
struct CommandExample {
  std::string_view command, line;
};
struct CommandGroup {
  std::string_view title;
  std::vector<CommandExample> commands;
};
const std::vector<CommandGroup>& command_groups();
// Empty for a command that is not listed.
std::string_view example_of(const std::string& command);

// Text in lines of at most `width` characters, all but the first indented.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

// The first sentence of a description, for lists.
std::string first_sentence(const std::string& description);

// "-O", "--levels": one short and one long name. Further ones are accepted, but not shown.
std::vector<std::string> names_of(const CLI::Option& option);
// The values that an option allows, if it lists them.
std::vector<std::string> values_of(const CLI::Option& option);
// What stands for an option's value: "FILE", "N", "text|csv"; empty if it has none.
std::string value_name(const CLI::Option& option);

// `ptxlat --help`, or that of a command.
std::string help_of(const CLI::App& app);
// The commands, a line each: what fits a screen, for `ptxlat` alone.
std::string short_help_of(const CLI::App& program);

// What a command that measures can do where there is no GPU; empty for one that cannot do anything.
std::string_view without_gpu(const std::string& command);

// A command line that CLI11 rejects, in the program's own words: which option or command may have been meant.
Error usage_error(const CLI::App& program, const CLI::ParseError& error);
Error no_such_command(const std::string& wanted);

}  // namespace ptxlat::cli
