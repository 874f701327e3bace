// SPDX-License-Identifier: Apache-2.0
#include "counters/loaded_cubins.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/open_library.h"
#include "counters/cupti_api.h"

namespace ptxlat::counters {

namespace {

// As in cupti_callbacks.h of CUDA 13.0, and of all versions since 9.
using Callback = void (*)(void* user_data, int domain, std::uint32_t id, const void* data);
using Subscriber = struct CUpti_Subscriber_st*;
constexpr int resource_domain = 3;          // CUPTI_CB_DOMAIN_RESOURCE
constexpr std::uint32_t module_loaded = 6;  // CUPTI_CBID_RESOURCE_MODULE_LOADED

// CUpti_ResourceData and the CUpti_ModuleResourceData to which it points.
struct Resource {
  void* context;
  void* handle;
  const void* descriptor;
};
struct LoadedModule {
  std::uint32_t id;
  std::size_t cubin_size;
  const char* cubin;
};

void keep_cubin(void* last, int, std::uint32_t id, const void* data) {
  if (id != module_loaded) return;
  const auto& module = *static_cast<const LoadedModule*>(static_cast<const Resource*>(data)->descriptor);
  if (module.cubin) static_cast<Bytes*>(last)->assign(module.cubin, module.cubin + module.cubin_size);
}

}  // namespace

LoadedCubins::LoadedCubins(const std::filesystem::path& libcupti) {
  int (*subscribe)(Subscriber*, Callback, void*) = nullptr;
  int (*enable)(std::uint32_t, Subscriber, int, std::uint32_t) = nullptr;
  try {
    const OpenLibrary library("CUPTI", libcupti);
    library.load(subscribe, "cuptiSubscribe");
    library.load(enable, "cuptiEnableCallback");
  } catch (const Error& error) {
    throw Unavailable(error.what(), library_advice());
  }
  Subscriber subscriber = nullptr;
  auto result = subscribe(&subscriber, keep_cubin, &last_);
  if (result == CUPTI_SUCCESS) result = enable(1, subscriber, resource_domain, module_loaded);
  if (result != CUPTI_SUCCESS) throw Unavailable(fmt::format("CUPTI lets nobody subscribe: error {}", result), {});
}

Bytes LoadedCubins::take() { return std::exchange(last_, {}); }

}  // namespace ptxlat::counters
