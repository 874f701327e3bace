// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tiny_cubin.h"
#include "worker/worker.h"

// Environment variables for the duration of a test; workers inherit them.
class Environment {
 public:
  Environment() {
    set("PTXLAT_LIBCUDA", PTXLAT_TEST_LIBCUDA);
    set("PTXLAT_LIBCUPTI", "/nonexistent/libcupti.so.13");  // not this machine's
  }
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

inline ptxlat::worker::WorkerOptions test_options() {
  ptxlat::worker::WorkerOptions options;
  options.program = PTXLAT_TEST_WORKER;
  return options;
}

// What the stand-in driver stores in the words of a slot (standin/libcuda.cpp), as far as tests look at it.
inline constexpr int first_clock = 0, second_clock = 1, sm_id = 2, threads_of_cta = 4;

// Kernels k0, k1, … whose windows take 10 + i cycles.
inline ptxlat::worker::LaunchBatch test_batch(unsigned kernels, int launches = 3) {
  std::vector<std::pair<std::string, standin::Code>> code;
  ptxlat::worker::LaunchBatch batch;
  for (unsigned i = 0; i < kernels; ++i) {
    const std::string name = "k" + std::to_string(i) + "_";
    standin::Code window{standin::op(0x981, 2), standin::read_clock(10)};
    for (unsigned rest = i; rest > 0; rest -= std::min(rest, 15u))
      window.push_back(standin::op(0x210, std::min(rest, 15u)));
    window.push_back(standin::read_clock(1));
    code.emplace_back(name, window);
    ptxlat::ptx::Launch launch;
    launch.input.assign(32 * ptxlat::ptx::operands_per_slot, i % 2);
    launch.output_words = {first_clock, second_clock, sm_id, threads_of_cta};
    batch.kernels.push_back({name, launch, launches});
  }
  batch.cubin = standin::tiny_cubin(code);
  return batch;
}

// Cycles between the first two words of a thread.
inline std::uint32_t cycles_of(const ptxlat::ptx::Readout& readout, std::size_t launch = 0, std::size_t thread = 0) {
  return readout.word(launch, thread, 1) - readout.word(launch, thread, 0);
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
