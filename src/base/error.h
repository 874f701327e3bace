// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace ptxlat {

// The documented exit codes of the program (docs/commands.md, "Exit codes").
enum class ExitCode : int {
  success = 0,
  failure = 1,        // any other failure
  usage = 2,          // the command line is wrong
  catalogue = 3,      // a catalogue or skeleton file is malformed
  unknown_name = 4,   // a form, level, toolchain or table that does not exist
  missing_tool = 5,   // no assembler, no disassembler or no gnuplot was found
  no_gpu = 6,         // no driver, no device, or a device that cannot be used
  storage = 7,        // a store, table or bundle cannot be read or written (full disk, permissions, foreign file)
  changed = 8,        // `compare --fail-on-change` found a change, or `replay` a number that no longer holds
  incomplete = 9,     // `merge` lacks a shard, or has one that did not finish
  interrupted = 130,  // Ctrl-C; everything finished so far is kept
};

// An error that ends the command. An error that only concerns one cell (a rejected form, a fault, a hang) is never
// thrown: it is a value in that cell's record.
//   message: what is wrong, with its context (file and line, form, level, toolchain).
//   advice:  what the user can do about it; may be empty.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message, std::string what_to_do = {})
      : std::runtime_error(message), exit_code(code), advice(std::move(what_to_do)) {}

  ExitCode exit_code;
  std::string advice;
};

}  // namespace ptxlat
