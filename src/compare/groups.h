// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "compare/compare.h"
#include "results/run.h"

namespace ptxlat::compare {

// The aspect in which tables of one comparison differ. By device: GPUs of one kind.
enum class By { toolchain, gpu, device, date, level };

// Tables that differ in nothing but `by`, oldest first (toolchains and GPUs in natural order). A table without a
// counterpart is a group by itself. By level, each table is.
std::vector<std::vector<std::size_t>> group_by(By by, const std::vector<results::Run>& tables);

// Labels the sides by what distinguishes them: "ptxas-11.8.89", "NVIDIA H200 O3"; by the GPUs' UUIDs if they are
// compared by device, else by their dates, if only these differ; by their folders if nothing does.
void label(std::vector<Side>& sides, By by = By::date);

}  // namespace ptxlat::compare
