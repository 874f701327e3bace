// SPDX-License-Identifier: Apache-2.0
#include "run/snippets.h"

#include <fmt/format.h>

#include <algorithm>

#include "opcodes/throughput.h"
#include "snippet/write.h"

namespace ptxlat::run {

namespace {

line::Line line_of(const SnippetJob& job) {
  line::Line line{.toolchain = job.toolchain, .target = job.target, .disassembler = job.disassembler};
  if (job.worker != nullptr) line.workers = {job.worker};
  line.card = job.card;
  line.interrupted = job.interrupted;
  return line;
}

}  // namespace

std::vector<results::Record> measure_snippet(const SnippetJob& job) {
  std::vector<snippet::PairAtLevel> pairs;
  std::vector<line::Cell> cells;
  for (const int level : job.levels) {
    for (const auto& pair : job.plan.pairs) {
      if (pair.whole.form == nullptr) continue;
      constexpr std::size_t kernel_bytes = 20'000;  // approximate, of all its kernels
      cells.push_back({pairs.size(), level, kernel_bytes, {}});
      pairs.push_back({&pair, level});
    }
  }
  auto line = line_of(job);
  line.launches = job.launches;
  const auto made =
      line::made_records(line, snippet::SnippetMethod(job.loaded, job.snippet, pairs), job.assemblers, cells);
  std::vector<results::Record> records;
  for (const int level : job.levels) {
    for (const auto& pair : job.plan.pairs) {
      const auto found = std::find_if(made.begin(), made.end(), [&](const results::Record& record) {
        return record.level == level && record.operand == pair.source && record.input == pair.result;
      });
      records.push_back(found == made.end() ? snippet::without_dependence(pair, level) : *found);
    }
  }
  return records;
}

std::vector<results::Record> measure_throughput(const SnippetJob& job) {
  std::vector<results::Record> records;
  for (const int level : job.levels) {
    const auto planned = opcodes::plan_throughput(job.loaded, {&job.plan.forms.front()->form}, level);
    const std::vector<line::Cell> cells{{0, level, planned.front().ptx_bytes, {}}};
    const auto made =
        line::made_records(line_of(job), opcodes::ThroughputMethod(job.loaded, planned), job.assemblers, cells);
    records.insert(records.end(), made.begin(), made.end());
  }
  return records;
}

std::map<std::string, std::string> limits_of(const OpcodeRates& rates, const std::vector<results::Record>& records) {
  const int level = snippet::highest_level(records);
  std::map<std::string, const results::Record*> longest;
  for (const auto& record : records) {
    if (record.level != level || record.verdict != sass::Verdict::proven) continue;
    auto& known = longest[record.input];
    if (known == nullptr || record.sass.size() > known->sass.size()) known = &record;
  }
  std::map<std::string, std::string> limits;
  for (const auto& [result, record] : longest) {
    if (const auto limit = rates.limit_of(record->sass))
      limits[result] = fmt::format("pipe {} at {:.3g} a clock", limit->pipe, limit->rate);
  }
  return limits;
}

}  // namespace ptxlat::run
