// SPDX-License-Identifier: Apache-2.0
#include "tables/opcode_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/text.h"
#include "results/access_pattern.h"
#include "results/metric.h"
#include "tables/latency_columns.h"

namespace ptxlat::tables {

namespace {

using results::Opcode;
namespace metric = results::metric;

// Launches of one experiment differ by thousandths: three digits after the point, or four that are not 0, say all there
// is.
std::optional<double> rounded(std::optional<double> value) {
  if (!value || *value == 0) return value;
  const double below_one = std::max(0.0, -std::floor(std::log10(std::abs(*value))));
  const double digits = 1000 * std::pow(10, below_one);
  return std::round(*value * digits) / digits;
}

// A number that is written with these digits.
template <auto member>
auto measured(std::string name, std::string unit, std::string description) {
  auto made = column<member>(std::move(name), std::move(unit), std::move(description));
  using Item = decltype(row_of_member(member));
  made.text = [](const Item& row) { return decimal(rounded(row.*member)); };
  return made;
}

// A list, by the functions that write and read it.
template <auto member, auto read>
auto list(std::string name, std::string unit, std::string description) {
  using Item = decltype(row_of_member(member));
  return Column<Item>{std::move(name), std::move(unit), std::move(description),
                      [](const Item& row) { return results::text_of(row.*member); },
                      [](Item& row, const Field& field) {
                        try {
                          row.*member = read(field.text);
                        } catch (const std::invalid_argument& error) {
                          field.fail(error.what());
                        }
                      }};
}

Column<Opcode> versions_column() {
  return {"versions", "", "The versions of ptxas whose tables of the same GPU have it.",
          [](const Opcode& row) { return fmt::format("{}", fmt::join(row.versions, " ")); },
          [](Opcode& row, const Field& field) { row.versions = words_in(field.text, " "); }};
}

constexpr const char* of_verdict = "`proven`, or why there is no number.";
constexpr const char* of_note = "Anything else worth knowing.";

}  // namespace

const Columns<Opcode>& opcode_columns() {
  static const Columns<Opcode> columns = {
      column<&Opcode::name>("opcode", "", "The SASS opcode with its modifiers.").as(Shown::code).required(),
      column<&Opcode::pipe>("pipe", "", "The group of opcodes that contend with each other, named after its members.")
          .compared(Same::exactly),
      list<&Opcode::counters, results::shares_in>(
          "counters", "", "The pipes on which hardware counters see it, with shares if it alternates.")
          .compared(Same::in_pipes),
      column<&Opcode::stands_for_it>("paired_as", "", "The opcode that was paired with the others instead of it.")
          .as(Shown::no),
      measured<&Opcode::throughput>("throughput", "per cycle of an SM",
                                    "What an SM does with enough warps, in the `unit`.")
          .compared(Same::within_1_percent),
      column<&Opcode::unit>("unit", "",
                            "`results` of threads; or instructions that a warp or a warpgroup executes as one."),
      measured<&Opcode::multiply_adds>("multiply_adds", "per cycle of an SM",
                                       "Those of a matrix instruction, by the shape in its name.")
          .as(Shown::no),
      measured<&Opcode::bytes>("bytes", "per cycle of an SM", "Those that an access to memory moves.").as(Shown::no),
      measured<&Opcode::interval>("interval", "cycles", "Between two such instructions in a sub-partition."),
      measured<&Opcode::saturates_at>("saturates_at", "warps", "The fewest of an SM that reach the throughput."),
      measured<&Opcode::in_flight>("in_flight", "instructions",
                                   "The fewest of an SM in flight, warps times independent chains, that reach it."),
      column<&Opcode::arrival>(
          "arrival", "",
          "How the result reaches its consumer: `fixed`, after a number of cycles that the assembler knows; "
          "`scoreboard`, when the hardware says so; empty if there is no result in a register."),
      measured<&Opcode::latency>("latency", "cycles",
                                 "The smallest latency among the latency table's rows that are this opcode alone.")
          .compared(Same::exactly),
      list<&Opcode::latencies, results::latencies_in>("latencies", "cycles",
                                                      "To the nearest consumer on each pipe, its own first."),
      measured<&Opcode::hazard>("hazard", "cycles",
                                "The lowest distance to the nearest consumer at which all values are right.")
          .compared(Same::exactly),
      list<&Opcode::operand_costs, results::costs_in>(
          "operand_costs", "cycles",
          "What the interval grows by if the last source is a constant, an immediate or a uniform register, or if the "
          "instruction is predicated."),
      column<&Opcode::forms>("forms", "", "How many spellings of PTX become this opcode and nothing else."),
      levels_column<&Opcode::levels>(
          "levels", "The levels at which rows of the latency table have the opcode, alone or with others."),
      versions_column(),
      column<&Opcode::example>("example", "", "The shortest of them.").as(Shown::code),
      column<&Opcode::note>("note", "", of_note)};
  return columns;
}

const Columns<FormThroughput>& form_throughput_columns() {
  using Item = FormThroughput;
  static const Columns<Item> columns = {
      column<&Item::ptx>("ptx", "", "The form that stands for the machine code.").as(Shown::code).required(),
      column<&Item::input>("input", "", "The class of the input values."),
      column<&Item::opcode>("opcode", "", "If several opcodes take turns, the one that is alone here."),
      level_column<&Item::level>("opt", "The assembler's optimisation level.").required(),
      column<&Item::pattern>("pattern", "",
                             "If it is of the whole GPU, how the warps of all SMs access memory: each its `own lines`, "
                             "each lane its own line (`scattered`), all `one line`, or all `one address`. Else it is "
                             "of an SM."),
      measured<&Item::throughput>("throughput", "per cycle", "Of an SM or the GPU with enough warps, in the `unit`.")
          .compared(Same::within_1_percent),
      measured<&Item::low>(
          "low", "per cycle",
          "Of an SM, two standard errors below what its launches show; of the GPU, the lowest of them."),
      measured<&Item::high>("high", "per cycle", "Likewise, above and the highest."),
      column<&Item::unit>("unit", "", "As in opcodes.csv."),
      measured<&Item::multiply_adds>("multiply_adds", "per cycle", "Those of a matrix instruction."),
      measured<&Item::bytes>("bytes", "per cycle", "Those that an access to memory or a copy moves."),
      measured<&Item::interval>("interval", "cycles", "Between two of them in a sub-partition."),
      measured<&Item::saturates_at>("saturates_at", "warps", "The fewest of an SM that reach the throughput."),
      column<&Item::sass>("sass", "", "The opcodes, separated by `;`, or by `|` if they take turns.").as(Shown::code),
      column<&Item::sass_count>("sass_count", "", "Their number."),
      column<&Item::verdict>("verdict", "", of_verdict).required(),
      column<&Item::note>("note", "", of_note)};
  return columns;
}

FormThroughput form_throughput(const results::Record& record) {
  const auto made = results::in_unit_of(record.ptx, record.number(metric::throughput));
  const auto bound = [&, threads = results::work_unit_of(record.ptx).threads](std::string_view tag) {
    const auto results = record.number(tag);
    return results ? std::optional(*results / threads) : std::nullopt;
  };
  const auto* const separator = record.has_flag(results::flag::takes_turns) ? "|" : ";";
  const bool is_of_gpu = results::access_pattern_of(record).has_value();
  return {record.ptx,
          record.input,
          is_of_gpu ? "" : record.operand,
          record.level,
          is_of_gpu ? record.operand : "",
          made.value,
          bound(metric::throughput_low),
          bound(metric::throughput_high),
          made.unit,
          made.multiply_adds,
          made.bytes,
          record.number(metric::interval),
          record.number(metric::saturates_at),
          fmt::format("{}", fmt::join(record.sass, separator)),
          static_cast<std::size_t>(record.sass_count),
          record.verdict,
          record.note};
}

const Columns<ContentionRow>& contention_columns() {
  using Item = ContentionRow;
  static const Columns<Item> columns = {
      column<&Item::a>("a", "", "An opcode.").required(),
      column<&Item::b>("b", "", "The opcode that it shares an SM with.").required(),
      measured<&Item::score>("score", "share",
                             "How much longer both take together than the slower one alone, as a share of the faster "
                             "one's time: 0 for different pipes, 1 for one."),
      measured<&Item::floor>("floor", "share", "The time to issue both, as a share of their time together."),
      column<&Item::verdict>("verdict", "", of_verdict),
      column<&Item::note>("note", "", of_note)};
  return columns;
}
ContentionRow contention_row(const results::Record& record) {
  return {record.ptx,     record.operand, record.number(metric::contention), record.number(metric::floor),
          record.verdict, record.note};
}

const Columns<OperandCostRow>& operand_cost_columns() {
  using Item = OperandCostRow;
  static const Columns<Item> columns = {
      column<&Item::opcode>("opcode", "", "The opcode.").required(),
      column<&Item::operand>("operand", "", "`constant`, `immediate`, `uniform` or `predicate`.").required(),
      measured<&Item::interval>("interval", "cycles", "Between two such instructions in a sub-partition."),
      measured<&Item::cost>("cost", "cycles", "What that is more than with registers."),
      column<&Item::verdict>("verdict", "", of_verdict),
      column<&Item::note>("note", "", of_note)};
  return columns;
}
OperandCostRow operand_cost_row(const results::Record& record) {
  return {record.ptx,     record.operand, record.number(metric::interval), record.number(metric::operand_cost),
          record.verdict, record.note};
}

const Columns<CounterRow>& counter_columns() {
  using Item = CounterRow;
  static const Columns<Item> columns = {
      column<&Item::opcode>("opcode", "", "The opcode.").required(),
      column<&Item::pipe>("pipe", "", "A pipe whose counter counts it.").required(),
      measured<&Item::share>("share", "share", "How many of its instructions that is.")};
  return columns;
}

const Columns<WarpsRow>& warps_columns() {
  using Item = WarpsRow;
  static const Columns<Item> columns = {
      column<&Item::opcode>("opcode", "", "The opcode.").required(),
      column<&Item::warps>("warps", "warps", "How many run on the SM."),
      measured<&Item::value>("value", "per cycle of an SM", "The throughput, in the `unit` of opcodes.csv.")};
  return columns;
}

const Columns<InFlightRow>& in_flight_columns() {
  using Item = InFlightRow;
  static const Columns<Item> columns = {
      column<&Item::opcode>("opcode", "", "The opcode.").required(),
      column<&Item::chains>("chains", "", "Independent chains of dependent copies in each warp."),
      column<&Item::warps>("warps", "warps", "How many run on the SM."),
      measured<&Item::throughput>("throughput", "per cycle of an SM", "In the `unit` of opcodes.csv."),
      measured<&Item::latency>("latency", "cycles", "From one copy of a chain to the next."),
      column<&Item::example>("example", "", "The form whose copies they are.")};
  return columns;
}

}  // namespace ptxlat::tables
