// SPDX-License-Identifier: Apache-2.0

// What -fsanitize-coverage=trace-pc calls at the start of every block of code, and how libFuzzer gets to see it. For
// libFuzzer, Clang counts inline instead, which GCC cannot; it is no faster here, because the sanitizers take the time.
#include <cstddef>
#include <cstdint>

namespace {

// A block has the counter of its address; few of those that one reader runs share one.
constexpr std::size_t counter_count = 1 << 16;
std::uint8_t counters[counter_count];

}  // namespace

// Of libFuzzer. AddressSanitizer's library has an empty one, for every other program.
extern "C" void __sanitizer_cov_8bit_counters_init(std::uint8_t* begin, std::uint8_t* end);

extern "C" void __sanitizer_cov_trace_pc() {
  const auto address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  ++counters[(address ^ address >> 16) % counter_count];
}

// libFuzzer does not follow comparisons of floating-point numbers.
extern "C" void __sanitizer_cov_trace_cmpf(float, float) {}
extern "C" void __sanitizer_cov_trace_cmpd(double, double) {}

[[gnu::constructor]] static void show_counters() {
  __sanitizer_cov_8bit_counters_init(counters, counters + counter_count);
}
