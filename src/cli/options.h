// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ptxlat::cli {

// Not the folder `tables` of a checkout, which has those of others.
inline constexpr const char* default_tables = "ptxlat-tables";

// The options that several commands have, each with its name, kind and check in one place. `meaning` and `by_default`
// say what differs.

//   one   the command takes one assembler; else several, separated by commas
enum class Toolchains { one, several };
CLI::Option* add_toolchain(CLI::App& command, std::string& toolchain, Toolchains count, const std::string& by_default,
                           const std::string& meaning = "");
CLI::Option* add_target(CLI::App& command, std::string& target, const std::string& meaning);
CLI::Option* add_device(CLI::App& command, int& device,
                        const std::string& meaning = "The GPU's number in the driver's order.");
CLI::Option* add_device(CLI::App& command, std::optional<int>& device);
//   for_each_core  "one" or "two"
CLI::Option* add_threads(CLI::App& command, int& threads, const std::string& for_each_core);
CLI::Option* add_level(CLI::App& command, int& level);
CLI::Option* add_levels(CLI::App& command, std::vector<int>& levels, const std::string& by_default);
CLI::Option* add_launches(CLI::App& command, int& launches);
//   what  is kept: "cells", "probes"
CLI::Option* add_store(CLI::App& command, std::string& store, const std::string& what);
// A folder for output. Whether it can be made is known before the work begins: Error{storage} if not.
CLI::Option* add_output_folder(CLI::App& command, const std::string& names, std::string& folder,
                               const std::string& meaning);
CLI::Option* add_tables(CLI::App& command, std::string& tables);
//   meaning  what it is for; how a table is named is added (cli/table_names.h)
CLI::Option* add_table(CLI::App& command, std::string& table, const std::string& meaning);
CLI::Option* add_card(CLI::App& command, std::string& card);
// The first of the values is the default. `meaning` explains them; by default they are listed.
CLI::Option* add_format(CLI::App& command, std::string& format, const std::vector<std::string>& values,
                        const std::string& meaning = "");
// things: "cells"
void add_dry_run(CLI::App& command, bool& is_dry, const std::string& things);
// Writes also what is smaller than the table that is there.
void add_replace(CLI::App& command, bool& replaces);

}  // namespace ptxlat::cli
