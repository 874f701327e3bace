// SPDX-License-Identifier: Apache-2.0
#include "bundle/make.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "bundle/bytes.h"
#include "bundle/cells.h"
#include "bundle/container.h"
#include "bundle/recording.h"
#include "latency/method.h"
#include "latency/plan.h"

namespace ptxlat::bundle {

namespace {

// The number of variants whose kernels, at all levels and for all toolchains, form one section. The line processes as
// many at a time.
constexpr std::size_t variants_per_chunk = 48;

// Chunks in progress at a time: while one waits for nvdisasm or its slowest assembler, the others keep the cores busy.
std::size_t chunks_under_way(std::size_t threads, std::size_t configurations) { return 2 + threads / configurations; }

struct FinishedChunk {
  Bytes code;
  Words words;
};

// Writes the chunks in order, regardless of the order in which they finish, so that files are reproducible.
class ChunkWriter {
 public:
  ChunkWriter(BundleWriter& writer, KnownWords known, std::size_t next)
      : writer_(writer), known_(std::move(known)), next_(next) {}

  void add(std::size_t index, FinishedChunk chunk) {
    const std::scoped_lock lock(mutex_);
    waiting_.emplace(index, std::move(chunk));
    for (auto first = waiting_.find(next_); first != waiting_.end(); first = waiting_.find(++next_)) {
      write(std::move(first->second));
      waiting_.erase(first);
    }
  }

 private:
  // First the words that no earlier chunk had, then the code: a chunk whose code is in the file is complete.
  void write(FinishedChunk chunk) {
    std::erase_if(chunk.words, [&](const auto& word) { return known_.contains(word.first); });
    known_.insert(chunk.words.begin(), chunk.words.end());
    writer_.add(SectionKind::words, encode_words(chunk.words));
    writer_.add(SectionKind::code, chunk.code);
  }

  std::mutex mutex_;
  BundleWriter& writer_;
  KnownWords known_;
  std::size_t next_;
  std::map<std::size_t, FinishedChunk> waiting_;
};

// The work already done by an interrupted call.
//   keep  bytes of the file; 0: nothing
struct Leftover {
  std::uint64_t keep = 0;
  std::size_t chunks = 0;
  KnownWords words;
};

// The file may be anything with this name; only the beginning of a bundle is overwritten.
std::vector<Section> sections_of(const std::filesystem::path& part) {
  try {
    return read_contents(part).sections;
  } catch (const Error& error) {
    throw Error(error.exit_code, error.what(), "it is in the way: remove it, or name another file with -o");
  }
}

Leftover read_leftover(const std::filesystem::path& part, const BundleOrder& order, const Bytes& files,
                       const Bytes& cells) {
  Leftover leftover;
  if (part.empty()) return leftover;
  const auto sections = sections_of(part);
  if (sections.size() < 3 || sections[0].kind != SectionKind::manifest || sections[1].kind != SectionKind::files ||
      sections[2].kind != SectionKind::cells)
    return leftover;
  try {
    if (!is_same_assembling(manifest_from_json(read_section(part, sections[0])), order.manifest)) return leftover;
  } catch (const std::exception&) {
    return leftover;  // a manifest with a different shape belongs to a different bundle
  }
  if (read_section(part, sections[1]) != files || read_section(part, sections[2]) != cells) return leftover;
  leftover.keep = sections[2].offset + sections[2].size;
  for (std::size_t i = 3; i + 1 < sections.size(); i += 2) {
    if (sections[i].kind != SectionKind::words || sections[i + 1].kind != SectionKind::code) break;
    decode_words(read_section(part, sections[i]), leftover.words);
    leftover.keep = sections[i + 1].offset + sections[i + 1].size;
    ++leftover.chunks;
  }
  return leftover;
}

// The cells of a bundle, with those of CUDA C last.
class BundlePlan {
 public:
  explicit BundlePlan(const BundleOrder& order)
      : levels_(order.manifest.levels.size()),
        common_(latency::plan_cells(order.loaded, order.forms, order.manifest.levels)) {
    for (const auto& forms : order.cuda_forms) {
      std::vector<const isa::Form*> pointers;
      for (const auto& form : forms) pointers.push_back(&form);
      own_.push_back(latency::plan_cells(order.loaded, pointers, order.manifest.levels));
    }
    choose(order.shard);
  }

