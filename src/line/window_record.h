// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "line/batch.h"
#include "results/record.h"
#include "sass/audit.h"

namespace ptxlat::line {

// The audit of a kernel that has no window.
sass::Audit audit_without_window(const AssembledKernel& kernel);

// A trial's machine code and its audit; the method adds what the GPU measured.
results::WindowRecord window_record(const std::string& role, const AssembledKernel& kernel, const sass::Audit& audit);

// The window of such a record again: its instructions as texts and control words, without the words themselves and what
// is around them.
sass::Window window_of(const results::WindowRecord& record);

}  // namespace ptxlat::line
