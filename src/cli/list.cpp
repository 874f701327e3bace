// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "base/csv.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/selection.h"
#include "cli/toolchains.h"
#include "tables/csv.h"
#include "tables/folder.h"

namespace ptxlat::cli {

namespace {

struct ListOptions {
  Selection selection;
  bool core_only = false;
  std::string table;
  std::string format = "text";
};

std::string needs(const isa::Form& form) {
  const auto& r = form.requirement;
  const auto targets = isa::targets_text(r);
  return fmt::format("PTX {}.{}{}{}", r.ptx_major, r.ptx_minor, targets.empty() ? "" : " ", targets);
}

std::vector<std::string> input_names(const isa::Form& form) {
  std::vector<std::string> names;
  for (const auto& input : form.inputs) {
    if (!input.name.empty()) names.push_back(input.name);
  }
  return names;
}

void write_csv(std::ostream& out, const std::vector<const isa::Form*>& forms) {
  out << "ptx,chapter,section,core,operands,inputs,needs\n";
  for (const auto* form : forms) {
    const std::string operands = fmt::format("{}", fmt::join(form->dependence, ";"));
    const std::string inputs = fmt::format("{}", fmt::join(input_names(*form), ";"));
    const char* separator = "";
    for (const std::string& field :
         {form->ptx, form->chapter, form->section, form->core, operands, inputs, needs(*form)}) {
      out << separator;
      write_csv_field(out, field);
      separator = ",";
    }
    out << '\n';
  }
}

void print_list(const std::vector<const isa::Form*>& forms) {
  std::string chapter;
  for (const auto* form : forms) {
    if (form->chapter != chapter) say("{}{}\n", chapter.empty() ? "" : "\n", form->chapter);
    chapter = form->chapter;
    const auto operands = fmt::format("{}", fmt::join(form->dependence, " "));  // a width would apply to each one
    say("  {:<36} {:<9} {:<10} {}\n", form->ptx, form->section, operands, needs(*form));
  }
}

}  // namespace

void add_list(CLI::App& program) {
  auto* command = program.add_subcommand("list", "List the forms of the catalogue.");
  auto options = std::make_shared<ListOptions>();
  add_form_filters(*command, options->selection);
  auto* all = command->add_flag("--all", options->selection.all_forms, "List all forms. This is the default.");
  command
      ->add_flag(
          "--core", options->core_only,
          "List the forms that a run without --all measures: one for all that differ only in comparison operator, "
          "ordering, scope, cache hints and the like.")
      ->excludes(all);
  add_target(*command, options->selection.target, "Only forms that this target has (sm_90a). Default: any.");
  add_catalogue(*command, options->selection);
  add_table(*command, options->table,
            "List this table's numbers for the forms, each with the row that it comes from; forms with the same "
            "machine code share a row. Default: list what the catalogue says about the forms.");
  add_format(*command, options->format, {"text", "csv"});
  command->callback([options] {
    const auto& selection = options->selection;
    std::optional<isa::Target> target;
    if (!selection.target.empty()) target = target_from(selection.target);
    const auto loaded = load_selected(selection, selection.filters);
    const auto forms = selected_forms(loaded.catalogue, selection, options->core_only, target);
    if (options->table.empty() && options->format == "text") return print_list(forms);
    if (options->table.empty()) return print_text([&](std::ostream& out) { write_csv(out, forms); });
    using tables::Part;
    const auto table = tables::read_table(options->table, {Part::cells, Part::opcodes, Part::throughputs});
    std::vector<std::string> names;
    for (const auto* form : forms) names.push_back(form->ptx);
    const tables::RowThroughputs numbers{table.opcodes, table.spellings};
    if (options->format == "text") return tables::write_forms_text(std::cout, table, numbers, names);
    print_text([&](std::ostream& out) { tables::write_forms_csv(out, table, numbers, names); });
  });
}

}  // namespace ptxlat::cli
