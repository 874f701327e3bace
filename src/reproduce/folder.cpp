// SPDX-License-Identifier: Apache-2.0
#include "reproduce/folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "gpu/buffers.h"
#include "latency/samples.h"
#include "pages/evidence.h"
#include "ptx/skeleton.h"
#include "tables/number.h"

namespace ptxlat::reproduce {

namespace {

// As a C literal, whatever a stranger's table has as the name of its GPU. C11 makes another character of three that
// begin with two question marks (a trigraph), and a compiler may take any control character for the end of a line.
std::string quoted(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?') literal += '\\';
    literal += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return literal + '"';
}

// "(chain twice - chain - 16) / 4" would need the formula's history; the sum itself is what the program computes.
std::string formula_of(const latency::ReproducedNumber& number) {
  std::string formula;
  const auto add = [&](double factor, const std::string& of) {
    if (factor == 0) return;
    const auto size = std::abs(factor);
    formula += formula.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ";
    if (of.empty()) {
      formula += fmt::format("{:.6g}", size);
    } else if (size == 1) {
      formula += of;
    } else if (const auto divisor = std::round(1 / size); std::abs(divisor * size - 1) < 1e-9) {
      formula += fmt::format("{} / {}", of, divisor);
    } else {
      formula += fmt::format("{:.6g} * {}", size, of);
    }
  };
  // The terms that are added come first.
  for (const double sign : {1.0, -1.0}) {
    for (const auto& term : number.terms) {
      if (term.factor * sign > 0) add(term.factor, fmt::format("w{}", term.window));
    }
  }
  add(number.constant, "");
  return formula;
}

// The operands of all windows, each distinct list once.
class Inputs {
 public:
  std::string name_of(const std::vector<std::uint64_t>& input) {
    if (input.empty()) return "NULL";
    const auto [known, is_new] = names_.try_emplace(input, fmt::format("input_{}", names_.size()));
    if (is_new) {
      text_ += fmt::format("static const uint64_t {}[] = {{", known->second);
      for (std::size_t i = 0; i < input.size(); ++i)
        text_ += fmt::format("{}{:#x},", i % 8 == 0 ? "\n  " : " ", input[i]);
      text_ += "\n};\n";
    }
    return known->second;
  }
  const std::string& text() const { return text_; }

