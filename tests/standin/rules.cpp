// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "script.h"

namespace standin {
namespace {

bool has(const std::vector<std::int64_t>& wanted, std::int64_t value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool has_opcode(const Code& code, const Opcode& wanted) {
  const auto [first, last] = window_of(code);
  return std::any_of(code.begin() + first, code.begin() + last,
                     [&](const Instruction& instruction) { return (instruction.low & wanted.mask) == wanted.bits; });
}

bool has_operand(const Launch& launch, const Operand& wanted) {
  if (wanted.lane) return *wanted.lane < launch.input.size() && launch.input[*wanted.lane][wanted.index] == wanted.bits;
  return launch.input.size() == std::size_t{launch.ctas} * launch.threads &&
         std::all_of(launch.input.begin(), launch.input.end(),
                     [&](const auto& slot) { return slot[wanted.index] == wanted.bits; });
}

// Puts this process at the end of the list of those that have launched.
int append_to_processes(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || flock(file, LOCK_EX) != 0) abort();
  int before = 0;
  char bytes[4096];
  for (ssize_t size; (size = read(file, bytes, sizeof bytes)) > 0;)
    before += static_cast<int>(std::count(bytes, bytes + size, '\n'));
  const std::string line = std::to_string(getpid()) + "\n";
  if (write(file, line.data(), line.size()) < 0) abort();
  close(file);
  return before;
}

}  // namespace

bool Rule::matches(const Launch& launch) const {
  return has(launches, launch.number) && has(processes, launch.process) && has(devices, launch.device) &&
         has(threads, launch.threads) && (!kernel || std::regex_search(launch.kernel, *kernel)) &&
         (!code || has_opcode(*launch.code, *code)) && (!operand || has_operand(launch, *operand));
}

namespace {

// Empty without a script.
std::string gone_file(int device) {
  const char* path = std::getenv("PTXLAT_STANDIN_SCRIPT");
  return path && *path ? std::string(path) + ".gone." + std::to_string(device) : "";
}

}  // namespace

void lose_device(int device) { close(open(gone_file(device).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644)); }

bool is_gone(int device) {
  const auto file = gone_file(device);
  return !file.empty() && access(file.c_str(), F_OK) == 0;
}

int process_number() {
  const char* path = std::getenv("PTXLAT_STANDIN_SCRIPT");
  if (!path || !*path) return 0;
  static const int number = append_to_processes(std::string(path) + ".processes");
  return number;
}

}  // namespace standin
