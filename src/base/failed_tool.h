// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ptxlat {

// The beginning of a message about an assembler that crashed, hung or ended without a message about the PTX. It is not
// final for the kernel: the next run tries it again (results/record.h).
inline constexpr char assembler_failed[] = "the assembler failed: ";

}  // namespace ptxlat
