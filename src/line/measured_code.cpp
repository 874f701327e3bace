#include "line/measured_code.h"

#include "hash.h"

namespace ptxlat::line {

CodeKey code_key(const KernelCode& code, const Launch& launch, int launches) {
  Hash hash;
  hash.add(code.words.size());
  for (const auto& word : code.words) {
    hash.add(word.low);
    hash.add(word.high);
  }
  add(hash, launch);
  hash.add(launches);
  return hash.wide();
}

}  // namespace ptxlat::line
