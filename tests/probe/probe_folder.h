// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../results/test_folder.h"
#include "base/error.h"
#include "catch.h"
#include "probe/probe.h"

namespace ptxlat::probe {

// What every probe must say.
inline const std::string opcodes = "[audit.opcodes]\nLDG = 1\n";
inline const std::string least = "sentence = \"what it shows\"\n" + opcodes;

inline const std::string least_kernel = "{{name}} [out]\n";

// A folder of probes.
struct Probes {
  TestFolder folder;

  void write(const std::string& name, const std::string& text, const std::string& kernel = least_kernel) const {
    std::ofstream(folder.path / (name + ".toml")) << text;
    std::ofstream(folder.path / (name + ".ptx")) << kernel;
  }
  std::vector<Probe> load() const { return load_probes({folder.path}); }
};

inline Probe probe_of(const std::string& text, const std::string& kernel = least_kernel) {
  const Probes probes;
  probes.write("little", text, kernel);
  return probes.load().at(0);
}

// What load_probes says of a probe, its folder left out.
inline std::string mistake_in(const std::string& text) {
  const Probes probes;
  probes.write("little", text);
  try {
    probes.load();
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::catalogue);
    std::string words = error.what();
    const auto folder = probes.folder.path.string() + "/";
    if (const auto at = words.find(folder); at != std::string::npos) words.erase(at, folder.size());
    return words;
  }
  return {};
}

}  // namespace ptxlat::probe
