#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "measure/worker.h"
#include "tiny_cubin.h"

// Environment variables for the duration of a test; workers inherit them.
class Environment {
 public:
  Environment() { set("PTXLAT_LIBCUDA", PTXLAT_TEST_LIBCUDA); }
  ~Environment() {
    for (const std::string& name : names_) unsetenv(name.c_str());
  }
  Environment(const Environment&) = delete;  // would unset them twice
  Environment& operator=(const Environment&) = delete;

  void set(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    names_.push_back(name);
  }

 private:
  std::vector<std::string> names_;
};

inline ptxlat::WorkerOptions test_options() {
  ptxlat::WorkerOptions options;
  options.program = PTXLAT_TEST_WORKER;
  return options;
}

// Kernels k0, k1, … whose windows take 10 + i cycles.
inline ptxlat::LaunchBatch test_batch(unsigned kernels, int launches = 3) {
  std::vector<std::pair<std::string, standin::Code>> code;
  ptxlat::LaunchBatch batch;
  batch.launches = launches;
  for (unsigned i = 0; i < kernels; ++i) {
    const std::string name = "k" + std::to_string(i) + "_";
    standin::Code window{standin::op(0x981, 2), standin::read_clock(10)};
    for (unsigned rest = i; rest > 0; rest -= std::min(rest, 15u))
      window.push_back(standin::op(0x210, std::min(rest, 15u)));
    window.push_back(standin::read_clock(1));
    code.emplace_back(name, window);
    batch.kernels.push_back({name, 32, std::vector<std::uint64_t>(32 * ptxlat::operands_per_slot, i % 2)});
  }
  batch.cubin = standin::tiny_cubin(code);
  return batch;
}

// A file that is there for one test, and its lines.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::string name = (std::filesystem::temp_directory_path() / "ptxlat-test-XXXXXX").string();
    const int file = mkstemp(name.data());
    if (file >= 0) ::close(file);
    path_ = name;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;  // owns the file
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return path_.string(); }
  std::vector<std::string> lines() const {
    std::ifstream file(path_);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

 private:
  std::filesystem::path path_;
};
