// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "cli/print.h"
#include "results/json_fields.h"
#include "tables/column.h"
#include "tables/opcode_numbers.h"

namespace ptxlat::cli {

// The beginning of every command's JSON: {"format": 1, "version": "0.1.0", "method": "method 25"}. The format changes
// if a program that reads it has to (docs/commands.md, "For scripts").
results::Json json_head();
// The same with "table": its name or folder.
results::Json json_head(const std::string& table);

// One document on standard output, in one line.
void print_json(const results::Json& document);

// Adds what list and show say of a cell's throughput; what is unknown has no key.
void put_throughput(results::Json& cell, const tables::RowThroughput& throughput);

// A row of a file as an object. Empty fields have no key; numbers are numbers.
template <class Row>
results::Json json_of(const tables::Columns<Row>& columns, const Row& row) {
  auto object = results::Json::object();
  for (const auto& column : columns) {
    const auto text = column.text(row);
    if (text.empty()) continue;
    const auto number = column.shown == tables::Shown::number ? tables::number_in(text) : std::nullopt;
    object[column.name] = number ? results::json_number(number) : results::Json(text);
  }
  return object;
}

template <class Row>
results::Json json_rows(const tables::Columns<Row>& columns, const std::vector<Row>& rows) {
  auto array = results::Json::array();
  for (const auto& row : rows) array.push_back(json_of(columns, row));
  return array;
}

// The rows of a table's file as `--format` asks: their text for people, csv, JSON under `name`, or nothing.
template <class Row, class WriteText>
void print_rows(const tables::Columns<Row>& columns, const std::vector<Row>& rows, const char* name,
                const std::filesystem::path& folder, const std::string& format, const WriteText& write_text) {
  if (format == "text") print_text(write_text);
  if (format == "csv") print_text([&](std::ostream& out) { tables::write_rows(out, columns, rows); });
  if (format != "json") return;
  auto document = json_head(folder.string());
  document[name] = json_rows(columns, rows);
  print_json(document);
}

}  // namespace ptxlat::cli
