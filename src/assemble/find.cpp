// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "assemble/cuda_version.h"
#include "assemble/folders.h"
#include "assemble/toolchain.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/nearest_names.h"
#include "base/process.h"

namespace ptxlat::assemble {

namespace {

// "ptxas", "ptxas-13" and "ptxas-13.0" name ptxas-13.0.88; "ptxas-13.0.8" does not.
bool names(const std::string& wanted, const Toolchain& toolchain) {
  if (wanted.empty() || !toolchain.name.starts_with(wanted)) return false;
  if (toolchain.name.size() == wanted.size()) return true;
  const char next = toolchain.name[wanted.size()];
  return next == '.' || next == '-';
}

// Everything that names one of these toolchains: ptxas, ptxas-13, ptxas-13.0, ptxas-13.0.88, …
std::vector<std::string> all_names(const std::vector<Toolchain>& available) {
  std::set<std::string> found;
  for (const Toolchain& toolchain : available) {
    for (std::size_t end = toolchain.name.find('-'); end != std::string::npos; end = toolchain.name.find('.', end + 1))
      found.insert(toolchain.name.substr(0, end));
    found.insert(toolchain.name);
  }
  return {found.begin(), found.end()};
}

// "12.4" of "ptxas-12.4.131", "13" of "nvrtc-13", which tools/toolkits.sh can download; empty for anything else.
std::string cuda_version_in(const std::string& wanted) {
  for (const std::string kind : {"ptxas-", "nvjitlink-", "nvrtc-"}) {
    if (!wanted.starts_with(kind)) continue;
    const std::string version = wanted.substr(kind.size());
    const bool is_version = version.find_first_not_of("0123456789.") == std::string::npos;
    const auto dot = version.find('.');
    if (is_version && dot != std::string::npos) return version.substr(0, version.find('.', dot + 1));
  }
  return {};
}

std::string advice_for(const std::vector<Toolchain>& available, const std::string& wanted) {
  std::string advice;
  std::vector<Toolchain> assemblers = available;
  std::erase_if(assemblers, [](const Toolchain& toolchain) { return toolchain.kind == ToolchainKind::nvrtc; });
  const std::string version = cuda_version_in(wanted);
  if (wanted.starts_with("nvcc")) {
    advice += "did you mean ptxas, which nvcc calls? ";
  } else {
    auto names = all_names(assemblers);
    // "ptxas-9.2" is no misspelling of ptxas-13.
    const auto major = version.empty() ? std::string() : wanted.substr(0, wanted.find('.'));
    std::erase_if(names, [&](const std::string& name) { return !name.starts_with(major); });
    for (const std::string& name : nearest_names(wanted, names, 1)) advice += "did you mean " + name + "? ";
  }
  if (!version.empty())
    advice += "`" + toolkits_script() + " " + version + "` fetches CUDA " + version + ", if there is one. ";
  advice += "Available here:";
  for (const Toolchain& toolchain : available) {
    if (toolchain.kind != ToolchainKind::nvrtc || wanted.starts_with("nvrtc")) advice += " " + toolchain.name;
  }
  return advice;
}

}  // namespace

const Toolchain& pick_toolchain(const std::vector<Toolchain>& available, const std::string& wanted) {
  if (available.empty()) {
    throw Error(ExitCode::missing_tool, "no assembler was found on this machine",
                "run " + toolkits_script() + ", which downloads one without a CUDA installation");
  }
  const Toolchain* picked = nullptr;
  for (const Toolchain& toolchain : available) {
    if (!names(wanted, toolchain)) continue;
    if (toolchain.name == wanted) return toolchain;
    if (picked == nullptr || compare_versions(toolchain.version, picked->version) > 0) picked = &toolchain;
  }
  if (picked == nullptr) {
    throw Error(ExitCode::unknown_name, "there is no toolchain '" + wanted + "' here", advice_for(available, wanted));
  }
  return *picked;
}

std::vector<Toolchain> pick_toolchains(const std::vector<Toolchain>& available, const std::string& wanted) {
  std::vector<Toolchain> picked;
  for (std::size_t begin = 0; begin <= wanted.size();) {
    const std::size_t end = std::min(wanted.find(',', begin), wanted.size());
    const std::string one = wanted.substr(begin, end - begin);
    const Toolchain& toolchain = pick_toolchain(available, one);
    const auto same = [&](const Toolchain& other) { return other.name == toolchain.name; };
    if (std::none_of(picked.begin(), picked.end(), same)) picked.push_back(toolchain);
    begin = end + 1;
  }
  return picked;
}

namespace {

namespace fs = std::filesystem;

// Long enough for a program on a cold network disk; a slower one is not usable anyway.
std::chrono::milliseconds version_deadline() { return scaled_deadline(std::chrono::seconds(20)); }

// Visits each file once, whatever links lead to it.
class SeenFiles {
 public:
  bool is_new(const fs::path& path) {
    std::error_code error;
    const fs::path file = fs::canonical(path, error);
    return !error && fs::is_regular_file(file, error) && seen_.insert(file.string()).second;
  }

