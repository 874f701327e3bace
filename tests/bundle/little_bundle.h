// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "../ptx/little_catalogue.h"
#include "../results/test_folder.h"
#include "bundle/make.h"
#include "latency/plan.h"
#include "text.h"
#include "thrown_error.h"

namespace ptxlat {

// Refuses every kernel in its own words, so that a bundle can be made without any assembler. Asks `before` first.
class RefusingAssembler : public line::KernelAssembler {
 public:
  RefusingAssembler(std::string words, std::function<void()> before)
      : words_(std::move(words)), before_(std::move(before)) {}
  assemble::BatchOutcome assemble(const std::vector<line::NamedKernel>& kernels, int level) override {
    before_();
    assemble::BatchOutcome outcome;
    for (const auto& kernel : kernels) {
      outcome.kernels.emplace_back();
      outcome.kernels.back().log = fmt::format("{} rejects '{}' at O{}\n", words_, kernel.name, level);
    }
    return outcome;
  }

 private:
  std::string words_;
  std::function<void()> before_;
};

// A bundle of many forms of one instruction, two toolchains and two levels, made without any tool.
//   before   is called before each module
struct LittleBundle {
  TestFolder folder;
  std::filesystem::path file = folder.path / "little.bundle";
  LittleCatalogue catalogue{entry()};
  sass::Nvdisasm nvdisasm{"/nonexistent/nvdisasm"};
  std::function<void()> before = [] {};
  std::atomic<bool> interrupted{false};
  std::size_t cells_finished = 0;
  std::size_t cells_planned = 0, cells_taken_over = 0;
  results::Shard shard;
  std::size_t threads = 2;
  bundle::Manifest manifest = manifest_of();

  // 120 variants of a form each: three chunks.
  static std::string entry() {
    std::string modifiers = "modifier = [";
    for (int i = 0; i < 60; ++i) modifiers += fmt::format("\".m{}\", ", i);
    return "syntax = \"x{modifier}.u32 {d:u32}, {a:u32}, {b:u32}\"\n" + modifiers + "]\n";
  }

  static bundle::Manifest manifest_of() {
    bundle::Manifest manifest;
    manifest.tool_version = "1.2.3";
    manifest.git_commit = "abc";
    manifest.method_version = latency::method_version;
    manifest.target = {90, "a"};
    manifest.levels = {0, 3};
    manifest.toolchains = {{{assemble::ToolchainKind::ptxas, "ptxas-11.8.89", "11.8.89", {}, 7, 8}, {90, ""}},
                           {{assemble::ToolchainKind::nvjitlink, "nvjitlink-12.9.86", "12.9.86", {}, 8, 8}, {90, "a"}}};
    manifest.created_utc = "2026-01-01T00:00:00Z";
    manifest.command_line = "ptxlat assemble";
    return manifest;
  }

  bool make() {
    std::vector<const isa::Form*> forms;
    for (const auto& form : catalogue.loaded.catalogue.forms) forms.push_back(&form);
    const bundle::BundleOrder order{
        manifest,
        shard,
        catalogue.loaded,
        forms,
        std::vector<std::vector<isa::Form>>(manifest.toolchains.size()),
        {{"ptx_templates/isa/x.toml", "chapter = \"x\"\n"}},
        nvdisasm,
        [this](const bundle::BundledToolchain& toolchain, std::size_t count) {
          std::vector<std::unique_ptr<line::KernelAssembler>> assemblers;
          for (std::size_t i = 0; i < count; ++i)
            assemblers.push_back(std::make_unique<RefusingAssembler>(toolchain.toolchain.name, [this] { before(); }));
          return assemblers;
        },
        threads,
        [this](std::size_t, const std::vector<results::Record>& cells) { cells_finished += cells.size(); },
        [this](std::size_t planned, std::size_t taken_over) {
          cells_planned = planned;
          cells_taken_over += taken_over;
        },
        &interrupted};
    return bundle::make_bundle(order, file);
  }
};

}  // namespace ptxlat
