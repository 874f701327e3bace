// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/functions.h"
#include "isa/form.h"
#include "snippet/cuda_source.h"

namespace ptxlat::snippet {

// What the catalogue's CUDA C functions need, by name: functions of one name may have different types and headers.
class CudaFunctions {
 public:
  explicit CudaFunctions(const isa::Catalogue& catalogue);

  bool contains(const std::string& name) const { return forms_.contains(name); }
  std::set<std::string> headers(const std::string& name) const;
  // The types that the parameter at this place may have, in the order of the catalogue.
  std::vector<std::string> types(const std::string& name, std::size_t place) const;

 private:
  const std::vector<const isa::Form*>& of(const std::string& name) const;

  std::map<std::string, std::vector<const isa::Form*>> forms_;
};

// The headers of 16-bit floats. Programs with the second have the first, too.
inline constexpr char half_header[] = "cuda_fp16.h", bfloat_header[] = "cuda_bf16.h";

// The one that declares a PTX type in CUDA C, or a type of CUDA C; empty if neither does.
std::string header_of_type(std::string_view type);

// Forms with which the compiler is asked for the types of results, one for each in order; and its answers. Throws
// Error{usage} with the compiler's message if the text does not compile, and if no register holds a result's type.
std::vector<isa::Form> type_questions(const CudaText& text);
void take_types(const std::vector<cuda::CudaFunction>& answers, CudaText& text);

}  // namespace ptxlat::snippet
