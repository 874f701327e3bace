// SPDX-License-Identifier: Apache-2.0

// The smallest program that serves `worker`; ptxlat itself does so in its hidden subcommand of that name.
#include <cstdlib>
#include <cstring>

#include "worker/counted_program.h"
#include "worker/worker.h"

int main(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "worker") != 0) return 2;
  return argc == 5 ? ptxlat::worker::count_main(argv[2], argv[3], std::atoi(argv[4])) : ptxlat::worker::worker_main();
}
