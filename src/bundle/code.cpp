// SPDX-License-Identifier: Apache-2.0
#include "bundle/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bundle/bytes.h"

namespace ptxlat::bundle {

namespace {

constexpr char name_hole[] = "{{name}}";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

// An answer as a number: 0 for none, then cubins and rejections alternately.
std::uint32_t number_of(const Answer& answer) {
  return answer.cubin ? 1 + 2 * *answer.cubin : 2 + 2 * answer.rejection;
}

// The part of a chunk's frame before the cubins.
struct Outline {
  std::vector<std::string> rejections;
  std::vector<std::vector<std::uint32_t>> answers;      // [configuration][kernel]
  std::vector<std::vector<std::uint64_t>> cubin_sizes;  // [configuration][cubin]
};

Outline read_outline(ByteReader& reader, std::size_t kernels) {
  Outline outline;
  outline.rejections.resize(reader.get_count<std::uint32_t>(sizeof(std::uint64_t)));
  for (auto& words : outline.rejections) words = reader.get_text();
  const auto configurations = reader.get<std::uint32_t>();
  for (std::uint32_t configuration = 0; configuration < configurations; ++configuration) {
    auto& answers = outline.answers.emplace_back(kernels);
    for (auto& answer : answers) answer = reader.get<std::uint32_t>();
    auto& sizes = outline.cubin_sizes.emplace_back(reader.get_count<std::uint32_t>(sizeof(std::uint64_t)));
    for (auto& size : sizes) size = reader.get<std::uint64_t>();
  }
  return outline;
}

std::vector<std::uint64_t> read_kernels(ByteReader& reader) {
  std::vector<std::uint64_t> kernels(reader.get_count<std::uint32_t>(sizeof(std::uint64_t)));
  for (auto& kernel : kernels) kernel = reader.get<std::uint64_t>();
  return kernels;
}

[[noreturn]] void reject() { throw Error(ExitCode::storage, "a section of the bundle contradicts itself"); }

ConfigurationCode configuration_of(const Outline& outline, const std::vector<std::uint64_t>& kernels,
                                   std::size_t configuration) {
  ConfigurationCode code;
  code.rejections = outline.rejections;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto number = outline.answers[configuration][i];
    if (number == 0) continue;
    auto& answer = code.answers[kernels[i]];
    if (number % 2 == 1)
      answer.cubin = number / 2;
    else
      answer.rejection = number / 2 - 1;
    const bool exists = answer.cubin ? *answer.cubin < outline.cubin_sizes[configuration].size()
                                     : answer.rejection < outline.rejections.size();
    if (!exists) reject();
  }
  return code;
}

}  // namespace

std::string symbol_of(std::uint64_t text_hash) { return fmt::format("k{:016x}", text_hash); }

std::string without_name(std::string words, const std::string& name) {
  return replaced(std::move(words), name, name_hole);
}

assemble::BatchOutcome outcome_from(const std::vector<const ConfigurationCode*>& configurations,
                                    const std::vector<line::NamedKernel>& kernels) {
  assemble::BatchOutcome outcome;
  std::map<std::pair<const ConfigurationCode*, std::uint32_t>, std::size_t> taken;  // cubins already in the outcome
  for (const auto& [name, kernel] : kernels) {
    const auto hash = line::text_hash(*kernel);
    const ConfigurationCode& configuration =
        **std::find_if(configurations.begin(), configurations.end(),
                       [&](const ConfigurationCode* candidate) { return candidate->answers.contains(hash); });
    const Answer& answer = configuration.answers.at(hash);
    auto& kernel_outcome = outcome.kernels.emplace_back();
    if (!answer.cubin) {
      kernel_outcome.log = replaced(configuration.rejections[answer.rejection], name_hole, name);
      kernel_outcome.assembler_failed = configuration.failed.contains(hash);
      continue;
    }
    const auto [place, is_new] = taken.try_emplace({&configuration, *answer.cubin}, outcome.cubins.size());
    if (is_new) outcome.cubins.push_back(configuration.cubins[*answer.cubin]);
    kernel_outcome.cubin = place->second;
    kernel_outcome.symbol = symbol_of(hash);
  }
  return outcome;
}

Bytes encode_code(const std::vector<ConfigurationCode>& configurations) {
  std::set<std::uint64_t> kernels;
  std::set<std::string> distinct;
  for (const auto& configuration : configurations) {
    for (const auto& [hash, answer] : configuration.answers) kernels.insert(hash);
    distinct.insert(configuration.rejections.begin(), configuration.rejections.end());
  }
  const std::vector<std::string> rejections(distinct.begin(), distinct.end());

  ByteWriter frame;
  frame.put(static_cast<std::uint32_t>(rejections.size()));
  for (const auto& words : rejections) frame.put_text(words);
  frame.put(static_cast<std::uint32_t>(configurations.size()));
  for (const auto& configuration : configurations) {
    for (const auto hash : kernels) {
      const auto found = configuration.answers.find(hash);
      std::uint32_t number = 0;
      if (found != configuration.answers.end()) {
        auto answer = found->second;
        if (!answer.cubin) {
          const auto at =
              std::lower_bound(rejections.begin(), rejections.end(), configuration.rejections[answer.rejection]);
          answer.rejection = static_cast<std::uint32_t>(at - rejections.begin());
        }
        number = number_of(answer);
      }
      frame.put(number);
    }
    frame.put(static_cast<std::uint32_t>(configuration.cubins.size()));
    for (const auto& cubin : configuration.cubins) frame.put(static_cast<std::uint64_t>(cubin.size()));
  }
  for (const auto& configuration : configurations) {
    for (const auto& cubin : configuration.cubins) frame.append(cubin.data(), cubin.size());
  }

  ByteWriter section;
  section.put(static_cast<std::uint32_t>(kernels.size()));
  for (const auto hash : kernels) section.put(hash);
  const auto compressed = compress(frame.take());
  section.append(compressed.data(), compressed.size());
  return section.take();
}

std::vector<std::uint64_t> kernels_in_code(const Bytes& section) {
  ByteReader reader(section);
  return read_kernels(reader);
}

ConfigurationCode decode_configuration(const Bytes& section, std::size_t configuration) {
  ByteReader reader(section);
  const auto kernels = read_kernels(reader);
  const auto compressed = reader.rest();
  const auto frame = decompress(reader.take(compressed), compressed);
  ByteReader content(frame);
  const auto outline = read_outline(content, kernels.size());
  if (configuration >= outline.answers.size()) reject();
  auto code = configuration_of(outline, kernels, configuration);
  for (std::size_t i = 0; i < configuration; ++i) {
    for (const auto size : outline.cubin_sizes[i]) content.take(size);
  }
  for (const auto size : outline.cubin_sizes[configuration]) {
    const auto* bytes = content.take(size);
    code.cubins.emplace_back(bytes, bytes + size);
  }
  return code;
}

}  // namespace ptxlat::bundle