  std::size_t variants() const { return chosen_.size(); }

  // Of all cells, not only the shard's.
  std::string name() const {
    auto cells = common_;
    for (const auto& own : own_) cells.insert(cells.end(), own.begin(), own.end());
    return latency::name_of_plan(cells);
  }

  // For a toolchain and a level, by their indices in the manifest: the variants from `begin` to `end`.
  std::vector<latency::CellPlan> cells(std::size_t toolchain, std::size_t level, std::size_t begin,
                                       std::size_t end) const {
    std::vector<latency::CellPlan> cells;
    for (auto place = begin; place < end; ++place) {
      const auto variant = chosen_[place];
      cells.push_back(variant < common_variants()
                          ? common_[level * common_variants() + variant]
                          : own_[toolchain][level * own_variants() + variant - common_variants()]);
    }
    return cells;
  }

 private:
  std::size_t common_variants() const { return common_.size() / levels_; }
  std::size_t own_variants() const { return own_.front().size() / levels_; }

  // The same variants for all toolchains, whatever their functions of CUDA C cost.
  void choose(const results::Shard& shard) {
    std::vector<std::size_t> costs;
    for (std::size_t i = 0; i < common_variants(); ++i) costs.push_back(common_[i].ptx_bytes);
    for (std::size_t i = 0; i < own_variants(); ++i) costs.push_back(own_.front()[i].ptx_bytes);
    const auto has = latency::in_shard(costs, shard);
    for (std::size_t variant = 0; variant < costs.size(); ++variant) {
      if (has[variant]) chosen_.push_back(variant);
    }
  }

  std::size_t levels_;
  std::vector<latency::CellPlan> common_;
  std::vector<std::vector<latency::CellPlan>> own_;  // by toolchain
  std::vector<std::size_t> chosen_;                  // the shard's variants: those of PTX, then those of CUDA C
};

// The state of one call of make_bundle.
class BundleBuilder {
 public:
  BundleBuilder(const BundleOrder& order, const BundlePlan& plan)
      : order_(order),
        plan_(plan),
        variants_(plan.variants()),
        configurations_(order.manifest.levels.size() * order.manifest.toolchains.size()),
        slots_(static_cast<std::ptrdiff_t>(order.threads)) {}

  std::size_t chunks() const { return (variants_ + variants_per_chunk - 1) / variants_per_chunk; }
  std::size_t cells() const { return variants_ * configurations_; }
  std::size_t cells_in_chunk(std::size_t chunk) const { return (end_of(chunk) - begin_of(chunk)) * configurations_; }

  // Makes the chunks starting at `next`.
  bool run(ChunkWriter& writer, std::size_t next) {
    const auto workers = std::min(chunks_under_way(order_.threads, configurations_), chunks() - next);
    make_assemblers(workers);
    next_ = next;
    std::vector<std::thread> threads;
    for (std::size_t worker = 0; worker < workers; ++worker)
      threads.emplace_back([&, worker] { work(worker, writer); });
    for (auto& thread : threads) thread.join();
    const bool is_interrupted = order_.interrupted != nullptr && *order_.interrupted;
    if (failure_ && !is_interrupted) std::rethrow_exception(failure_);
    return !is_interrupted;
  }

 private:
  std::size_t begin_of(std::size_t chunk) const { return chunk * variants_per_chunk; }
  std::size_t end_of(std::size_t chunk) const { return std::min(variants_, begin_of(chunk) + variants_per_chunk); }
  std::size_t toolchain_of(std::size_t configuration) const {
    return configuration % order_.manifest.toolchains.size();
  }

  // One for each configuration of each chunk in progress: those of a toolchain may share a process.
  void make_assemblers(std::size_t workers) {
    const auto levels = order_.manifest.levels.size();
    for (const auto& toolchain : order_.manifest.toolchains)
      assemblers_.push_back(order_.make_assemblers(toolchain, workers * levels));
  }
  line::KernelAssembler& assembler(std::size_t worker, std::size_t configuration) {
    const auto toolchains = order_.manifest.toolchains.size();
    return *assemblers_[toolchain_of(configuration)]
                       [worker * order_.manifest.levels.size() + configuration / toolchains];
  }

