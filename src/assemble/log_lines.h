// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptxlat::assemble {

// One diagnostic of ptxas, alone or inside nvJitLink and the driver, which all write
//   ptxas module.ptx, line 12; error   : Arguments mismatch for instruction 'mov'
//   ptxas error   : Entry function 'k3' uses too much shared data (0x30d40 bytes, 0xc000 max)
//   fatal   after a fatal diagnostic ptxas stops reading; in a syntax error the line may be that of the next kernel
//   line    in the module, from 1; 0 if the diagnostic does not name one
struct Diagnostic {
  bool fatal = false;
  std::size_t line = 0;
  std::string message;
};

// The errors in a log, in order; its warnings, remarks and the closing "Ptx assembly aborted" are left out.
std::vector<Diagnostic> diagnostics_in(std::string_view log);

// The first name of an instruction that a log has in quotes: 'mul.wide'. Empty if it has none.
std::string quoted_name(const std::string& log);

// Whether the assembler says that the PTX is at fault. The log of one that is broken has no such word.
bool blames_ptx(std::string_view log);

// Whether it says that memory ran out, for which it blames the PTX in the same words.
bool lacks_memory(std::string_view log);

// The log of an assembler for which memory ran out: "the assembler failed: ptxas ran out of memory, of which it may use
// 4 GiB".
std::string lacked_memory(std::string_view assembler);

// The end of a message about an assembler that does not say why it failed: ", perhaps for lack of memory, of which …".
std::string perhaps_lacked_memory();

}  // namespace ptxlat::assemble
