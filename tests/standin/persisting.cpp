// SPDX-License-Identifier: Apache-2.0

// The part of the stand-in driver that sets cache aside for persisting lines; a stand-in without this file is an old
// driver. It keeps no lines, but knows whether a launch can have left some. PTXLAT_STANDIN_REFUSE: functions with this
// in their name fail.
#include <algorithm>

#include "context.h"
#include "script.h"

using namespace ptxlat;
using namespace ptxlat::gpu;
using namespace standin;

namespace {

bool is_valid(const CUaccessPolicyWindow& window) {
  if (window.num_bytes == 0) return true;
  return window.num_bytes <= attribute(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE) &&
         window.num_bytes <= bytes_from(window.base_ptr) && window.hitRatio >= 0 && window.hitRatio <= 1 &&
         window.missProp != CU_ACCESS_PROPERTY_PERSISTING;
}

}  // namespace

STANDIN_API CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  if (setting_names("PTXLAT_STANDIN_REFUSE", __func__)) return CUDA_ERROR_NOT_SUPPORTED;
  if (limit != CU_LIMIT_PERSISTING_L2_CACHE_SIZE) return CUDA_ERROR_INVALID_VALUE;
  context().persisting_limit = std::min(value, attribute(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE));
  return context().fault;
}
STANDIN_API CUresult cuCtxResetPersistingL2Cache() {
  context().has_persisting_lines = false;
  return context().fault;
}
STANDIN_API CUresult cuStreamSetAttribute(CUstream, CUstreamAttrID which, const CUstreamAttrValue* value) {
  if (setting_names("PTXLAT_STANDIN_REFUSE", __func__)) return CUDA_ERROR_NOT_SUPPORTED;
  if (which != CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW || !is_valid(value->accessPolicyWindow))
    return CUDA_ERROR_INVALID_VALUE;
  context().window = value->accessPolicyWindow;
  return context().fault;
}
