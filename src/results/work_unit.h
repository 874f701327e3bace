// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace ptxlat::results {

// What the throughput of an instruction counts.
//   name     "results": one for each thread, as in the vendor's tables; "warp instructions" and "warpgroup
//            instructions": a warp, or four, execute it as one (PTX ISA: .sync)
//   threads  of one of these
struct WorkUnit {
  const char* name = "results";
  int threads = 1;
};
// ptx: the spelling of a form, or the name of a CUDA C function.
WorkUnit work_unit_of(const std::string& ptx);

// Multiplications that one such matrix instruction adds up, by the shape in its name, m × n × k; those by the zeros of
// a sparse matrix are counted. Empty if its name has no shape.
std::optional<double> multiply_adds_of(const std::string& ptx);

// Results per thread and cycle, in the unit of the form; the multiply-adds of a matrix instruction beside it.
struct Throughput {
  std::string unit;
  std::optional<double> value, multiply_adds;
};
Throughput in_unit_of(const std::string& ptx, std::optional<double> results);

}  // namespace ptxlat::results
