// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "line/line.h"
#include "ptx/skeleton.h"
#include "results/record.h"
#include "run/nearest_card.h"
#include "snippet/method.h"

namespace ptxlat::run {

// A snippet that was analysed, with everything that measures it with one toolchain.
//   card    without a worker, for estimates; may be null
//   worker  none: the numbers come from the schedule. For the throughput it runs patched code, and serves nothing else
struct SnippetJob {
  const assemble::Toolchain& toolchain;
  isa::Target target;
  const ptx::LoadedCatalogue& loaded;
  const snippet::Snippet& snippet;
  const snippet::Plan& plan;
  std::vector<int> levels;
  int launches = 9;
  worker::Worker* worker = nullptr;
  const line::NearestCard* card = nullptr;
  sass::Disassembler& disassembler;
  const std::vector<std::unique_ptr<line::KernelAssembler>>& assemblers;
  const std::atomic<bool>* interrupted = nullptr;
};

// Each pair of a source and a result, at each level. Error{interrupted} if it was.
std::vector<results::Record> measure_snippet(const SnippetJob& job);

// The throughput of the whole snippet on an SM with enough warps, at each level: copies of its machine code in a loop,
// as for `opcodes`.
std::vector<results::Record> measure_throughput(const SnippetJob& job);

// For each result the pipe that the longest code behind it at the highest level fills first: "pipe xu at 16 a clock".
std::map<std::string, std::string> limits_of(const OpcodeRates& rates, const std::vector<results::Record>& records);

}  // namespace ptxlat::run
