// SPDX-License-Identifier: Apache-2.0
#include "loops/measured_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/hash.h"
#include "sass/opcodes.h"

namespace ptxlat::loops {

namespace {

std::string hexadecimal(const Hash& hash) {
  const auto [low, high] = hash.wide();
  return fmt::format("{:016x}{:016x}", high, low);
}

// With registers by the order in which they appear: two that are the same may be read at once.
std::string with_named_registers(const std::string& text, std::map<std::string, std::size_t>& names) {
  static const std::regex registers("\\b(U?[RP])[0-9]+\\b");
  std::string named;
  auto end = text.begin();
  for (std::sregex_iterator match(text.begin(), text.end(), registers), none; match != none; ++match) {
    const auto number = names.emplace(match->str(), names.size()).first->second;
    named.append(end, (*match)[0].first);
    named += fmt::format("{}#{}", (*match)[1].str(), number);
    end = (*match)[0].second;
  }
  return named.append(end, text.end());
}

}  // namespace

std::string code_of_copies(const isa::Catalogue& catalogue, const isa::Variant& variant, const std::vector<Code>& turns,
                           const ptx::Launch& launch) {
  Hash hash;
  bool has_address = launch.uses_memory, uses_values = false;
  for (const auto& code : turns) {
    std::map<std::string, std::size_t> names;
    hash.add(code.size());
    for (const auto& instruction : code) {
      const bool is_access = instruction.text.find('[') != std::string::npos;
      has_address = has_address || is_access;
      uses_values = uses_values || (is_access && !sass::has(sass::opcode_of(instruction.text),
                                                            sass::Trait::loads | sass::Trait::stores));
      hash.add(with_named_registers(instruction.text, names));
      if (code.size() == 1) continue;
      hash.add(instruction.control.stall_count);
      hash.add(instruction.control.wait_mask);
    }
  }
  if (!has_address) return hexadecimal(hash);
  for (const auto& operand : variant.form->operands) {
    if (const auto* object = isa::object_of(catalogue, *variant.input, operand)) hash.add(object->name);
  }
  if (uses_values) hash.add(launch.input);
  return hexadecimal(hash);
}

std::string code_of_trials(const line::Batch& batch, const std::vector<std::size_t>& trials) {
  Hash hash;
  for (const auto trial : trials) {
    const auto& code = batch.kernel_of(trial).code;
    if (!code) return {};
    for (const auto part : line::code_key(*code, batch.trial(trial).launch, batch.trial(trial).launches))
      hash.add(part);
  }
  return hexadecimal(hash);
}

MeasuredCodes::MeasuredCodes(const std::vector<results::Record>& records) {
  for (const auto& record : records) {
    if (results::is_final(record) && !record.series.empty()) keep(record);
  }
}

void MeasuredCodes::put(results::Record& record, const std::function<void()>& measure) {
  if (record.code.empty()) return measure();
  const auto turn = by_code_.wait_for(record.code);
  const auto known = find(record.code);
  if (!known) {
    measure();
    keep(record);
    return;
  }
  record.metrics = known->metrics;
  record.series = known->series;
  record.verdict = known->verdict;
  record.note = known->note;
  if (known->has_failed) record.add_flag(results::flag::retry);
  record.set_flag(results::flag::shares_unit, known->shares_unit);
  record.set_flag(results::flag::survey, known->is_survey);
  record.gpu = known->gpu;
  if (known->measured_as != record.ptx) record.windows.front().measured_as = known->measured_as;
}

std::optional<MeasuredCodes::Measured> MeasuredCodes::find(const std::string& code) {
  const std::scoped_lock lock(mutex_);
  const auto found = measured_.find(code);
  return found == measured_.end() ? std::nullopt : std::optional(found->second);
}

void MeasuredCodes::keep(const results::Record& record) {
  if (record.code.empty()) return;
  const auto& as = record.windows.front().measured_as;
  const std::scoped_lock lock(mutex_);
  measured_.emplace(record.code,
                    Measured{record.metrics, record.series, record.verdict, record.note, as.empty() ? record.ptx : as,
                             record.gpu, record.has_flag(results::flag::retry),
                             record.has_flag(results::flag::shares_unit), record.has_flag(results::flag::survey)});
}

}  // namespace ptxlat::loops
