// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "results/published_windows.h"
#include "results/record.h"

namespace ptxlat::tables {

// Where a table's records come from, in the order of its rows. They are read twice: all of them at once, with the code
// of all windows, may not fit into memory.
//   read  a record with at least this code, by any number of threads
struct RecordSource {
  std::size_t size = 0;
  std::function<results::Record(std::size_t number, results::Code code)> read;
};

// Identifies a row of a table's files: which records become it, and which forms and levels share it.
//   records  the numbers of its operands' records: those that are one experiment
//   hump     which of the records' humps it is
//   code     equal for rows with the same machine code and numbers (tables/shared_rows.h)
//   note     of a form that the target does not support
struct RowOutline {
  std::vector<std::size_t> records;
  std::size_t hump = 0;
  std::string ptx;
  int level = 0;
  bool is_core = false;
  sass::Verdict verdict = sass::Verdict::proven;
  bool has_number = false;
  std::string note = {};
  std::array<std::uint64_t, 2> code = {};
};

//   verdicts  how many records have each
//   alike     how many records are those of a higher level
struct TableOutline {
  std::vector<RowOutline> rows;
  std::map<sass::Verdict, std::size_t> verdicts;
  std::size_t alike = 0;
};
TableOutline outline_of(const RecordSource& records);

// The row itself.
results::Record record_of(const RowOutline& row, const RecordSource& records, results::Code code);

// "ld" of "ld.global.u32".
std::string_view opcode_in(std::string_view ptx);

// The machine code of a window without its arbitrary parts: register names and branch addresses. Equal texts are the
// same code.
std::string code_shape(const results::WindowRecord& window);

// The place of a form's number at one level, a line of forms.csv.gz.
//   row     the ptx of the rows with this form's code, its own or a different form's; empty if it has none
//   reason  why there is no number: a verdict; empty if there is a number
//   note    for a form without a row, what it needs or the assembler's message
struct Spelling {
  std::string ptx;
  int level = 0;
  std::string row;
  std::string reason;
  std::string note = {};

  bool operator==(const Spelling&) const = default;
};

//   outline  the number of that of its highest level
//   levels   ascending
struct SharedRow {
  std::size_t outline = 0;
  std::vector<int> levels;
};

struct SharedRows {
  std::vector<SharedRow> rows;
  std::vector<Spelling> spellings;  // in the order of their forms
};

// Lets forms of one opcode with the same machine code at a level share the rows of one of them: preferably a core form,
// then the shortest, then the first alphabetically. Code is the same if it only differs in register numbers and branch
// addresses, in all windows behind the headline. A form that the target does not support gets no row. Rows are in the
// order of their first outlines.
SharedRows share_rows(const std::vector<RowOutline>& outlines);

}  // namespace ptxlat::tables
