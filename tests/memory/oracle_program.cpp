// SPDX-License-Identifier: Apache-2.0

// A machine that answers on its standard input what docs/inference.md says: `oracle_program SEED` is one of the random
// caches of simulated_cache.h.
#include <cstdlib>
#include <iostream>
#include <string>

#include "results/json.h"
#include "simulated_cache.h"

int main(int argc, char** argv) {
  using ptxlat::results::Json;
  const auto seed = static_cast<std::uint64_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  std::mt19937_64 random(seed);
  SimulatedCache cache(random_geometry(random), seed);
  const auto& info = cache.info();
  std::cout << Json{{"kind", info.kind},
                    {"space", info.space},
                    {"bytes", info.bytes},
                    {"operators", info.operators},
                    {"sms", info.sms}}
            << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    const Json request = Json::parse(line);
    if (request.contains("end")) return 0;
    if (request.contains("prepare")) {
      cache.prepare();
      std::cout << "{}" << std::endl;
      continue;
    }
    std::vector<ptxlat::memory::Addresses> list;
    for (const Json& run : request.at("access"))
      list.push_back({run.at(0).get<std::uint64_t>(), run.at(1).get<std::int64_t>(), run.at(2).get<std::uint64_t>()});
    std::cout << Json{{"cycles", cache.access(list, "", 0)}} << std::endl;
  }
}
