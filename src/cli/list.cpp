#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "cli/commands.h"
#include "cli/workbench.h"
#include "isa/select.h"

namespace ptxlat {

namespace {

struct ListOptions {
  Selection selection;
  std::string format = "text";
};

std::string needs(const Form& form) {
  const auto& r = form.requirement;
  auto text = fmt::format("PTX {}.{}", r.ptx_major, r.ptx_minor);
  if (r.sm > 0) text += fmt::format(" sm_{}{}", r.sm, r.sm_suffix);
  return text;
}

std::vector<std::string> input_names(const Form& form) {
  std::vector<std::string> names;
  for (const auto& input : form.inputs) {
    if (!input.name.empty()) names.push_back(input.name);
  }
  return names;
}

void write_list(const std::vector<const Form*>& forms, const std::string& format) {
  if (format == "csv") fmt::print("ptx,chapter,section,operands,inputs,needs\n");
  std::string chapter;
  for (const auto* form : forms) {
    if (format == "csv") {
      fmt::print("\"{}\",\"{}\",{},{},\"{}\",{}\n", form->ptx, form->chapter, form->section,
                 fmt::join(form->dependence, ";"), fmt::join(input_names(*form), ";"), needs(*form));
      continue;
    }
    if (form->chapter != chapter) fmt::print("{}{}\n", chapter.empty() ? "" : "\n", form->chapter);
    chapter = form->chapter;
    fmt::print("  {:<36} {:<9} {:<10} {}\n", form->ptx, form->section, fmt::join(form->dependence, " "), needs(*form));
  }
}

}  // namespace

void add_list(CLI::App& program) {
  auto* command = program.add_subcommand("list", "The forms of the catalogue.");
  auto options = std::make_shared<ListOptions>();
  command
      ->add_option("--filter", options->selection.filters,
                   "Only these forms: an opcode, a glob or a /regular expression/; can be repeated. Default: all.")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  add_catalogue(*command, options->selection);
  command->add_option("--format", options->format, "text or csv. Default: text.")
      ->check(CLI::IsMember({"text", "csv"}));
  command->callback([options] {
    const auto workbench = load_workbench(options->selection);
    write_list(select_forms(workbench.catalogue, options->selection.filters), options->format);
  });
}

}  // namespace ptxlat
