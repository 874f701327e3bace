#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bundle/files.h"
#include "bundle/manifest.h"
#include "isa/form.h"
#include "line/line.h"
#include "ptx/skeleton.h"
#include "sass/disassembler.h"

namespace ptxlat::bundle {

// What a bundle is to hold and what makes it.
//   forms            of PTX, alike for all toolchains
//   cuda_forms       of CUDA C, as each toolchain takes them (apply_compiled): by toolchain, alike in number and order
//   files            that the catalogue and skeletons were read from, and what was compiled for each toolchain
//   make_assemblers  so many assemblers of a toolchain, each for one thread
//   threads          assemblers at work at a time
//   on_finished      is called with the finished cells of a toolchain, by its index in the manifest, from one thread
//                    at a time
//   on_taken_over    is called with the number of cells that an interrupted call has finished
struct BundleOrder {
  Manifest manifest;
  const ptx::LoadedCatalogue& loaded;
  std::vector<const isa::Form*> forms;
  std::vector<std::vector<isa::Form>> cuda_forms;
  Files files;
  sass::Nvdisasm& nvdisasm;
  std::function<std::vector<std::unique_ptr<line::KernelAssembler>>(const BundledToolchain&, std::size_t)>
      make_assemblers;
  std::size_t threads = 1;
  std::function<void(std::size_t, const std::vector<results::Record>&)> on_finished;
  std::function<void(std::size_t)> on_taken_over;
  const std::atomic<bool>* interrupted = nullptr;
};

// Sends every cell down the line, without its GPU, at each level with each toolchain, and writes what assemblers and
// disassembler answered. Chunks that an interrupted call with the same order has left beside the file are taken over.
// Returns false if it was interrupted. Throws the first Error that is not one cell's own; finished chunks are kept.
bool make_bundle(const BundleOrder& order, const std::filesystem::path& file);

}  // namespace ptxlat::bundle
