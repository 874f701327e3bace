// SPDX-License-Identifier: Apache-2.0
#include "base/csv_row.h"

#include <fmt/format.h>

#include "base/limits.h"

namespace ptxlat {

bool read_csv_row(std::istream& in, std::vector<std::string>& fields, int& line, std::string& damage) {
  fields.assign(1, {});
  bool quoted = false;
  bool was_quoted = false;
  bool any = false;
  std::size_t bytes = 0;
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    any = true;
    if (++bytes > most_row_bytes) {
      damage = fmt::format("more than {} bytes in a row", most_row_bytes);
      return true;
    }
    if (c == '\n') ++line;
    if (quoted) {
      if (c == '"' && in.peek() == '"') {
        fields.back() += static_cast<char>(in.get());
      } else if (c == '"') {
        quoted = false;
        was_quoted = true;
      } else {
        fields.back() += static_cast<char>(c);
      }
    } else if (c == '"' && fields.back().empty() && !was_quoted) {
      quoted = true;
    } else if (c == ',') {
      fields.emplace_back();
      was_quoted = false;
      if (fields.size() > most_fields) {
        damage = fmt::format("more than {} fields", most_fields);
        return true;
      }
    } else if (c == '\n') {
      return true;
    } else if (c == '\r' && in.peek() == '\n') {
      continue;
    } else if (was_quoted) {
      damage = "text after a closing quote";
    } else {
      fields.back() += static_cast<char>(c);
    }
  }
  if (quoted) damage = "a quote is not closed";
  return any;
}

}  // namespace ptxlat
