// SPDX-License-Identifier: Apache-2.0
#include "line/measured_code.h"

#include "base/hash.h"

namespace ptxlat::line {

CodeKey code_key(const sass::KernelCode& code, const ptx::Launch& launch, int launches) {
  Hash hash;
  hash.add(code.words.size());
  for (const auto& word : code.words) {
    hash.add(word.low);
    hash.add(word.high);
  }
  ptx::add(hash, launch);
  hash.add(launches);
  return hash.wide();
}

}  // namespace ptxlat::line
