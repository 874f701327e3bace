// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sass/dataflow.h"
#include "sass/window.h"

namespace ptxlat::pairs {

// How the second of two instructions uses a register of the first.
//   read_after_write   the consumer reads the result
//   unawaited_read     the same, but the consumer does not wait for the producer's scoreboard
//   write_after_write  the consumer writes the register that the producer writes, and does not read it
//   write_after_read   the consumer writes a register that the producer reads
enum class Hazard { read_after_write, unawaited_read, write_after_write, write_after_read };
inline constexpr Hazard all_hazards[] = {Hazard::read_after_write, Hazard::unawaited_read, Hazard::write_after_write,
                                         Hazard::write_after_read};
const char* to_string(Hazard hazard);
constexpr bool is_read(Hazard hazard) { return hazard == Hazard::read_after_write || hazard == Hazard::unawaited_read; }

// Places that a hazard kernel has between its clocks in addition to its code (pairs/hazard_kernel.h).
inline constexpr int places_of_hazard = 8;
// The longest distance, in cycles, that fits them.
inline constexpr int longest_distance = 55;

// Two instructions next to each other in a hazard kernel's window, of which the second reads the first one's result.
//   slots     offsets of all instructions between the clocks, ascending
//   code      what is between the clocks, without the places
//   producer  its index in `code`; the consumer is the next one
//   passed    the register between them
//   overwritten  a register that the producer reads and nothing after it; empty if there is none
//   end       the second clock
//   problem   why it cannot be used; empty if it can
struct HazardCode {
  std::vector<int> slots;
  std::vector<sass::Instruction> code;
  std::size_t producer = 0;
  sass::Register passed;
  std::optional<int> overwritten;
  sass::Instruction end;
  std::string problem;

  const sass::Instruction& first() const { return code[producer]; }
  const sass::Instruction& second() const { return code[producer + 1]; }
  // The result comes under a scoreboard.
  bool waits() const { return sass::writes_scoreboard(first().control); }
};
HazardCode find_hazard(const sass::Window& window);

// Whether an instruction has an address in registers.
bool reads_address(const sass::Instruction& instruction);

// Whether the passed register, or what is made of it between the clocks, is part of an address: an old value may then
// point to no memory.
bool reaches_address(const HazardCode& code);

// The lowest distance at which the consumer waits as it should. A scoreboard that the producer sets is seen two cycles
// later: a consumer that waits until the producer has read its address, and then overwrites it, would not wait one
// cycle behind it.
int shortest_distance(const HazardCode& code, Hazard hazard);

// Whether a control word may be run. A stall count of 12 or more without the yield hint is not a valid encoding.
bool is_valid(const sass::ControlWord& control);

// Why this hazard cannot be made of the code; empty if it can. To overwrite a register, the consumer's destination is
// changed, so it must write one general register; for a write after write it also reads RZ instead of the producer's
// results.
std::string why_not_made(const HazardCode& code, Hazard hazard);

// Who is there, and in which order.
//   pair            the producer, then the consumer after `distance` cycles
//   consumer_first  the other way round: what the consumer leaves is certainly wrong
//   consumer_alone  a NOP in the producer's place
enum class Arrangement { pair, consumer_first, consumer_alone };

// The words for `slots`, and then for the second clock. Everything else between the clocks gets distances of 11 cycles,
// so that only this one can be too short. 1 ≤ distance ≤ longest_distance.
std::vector<sass::InstructionWord> hazard_words(const HazardCode& code, Hazard hazard, Arrangement arrangement,
                                                int distance);

// How many of them are NOPs that make up this distance.
int nops_within(int distance);

// The cubin with these words in place.
std::vector<std::uint8_t> with_hazard(const std::vector<std::uint8_t>& cubin, const std::string& kernel,
                                      const HazardCode& code, const std::vector<sass::InstructionWord>& words);

}  // namespace ptxlat::pairs
