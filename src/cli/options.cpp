// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <filesystem>

#include "base/file.h"
#include "cli/table_names.h"

namespace ptxlat::cli {

CLI::Option* add_toolchain(CLI::App& command, std::string& toolchain, Toolchains count, const std::string& by_default,
                           const std::string& meaning) {
  const bool is_one = count == Toolchains::one;
  const auto text =
      fmt::format("The assembler: driver, ptxas, nvjitlink, or a specific version (ptxas-12.4){}{}. Default: {}.",
                  is_one ? "" : "; several, separated by commas, ", meaning, by_default);
  return command.add_option("--toolchain", toolchain, text)->type_name(is_one ? "NAME" : "NAMES");
}

CLI::Option* add_target(CLI::App& command, std::string& target, const std::string& meaning) {
  return command.add_option("--target", target, meaning)->type_name("SM");
}

namespace {

constexpr int most_devices = 1023;

}  // namespace

CLI::Option* add_device(CLI::App& command, int& device, const std::string& meaning) {
  return command.add_option("--device", device, meaning + " Default: 0.")->check(CLI::Range(0, most_devices));
}
CLI::Option* add_device(CLI::App& command, std::optional<int>& device) {
  return command.add_option("--device", device, "The GPU's number in the driver's order. Default: 0.")
      ->check(CLI::Range(0, most_devices));
}

CLI::Option* add_threads(CLI::App& command, int& threads, const std::string& for_each_core) {
  return command
      .add_option("--threads", threads,
                  fmt::format("How many assemblers work at the same time. Default: {} per core.", for_each_core))
      ->check(CLI::Range(1, 1024));
}

namespace {

CLI::Validator is_level(const char* how_many) {
  return CLI::Validator(
      [=](const std::string& text) {
        const bool is_one = text.size() == 1 && text[0] >= '0' && text[0] <= '4';
        return is_one ? std::string() : fmt::format("{} is not an optimisation level: write 0 to 4{}", text, how_many);
      },
      "");
}

}  // namespace

// Both take the long names of either.
CLI::Option* add_level(CLI::App& command, int& level) {
  return command.add_option("-O,--level,--levels", level, "Optimisation level, 0 to 4. Default: 3.")
      ->check(is_level(""))
      ->type_name("LEVEL");
}

CLI::Option* add_levels(CLI::App& command, std::vector<int>& levels, const std::string& by_default) {
  return command
      .add_option("-O,--levels,--level", levels,
                  fmt::format("Optimisation levels, 0 to 4, separated by commas. Default: {}.", by_default))
      ->delimiter(',')
      ->allow_extra_args(false)  // the next argument is not a level
      ->check(is_level(", several separated by commas"))
      ->type_name("LEVELS");
}

CLI::Option* add_launches(CLI::App& command, int& launches) {
  return command
      .add_option("--launches", launches, "Launches of each kernel; the mode of their cycles counts. Default: 9.")
      ->check(CLI::Range(1, 1000));
}

CLI::Option* add_store(CLI::App& command, std::string& store, const std::string& what) {
  return command
      .add_option("--store", store,
                  fmt::format("The SQLite file that keeps finished {}; rerun the same command to resume. Default: "
                              "ptxlat.sqlite.",
                              what))
      ->type_name("FILE");
}

namespace {

// Makes the first of the folders that are missing, and removes it again: permissions alone do not say what a file
// system takes.
void require_folder(const std::filesystem::path& wanted) {
  auto folder = wanted.lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  std::filesystem::path missing;
  std::error_code error;
  while (!folder.empty() && !std::filesystem::exists(folder, error)) {
    missing = folder;
    folder = folder.parent_path();
  }
  if (missing.empty()) {
    if (!std::filesystem::is_directory(folder, error)) throw file_error(folder, "write to", ENOTDIR);
    if (::access(folder.c_str(), W_OK | X_OK) != 0) throw file_error(folder, "write to", errno);
    return;
  }
  if (::mkdir(missing.c_str(), 0777) != 0 && errno != EEXIST) throw file_error(missing, "create", errno);
  ::rmdir(missing.c_str());  // fails if another process already uses it
}

}  // namespace

CLI::Option* add_output_folder(CLI::App& command, const std::string& names, std::string& folder,
                               const std::string& meaning) {
  return command.add_option(names, folder, meaning)
      ->type_name("FOLDER")
      ->check(CLI::Validator(
          [](const std::string& text) {
            require_folder(text);
            return std::string();
          },
          ""));
}

CLI::Option* add_tables(CLI::App& command, std::string& tables) {
  return add_output_folder(command, "--tables", tables,
                           fmt::format("The folder under which the table is written. Default: {}.", default_tables));
}

CLI::Option* add_table(CLI::App& command, std::string& table, const std::string& meaning) {
  return command.add_option("--table", table, fmt::format("{} Write {}.", meaning, table_name_help))
      ->type_name("TABLE");
}

CLI::Option* add_card(CLI::App& command, std::string& card) {
  return command
      .add_option("--card", card,
                  "The table of the measured card whose arrivals.csv the estimates come from, a folder or a name. "
                  "Default: of the tables that came with ptxlat, the one of the nearest architecture.")
      ->type_name("TABLE");
}

CLI::Option* add_format(CLI::App& command, std::string& format, const std::vector<std::string>& values,
                        const std::string& meaning) {
  const auto text = meaning.empty() ? fmt::format("{}", fmt::join(values, ", ")) : meaning;
  return command
      .add_option("--format", format,
                  fmt::format("What to write to standard output: {}. Default: {}.", text, values.front()))
      ->check(CLI::IsMember(values));
}

void add_dry_run(CLI::App& command, bool& is_dry, const std::string& things) {
  command.add_flag("--dry-run", is_dry,
                   fmt::format("Make nothing; print how many {} would be made, for which table, and about how long it "
                               "takes.",
                               things));
}

void add_replace(CLI::App& command, bool& replaces) {
  command.add_flag("--replace", replaces,
                   "Also write over a table that has cells which the store does not have. Default: stop.");
}

}  // namespace ptxlat::cli
