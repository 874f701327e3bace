// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/target.h"

namespace ptxlat::isa {

// A place in the catalogue, for error messages.
struct SourceLocation {
  std::string file;
  int line = 0;
};

// One hole of an instruction. `type` is a PTX type without its dot ("u32", "bf16x2", "b64", "f64"), or
//   "pred"  a predicate register,
//   "imm"   an integer or floating-point literal, always written into the instruction,
//   "carry" the condition code CC.CF, which has no spelling (PTX ISA 9.7.2): it never appears in the text,
// or the name of an Object.
//   count  registers of a vector, written with PTX's braces; 0 is a scalar
struct Operand {
  std::string name;
  std::string type;
  bool is_result = false;
  bool is_inout = false;  // a result that is also read: an accumulator in place
  int count = 0;
};

// The values of one source operand over the 32 lanes: `first` in lane 0 to `last` in lane 31, linearly in between;
// the literals are PTX decimal, hexadecimal or floating-point numbers. Packed types take the value in both halves.
struct Value {
  std::string first;
  std::string last;
  bool is_known_to_compiler = false;  // written into the instruction as a literal; the same in every lane
  bool is_uniform = false;            // the compiler knows that all lanes have the same value, but not the value
};

// How the PTX after an instruction observes its effect.
//   wait       it waits until the effect is complete: for a group of copies, at a barrier
//   read_back  it loads what the instruction wrote
//   use        it needs the instruction's result, as a consumer does
enum class Completion { wait, read_back, use };

// A named class of input values. Operands that it does not mention take the default of their type.
//   around      PTX that replaces the instruction, which is its {op}; empty: the instruction alone
//   prepare     PTX before the first clock
//   before      PTX between the first clock and the instruction
//   completion  PTX after the instruction that observes its effect
// Holes: {a} and {a.0} for operands, scratch registers, {#}.
struct Input {
  std::string name;                            // "" is the default class
  std::map<std::string, Value> values;         // operand name → value
  std::map<std::string, std::string> objects;  // operand name → object, if it is not that of the syntax
  std::string around, prepare, before, completion;
  Completion completion_is = Completion::wait;  // if there is one
  Requirement requirement;                      // in addition to the form's
};

// How the offsets of an object's lanes differ if the class of values does not say.
//   per_lane  lanes get neighbouring addresses
//   same      all lanes get the same, but the compiler does not know that
//   uniform   all lanes get the same, and the compiler knows that (Value::is_uniform)
enum class Offset { per_lane, same, uniform };

// An operand that needs something set up: a variable in a state space, an address, something made by the host.
// docs/adding-an-instruction.md explains the holes of the texts.
//   register_type  of the operand's register {r}
//   module         at module scope, once
//   declare        in the kernel, once
//   once           before the loop
//   each           in every pass, before the first clock: makes {r} from {o}, which the compiler does not know. With a
//                  uniform offset once, before the loop
//   prepare        in every pass, after `each`: recreates what {r} refers to
//   again          needs {r} once more, behind an instruction whose machine code will be copied
//   is_address     {o} is a byte offset, which can carry a dependence
struct Object {
  std::string name;
  std::string register_type = "b64";
  std::string module, declare, once, each, prepare, again;
  bool is_address = false;
  Offset offset = Offset::same;
  int dynamic_shared = 0;   // bytes that the launch must provide
  bool is_evicted = false;  // no cache may contain scratch memory when a launch begins
  SourceLocation where;
};

// The source of a CUDA C form.
//   statement  in C++, with holes for the operands: "{d} = powf({a}, {b})", "sincosf({a}, &{d0}, &{d1})"
//   header     declares the function, "cuda_fp16.h"; empty if the compiler knows it
//   option     for the compiler, "--use_fast_math"; empty for none
struct CudaSource {
  std::string statement;
  std::string header;
  std::string option;
};

// How strict the audit is about other instructions in the window (docs/method.md, section 6).
//   arithmetic  registers in, registers out: everything between the clocks must feed the value that is waited for;
//               memory, special registers and barriers belong to the skeleton
//   effects     these are allowed between the clocks: the instruction reads or changes more than its registers
enum class AuditRule { arithmetic, effects };

// A fully-qualified PTX instruction, or a CUDA C function, which is used like one after NVRTC has compiled it to PTX
// (cuda/functions.h).
//   ptx         its spelling up to the first operand, "fma.rn.ftz.f32"; unique in a catalogue. If forms with different
//               operands share a spelling, the names of the later ones include these: "min.f32 d, a, b, c"
//   text        the instruction with holes, without the semicolon: "fma.rn.ftz.f32 {d}, {a}, {b}, {c}". A brace that
//               does not enclose a name is PTX's own: "mov.b64 {d}, {{a}, {b}}". {#} is a number that is different for
//               each copy of the instruction (for labels). For CUDA C: the statement, or the statements that NVRTC made
//               of it, with their semicolons
//   is_block    the text consists of whole statements with semicolons, as for CUDA C: a snippet (src/snippet/)
//   operands    results first if the text has them first; the first result is the one that is consumed
//   core        spelling of the form that represents this one and those that only differ from it in modifiers that do
//               not change the kind of work; its own if it is that form; empty if there is none
//   dependence  names of the source operands that can carry the dependence, in source order (carry included)
//   consumers   names of catalogue consumers to try, in this order; empty: those for the result's type
//   consumed    which register of a vector result the consumer needs, from 0; -1: the last
//   order       its chapter's among the chapters: the plan makes forms with a smaller number first
struct Form {
  std::string ptx;
  std::string core;
  std::string opcode;
  std::string chapter;
  std::string section;  // PTX ISA section, "9.7.1.1"
  std::string text;
  std::vector<Operand> operands;
  std::vector<std::string> dependence;
  std::vector<Input> inputs;  // at least one; inputs[0] is the default class
  std::vector<std::string> consumers;
  int consumed = -1;
  AuditRule audit = AuditRule::arithmetic;
  int order = 0;
  Requirement requirement;
  int threads = 32;
  int cluster = 1;                // CTAs
  std::string cleanup;            // PTX in every pass, after the second clock
  std::string directives;         // of the kernel
  std::string not_streamable;     // why it cannot be repeated back to back; empty if it can
  std::string depends_on_values;  // how the latency depends on the lanes' values; empty if it does not, or by branches
  std::string not_measurable;     // why it cannot be measured; empty if it can
  bool is_streamed = true;        // false for a part of a snippet, whose issue cost is that of the whole
  bool prefers_chain = false;     // the headline of a snippet is its chain's, because the user wants it
  std::optional<CudaSource> cuda;
  bool is_block = false;
  std::vector<std::string> module;  // declarations at module scope that the text needs, in an order that works
  std::string unsupported_because;  // why the current toolchain does not support it; empty if it does
  bool compiler_failed = false;     // its compiler crashed or hung, and that is why: another attempt may compile it
  SourceLocation where;
};

// A form with a source operand on the dependence path and a class of input values.
struct Variant {
  const Form* form = nullptr;
  std::string operand;  // "" if no source operand can carry a dependence
  const Input* input = nullptr;
};

// An instruction sequence that needs a value of one of `types` and makes a register of type `result` from it. Holes:
// {a} the value, {k} an opaque operand of type `k_type` (absent if empty), {q} the result, {t0} {t1} {u0} {u1} {p0}
// scratch registers: 32-bit, 64-bit and predicate. Statements end with ';'.
//   input  a class of its own: forms with a result of its types get an input of this name, for which only this consumer
//          is tried; empty for the consumers of all other inputs
//   opcode  only forms of this opcode get that; empty: all
struct Consumer {
  std::string name;
  std::string input;
  std::string opcode;
  std::vector<std::string> types;
  std::string result;
  std::string k_type;
  std::string text;
  SourceLocation where;
};

struct Catalogue {
  std::vector<Form> forms;          // in the order of the files
  std::vector<Consumer> consumers;  // in order of preference
  std::map<std::string, Object> objects;
  std::map<std::string, std::vector<Value>> defaults;  // type → value of the 1st, 2nd, 3rd … source operand
};

// Every dependence operand of every input class: the rows of a table that this form makes. A form without a dependence
// makes one variant per input with operand "".
std::vector<Variant> variants_of(const Form& form);

// The requirements of the form, plus those of this class of values.
Requirement requirement_of(const Variant& variant);

// The register bits of `value` in `lane` for an operand of `type`; predicates are 0 or 1. The value must be one that
// `load_catalogue` accepted for this type.
std::uint64_t lane_bits(const Value& value, const std::string& type, int lane);

// Width in bits of a register that holds `type`: 1 for pred, 16 also for 8-bit types, 32, 64, 128; 0 for imm and carry.
int register_bits(const std::string& type);

// The object that `operand` is in `input`; nullptr for registers and literals.
const Object* object_of(const Catalogue& catalogue, const Input& input, const Operand& operand);

// Bytes that one lane of the instruction moves: the size of its widest operand. Addresses of neighbouring lanes are
// this far apart.
int access_bytes(const Form& form);

// Whether the instruction reads it.
bool is_source(const Operand& operand);

// The value of `operand` in `input`, or the catalogue's default for its type and source position; an object's offset.
Value value_of(const Catalogue& catalogue, const Form& form, const Input& input, const Operand& operand);

}  // namespace ptxlat::isa
