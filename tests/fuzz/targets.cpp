// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <fstream>
#include <memory>

#include "base/error.h"
#include "base/process.h"
#include "fuzz.h"

namespace ptxlat::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all = {{"bundle", bundle},
                                          {"catalogue", catalogue},
                                          {"command_line", command_line},
                                          {"csv", csv},
                                          {"cubin", cubin},
                                          {"expression", expression},
                                          {"jsonl", jsonl},
                                          {"nvdisasm", nvdisasm},
                                          {"opcodes", opcodes},
                                          {"oracle", oracle},
                                          {"packed", packed},
                                          {"predict", predict},
                                          {"probe", probe},
                                          {"ptx_module", ptx_module},
                                          {"ptxas_log", ptxas_log},
                                          {"records", records},
                                          {"run_json", run_json},
                                          {"section", section},
                                          {"simulator", simulator},
                                          {"site", site},
                                          {"snippet", snippet},
                                          {"store", store},
                                          {"words", words},
                                          {"worker", worker}};
  return all;
}

void expect_end_or_error(void (*read)(std::string_view), std::string_view input) {
  try {
    read(input);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it says what is wrong with the input
  }
}

std::filesystem::path scratch_folder() {
  // TemporaryFolder asks for TMPDIR, and a file is written for each input.
  static const auto folder = [] {
    if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
    return std::make_unique<TemporaryFolder>();
  }();
  return folder->path();
}

std::filesystem::path scratch_file(const std::string& name, std::string_view content) {
  const auto file = scratch_folder() / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file;
}

std::vector<std::string> parts_of(std::string_view input, std::size_t count) {
  constexpr std::string_view separator = "\n====\n";
  std::vector<std::string> parts;
  while (parts.size() + 1 < count) {
    const auto end = input.find(separator);
    if (end == std::string_view::npos) break;
    parts.emplace_back(input.substr(0, end));
    input.remove_prefix(end + separator.size());
  }
  parts.emplace_back(input);
  parts.resize(count);
  return parts;
}

}  // namespace ptxlat::fuzz
