#include "report/compare.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/commands.h"
#include "error.h"

namespace ptxlat {

namespace {

struct CompareOptions {
  std::vector<std::string> sides;
  bool markdown = false;
  bool fail_on_change = false;
};

// "tables/…/driver-580@O3": a table and, if one is named, a level.
struct SideName {
  std::string folder;
  std::optional<int> level;
};

SideName side_name(const std::string& text) {
  const auto at = text.rfind('@');
  if (at == std::string::npos) return {text, std::nullopt};
  const auto level = text.substr(at + 1);
  if (level.size() != 2 || level[0] != 'O' || level[1] < '0' || level[1] > '4') {
    throw Error(ExitCode::unknown_name, "no such optimisation level: " + level, "write FOLDER@O0 … FOLDER@O4");
  }
  return {text.substr(0, at), level[1] - '0'};
}

void run_compare(const CompareOptions& options) {
  const auto a = side_name(options.sides[0]), b = side_name(options.sides[1]);
  const auto table_a = read_table(a.folder);
  // Two levels of one table are read once.
  const auto table_b = a.folder == b.folder ? Table{} : read_table(b.folder);
  const Side side_a{&table_a, a.level, options.sides[0]};
  const Side side_b{a.folder == b.folder ? &table_a : &table_b, b.level, options.sides[1]};
  const auto differences = compare(side_a, side_b);
  write_comparison(std::cout, side_a, side_b, differences, options.markdown);
  if (options.fail_on_change && !differences.empty()) throw CLI::RuntimeError(static_cast<int>(ExitCode::changed));
}

}  // namespace

void add_compare(CLI::App& program) {
  auto* command =
      program.add_subcommand("compare", "What differs between two tables or two levels, by how much, and why.");
  auto options = std::make_shared<CompareOptions>();
  command
      ->add_option("tables", options->sides, "Two folders of tables, each with an optional level: FOLDER@O0 FOLDER@O3.")
      ->required()
      ->expected(2)
      ->type_name("FOLDER[@LEVEL]");
  command->add_flag("--markdown", options->markdown, "Write Markdown. Default: text for a terminal.");
  command->add_flag("--fail-on-change", options->fail_on_change,
                    "Exit with 8 if anything differs, for use in CI. Default: off.");
  command->callback([options] { run_compare(*options); });
}

}  // namespace ptxlat
