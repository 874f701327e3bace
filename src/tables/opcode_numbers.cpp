// SPDX-License-Identifier: Apache-2.0
#include "tables/opcode_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "sass/opcodes.h"
#include "tables/csv.h"
#include "tables/opcode_files.h"
#include "tables/table_files.h"

namespace ptxlat::tables {

namespace {

// The fields of a line by their columns.
class Fields {
 public:
  Fields(const std::vector<std::string>& fields, const std::map<std::string, std::size_t>& places,
         const std::filesystem::path& file)
      : fields_(fields), places_(places), file_(file) {}

  const std::string& text(const std::string& column) const { return fields_[places_.at(column)]; }
  std::optional<double> number(const std::string& column) const { return number_in_field(text(column), file_); }

 private:
  const std::vector<std::string>& fields_;
  const std::map<std::string, std::size_t>& places_;
  const std::filesystem::path& file_;
};

// "IADD3;IMAD", or "IADD3|IMAD.IADD" if they take turns.
std::vector<std::string> opcodes_in(const std::string& sass) {
  std::vector<std::string> opcodes;
  for (std::size_t begin = 0; begin < sass.size();) {
    const auto end = std::min(sass.find_first_of(";|", begin), sass.size());
    opcodes.push_back(sass.substr(begin, end - begin));
    begin = end + 1;
  }
  return opcodes;
}

std::map<std::string, std::size_t> places_of(const std::string& columns) {
  std::map<std::string, std::size_t> places;
  std::istringstream in(columns);
  for (std::string column; std::getline(in, column, ',');) places.emplace(column, places.size());
  return places;
}

template <class Add>
void read_lines(const std::filesystem::path& file, const char* columns, Add add) {
  const auto places = places_of(columns);
  for (const auto& line : read_csv_file(file, columns)) add(Fields(line, places, file));
}

}  // namespace

OpcodeNumbers read_opcode_numbers(const std::filesystem::path& folder) {
  OpcodeNumbers numbers;
  const auto opcodes = folder / opcodes_name, forms = folder / throughput_name;
  read_lines(opcodes, opcode_columns, [&](const Fields& line) {
    numbers.opcodes.push_back({line.text("opcode"), line.text("pipe"), line.text("counters"), line.text("unit"),
                               line.number("throughput"), line.number("interval"), line.number("saturates_at"),
                               line.number("latency"), line.number("hazard")});
  });
  read_lines(forms, throughput_columns, [&](const Fields& line) {
    const auto& level = line.text("opt");
    if (level.size() != 2 || level[0] != 'O' || level[1] < '0' || level[1] > '9')
      throw damaged(forms, fmt::format("{} is not a level", level));
    numbers.forms.push_back({line.text("ptx"), line.text("input"), line.text("opcode"), line.text("unit"),
                             opcodes_in(line.text("sass")), level[1] - '0', line.number("throughput"),
                             line.number("saturates_at")});
  });
  numbers.spellings = read_throughput_forms(folder);
  return numbers;
}

Pipes::Pipes(const std::vector<OpcodeLine>& opcodes) {
  for (const auto& line : opcodes) {
    if (line.pipe.empty()) continue;
    of_opcode_.emplace(line.opcode, line.pipe);
    const auto [family, is_new] = of_family_.emplace(sass::family_of(line.opcode), line.pipe);
    if (!is_new && family->second != line.pipe) family->second.clear();
  }
}

std::string Pipes::of(const std::string& opcode) const {
  if (const auto found = of_opcode_.find(opcode); found != of_opcode_.end()) return found->second;
  const auto family = of_family_.find(std::string(sass::family_of(opcode)));
  return family == of_family_.end() ? "" : family->second;
}

std::string Pipes::of(const std::vector<std::string>& opcodes) const {
  std::set<std::string> pipes;
  for (const auto& opcode : opcodes) {
    std::istringstream in(of(opcode));
    for (std::string pipe; std::getline(in, pipe, '+');) pipes.insert(pipe);
  }
  std::string text;
  for (const auto& pipe : pipes) text += (text.empty() ? "" : "+") + pipe;
  return text;
}

RowThroughputs::RowThroughputs(const OpcodeNumbers& numbers, const std::vector<Spelling>& spellings)
    : pipes_(numbers.opcodes) {
  for (const auto& form : numbers.forms) {
    if (!form.throughput) continue;
    // Of opcodes that take turns, what they reach together is the form's.
    const auto [place, is_new] = forms_.emplace(form.ptx, form);
    if (!is_new && !place->second.opcode.empty() && form.opcode.empty()) place->second = form;
  }
  for (const auto& line : numbers.opcodes) opcodes_.emplace(line.opcode, line);
  const auto add = [](const std::vector<Spelling>& from, auto& rows) {
    for (const auto& spelling : from) {
      if (!spelling.row.empty() && spelling.row != spelling.ptx) rows[spelling.ptx] = spelling.row;
    }
  };
  add(numbers.spellings, throughput_rows_);
  add(spellings, latency_rows_);
}

const FormThroughput* RowThroughputs::form(const std::string& ptx, const std::vector<int>& levels) const {
  const auto row = throughput_rows_.find(ptx);
  const auto found = forms_.find(row == throughput_rows_.end() ? ptx : row->second);
  if (found == forms_.end()) return nullptr;
  const bool is_there = std::find(levels.begin(), levels.end(), found->second.level) != levels.end();
  return is_there ? &found->second : nullptr;
}

RowThroughput RowThroughputs::of(const std::string& ptx, const std::vector<int>& levels,
                                 const std::vector<std::string>& sass) const {
  RowThroughput row;
  row.pipe = pipes_.of(sass);
  const auto* found = form(ptx, levels);
  const auto shared = latency_rows_.find(ptx);
  if (found == nullptr && shared != latency_rows_.end()) found = form(shared->second, levels);
  if (found != nullptr) {
    row.throughput = found->throughput;
    row.saturates_at = found->saturates_at;
    row.unit = found->unit;
    row.pipe = pipes_.of(found->opcodes);
    return row;
  }
  const auto alone = sass.size() == 1 ? opcodes_.find(sass.front()) : opcodes_.end();
  if (alone == opcodes_.end() || !alone->second.throughput) return row;
  row.throughput = alone->second.throughput;
  row.saturates_at = alone->second.saturates_at;
  row.unit = alone->second.unit;
  return row;
}

}  // namespace ptxlat::tables
