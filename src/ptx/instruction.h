// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "isa/form.h"
#include "ptx/kernel_builder.h"

namespace ptxlat::ptx {

// The registers of an operand: "%v_a", or for a vector "%v_a_0", "%v_a_1" …. `copy` distinguishes the copies of a
// stream.
std::vector<std::string> registers_of(const isa::Operand& operand, const std::string& copy = {});

// Registers to use instead of an operand's own, by operand name.
using Replaced = std::map<std::string, std::vector<std::string>>;

// The instruction, with the texts around it, for one place in a kernel.
//   number  of the copy: the value of {#}
std::string place_instruction(const isa::Catalogue& catalogue, const isa::Variant& variant, const Replaced& replaced,
                              int number);

// A text of the catalogue that goes with the instruction (prepare, before, completion, cleanup), with its holes filled.
std::string place_text(const isa::Catalogue& catalogue, const isa::Variant& variant, const std::string& text,
                       int number);

// Declares the results and loads the source operands.
void prepare_operands(KernelBuilder& builder, const isa::Variant& variant);

// Declares, loads or places one operand's registers.
void prepare_operand(KernelBuilder& builder, const isa::Variant& variant, const isa::Operand& operand,
                     const std::vector<std::string>& registers);

// Whether the operand is written into the instruction.
bool is_literal(const isa::Catalogue& catalogue, const isa::Variant& variant, const isa::Operand& operand);

// Of the operand's registers: an object's own if it is one.
const std::string& register_type_of(const isa::Catalogue& catalogue, const isa::Variant& variant,
                                    const isa::Operand& operand);

// The first result that has a register; nullptr if there is none.
const isa::Operand* result_of(const isa::Form& form);

}  // namespace ptxlat::ptx
