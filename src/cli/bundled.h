// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bundle/bundle.h"
#include "cli/selection.h"
#include "cli/toolchains.h"
#include "cuda/functions.h"
#include "gpu/device.h"
#include "latency/plan.h"
#include "results/record.h"

namespace ptxlat::cli {

// The files that load_catalogue_for(selection) reads, in a bundle's form.
bundle::Files files_of(const Selection& selection);
// The catalogue made from them, with the CUDA C functions of one toolchain.
ptx::LoadedCatalogue load_catalogue_for(const bundle::Bundle& bundle, const cuda::CudaFunctions& functions);

// The toolchains of a bundle that `wanted` names, all of them if it is empty, as indices into its manifest.
std::vector<std::size_t> bundled_toolchains(const bundle::Bundle& bundle, const std::string& wanted);

// The requested levels of a bundle, or all if none are requested. Error{unknown_name} for one that it does not have.
std::vector<int> bundled_levels(const bundle::Bundle& bundle, const std::vector<int>& wanted);

// The cells of a bundle that the options select. Error{unknown_name} if there are none; Error{storage} if this ptxlat
// expands a form to different kernels from the one that made the bundle.
std::vector<latency::CellPlan> bundled_plan(const bundle::Bundle& bundle, const ptx::LoadedCatalogue& loaded,
                                            const Selection& selection, const std::vector<int>& levels);

// The plan of a bundle of a shard, as in latency::name_of_plan, for the same options with the bundles of all shards.
std::string name_of_plan(const bundle::Bundle& bundle, const Selection& selection, const std::vector<int>& levels);
// Error{unknown_name} if the bundle is of a shard and a different one is requested.
void require_shard(const bundle::Bundle& bundle, const std::optional<results::Shard>& wanted);

// Error{no_gpu} if the bundle is not for this device's architecture.
void require_fitting(const bundle::Bundle& bundle, const gpu::DeviceInfo& device);

results::BundleOrigin origin_of(const bundle::Bundle& bundle);

}  // namespace ptxlat::cli
