// SPDX-License-Identifier: Apache-2.0
#include "line/line.h"

#include <cassert>

#include "base/parallel.h"

namespace ptxlat::line {

void Bench::assemble() {
  const auto watch = time("assemble");
  batch_.assemble(assembler_, line_.disassembler, line_.target.sm, level_);
}

void Bench::run(const std::vector<bool>& wanted) {
  if (!measures()) return;
  const std::scoped_lock one_at_a_time(gpu_.mutex);
  const auto watch = time("run");
  batch_.launch(*line_.worker, gpu_.measured, wanted, line_.launches);
}

kernel::LaunchOutcome Bench::launch(std::size_t trial, const kernel::Launch& launch, int launches) {
  return this->launch({batch_.cubin_of(trial), {{batch_.kernel_of(trial).symbol, launch, launches}}}).front();
}

std::vector<kernel::LaunchOutcome> Bench::launch(const worker::LaunchBatch& batch) {
  const std::scoped_lock one_at_a_time(gpu_.mutex);
  const auto watch = time("run");
  return line_.worker->launch(batch);
}

worker::CountOutcome Bench::count(const worker::LaunchBatch& batch) {
  const std::scoped_lock one_at_a_time(gpu_.mutex);
  const auto watch = time("run");
  return line_.worker->count(batch);
}

std::vector<results::Record> make_chunk(const Line& line, const Method& method, KernelAssembler& assembler,
                                        std::span<const Cell> chunk) {
  assert(line.worker == nullptr);
  Gpu none;
  Bench bench(line, assembler, none, chunk.front().level);
  return method.make(bench, chunk);
}

bool run_line(const Line& line, const Method& method, const std::vector<std::unique_ptr<KernelAssembler>>& assemblers,
              std::span<const Cell> cells) {
  std::mutex finished;
  Gpu gpu;
  Chunks chunks(cells, assemblers.size());
  Stop stop(line.interrupted);
  run_threads(assemblers.size(), stop, [&](std::size_t thread) {
    while (!stop) {
      const auto chunk = chunks.next();
      if (chunk.empty()) return;
      Bench bench(line, *assemblers[thread], gpu, chunk.front().level);
      auto records = method.make(bench, chunk);
      // After Ctrl-C, chunks in progress are finished: neither assemblers nor workers see the signal.
      const std::scoped_lock lock(finished);
      const auto watch = bench.time("store");
      line.on_finished(std::move(records));
    }
  });
  return !stop.interrupted();
}

}  // namespace ptxlat::line
