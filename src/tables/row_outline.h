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

// What decides which records become a row of a table's files, and which forms and levels share it.
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

}  // namespace ptxlat::tables
