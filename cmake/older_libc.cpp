// SPDX-License-Identifier: Apache-2.0

// For wheels, which should run with an older libc than the one that they are linked with. GCC 12's static libstdc++ has
// std::random_device in one file with the engines, and takes its words from arc4random, which glibc 2.36 was the first
// to have. Nothing here uses std::random_device.
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t word = 0;
  if (getrandom(&word, sizeof word, 0) != static_cast<ssize_t>(sizeof word)) std::abort();
  return word;
}
