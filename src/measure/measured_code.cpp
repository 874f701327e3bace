#include "measure/measured_code.h"

namespace ptxlat {

namespace {

// Two 64-bit hashes with different seeds and multipliers: with a million kernels, a collision of both has a chance of
// 10^-26.
struct Mixer {
  CodeKey key = {14695981039346656037ull, 0x9e3779b97f4a7c15ull};

  void add(std::uint64_t word) {
    key[0] = (key[0] ^ word) * 0x100000001b3ull;
    key[0] ^= key[0] >> 29;
    key[1] = (key[1] + word) * 0xbf58476d1ce4e5b9ull;
    key[1] ^= key[1] >> 31;
  }
};

}  // namespace

CodeKey code_key(const KernelCode& code, const Kernel& kernel) {
  Mixer mixer;
  for (const auto& word : code.words) {
    mixer.add(word.low);
    mixer.add(word.high);
  }
  for (const auto bits : kernel.input) mixer.add(bits);
  for (const int number : {kernel.lanes, kernel.cluster, kernel.dynamic_shared, kernel.uses_memory ? 1 : 0}) {
    mixer.add(static_cast<std::uint64_t>(number));
  }
  return mixer.key;
}

}  // namespace ptxlat