  void work(std::size_t worker, ChunkWriter& writer) {
    try {
      for (auto chunk = next_++; chunk < chunks() && !stop_; chunk = next_++) {
        auto finished = make_chunk(worker, chunk);
        if (!stop_) writer.add(chunk, std::move(finished));
      }
    } catch (...) {
      fail();
    }
  }

  FinishedChunk make_chunk(std::size_t worker, std::size_t chunk) {
    std::vector<ConfigurationCode> configurations(configurations_);
    RecordingDisassembler disassembler(order_.nvdisasm, configurations_);
    std::vector<std::thread> threads;
    for (std::size_t configuration = 0; configuration < configurations_; ++configuration) {
      threads.emplace_back([&, configuration] {
        make_configuration(chunk, configuration, assembler(worker, configuration), disassembler,
                           configurations[configuration]);
        disassembler.configuration_ends();
      });
    }
    for (auto& thread : threads) thread.join();
    if (stop_) return {};
    return {encode_code(configurations), disassembler.take_words()};
  }

  void make_configuration(std::size_t chunk, std::size_t configuration, line::KernelAssembler& assembler,
                          sass::Disassembler& disassembler, ConfigurationCode& code) {
    const auto toolchain = toolchain_of(configuration);
    const auto& [assembling, target] = order_.manifest.toolchains[toolchain];
    const line::Line line{.toolchain = assembling, .target = target, .disassembler = disassembler};
    const auto level = configuration / order_.manifest.toolchains.size();
    try {
      RecordingAssembler recording(assembler, slots_, order_.interrupted, code);
      const auto cells = plan_.cells(toolchain, level, begin_of(chunk), end_of(chunk));
      const auto records =
          line::make_chunk(line, latency::LatencyMethod(order_.loaded, cells), recording, latency::line_cells(cells));
      const std::scoped_lock lock(finished_);
      order_.on_finished(toolchain, records);
    } catch (...) {
      fail();
    }
  }

  void fail() {
    const std::scoped_lock lock(finished_);
    if (!failure_) failure_ = std::current_exception();
    stop_ = true;
  }

  const BundleOrder& order_;
  const BundlePlan& plan_;
  std::size_t variants_;
  std::size_t configurations_;  // levels × toolchains, level by level
  AssemblerSlots slots_;
  std::vector<std::vector<std::unique_ptr<line::KernelAssembler>>>
      assemblers_;  // [toolchain][chunk in progress × level]
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex finished_;
  std::exception_ptr failure_;
};

}  // namespace

bool make_bundle(const BundleOrder& whole_order, const std::filesystem::path& file) {
  BundleOrder order = whole_order;
  const BundlePlan plan(order);
  if (order.shard != results::Shard{}) {
    order.manifest.shard = to_string(order.shard);
    order.manifest.plan = plan.name();
  }
  const auto files_section = encode_files(order.files);
  const auto cells_section = encode_cells(bundled_cells(plan.cells(0, 0, 0, plan.variants())));
  BundleWriter writer(file);
  auto leftover = read_leftover(writer.leftover(), order, files_section, cells_section);
  writer.begin(leftover.keep);
  if (leftover.keep == 0) {
    writer.add(SectionKind::manifest, manifest_to_json(order.manifest));
    writer.add(SectionKind::files, files_section);
    writer.add(SectionKind::cells, cells_section);
  }
  for (const auto& [key, text] : leftover.words) order.nvdisasm.learn(key, text);

  BundleBuilder builder(order, plan);
  std::size_t taken_over = 0;
  for (std::size_t chunk = 0; chunk < leftover.chunks; ++chunk) taken_over += builder.cells_in_chunk(chunk);
  order.on_planned(builder.cells(), taken_over);
  ChunkWriter chunks(writer, std::move(leftover.words), leftover.chunks);
  if (!builder.run(chunks, leftover.chunks)) return false;
  writer.finish();
  return true;
}

}  // namespace ptxlat::bundle
