// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ptxlat {

// The beginning of a message about an assembler that crashed, hung, ended without a message about the PTX, or wrote a
// cubin that cannot be read. It is not final for the kernel: the next run tries it again (results/record.h).
inline constexpr char assembler_failed[] = "the assembler failed: ";

// The beginning of a message about a launch that cost only a part of a cell, whose verdict it does not change. The next
// run tries the cell again, too.
inline constexpr char launch_failed[] = "a launch failed: ";

}  // namespace ptxlat
