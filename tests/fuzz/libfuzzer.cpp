// SPDX-License-Identifier: Apache-2.0

// The entry of libFuzzer, for one of the targets: fuzz --target=NAME [OPTIONS OF LIBFUZZER] FOLDER…; or, for all, fuzz
// --targets and fuzz --seeds=FOLDER.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "fuzz.h"
#include "seeds.h"

namespace {

const ptxlat::fuzz::Target* chosen = nullptr;

}  // namespace

// By default UndefinedBehaviorSanitizer ends the process in its own way, and libFuzzer does not get to keep the input:
// GCC's two sanitizers have a library each, and libFuzzer only hears of the end of AddressSanitizer's.
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view option = "--target=", seeds = "--seeds=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    const auto& all = ptxlat::fuzz::targets();
    if (argument == "--targets") {
      for (const auto& target : all) std::printf("%s\n", target.name);
      std::exit(0);
    }
    if (argument.starts_with(seeds)) {
      ptxlat::fuzz::write_seeds(argument.substr(seeds.size()));
      std::exit(0);
    }
    if (!argument.starts_with(option)) continue;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const auto& target) { return target.name == argument.substr(option.size()); });
    if (found != all.end()) chosen = &*found;
  }
  if (chosen != nullptr) return 0;
  std::fputs("fuzz --target=NAME; the targets are:", stderr);
  for (const auto& target : ptxlat::fuzz::targets()) std::fprintf(stderr, " %s", target.name);
  std::fputc('\n', stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ptxlat::fuzz::expect_end_or_error(chosen->run, {reinterpret_cast<const char*>(data), size});
  return 0;
}
