// SPDX-License-Identifier: Apache-2.0
#include "base/environment.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/error.h"

namespace ptxlat {

void forget_environment_of_others() {
  if (getauxval(AT_SECURE) == 0) return;
  clearenv();
  setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
}

const char* environment_or(const char* variable, const char* usual) {
  const char* value = getenv(variable);
  return value != nullptr && *value != '\0' ? value : usual;
}

std::filesystem::path program_folder() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::filesystem::path data_folder(const std::string& name,
                                  const std::function<bool(const std::filesystem::path&)>& is_right) {
  const auto program = program_folder();
  if (auto installed = program.parent_path() / "share/ptxlat" / name; is_right(installed)) return installed;
  for (auto folder = program; !folder.empty(); folder = folder.parent_path()) {
    if (is_right(folder / name)) return folder / name;
    if (folder == folder.root_path()) break;
  }
  return {};
}

std::filesystem::path cache_folder() {
  std::filesystem::path chosen = environment_or("PTXLAT_CACHE", "");
  if (chosen == "off") return {};
  if (!chosen.empty()) return chosen;
  const std::filesystem::path caches = environment_or("XDG_CACHE_HOME", ""), home = environment_or("HOME", "");
  if (caches.is_absolute()) return caches / "ptxlat";
  return home.is_absolute() ? home / ".cache" / "ptxlat" : std::filesystem::path();
}

std::string toolkits_script() {
  std::error_code ignored;
  const auto installed = program_folder().parent_path() / "share/ptxlat/tools/toolkits.sh";
  return std::filesystem::exists(installed, ignored) ? "ptxlat toolkits" : "tools/toolkits.sh";
}

double deadline_factor() {
  const char* set = std::getenv("PTXLAT_DEADLINE_FACTOR");
  const std::string_view text = set != nullptr ? set : "";
  if (text.empty()) return 1;
  double factor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  if (error == std::errc() && end == text.data() + text.size() && factor >= 0.01 && factor <= 1000) return factor;
  throw Error(ExitCode::usage, fmt::format("PTXLAT_DEADLINE_FACTOR is \"{}\"", text),
              "It must be a number from 0.01 to 1000; 1 is usual.");
}

std::chrono::milliseconds scaled_deadline(std::chrono::milliseconds usual) {
  static const double factor = deadline_factor();
  return std::chrono::milliseconds(std::llround(factor * static_cast<double>(usual.count())));
}

}  // namespace ptxlat
