// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "snippet/text.h"

namespace ptxlat::snippet {

// A place in a text that is read character by character. Beyond the end there are zeros. The text must outlive it.
class Cursor {
 public:
  explicit Cursor(const std::string& text) : text_(text) {}

 protected:
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  char take() {
    const char c = text_[at_++];
    place_ = c == '\n' ? Place{place_.line + 1, 1} : Place{place_.line, place_.column + 1};
    return c;
  }

  template <class Condition>
  std::string take_while(Condition condition) {
    std::string taken;
    while (!at_end() && condition(peek())) taken += take();
    return taken;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  Place place_;
};

}  // namespace ptxlat::snippet
