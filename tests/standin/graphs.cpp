// SPDX-License-Identifier: Apache-2.0

// The part of the stand-in driver that captures launches and launches them as a graph; a stand-in without this file is
// an old driver. There is one graph at a time. PTXLAT_STANDIN_REFUSE: functions with this in their name fail.
#include "context.h"

using namespace ptxlat::gpu;
using namespace standin;

STANDIN_API CUresult cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode) {
  if (setting_names("PTXLAT_STANDIN_REFUSE", __func__)) return CUDA_ERROR_NOT_SUPPORTED;
  context().captured.clear();
  context().is_capturing = true;
  return context().fault;
}
STANDIN_API CUresult cuStreamEndCapture(CUstream, CUgraph* graph) {
  context().is_capturing = false;
  *graph = reinterpret_cast<CUgraph>(&context());
  return context().fault;
}
STANDIN_API CUresult cuGraphInstantiateWithFlags(CUgraphExec* graph, CUgraph, unsigned long long) {
  if (setting_names("PTXLAT_STANDIN_REFUSE", __func__)) return CUDA_ERROR_NOT_SUPPORTED;
  *graph = reinterpret_cast<CUgraphExec>(&context());
  return context().fault;
}
STANDIN_API CUresult cuGraphLaunch(CUgraphExec, CUstream) {
  context().is_graph = true;
  for (const auto& launch : context().captured) launch();
  context().is_graph = false;
  return context().fault;
}
STANDIN_API CUresult cuGraphDestroy(CUgraph) { return CUDA_SUCCESS; }
STANDIN_API CUresult cuGraphExecDestroy(CUgraphExec) {
  context().captured.clear();
  return CUDA_SUCCESS;
}
