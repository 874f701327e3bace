// SPDX-License-Identifier: Apache-2.0
#include "bundle/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"
#include "latency/plan.h"

namespace ptxlat::bundle {

namespace {

Manifest read_manifest(const std::filesystem::path& file, const Bytes& payload) {
  try {
    return manifest_from_json(payload);
  } catch (const std::exception& error) {
    throw Error(ExitCode::storage,
                fmt::format("{} has a manifest that cannot be read: {}", file.string(), error.what()), again);
  }
}

void check_method(const std::filesystem::path& file, const Manifest& manifest) {
  if (manifest.method_version == latency::method_version) return;
  throw Error(ExitCode::storage,
              fmt::format("{} was made for method {}, but this ptxlat uses method {}", file.string(),
                          manifest.method_version, latency::method_version),
              fmt::format("run it with ptxlat {} ({}), which made it, or assemble it again with this one",
                          manifest.tool_version, manifest.git_commit));
}

// An error in decoding a section with a correct checksum names the file.
template <class Decode>
auto decoded(const std::filesystem::path& file, Decode decode) {
  try {
    return decode();
  } catch (const Error& error) {
    throw Error(ExitCode::storage, fmt::format("{}: {}", file.string(), error.what()), again);
  }
}

// Thousands of kernels share a few thousand. Each section is bounded, but there may be any number of them.
constexpr std::size_t most_words = 4'000'000;

void take_section(Bundle& bundle, const Section& section, const Bytes& payload) {
  switch (section.kind) {
    case SectionKind::files:
      bundle.files = decode_files(payload);
      break;
    case SectionKind::cells:
      bundle.cells = decode_cells(payload);
      break;
    case SectionKind::words:
      decode_words(payload, bundle.words);
      if (bundle.words.size() > most_words) throw Error(ExitCode::storage, "it has more instructions than any program");
      break;
    case SectionKind::code:
      for (const auto kernel : kernels_in_code(payload))
        bundle.kernels[kernel].push_back(static_cast<std::uint32_t>(bundle.code.size()));
      bundle.code.push_back(section);
      break;
    default:
      break;
  }
}

class RecordedAssembler : public line::KernelAssembler {
 public:
  RecordedAssembler(const Bundle& bundle, std::size_t toolchain) : bundle_(bundle), toolchain_(toolchain) {}

  assemble::BatchOutcome assemble(const std::vector<line::NamedKernel>& kernels, int level) override {
    std::vector<std::shared_ptr<const ConfigurationCode>> configurations;
    std::vector<line::NamedKernel> missing = kernels;
    std::vector<std::uint32_t> seen;
    while (!missing.empty()) {
      const auto section = richest(missing, seen);
      if (!section) reject(missing.front());
      seen.push_back(*section);
      configurations.push_back(configuration_in(*section, level));
      const auto& answers = configurations.back()->answers;
      const auto before = missing.size();
      std::erase_if(missing,
                    [&](const line::NamedKernel& kernel) { return answers.contains(line::text_hash(*kernel.kernel)); });
      if (missing.size() == before) configurations.pop_back();
    }
    std::vector<const ConfigurationCode*> used;
    for (const auto& configuration : configurations) used.push_back(configuration.get());
    return outcome_from(used, kernels);
  }

  assemble::CodeOrigin origin() override {
    const bool is_ptxas = bundle_.manifest.toolchains[toolchain_].toolchain.kind == assemble::ToolchainKind::ptxas;
    return is_ptxas ? assemble::origin_of_ptxas() : assemble::origin_of_nvjitlink();
  }

 private:
  // The line requests a chunk several times, for its cells' further consumers.
  std::shared_ptr<const ConfigurationCode> configuration_in(std::uint32_t section, int level) {
    const auto& levels = bundle_.manifest.levels;
    const auto at = static_cast<std::size_t>(std::find(levels.begin(), levels.end(), level) - levels.begin());
    const auto configuration = at * bundle_.manifest.toolchains.size() + toolchain_;
    if (!last_ || last_section_ != section || last_configuration_ != configuration) {
      const auto payload = read_section(bundle_.path, bundle_.code[section]);
      last_ = std::make_shared<ConfigurationCode>(
          decoded(bundle_.path, [&] { return decode_configuration(payload, configuration); }));
      last_section_ = section;
      last_configuration_ = configuration;
    }
    return last_;
  }

