// SPDX-License-Identifier: Apache-2.0
#include "latency/alike.h"

#include <algorithm>

namespace ptxlat::latency {

namespace {

constexpr std::size_t one_in = 16;  // cells are made in full anyway

// Whether two kernels are the same machine code. Code that depends on its module (Batch::kernel_of(…).code) is never
// known to be.
bool is_same_code(const line::AssembledKernel& one, const line::AssembledKernel& other) {
  return one.code && other.code && one.code->words == other.code->words;
}

// The roles to check first: they say most about how the instruction was assembled.
std::vector<Role> first_roles(const TrialNumbers& trials) {
  if (trials[Role::differential] && trials[Role::differential_base])
    return {Role::differential, Role::differential_base};
  return trials[Role::stream] ? std::vector{Role::stream} : std::vector<Role>{};
}

// The cells that have the code of the higher level in their first roles.
std::vector<bool> begin_alike(line::Bench& bench, const line::Batch& higher, const std::vector<AlikeCell>& cells) {
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> compared(cells.size());  // trials: here, higher up
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& made = *cells[i].higher;
    if (!made.experiment) continue;
    for (const Role role : first_roles(made.trials))
      compared[i].emplace_back(bench.add(made.experiment->trials[role], made.plan->variant.form->ptx),
                               *made.trials[role]);
  }
  bench.assemble();
  std::vector<bool> alike;
  for (const auto& pairs : compared)
    alike.push_back(!pairs.empty() && std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
      return is_same_code(bench.batch().kernel_of(pair.first), higher.kernel_of(pair.second));
    }));
  return alike;
}

// Whether a cell that was made in full has the code of the higher level in all its windows.
bool is_alike(const line::Batch& batch, const CellWork& made, const line::Batch& higher, const CellWork& reference) {
  return std::all_of(all_roles.begin(), all_roles.end(), [&](Role role) {
    const auto &here = made.trials[role], &there = reference.trials[role];
    if (!here || !there) return !here && !there;
    return is_same_code(batch.kernel_of(*here), higher.kernel_of(*there));
  });
}

// The records of the higher level, as this level's.
void take_over(const AlikeCell& cell, std::vector<results::Record>& records) {
  CellWork copy;
  copy.record = cell.higher->record;
  copy.further_records = cell.higher->further_records;
  const auto first = records.size();
  take_records(copy, records);
  for (auto i = first; i < records.size(); ++i) {
    records[i].level = cell.plan->level;
    records[i].code_of_level = cell.higher->plan->level;
  }
}

}  // namespace

std::vector<results::Record> make_alike(const ptx::LoadedCatalogue& loaded, line::Bench& bench,
                                        const line::Batch& higher, const std::vector<AlikeCell>& cells) {
  const auto begins_alike = begin_alike(bench, higher, cells);
  std::vector<const AlikeCell*> checked, others;  // among those with equal first roles
  std::vector<const CellPlan*> in_full;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!begins_alike[i]) {
      in_full.push_back(cells[i].plan);
    } else {
      ((checked.size() + others.size()) % one_in == 0 ? checked : others).push_back(&cells[i]);
    }
  }
  for (const auto* cell : checked) in_full.push_back(cell->plan);
  auto made = make_cells(loaded, bench, in_full);
  bool all_alike = true;
  for (std::size_t i = 0; i < checked.size(); ++i) {
    const auto& again = made[made.size() - checked.size() + i];
    all_alike = all_alike && is_alike(bench.batch(), again, higher, *checked[i]->higher);
  }

  std::vector<results::Record> records;
  for (auto& cell : made) take_records(cell, records);
  std::vector<const CellPlan*> not_trusted;
  for (const auto* cell : others) {
    if (all_alike) {
      take_over(*cell, records);
    } else {
      not_trusted.push_back(cell->plan);
    }
  }
  for (auto& cell : make_cells(loaded, bench, not_trusted)) take_records(cell, records);
  return records;
}

}  // namespace ptxlat::latency
