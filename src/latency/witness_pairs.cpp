// SPDX-License-Identifier: Apache-2.0
#include "latency/witness_pairs.h"

#include <fmt/format.h>

#include <algorithm>

#include "sass/dataflow.h"
#include "sass/opcodes.h"

namespace ptxlat::latency {

namespace {

using results::SassRecord;

bool reads(const sass::RegisterUse& use, const std::vector<sass::Register>& written) {
  const auto is_read = [&](const sass::Register& reg) {
    return std::find(use.reads.begin(), use.reads.end(), reg) != use.reads.end() ||
           std::find(use.may_read.begin(), use.may_read.end(), reg) != use.may_read.end();
  };
  return std::any_of(written.begin(), written.end(), is_read);
}

// The latest of code[begin, end) whose result `reader` reads.
const SassRecord* maker_of(const std::vector<SassRecord>& code, std::size_t begin, std::size_t end,
                           const SassRecord& reader) {
  const auto use = sass::register_use(reader.text);
  for (std::size_t i = end; i > begin; --i) {
    if (reads(use, sass::register_use(code[i - 1].text).writes)) return &code[i - 1];
  }
  return nullptr;
}

std::string named(const SassRecord& producer, const SassRecord& consumer) {
  return fmt::format("{} → {}", sass::opcode_of(producer.text), sass::opcode_of(consumer.text));
}

constexpr std::size_t clocks = 2;  // the first and the last instruction of a window

}  // namespace

std::string pair_at_end(const results::WindowRecord& differential) {
  const auto& code = differential.sass;
  if (code.size() < clocks + 2) return {};
  const auto last = code.size() - 2;
  const auto* maker = maker_of(code, 1, last, code[last]);
  return maker == nullptr ? "" : named(*maker, code[last]);
}

std::string pair_between_steps(const results::WindowRecord& chain, std::size_t step) {
  const auto& code = chain.sass;
  if (code.size() < clocks + 2 * step) return {};
  const auto end = code.size() - 1, begin = end - step;
  for (auto i = begin; i < end; ++i) {
    // What an earlier instruction of the same step made is not from the one before.
    if (maker_of(code, begin, i, code[i]) != nullptr) continue;
    const auto* maker = maker_of(code, begin - step, begin, code[i]);
    if (maker != nullptr) return named(*maker, code[i]);
  }
  return {};
}

}  // namespace ptxlat::latency
