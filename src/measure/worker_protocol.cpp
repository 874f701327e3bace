#include "measure/worker_protocol.h"

#include <cassert>
#include <unordered_map>

namespace ptxlat::worker {

Bytes encode_launch(const LaunchBatch& batch, std::size_t first) {
  // The views point into the batch, which outlives the map.
  std::unordered_map<std::string_view, std::uint64_t> offsets;
  Bytes inputs;
  Writer kernels(Kind::launch);
  kernels.put_bytes(batch.cubin);
  kernels.put(static_cast<std::uint32_t>(batch.launches));
  kernels.put(static_cast<std::uint32_t>(batch.kernels.size() - first));
  for (std::size_t i = first; i < batch.kernels.size(); ++i) {
    const KernelLaunch& kernel = batch.kernels[i];
    assert(kernel.input.size() == static_cast<std::size_t>(kernel.lanes * kernel.cluster) * operands_per_slot);
    const std::string_view input(reinterpret_cast<const char*>(kernel.input.data()),
                                 kernel.input.size() * sizeof(std::uint64_t));
    const auto [offset, is_new] = offsets.try_emplace(input, inputs.size());
    if (is_new) inputs.insert(inputs.end(), input.begin(), input.end());
    kernels.put_text(kernel.kernel);
    kernels.put(static_cast<std::uint32_t>(kernel.lanes));
    kernels.put(static_cast<std::uint32_t>(kernel.cluster));
    kernels.put(static_cast<std::uint32_t>(kernel.dynamic_shared));
    kernels.put(kernel.uses_memory);
    kernels.put(offset->second);
  }
  kernels.put_bytes(inputs);
  return kernels.frame();
}

LaunchRequest decode_launch(Reader& reader) {
  LaunchRequest request;
  request.cubin = reader.get_bytes();
  request.launches = reader.get<std::uint32_t>();
  request.kernels.resize(reader.get<std::uint32_t>());
  for (LaunchRequest::Kernel& kernel : request.kernels) {
    kernel.name = reader.get_text();
    kernel.lanes = reader.get<std::uint32_t>();
    kernel.cluster = reader.get<std::uint32_t>();
    kernel.dynamic_shared = reader.get<std::uint32_t>();
    kernel.uses_memory = reader.get<bool>();
    kernel.input_offset = reader.get<std::uint64_t>();
  }
  request.inputs = reader.get_bytes();
  return request;
}

Bytes encode_assemble(const Toolchain& toolchain, const std::string& ptx, const Target& target, int level) {
  Writer writer(Kind::assemble);
  writer.put(toolchain.kind);
  writer.put_text(toolchain.path.string());
  writer.put_text(ptx);
  writer.put(static_cast<std::int32_t>(target.sm));
  writer.put_text(target.suffix);
  writer.put(static_cast<std::int32_t>(level));
  return writer.frame();
}

AssembleRequest decode_assemble(Reader& reader) {
  AssembleRequest request;
  request.toolchain = reader.get<ToolchainKind>();
  request.library = reader.get_text();
  request.ptx = reader.get_text();
  request.target.sm = reader.get<std::int32_t>();
  request.target.suffix = reader.get_text();
  request.level = reader.get<std::int32_t>();
  return request;
}

Bytes encode_compile(const Toolchain& nvrtc, const std::string& program, const std::vector<std::string>& options) {
  Writer writer(Kind::compile);
  writer.put_text(nvrtc.path.string());
  writer.put_text(program);
  writer.put(static_cast<std::uint32_t>(options.size()));
  for (const std::string& option : options) writer.put_text(option);
  return writer.frame();
}

CompileRequest decode_compile(Reader& reader) {
  CompileRequest request;
  request.library = reader.get_text();
  request.program = reader.get_text();
  request.options.resize(reader.get<std::uint32_t>());
  for (std::string& option : request.options) option = reader.get_text();
  return request;
}

Bytes encode_device(const DeviceInfo& info) {
  Writer writer(Kind::device);
  for (const int number :
       {info.index, info.sm, info.sm_count, info.sm_clock_khz, info.memory_clock_khz, info.cuda_api_version})
    writer.put(number);
  for (const std::string& text : {info.name, info.uuid, info.driver_version}) writer.put_text(text);
  return writer.frame();
}

DeviceInfo decode_device(Reader& reader) {
  DeviceInfo info;
  for (int* number :
       {&info.index, &info.sm, &info.sm_count, &info.sm_clock_khz, &info.memory_clock_khz, &info.cuda_api_version})
    *number = reader.get<int>();
  for (std::string* text : {&info.name, &info.uuid, &info.driver_version}) *text = reader.get_text();
  return info;
}

Bytes encode_outcome(const LaunchOutcome& outcome, bool process_ends) {
  Writer writer(Kind::outcome);
  writer.put(process_ends);
  writer.put(outcome.status);
  writer.put_text(outcome.message);
  writer.put(static_cast<std::uint32_t>(outcome.samples.size()));
  for (const Sample& sample : outcome.samples) writer.put(sample);
  return writer.frame();
}

LaunchOutcome decode_outcome(Reader& reader, bool& process_ends) {
  LaunchOutcome outcome;
  process_ends = reader.get<bool>();
  outcome.status = reader.get<LaunchStatus>();
  outcome.message = reader.get_text();
  outcome.samples.resize(reader.get<std::uint32_t>());
  for (Sample& sample : outcome.samples) sample = reader.get<Sample>();
  return outcome;
}

Bytes encode_module(const ModuleOutcome& outcome) {
  Writer writer(Kind::module);
  writer.put(outcome.cubin.has_value());
  writer.put_bytes(outcome.cubin.value_or(Bytes{}));
  writer.put_text(outcome.log);
  return writer.frame();
}

ModuleOutcome decode_module(Reader& reader) {
  ModuleOutcome outcome;
  const bool has_cubin = reader.get<bool>();
  Bytes cubin = reader.get_bytes();
  if (has_cubin) outcome.cubin = std::move(cubin);
  outcome.log = reader.get_text();
  return outcome;
}

Bytes encode_compiled(const CompileOutcome& outcome) {
  Writer writer(Kind::compiled);
  writer.put(outcome.ptx.has_value());
  writer.put_text(outcome.ptx.value_or(std::string{}));
  writer.put_text(outcome.log);
  return writer.frame();
}

CompileOutcome decode_compiled(Reader& reader) {
  CompileOutcome outcome;
  const bool has_ptx = reader.get<bool>();
  std::string ptx = reader.get_text();
  if (has_ptx) outcome.ptx = std::move(ptx);
  outcome.log = reader.get_text();
  return outcome;
}

}  // namespace ptxlat::worker
