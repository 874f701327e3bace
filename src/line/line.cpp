// SPDX-License-Identifier: Apache-2.0
#include "line/line.h"

#include <malloc.h>

#include <cassert>
#include <chrono>
#include <iterator>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"

namespace ptxlat::line {

namespace {

// Gives up modules that an interrupted line has no time for.
class InterruptibleAssembler : public KernelAssembler {
 public:
  InterruptibleAssembler(KernelAssembler& assembler, Interruption& interruption)
      : assembler_(assembler), interruption_(interruption) {}
  assemble::BatchOutcome assemble(const std::vector<NamedKernel>& kernels, int level) override {
    interruption_.require_time();
    return assembler_.assemble(kernels, level);
  }

 private:
  KernelAssembler& assembler_;
  Interruption& interruption_;
};

// Likewise; and how long threads wait for texts is a station of its own.
class TimedDisassembler : public sass::Disassembler {
 public:
  TimedDisassembler(const Line& line, Interruption& interruption) : line_(line), interruption_(interruption) {}
  void disassemble(int sm, const std::vector<sass::Instruction*>& instructions) override {
    interruption_.require_time();
    const Stopwatch watch{line_.clock, "disassemble"};
    line_.disassembler.disassemble(sm, instructions);
  }

 private:
  const Line& line_;
  Interruption& interruption_;
};

}  // namespace

void Bench::assemble(std::size_t kernels_per_module) {
  const auto watch = time("assemble");
  InterruptibleAssembler assembler(assembler_, interruption_);
  TimedDisassembler disassembler(line_, interruption_);
  batch_.assemble(assembler, disassembler, line_.target.sm, level_, kernels_per_module);
}

template <typename Work>
auto Bench::use_gpu(const Work& work) {
  const auto turn = gpu_ ? gpus_.of(*gpu_) : gpus_.any(not_on_, goes_on_);
  interruption_.require_time();
  gpu_ = turn.number();
  const auto watch = time("run");
  try {
    return work(turn);
  } catch (const Error& error) {
    if (error.exit_code == ExitCode::no_gpu && gpus_.lose(*gpu_, error) && line_.on_gpu_lost)
      line_.on_gpu_lost(*gpu_, error);
    throw;
  }
}

std::vector<std::size_t> Bench::other_gpus() const {
  auto others = gpus_.left();
  std::erase(others, gpu());
  return others;
}

Bench Bench::at_level(int level) const {
  Bench bench(line_, assembler_, gpus_, interruption_, level, not_on_);
  bench.gpu_ = gpu_;
  return bench;
}

Bench Bench::on_gpu(std::size_t gpu) const {
  Bench bench = *this;
  bench.gpu_ = gpu;
  bench.batch_.forget_outcomes();
  return bench;
}

void Bench::run(const std::vector<bool>& wanted) {
  if (!measures()) return;
  use_gpu([&](const Gpus::Turn& turn) { batch_.launch(turn.worker(), turn.measured(), wanted, line_.launches); });
}

void Bench::begin_process() {
  use_gpu([](const Gpus::Turn& turn) { turn.worker().restart(); });
}

ptx::LaunchOutcome Bench::launch(std::size_t trial, const ptx::Launch& launch, int launches) {
  return this->launch({batch_.cubin_of(trial), {{batch_.kernel_of(trial).symbol, launch, launches}}}).front();
}

std::vector<ptx::LaunchOutcome> Bench::launch(const worker::LaunchBatch& batch) {
  return use_gpu([&](const Gpus::Turn& turn) { return turn.worker().launch(batch); });
}

std::vector<worker::CountOutcome> Bench::count(const std::vector<worker::LaunchBatch>& batches) {
  if (batches.empty()) return {};
  return use_gpu([&](const Gpus::Turn& turn) { return turn.worker().count(batches); });
}

std::vector<results::Record> make_chunk(const Line& line, const Method& method, KernelAssembler& assembler,
                                        std::span<const Cell> chunk) {
  assert(line.workers.empty());
  Gpus none({});
  Interruption interruption(line.interrupted);
  Bench bench(line, assembler, none, interruption, chunk.front().level);
  return method.make(bench, chunk);
}

namespace {

// The chunk's records. If its GPU is lost, it is repeated on another one, so that no cell gets a verdict because of the
// GPU.
std::vector<results::Record> make_with_any_gpu(const Line& line, const Method& method, KernelAssembler& assembler,
                                               Gpus& gpus, Interruption& interruption, std::span<const Cell> chunk) {
  for (;;) {
    const auto lost_before = gpus.lost();
    Bench bench(line, assembler, gpus, interruption, chunk.front().level, chunk.front().not_on);
    try {
      return method.make(bench, chunk);
    } catch (const Error& error) {
      const bool lost_one = error.exit_code == ExitCode::no_gpu && gpus.lost() > lost_before;
      if (!lost_one || gpus.left().empty()) throw;
    }
  }
}

std::size_t text_of(std::span<const Cell> cells) {
  return std::accumulate(cells.begin(), cells.end(), std::size_t{0},
                         [](std::size_t bytes, const Cell& cell) { return bytes + cell.ptx_bytes; });
}

}  // namespace

bool run_line(const Line& line, const Method& method, const std::vector<std::unique_ptr<KernelAssembler>>& assemblers,
              std::span<const Cell> cells) {
  const auto text = text_of(cells);
  std::size_t text_done = 0;
  std::mutex finished;
  Gpus gpus(line.workers);
  Chunks chunks(cells, assemblers.size());
  Stop stop(line.interrupted);
  Interruption interruption(line.interrupted);
  // Each thread has an arena, and glibc keeps what was freed there if anything behind it is still in use: texts of
  // instructions and measurements, which the whole run remembers. Not after each chunk, because it locks all arenas.
  constexpr std::chrono::seconds between_trims{5};
  auto trimmed = std::chrono::steady_clock::now();
  const auto trim = [&] {
    malloc_trim(0);
    trimmed = std::chrono::steady_clock::now();
  };
  run_threads(assemblers.size(), stop, [&](std::size_t thread) {
    const sass::AskingThread asking(line.disassembler);
    while (!stop) {
      const auto chunk = chunks.next();
      if (chunk.empty()) return;
      std::vector<results::Record> records;
      try {
        records = make_with_any_gpu(line, method, *assemblers[thread], gpus, interruption, chunk);
      } catch (const Error& error) {
        if (error.exit_code == ExitCode::interrupted && stop.interrupted()) return;
        throw;
      }
      const std::scoped_lock lock(finished);
      text_done += text_of(chunk);
      if (line.on_share && text > 0) line.on_share(static_cast<double>(text_done) / static_cast<double>(text));
      {
        const Stopwatch watch{line.clock, "store"};
        line.on_finished(std::move(records));
      }
      if (std::chrono::steady_clock::now() - trimmed > between_trims) trim();
    }
  });
  trim();
  if (line.gpu_use != nullptr) *line.gpu_use = gpus.use();
  return !stop.interrupted();
}

std::vector<results::Record> made_records(Line line, const Method& method,
                                          const std::vector<std::unique_ptr<KernelAssembler>>& assemblers,
                                          std::span<const Cell> cells) {
  std::vector<results::Record> records;
  line.on_finished = [&](std::vector<results::Record> made) {
    std::move(made.begin(), made.end(), std::back_inserter(records));
  };
  if (!cells.empty() && !run_line(line, method, assemblers, cells)) throw Error(ExitCode::interrupted, "interrupted");
  return records;
}

}  // namespace ptxlat::line
