// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ptxlat {

// How a message begins about an assembler that crashed, hung, or ended without a word about the PTX. It says nothing
// final about the kernel: the next run tries it again (results/record.h).
inline constexpr char assembler_failed[] = "the assembler failed: ";

}  // namespace ptxlat
