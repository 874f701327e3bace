#pragma once

#include <map>
#include <string>
#include <vector>

#include "isa/form.h"
#include "ptx/kernel_builder.h"

namespace ptxlat {

// The registers of an operand: "%v_a", or "%v_a_0", "%v_a_1" … of a vector. `copy` tells the copies of a stream apart.
std::vector<std::string> registers_of(const Operand& operand, const std::string& copy = {});

// Other registers than an operand's own, by operand name.
using Replaced = std::map<std::string, std::vector<std::string>>;

// The instruction, with what stands around it, for one place in a kernel.
//   number  of the copy: what {#} becomes
std::string place_instruction(const Catalogue& catalogue, const Variant& variant, const Replaced& replaced, int number);

// A text of the catalogue that goes with the instruction (prepare, before, completion, cleanup), with its holes filled.
std::string place_text(const Catalogue& catalogue, const Variant& variant, const std::string& text, int number);

// Declares the results and loads the source operands.
void prepare_operands(KernelBuilder& builder, const Variant& variant);

// Declares, loads or places one operand's registers.
void prepare_operand(KernelBuilder& builder, const Variant& variant, const Operand& operand,
                     const std::vector<std::string>& registers);

bool is_source(const Operand& operand);

// The operand is written into the instruction.
bool is_literal(const Catalogue& catalogue, const Variant& variant, const Operand& operand);

// The first result that has a register; nullptr if there is none.
const Operand* result_of(const Form& form);

}  // namespace ptxlat
