// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ptxlat::results {

// Reads JSON from front to back without building a tree, for files that are mostly skipped. JSON of an unexpected shape
// is a std::invalid_argument; skipped values are only searched for their end.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  // Calls read(key) for each member; it must consume the value.
  template <typename Read>
  void object(Read read) {
    expect('{');
    if (skip_if('}')) return;
    do {
      const std::string_view key = quoted();
      expect(':');
      read(key);
    } while (skip_if(','));
    expect('}');
  }

  // Calls read() for each element; it must consume it.
  template <typename Read>
  void array(Read read) {
    expect('[');
    if (skip_if(']')) return;
    do {
      read();
    } while (skip_if(','));
    expect(']');
  }

  std::string string();
  // The text of a string, with escapes unprocessed.
  std::string_view quoted();
  // A view of a string without escapes.
  std::string_view plain_string();
  // A view of a string, or of `room` if it has escapes.
  std::string_view string_or_view(std::string& room);
  double number();  // finite
  int integer();
  std::optional<double> number_or_null();
  bool boolean();
  // The text of the next value, whatever it is.
  std::string_view raw();
  // Throws if anything but white space is left.
  void end();

 private:
  [[noreturn]] void fail(const char* expected) const;
  void skip_space();
  bool skip_if(char c);
  bool skip_word(std::string_view word);
  void expect(char c);

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace ptxlat::results
