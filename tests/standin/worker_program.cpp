// SPDX-License-Identifier: Apache-2.0

// The smallest program that serves `worker`; ptxlat itself does so in its hidden subcommand of that name.
#include <cstring>

#include "worker/worker.h"

int main(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "worker") != 0) return 2;
  return ptxlat::worker::worker_main();
}
