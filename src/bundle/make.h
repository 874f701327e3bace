// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bundle/cells.h"
#include "bundle/manifest.h"
#include "isa/form.h"
#include "line/line.h"
#include "ptx/skeleton.h"
#include "results/shards.h"
#include "sass/disassembler.h"

namespace ptxlat::bundle {

// The contents of a bundle to make, and the tools that make it.
//   forms            of PTX, the same for all toolchains
//   cuda_forms       of CUDA C, as compiled for each toolchain (apply_compiled): by toolchain, the same number in the
//                    same order
//   files            of the catalogue and skeletons, and the functions compiled for each toolchain
//   shard            which of the cells
//   make_assemblers  makes this many assemblers of a toolchain, each for one thread
//   threads          how many assemblers work at the same time
//   on_finished      called with the finished cells of a toolchain, by its index in the manifest, from one thread at a
//                    time
//   on_planned       called with the number of cells, and the number that an interrupted call has already finished
struct BundleOrder {
  Manifest manifest;
  results::Shard shard;
  const ptx::LoadedCatalogue& loaded;
  std::vector<const isa::Form*> forms;
  std::vector<std::vector<isa::Form>> cuda_forms;
  Files files;
  sass::Nvdisasm& nvdisasm;
  std::function<std::vector<std::unique_ptr<line::KernelAssembler>>(const BundledToolchain&, std::size_t)>
      make_assemblers;
  std::size_t threads = 1;
  std::function<void(std::size_t, const std::vector<results::Record>&)> on_finished;
  std::function<void(std::size_t, std::size_t)> on_planned;
  const std::atomic<bool>* interrupted = nullptr;
};

// Sends every cell down the line, without its GPU, at each level with each toolchain, and writes the answers of
// assemblers and disassembler. Chunks left by an interrupted call for the same bundle are reused. Returns false if it
// was interrupted. Throws the first Error that does not belong to a cell; finished chunks are kept.
bool make_bundle(const BundleOrder& order, const std::filesystem::path& file);

}  // namespace ptxlat::bundle
