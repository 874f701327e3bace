#include "run/opcodes.h"

#include <algorithm>
#include <unordered_set>

#include "run/missing.h"

namespace ptxlat::run {

namespace {

// What tells experiments apart: all of a key but its operand, which is the opcode where several take turns. Those of
// pairs are told apart by their recipes, too.
std::string experiment_of(results::CellKey key) {
  key.operand.clear();
  return key.text();
}

// The records of these experiments that the store has. One experiment may have several: opcodes that take turns.
std::vector<results::Record> records_of(const results::Store& store, const std::string& table, results::RecordKind kind,
                                        const std::vector<results::CellKey>& keys) {
  std::unordered_set<std::string> wanted;
  for (const auto& key : keys) wanted.insert(experiment_of(key));
  auto records = store.records(table, kind);
  std::erase_if(records, [&](const auto& record) { return !wanted.contains(experiment_of(results::key_of(record))); });
  return records;
}

template <class Plan>
std::vector<results::CellKey> keys_of(const std::vector<Plan>& plan) {
  std::vector<results::CellKey> keys;
  for (const auto& cell : plan) keys.push_back(key_of(cell));
  return keys;
}

}  // namespace

MadeOpcodes make_opcodes(OpcodeJob& job, results::Store& store, const std::atomic<bool>* interrupted,
                         const OpcodeProgress& progress) {
  const line::Line line{.toolchain = job.toolchain,
                        .target = job.target,
                        .disassembler = *job.disassembler,
                        .worker = job.worker,
                        .interrupted = interrupted};
  MadeOpcodes made;
  const auto make = [&](const char* stage, const auto& plan, const line::Method& method, results::RecordKind kind,
                        const auto& bytes_of, std::vector<results::Record>& records) {
    std::vector<line::Cell> cells;
    for (std::size_t i = 0; i < plan.size(); ++i) cells.push_back({i, plan[i].level, bytes_of(plan[i])});
    const auto keys = keys_of(plan);
    if (progress.on_stage) progress.on_stage(stage, cells.size());
    const auto [count, completed] =
        make_missing(line, method, job.assemblers, cells, keys, store, job.run, progress.on_finished);
    records = records_of(store, job.run.table, kind, keys);
    return completed;
  };
  const auto plan = machine::plan_throughput(job.loaded, job.forms, job.level);
  made.completed = make(
      "throughput", plan, machine::ThroughputMethod(job.loaded, plan), results::RecordKind::throughput,
      [](const auto& cell) { return cell.ptx_bytes; }, made.throughput);
  if (made.completed) {
    const auto opcodes = machine::opcodes_measured(job.loaded, made.throughput);
    const auto pairs = machine::plan_pairs(job.loaded, opcodes, job.level);
    static constexpr std::size_t text_of_pair = 5000;
    made.completed = make(
        "pairs of opcodes", pairs, machine::ContentionMethod(job.loaded, pairs), results::RecordKind::contention,
        [](const auto&) { return text_of_pair; }, made.contention);
  }
  made.run = job.run;
  return made;
}

}  // namespace ptxlat::run