 private:
  std::map<std::vector<std::uint64_t>, std::string> names_;
  std::string text_;
};

std::string data_of(const latency::Reproduction& reproduction, const std::vector<CheckedCell>& cells) {
  Inputs inputs;
  std::string windows = "static const struct window windows[] = {\n";
  for (std::size_t i = 0; i < reproduction.windows.size(); ++i) {
    const auto& window = reproduction.windows[i];
    const auto& launch = window.launch;
    windows +=
        fmt::format("  {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}, /* w{} */\n", quoted(window.code.role),
                    quoted(window.symbol), launch.threads, launch.ctas, launch.dynamic_shared, window.launches,
                    launch.ctas > 1 ? latency::surveyed_clusters : latency::surveyed_sms, launch.uses_memory ? 1 : 0,
                    launch.evicts_l2 ? 1 : 0, launch.large_cluster ? 1 : 0, launch.carve_out,
                    inputs.name_of(launch.input), launch.input.size(), i);
  }
  std::string numbers = "static const struct number numbers[] = {\n";
  constexpr const char* checks[] = {"nothing", "equal", "at_least"};
  for (const auto& cell : cells) {
    for (const auto& [number, check, value, tolerance, counts, is_surveyed] : cell.numbers) {
      std::vector<std::string> terms;
      for (const auto& term : number.terms) terms.push_back(fmt::format("{{{}, {:.17g}}}", term.window, term.factor));
      numbers += fmt::format("  {{{}, {}, {}, {:.17g}, {{{}}}, {}, {}, {}, {}, {:.17g}, {:.17g}}},\n",
                             quoted(cell.name), quoted(std::string(number.tag)), quoted(formula_of(number)),
                             number.constant, fmt::join(terms, ", "), terms.size(), is_surveyed ? 1 : 0, counts ? 1 : 0,
                             checks[static_cast<int>(check)], value, tolerance);
    }
  }
  return inputs.text() + windows + "};\n" + numbers + "};\n";
}

std::string program_of(const std::filesystem::path& templates, const std::string& data, const Provenance& provenance) {
  const auto file = templates / "reproducer/reproduce.c";
  const auto number = [](auto value) { return fmt::format("{}", value); };
  return ptx::fill({file, read_file(file)}, {{"title", provenance.title},
                                             {"slot_bytes", number(ptx::slot_bytes)},
                                             {"parameter_bytes", number(ptx::parameter_bytes)},
                                             {"memory_lines", number(gpu::memory_lines)},
                                             {"memory_pages", number(gpu::memory_pages)},
                                             {"lines_in_a_row", number(gpu::lines_in_a_row)},
                                             {"page_distance", number(gpu::page_distance)},
                                             {"line_distance", number(gpu::line_distance)},
                                             {"scratch_bytes", number(gpu::scratch_bytes)},
                                             {"object_bytes", number(gpu::object_page_bytes)},
                                             {"survey_launches", number(latency::surveyed_lines)},
                                             {"expected_from", quoted(provenance.source)},
                                             {"sm", number(provenance.sm)},
                                             {"data", data}});
}

constexpr char makefile[] =
    "CFLAGS = -O2 -std=c11 -D_POSIX_C_SOURCE=200809L -Wall\n\n"
    "reproduce: reproduce.c\n"
    "\t$(CC) $(CFLAGS) -o $@ $< -ldl\n\n"
    "run: reproduce\n"
    "\t./reproduce\n\n"
    "clean:\n"
    "\trm -f reproduce\n\n"
    ".PHONY: run clean\n";

std::string sass_of(const latency::Reproduction& reproduction) {
  std::string text;
  for (std::size_t i = 0; i < reproduction.windows.size(); ++i)
    text +=
        fmt::format("w{} {}{}\n", i, reproduction.windows[i].symbol, pages::window_text(reproduction.windows[i].code));
  return text;
}

std::string readme_of(const std::vector<CheckedCell>& cells, const Provenance& provenance) {
  std::string text = fmt::format(
      "# {}\n\n"
      "    make && ./reproduce\n\n"
      "measures these numbers again with nothing but a C compiler and the NVIDIA driver. It prints the cycles of each\n"
      "window and the value of each number. The exit code is 0 if all numbers that count are as expected, 1 if one is\n"
      "not, and 2 if it could not measure. Keep the GPU otherwise idle; none of its settings is changed.\n\n"
      "| file | content |\n|---|---|\n"
      "| windows.ptx | the kernels: the input of the assembler |\n"
      "| windows.cubin | their machine code: `{}` |\n"
      "| windows.sass | the instructions between the clock reads, with control words and the result of the audit |\n"
      "| reproduce.c | operands, launches, formulas and expected numbers, and the program |\n\n"
      "Expected: {}. Made by `{}`, {}.\n\n"
      "| cell | number | expected | formula over elapsed cycles |\n|---|---|---|---|\n",
      provenance.title, provenance.assembler, provenance.source, provenance.command, provenance.tool);
  std::string notes;
  for (const auto& cell : cells) {
    for (const auto& number : cell.numbers) {
      std::string expected =
          number.check == Check::nothing
              ? "-"
              : fmt::format("{}{}", number.check == Check::at_least ? "at least " : "", tables::decimal(number.value));
      if (number.tolerance > 0) expected += fmt::format(" ± {:.4g}", number.tolerance);
      if (!number.counts) expected += ", does not count";
      if (number.is_surveyed) expected += ", median of a survey";
      text += fmt::format("| {} | {} | {} | {} |\n", cell.name, number.number.tag, expected, formula_of(number.number));
    }
    if (!cell.note.empty()) notes += fmt::format("\n{}: {}.\n", cell.name, cell.note);
  }
  return text + notes;
}

// Without the windows that no number uses.
void drop_unused_windows(latency::Reproduction& reproduction, std::vector<CheckedCell>& cells) {
  std::map<std::size_t, std::size_t> kept;
  std::vector<latency::ReproducedWindow> windows;
  for (auto& cell : cells) {
    for (auto& number : cell.numbers) {
      for (auto& term : number.number.terms) {
        const auto [place, is_new] = kept.try_emplace(term.window, windows.size());
        if (is_new) windows.push_back(reproduction.windows[term.window]);
        term.window = place->second;
      }
    }
  }
  reproduction.windows = std::move(windows);
}

}  // namespace

void write_folder(const std::filesystem::path& folder, const std::filesystem::path& templates,
                  latency::Reproduction reproduction, std::vector<CheckedCell> cells, const Provenance& provenance) {
  drop_unused_windows(reproduction, cells);
  replace_files(folder, {{"windows.ptx", reproduction.ptx},
                         {"windows.cubin", {reproduction.cubin.begin(), reproduction.cubin.end()}},
                         {"windows.sass", sass_of(reproduction)},
                         {"reproduce.c", program_of(templates, data_of(reproduction, cells), provenance)},
                         {"Makefile", makefile},
                         {"README.md", readme_of(cells, provenance)}});
}

}  // namespace ptxlat::reproduce
