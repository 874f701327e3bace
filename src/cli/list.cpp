// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <set>

#include "base/csv.h"
#include "base/error.h"
#include "base/nearest_names.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/screen.h"
#include "cli/selection.h"
#include "cli/table_names.h"
#include "cli/toolchains.h"
#include "tables/csv.h"
#include "tables/folder.h"
#include "tables/latency_columns.h"

namespace ptxlat::cli {

namespace {

struct ListOptions {
  Selection selection;
  bool core_only = false;
  std::string table;
  std::string sass;  // an opcode; empty: any
  std::string format = "text";
};

// "IMAD" is IMAD, and what it begins up to a point: IMAD.WIDE.
bool has_sass(const results::Record& record, const std::string& opcode) {
  return std::any_of(record.sass.begin(), record.sass.end(), [&](const std::string& name) {
    return name.starts_with(opcode) && (name.size() == opcode.size() || name[opcode.size()] == '.');
  });
}

// Those of the forms that become the opcode at some level.
void keep_forms_with(const tables::Table& table, const std::string& opcode, std::vector<std::string>& forms) {
  std::set<std::string> with_it, known;
  for (const auto& cell : table.cells) {
    known.insert(cell.record.sass.begin(), cell.record.sass.end());
    if (has_sass(cell.record, opcode)) with_it.insert(cell.record.ptx);
  }
  std::erase_if(forms, [&](const std::string& form) { return !with_it.contains(form); });
  if (!forms.empty()) return;
  const auto nearest = nearest_names(opcode, {known.begin(), known.end()});
  throw Error(ExitCode::unknown_name, fmt::format("none of the forms becomes {}", opcode),
              nearest.empty() ? "`ptxlat show NAME` shows the SASS of a form"
                              : fmt::format("did you mean {}?", fmt::join(nearest, ", ")));
}

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
  std::size_t width = 0;
  for (const auto* form : forms) width = std::max(width, form->ptx.size());
  width = std::min<std::size_t>(width, 40);
  for (const auto* form : forms) {
    if (form->chapter != chapter) say("{}{}\n", chapter.empty() ? "" : "\n", form->chapter);
    chapter = form->chapter;
    const auto operands = fmt::format("{}", fmt::join(form->dependence, " "));  // a width would apply to each one
    say("  {:<{}}  {:<9} {:<10} {}\n", form->ptx, width, form->section, operands, needs(*form));
  }
}

results::Json forms_to_json(const std::vector<const isa::Form*>& forms) {
  auto document = json_head();
  document["forms"] = results::Json::array();
  for (const auto* form : forms) {
    document["forms"].push_back({{"ptx", form->ptx},
                                 {"chapter", form->chapter},
                                 {"section", form->section},
                                 {"core", form->core},
                                 {"operands", form->dependence},
                                 {"inputs", input_names(*form)},
                                 {"needs", needs(*form)}});
  }
  return document;
}

void print_forms(const std::vector<const isa::Form*>& forms, const std::string& format) {
  if (format == "json") return print_json(forms_to_json(forms));
  if (format == "csv") return print_text([&](std::ostream& out) { write_csv(out, forms); });
  print_list(forms);
}

// The fields of the csv.
results::Json rows_to_json(const std::string& folder, const tables::Table& table,
                           const tables::RowThroughputs& throughputs, const std::vector<std::string>& forms) {
  const std::set<std::string_view> wanted(forms.begin(), forms.end());
  auto document = json_head(folder);
  document["rows"] = results::Json::array();
  for (const auto& cell : table.cells) {
    if (!wanted.contains(cell.record.ptx)) continue;
    auto one = cell;
    one.levels = {cell.record.level};
    auto row = json_of(tables::latency_columns(), one);
    const auto throughput = throughputs.of(cell.record.ptx, cell.levels, cell.record.sass);
    put_throughput(row, throughput);
    document["rows"].push_back(std::move(row));
  }
  return document;
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
  command
      ->add_option("--sass", options->sass,
                   "Only forms that become this SASS opcode, in --table or in that of this GPU, else of the newest GPU "
                   "that was measured. IMAD stands for IMAD.WIDE, too.")
      ->type_name("OPCODE");
  add_format(*command, options->format, {"text", "csv", "json"});
  command->callback([options] {
    const auto& selection = options->selection;
    std::optional<isa::Target> target;
    if (!selection.target.empty()) target = known_target_from(selection.target);
    const auto loaded = load_selected(selection, selection.filters);
    const auto forms = selected_forms(loaded.catalogue, selection, options->core_only, target);
    if (options->table.empty() && options->sass.empty()) return print_forms(forms, options->format);
    const auto folder = table_or_usual(options->table);
    using tables::Part;
    const auto table = tables::read_table(folder, {Part::cells, Part::opcodes, Part::throughputs});
    std::vector<std::string> names;
    for (const auto* form : forms) names.push_back(form->ptx);
    if (!options->sass.empty()) keep_forms_with(table, options->sass, names);
    const tables::RowThroughputs numbers{table.opcodes, table.spellings};
    if (options->format == "json") return print_json(rows_to_json(folder, table, numbers, names));
    constexpr std::size_t narrow = 30;
    if (options->format == "text")
      return tables::write_forms_text(std::cout, table, numbers, names, is_brief() ? narrow : tables::whole_name);
    print_text([&](std::ostream& out) { tables::write_forms_csv(out, table, numbers, names); });
  });
}

}  // namespace ptxlat::cli