  // The section, not seen before, with the most of these kernels: a chunk of the run is usually one of the bundle.
  std::optional<std::uint32_t> richest(const std::vector<line::NamedKernel>& kernels,
                                       const std::vector<std::uint32_t>& seen) const {
    std::map<std::uint32_t, std::size_t> counts;
    for (const auto& [name, kernel] : kernels) {
      const auto found = bundle_.kernels.find(line::text_hash(*kernel));
      if (found == bundle_.kernels.end()) continue;
      for (const auto section : found->second) {
        if (std::find(seen.begin(), seen.end(), section) == seen.end()) ++counts[section];
      }
    }
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& x, const auto& y) { return x.second < y.second; });
    if (most == counts.end()) return std::nullopt;
    return most->first;
  }

  [[noreturn]] void reject(const line::NamedKernel& kernel) const {
    throw Error(ExitCode::storage, fmt::format("{} has no machine code of {}", bundle_.path.string(), kernel.name),
                "assemble it again with this ptxlat");
  }

  const Bundle& bundle_;
  std::size_t toolchain_;
  std::shared_ptr<const ConfigurationCode> last_;
  std::uint32_t last_section_ = 0;
  std::size_t last_configuration_ = 0;
};

class RecordedDisassembler : public sass::Disassembler {
 public:
  explicit RecordedDisassembler(const Bundle& bundle) : bundle_(bundle) {}

  void disassemble(int /*sm*/, const std::vector<sass::Instruction*>& instructions) override {
    for (auto* instruction : instructions) {
      const auto found = bundle_.words.find(sass::disassembly_key(instruction->word));
      if (found == bundle_.words.end()) {
        throw Error(ExitCode::storage,
                    fmt::format("{} has no text for the instruction word {:016x} {:016x}", bundle_.path.string(),
                                instruction->word.high, instruction->word.low),
                    "assemble it again with this ptxlat");
      }
      instruction->text = sass::text_at(found->second, instruction->offset);
    }
  }

 private:
  const Bundle& bundle_;
};

}  // namespace

Bundle open_bundle(const std::filesystem::path& file) {
  Bundle bundle;
  bundle.path = file;
  const auto contents = read_contents(file);
  if (!contents.problem.empty()) throw Error(ExitCode::storage, file.string() + " " + contents.problem, again);
  bundle.checksum = contents.checksum;
  bundle.size = std::filesystem::file_size(file);
  if (contents.sections.empty() || contents.sections.front().kind != SectionKind::manifest)
    throw Error(ExitCode::storage, file.string() + " has no manifest", again);
  bundle.manifest = read_manifest(file, read_section(file, contents.sections.front()));
  check_method(file, bundle.manifest);
  for (const auto& section : contents.sections) {
    const auto payload = read_section(file, section);
    decoded(file, [&] { take_section(bundle, section, payload); });
  }
  return bundle;
}

std::vector<assemble::Toolchain> toolchains_of(const Bundle& bundle) {
  std::vector<assemble::Toolchain> toolchains;
  for (const auto& bundled : bundle.manifest.toolchains) toolchains.push_back(bundled.toolchain);
  return toolchains;
}

std::unique_ptr<line::KernelAssembler> make_recorded_assembler(const Bundle& bundle, std::size_t toolchain) {
  return std::make_unique<RecordedAssembler>(bundle, toolchain);
}

std::unique_ptr<sass::Disassembler> make_recorded_disassembler(const Bundle& bundle) {
  return std::make_unique<RecordedDisassembler>(bundle);
}

}  // namespace ptxlat::bundle
