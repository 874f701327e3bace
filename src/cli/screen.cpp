// SPDX-License-Identifier: Apache-2.0
#include "cli/screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <streambuf>
#include <string_view>
#include <vector>

#include "base/environment.h"

namespace ptxlat::cli {

namespace {

Screen screen_of_output() {
  Screen screen;
  screen.is_terminal = isatty(STDOUT_FILENO) != 0;
  winsize size{};
  if (screen.is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    constexpr std::size_t narrowest = 40, lowest = 10;
    if (size.ws_col > 0) screen.columns = std::max<std::size_t>(size.ws_col, narrowest);
    if (size.ws_row > 0) screen.rows = std::max<std::size_t>(size.ws_row, lowest);
  }
  const bool is_wanted =
      *environment_or("NO_COLOR", "") == '\0' && environment_or("TERM", "") != std::string_view("dumb");
  const auto& color = manner().color;
  screen.in_colour = color == "always" || (color == "auto" && screen.is_terminal && is_wanted);
  return screen;
}

// Where the characters of a line begin. Commands of the terminal, such as colours, take no place.
std::vector<std::size_t> characters_of(const std::string& line) {
  std::vector<std::size_t> begins;
  bool in_command = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const auto byte = static_cast<unsigned char>(line[i]);
    if (in_command) {
      in_command = byte < '@' || byte == '[';
    } else if (byte == 0x1b) {
      in_command = true;
    } else if ((byte & 0xc0) != 0x80) {
      begins.push_back(i);
    }
  }
  return begins;
}

// The line as a screen shows it: a sentence continues in further lines, everything that is aligned by spaces is cut.
std::vector<std::string> fitting(std::string line, std::size_t columns) {
  std::vector<std::string> lines;
  auto begins = characters_of(line);
  const bool is_prose = line.find("  ") == std::string::npos;
  while (begins.size() > columns) {
    const auto space = line.rfind(' ', begins[columns]);
    if (!is_prose || space == std::string::npos || space == 0) {
      const bool has_commands = line.find('\x1b') != std::string::npos;
      line = line.substr(0, begins[columns - 1]) + "…" + (has_commands ? "\x1b[0m" : "");
      break;
    }
    lines.push_back(line.substr(0, space));
    line.erase(0, space + 1);
    begins = characters_of(line);
  }
  lines.push_back(std::move(line));
  return lines;
}

}  // namespace

const Screen& screen() {
  static const Screen screen = screen_of_output();
  return screen;
}

Manner& manner() {
  static Manner manner;
  return manner;
}

Progress::To progress_to() {
  if (manner().is_quiet) return Progress::To::nobody;
  return isatty(STDERR_FILENO) != 0 ? Progress::To::terminal : Progress::To::log;
}

bool is_brief() { return screen().is_terminal && !manner().is_full; }

class OneScreen::Buffer : public std::streambuf {
 public:
  Buffer() : whole_(std::cout.rdbuf(this)) {}
  ~Buffer() override {
    if (!line_.empty()) end_line();
    const auto more = fmt::format("… {} more line{}: add --full, or send them to a file or a pipe", left_out_,
                                  left_out_ == 1 ? "" : "s");
    if (left_out_ > 0) {
      for (const auto& line : fitting(more, screen().columns)) write(line + '\n');
    }
    std::cout.rdbuf(whole_);
    std::cout.flush();
  }

 protected:
  int overflow(int c) override {
    if (c == traits_type::eof()) return traits_type::not_eof(c);
    if (c == '\n')
      end_line();
    else
      line_ += static_cast<char>(c);
    return has_failed_ ? traits_type::eof() : c;
  }
  int sync() override { return whole_->pubsync(); }

 private:
  void end_line() {
    constexpr std::size_t kept_free = 3;  // for that sentence and the prompt
    for (const auto& line : fitting(std::move(line_), screen().columns)) {
      if (++count_ > screen().rows - kept_free)
        ++left_out_;
      else
        write(line + '\n');
    }
    line_.clear();
  }
  void write(const std::string& text) {
    const auto size = static_cast<std::streamsize>(text.size());
    if (whole_->sputn(text.data(), size) != size) has_failed_ = true;
  }

  std::streambuf* whole_;
  std::string line_;
  std::size_t count_ = 0, left_out_ = 0;
  bool has_failed_ = false;
};

OneScreen::OneScreen() : buffer_(is_brief() ? std::make_unique<Buffer>() : nullptr) {}
OneScreen::~OneScreen() = default;

}  // namespace ptxlat::cli
