// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ptx/kernel_builder.h"

namespace ptxlat::ptx {

// Copies of an instruction in a loop would be moved out of it, or left out in all rounds but the last, if their sources
// did not change and their results were not needed. So zero, computed from a result so that ptxas cannot tell, is
// combined with a source: the values stay the same, and it costs one LOP3.
//   first, second  different operations, so that ptxas does not join them
enum class Feedback { first, second };

// Declares what feedback_text needs, and loads the zeros. Before the window.
void prepare_feedback(KernelBuilder& builder);

// From the result in register `from` to the source in register `to`. Of a wide one, its lower 32 bits take part.
std::string feedback_text(const std::string& from, const std::string& from_type, const std::string& to,
                          const std::string& to_type, Feedback which);

}  // namespace ptxlat::ptx