 private:
  std::set<std::string> seen_;
};

void examine_program(ToolkitPiece& piece) {
  const TemporaryFolder folder;
  try {
    const ProcessOutcome outcome = run_program(piece.path, {"--version"}, folder.path(), version_deadline());
    if (!outcome.ok()) {
      piece.problem = describe(outcome, version_deadline());
      return;
    }
    piece.version = version_in_banner(outcome.output);
    if (piece.version.empty()) piece.problem = "does not say which CUDA version it is from";
  } catch (const Error& error) {
    const std::string words =
        error.what();  // "cannot start FILE: Permission denied", for a piece whose name is already known
    piece.problem = "cannot be started: " + words.substr(words.rfind(": ") + 2);
  }
}

void examine(ToolkitPiece& piece) {
  if (piece.kind == PieceKind::ptxas || piece.kind == PieceKind::nvdisasm) {
    examine_program(piece);
    return;
  }
  LibraryFile library = examine_library(piece.path);
  piece.version = std::move(library.version);
  piece.problem = std::move(library.problem);
  if (piece.kind != PieceKind::nvrtc || piece.version.empty()) return;
  const auto builtins = "libnvrtc-builtins.so." + piece.version.substr(0, piece.version.rfind('.'));
  std::error_code error;
  if (fs::exists(piece.path.parent_path() / builtins, error)) return;
  piece.version.clear();
  piece.problem = "has no " + builtins + " beside it";
}

std::vector<fs::path> libraries(const fs::path& toolkit, const std::string& prefix) {
  std::vector<fs::path> files;
  for (const char* const folder : {"lib64", "lib", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu",
                                   "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
    for (const fs::path& file : entries(toolkit / folder)) {
      if (file.filename().string().starts_with(prefix)) files.push_back(file);
    }
  }
  return files;
}

std::vector<fs::path> files_of(PieceKind kind, const fs::path& toolkit) {
  switch (kind) {
    case PieceKind::ptxas:
      return {toolkit / "bin" / "ptxas", toolkit / "bin" / "ptxas-blackwell"};  // Triton has two
    case PieceKind::nvdisasm:
      return {toolkit / "bin" / "nvdisasm"};
    case PieceKind::nvjitlink:
      return libraries(toolkit, "libnvJitLink.so.");
    case PieceKind::nvrtc:
      return libraries(toolkit, "libnvrtc.so.");
  }
  return {};
}

ToolchainKind toolchain_kind(PieceKind kind) {
  return kind == PieceKind::ptxas       ? ToolchainKind::ptxas
         : kind == PieceKind::nvjitlink ? ToolchainKind::nvjitlink
                                        : ToolchainKind::nvrtc;
}

std::string prefix_of(ToolchainKind kind) {
  return kind == ToolchainKind::ptxas ? "ptxas-" : kind == ToolchainKind::nvjitlink ? "nvjitlink-" : "nvrtc-";
}

// 90 and "a" of "sm_90a".
std::pair<int, std::string_view> number_and_suffix(std::string_view target) {
  int number = 0;
  const char* const end = target.data() + target.size();
  const char* const after = std::from_chars(target.data() + 3, end, number).ptr;
  return {number, {after, static_cast<std::size_t>(end - after)}};
}

// The working disassemblers, newest first.
std::vector<ToolkitPiece> disassemblers(const std::vector<fs::path>& folders) {
  auto found = find_pieces(folders, {PieceKind::nvdisasm});
  std::erase_if(found, [](const ToolkitPiece& piece) { return piece.version.empty(); });
  std::stable_sort(found.begin(), found.end(), [](const ToolkitPiece& left, const ToolkitPiece& right) {
    return compare_versions(left.version, right.version) > 0;
  });
  return found;
}

}  // namespace

std::string to_string(PieceKind kind) {
  switch (kind) {
    case PieceKind::ptxas:
      return "ptxas";
    case PieceKind::nvjitlink:
      return "nvJitLink";
    case PieceKind::nvrtc:
      return "NVRTC";
    case PieceKind::nvdisasm:
      return "nvdisasm";
  }
  return {};
}

std::vector<ToolkitPiece> find_pieces(const std::vector<fs::path>& folders, const std::vector<PieceKind>& kinds) {
  std::vector<ToolkitPiece> found;
  SeenFiles seen;
  for (const fs::path& folder : folders) {
    for (const PieceKind kind : kinds) {
      for (const fs::path& file : files_of(kind, folder)) {
        if (!seen.is_new(file)) continue;
        found.push_back({kind, folder, file, {}, {}});
        examine(found.back());
      }
    }
  }
  return found;
}

std::vector<Toolchain> toolchains_of(const std::vector<ToolkitPiece>& pieces) {
  std::vector<Toolchain> found;
  for (const ToolkitPiece& piece : pieces) {
    if (piece.kind == PieceKind::nvdisasm || piece.version.empty()) continue;
    const ToolchainKind kind = toolchain_kind(piece.kind);
    const std::string name = prefix_of(kind) + piece.version;
    const auto same = [&](const Toolchain& toolchain) { return toolchain.name == name; };
    if (std::any_of(found.begin(), found.end(), same)) continue;
    const auto [ptx_major, ptx_minor] = newest_ptx_of_cuda(piece.version);
    found.push_back({kind, name, piece.version, piece.path, ptx_major, ptx_minor});
  }
  std::stable_sort(found.begin(), found.end(), [](const Toolchain& left, const Toolchain& right) {
    if (left.kind != right.kind) return left.kind < right.kind;
    return compare_versions(left.version, right.version) > 0;
  });
  return found;
}

std::vector<Toolchain> find_toolchains(const std::vector<fs::path>& folders) {
  return toolchains_of(find_pieces(folders, {PieceKind::ptxas, PieceKind::nvjitlink, PieceKind::nvrtc}));
}

fs::path find_nvdisasm(const std::vector<fs::path>& folders) {
  const auto found = disassemblers(folders);
  return found.empty() ? fs::path() : found.front().path;
}

std::vector<std::string> targets_in_help(std::string_view help) {
  // Each is written 'sm_90a' by ptxas and 'SM90a' by nvdisasm, in a list of allowed values; a default value has the
  // same quotes.
  std::set<std::string> distinct;
  for (const std::string_view mark : {"'sm_", "'SM"}) {
    for (auto at = help.find(mark); at != std::string_view::npos; at = help.find(mark, at + 1)) {
      const auto begin = at + mark.size();
      const auto end = help.find('\'', begin);
      if (end == std::string_view::npos || end == begin || end - begin > 5) continue;
      const auto number = help.substr(begin, end - begin);
      if (number.front() >= '1' && number.front() <= '9') distinct.insert("sm_" + std::string(number));
    }
  }
  std::vector<std::string> targets(distinct.begin(), distinct.end());
  std::sort(targets.begin(), targets.end(), [](const std::string& left, const std::string& right) {
    return number_and_suffix(left) < number_and_suffix(right);
  });
  return targets;
}

std::vector<std::string> targets_of(const fs::path& program) {
  const TemporaryFolder folder;
  const ProcessOutcome outcome = run_program(program, {"--help"}, folder.path(), version_deadline());
  return targets_in_help(outcome.output);
}

std::optional<fs::path> nvdisasm_that_reads(const isa::Target& target, const std::vector<fs::path>& folders) {
  // A command asks twice, and starts each disassembler to answer.
  static std::mutex of_found;
  static std::map<std::pair<int, std::vector<fs::path>>, fs::path> found;
  const std::scoped_lock lock(of_found);
  const auto known = found.find({target.sm, folders});
  if (known != found.end()) return known->second;
  // The words of sm_90a and of sm_90 have the same encoding.
  const isa::Target plain{target.sm, {}};
  for (const ToolkitPiece& piece : disassemblers(folders)) {
    const auto targets = targets_of(piece.path);
    if (std::find(targets.begin(), targets.end(), plain.name()) != targets.end())
      return found[{target.sm, folders}] = piece.path;
  }
  return std::nullopt;
}

fs::path nvdisasm_for(const isa::Target& target, const std::vector<fs::path>& folders) {
  if (target.sm < isa::oldest_sm) {
    throw Error(ExitCode::unknown_name,
                "unsupported architecture: the machine code of " + target.name() + " is not read",
                "sm_50 (Maxwell) is the oldest; Kepler's control words have a different layout");
  }
  if (auto found = nvdisasm_that_reads(target, folders)) return *found;
  // 12.3's is the only wheel of an older disassembler; 13.5's is the default of tools/toolkits.sh.
  const std::string advice = target.sm < 75
                                 ? "run " + toolkits_script() + " 12.3: its nvdisasm reads sm_50 to sm_90"
                                 : "run " + toolkits_script() + " latest, or put a CUDA toolkit's bin into PATH";
  std::string known;
  for (const ToolkitPiece& piece : disassemblers(folders)) {
    const auto targets = targets_of(piece.path);
    if (targets.empty()) continue;
    known += "; nvdisasm " + piece.version + " knows " + targets.front() + " to " + targets.back();
  }
  throw Error(ExitCode::missing_tool,
              "no nvdisasm that reads " + isa::Target{target.sm, {}}.name() +
                  " was found, and without it no window can be audited" + known,
              advice);
}

}  // namespace ptxlat::assemble
