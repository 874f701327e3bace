#include "measure/line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <exception>
#include <thread>

#include "measure/chunks.h"
#include "measure/estimate.h"
#include "measure/examine.h"
#include "ptx/experiment.h"

namespace ptxlat {

namespace {

// Measures the time until the end of its scope.
class Stopwatch {
 public:
  Stopwatch(StationClock* clock, const char* station)
      : clock_(clock), station_(station), start_(std::chrono::steady_clock::now()) {}
  ~Stopwatch() {
    if (clock_ != nullptr) clock_->add(station_, std::chrono::steady_clock::now() - start_);
  }
  Stopwatch(const Stopwatch&) = delete;  // its destructor is its meaning
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  StationClock* clock_;
  const char* station_;
  std::chrono::steady_clock::time_point start_;
};

// Why this toolchain and target cannot have the form; empty if they can.
std::string unsupported(const Line& line, const Form& form) {
  if (!form.unsupported.empty()) return form.unsupported;
  const auto& needs = form.requirement;
  if (std::pair(needs.ptx_major, needs.ptx_minor) > std::pair(line.toolchain.ptx_major, line.toolchain.ptx_minor)) {
    return fmt::format("needs PTX {}.{}; {} knows {}.{}", needs.ptx_major, needs.ptx_minor, line.toolchain.name,
                       line.toolchain.ptx_major, line.toolchain.ptx_minor);
  }
  return has_target(needs, line.target) ? std::string{} : "needs " + targets_text(needs);
}

// One cell on its way down the line.
struct CellWork {
  const CellPlan* plan = nullptr;
  std::vector<const Consumer*> consumers;
  std::optional<Experiment> experiment;  // the best so far
  SpecimenIndices indices;
  Findings findings;
  std::optional<int> scheduled_cycles;  // of its differential
  bool is_settled = false;              // no other consumer is worth a try
};

// What the schedule says of a differential of fixed latency; empty where it cannot say.
std::optional<int> scheduled_differential(const Batch& batch, const SpecimenIndices& indices) {
  const auto& with = batch.specimens()[*indices[Role::differential]].schedule;
  const auto& without = batch.specimens()[*indices[Role::differential_base]].schedule;
  if (with.is_lower_bound || with.branches) return std::nullopt;
  return (with.cycles - with.edge_cycles) - (without.cycles - without.edge_cycles);
}

// Keeps this attempt if it is the first, the first that is proven, or one with a nearer consumer. Where a chain is
// proven, or the latency is not fixed, the first proven differential is enough; else all consumers are tried for one on
// the same pipe, which the schedule tells by its cycles (crossing pipes costs more: method.md, trap 8).
void keep_the_better(CellWork& cell, const Batch& batch, Experiment experiment, const SpecimenIndices& indices) {
  auto findings = audit(batch.specimens(), indices, cell.plan->variant, experiment);
  const bool is_proven = indices[Role::differential] && findings[Role::differential].is_proven();
  const auto cycles = is_proven ? scheduled_differential(batch, indices) : std::nullopt;
  cell.is_settled = is_proven && (findings[Role::chain].is_proven() || !cycles);
  const bool was_proven = cell.experiment && cell.findings[Role::differential].is_proven();
  const bool is_nearer = was_proven && cycles && cell.scheduled_cycles && *cycles < *cell.scheduled_cycles;
  if (cell.experiment && !(is_proven && !was_proven) && !is_nearer) return;
  cell.experiment = std::move(experiment);
  cell.indices = indices;
  cell.findings = std::move(findings);
  cell.scheduled_cycles = cycles;
}

// A cell's experiment with one of its consumers. What was made with the first stays, unless the assembler refused that
// consumer: it may be newer than the instruction.
Experiment experiment_with(const Line& line, const CellWork& cell, const Consumer* consumer) {
  const auto& variant = cell.plan->variant;
  if (!cell.experiment || cell.findings[Role::overhead].verdict == Verdict::rejected)
    return expand(line.catalogue, line.skeletons, variant, consumer);
  Experiment experiment = *cell.experiment;
  change_consumer(line.catalogue, line.skeletons, variant, consumer, experiment);
  return experiment;
}

// Expands the cells that are not settled with the consumers from `first` up to `last`, assembles and audits them.
void try_consumers(const Line& line, KernelAssembler& assembler, Batch& batch, std::vector<CellWork>& cells,
                   std::size_t first, std::size_t last) {
  struct Attempt {
    CellWork* cell;
    Experiment experiment;
    SpecimenIndices indices;
  };
  std::vector<Attempt> attempts;
  {
    const Stopwatch watch(line.clock, "expand");
    for (auto& cell : cells) {
      if (cell.is_settled) continue;
      for (std::size_t i = first; i < std::min(last, cell.consumers.size()); ++i) {
        auto experiment = experiment_with(line, cell, cell.consumers[i]);
        const auto indices = batch.add(experiment, cell.plan->variant.form->ptx);
        attempts.push_back({&cell, std::move(experiment), indices});
      }
    }
  }
  {
    const Stopwatch watch(line.clock, "assemble");
    batch.assemble(assembler, line.disassembler, line.target.sm, cells.front().plan->level);
  }
  const Stopwatch watch(line.clock, "audit");
  for (auto& [cell, experiment, indices] : attempts) {
    if (!cell->is_settled) keep_the_better(*cell, batch, std::move(experiment), indices);
  }
}

// Streams whose end waits for results get fewer copies, as long as there are some to leave out. Returns their cells.
std::vector<CellWork*> shorten_streams(const Line& line, Batch& batch, std::vector<CellWork>& cells) {
  const auto waits = [&](const CellWork& cell, Role role) {
    const auto& index = cell.indices[role];
    const auto* window = index ? &batch.specimens()[*index].window : nullptr;
    return window != nullptr && *window && end_waits(**window);
  };
  std::vector<CellWork*> shortened;
  for (auto& cell : cells) {
    if (!cell.experiment || cell.experiment->copies <= 1) continue;
    if (!waits(cell, Role::stream) && !waits(cell, Role::stream_twice)) continue;
    const auto& variant = cell.plan->variant;
    shorten_stream(line.catalogue, line.skeletons, variant, *cell.experiment);
    cell.indices = batch.add(*cell.experiment, variant.form->ptx);
    shortened.push_back(&cell);
  }
  return shortened;
}

void mark(std::vector<bool>& wanted, const SpecimenIndices& indices) {
  for (const Role role : all_roles) {
    // The wait alone may wait for ever.
    if (indices[role] && role != Role::completion) wanted[*indices[role]] = true;
  }
}

// The GPU, used by one chunk at a time, and what has run on it.
struct Gpu {
  std::mutex mutex;
  MeasuredCode measured;
};

// The records of one chunk's cells: expanded, assembled and audited with each consumer in turn, then run together.
std::vector<CellRecord> make_chunk(const Line& line, KernelAssembler& assembler, Gpu& gpu,
                                   std::span<const CellPlan> chunk) {
  std::vector<CellRecord> records;
  std::vector<CellWork> cells;
  for (const auto& plan : chunk) {
    const auto& form = *plan.variant.form;
    const auto reason = unsupported(line, form);
    if (!reason.empty()) {
      records.push_back(record_without_experiment(plan, Verdict::unsupported, reason));
    } else if (!form.no_dependency.empty()) {
      records.push_back(record_without_experiment(plan, Verdict::no_dependency, form.no_dependency));
    } else {
      cells.push_back({&plan, consumers_for(line.catalogue, plan.variant), {}, {}, {}, {}, false});
    }
  }
  Batch batch;
  // The first consumer settles most cells. Those that it does not need all others, as a rule, and a call of the
  // assembler and of nvdisasm costs more than a few kernels.
  if (!cells.empty()) {
    try_consumers(line, assembler, batch, cells, 0, 1);
    const auto shortened = shorten_streams(line, batch, cells);
    try_consumers(line, assembler, batch, cells, 1, SIZE_MAX);
    for (auto* cell : shortened)
      cell->findings = audit(batch.specimens(), cell->indices, cell->plan->variant, *cell->experiment);
  }
  if (line.worker != nullptr && !cells.empty()) {
    std::vector<bool> wanted(batch.specimens().size(), false);
    for (const auto& cell : cells) {
      if (cell.experiment) mark(wanted, cell.indices);
    }
    const std::scoped_lock one_at_a_time(gpu.mutex);
    const Stopwatch watch(line.clock, "run");
    batch.launch(*line.worker, gpu.measured, wanted, line.launches);
  }
  const Stopwatch watch(line.clock, "estimate");
  for (const auto& cell : cells) {
    records.push_back(cell.experiment
                          ? estimate(*cell.plan, *cell.experiment, batch.specimens(), cell.indices, cell.findings)
                          : record_without_experiment(*cell.plan, Verdict::no_dependency,
                                                      "no consumer in the catalogue takes its result's type"));
  }
  return records;
}

}  // namespace

void StationClock::add(const std::string& station, std::chrono::steady_clock::duration time) {
  const std::scoped_lock lock(mutex_);
  seconds_[station] += std::chrono::duration<double>(time).count();
}

std::map<std::string, double> StationClock::seconds() const {
  const std::scoped_lock lock(mutex_);
  return seconds_;
}

std::vector<CellRecord> make_cells(const Line& line, KernelAssembler& assembler, std::span<const CellPlan> cells) {
  assert(line.worker == nullptr);
  Gpu none;
  return make_chunk(line, assembler, none, cells);
}

bool run_line(const Line& line, const std::vector<std::unique_ptr<KernelAssembler>>& assemblers,
              const std::vector<CellPlan>& cells) {
  std::mutex finished;
  Gpu gpu;
  Chunks chunks(cells, assemblers.size());
  std::exception_ptr failure;
  std::atomic<bool> stop{false};
  const auto is_interrupted = [&] { return stop || (line.interrupted != nullptr && *line.interrupted); };

  const auto work = [&](KernelAssembler& assembler) {
    try {
      while (!is_interrupted()) {
        const auto chunk = chunks.next();
        if (chunk.empty()) return;
        const auto records = make_chunk(line, assembler, gpu, chunk);
        // A chunk that Ctrl-C finds under way is finished: neither assemblers nor workers see the signal.
        const std::scoped_lock lock(finished);
        const Stopwatch watch(line.clock, "store");
        line.on_finished(records);
      }
    } catch (...) {
      const std::scoped_lock lock(finished);
      if (!failure) failure = std::current_exception();
      stop = true;
    }
  };
  std::vector<std::thread> threads;
  for (const auto& assembler : assemblers) threads.emplace_back(work, std::ref(*assembler));
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return !is_interrupted();
}

}  // namespace ptxlat
