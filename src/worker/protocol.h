// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cereal/archives/binary.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <cstdint>
#include <cstring>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "nvml/condition.h"
#include "worker/checked_archive.h"
#include "worker/worker.h"

// The messages between the supervisor and its worker process: frames of a u32 length and a payload, whose first byte is
// the kind. Both ends are the same executable on the same machine, so the format is just cereal's binary archive. A
// reply's deadline restarts with each message, so a reply in parts says which part was the last.
//
//   prepare, no reply                                   the driver is loaded; no device is used
//   open      → opened                                  the driver is loaded and the device has a context
//   open_jit  → opened_jit                              the same, in a process that only assembles
//   info      → device
//   launch    → loaded, then one outcome per kernel     an outcome may end the process (`process_ends`)
//   assemble  → module
//   compile   → compiled
//   open_counters → counters                            of a device that is open
//   ask_condition → condition                           of the GPU of a UUID; needs no device
//   count     → loaded and one outcome per batch,       of batches of one kernel; no counts if an outcome ends the
//               then counts                             process
//   any       → error                                   becomes an Error in the supervisor
// For types of different rooms; cereal looks in its own namespace and in theirs.
namespace cereal {

template <class Archive>
void serialize(Archive& archive, ptxlat::ptx::Buffer& buffer) {
  archive(buffer.bytes, buffer.contents, buffer.stride, buffer.seed, buffer.read_words, buffer.is_texture, buffer.pitch,
          buffer.box_row, buffer.box_rows, buffer.swizzle, buffer.alignment);
}

template <class Archive>
void serialize(Archive& archive, ptxlat::ptx::Launch& launch) {
  archive(launch.threads, launch.ctas, launch.dynamic_shared, launch.carve_out, launch.uses_memory, launch.places,
          launch.bank_bytes, launch.large_cluster, launch.keeps_buffers, launch.persisting_bytes, launch.evicts_l2,
          launch.succession, launch.round, launch.input, launch.buffers, launch.parameters, launch.output_ctas,
          launch.output_step, launch.output_words);
}

template <class Archive>
void serialize(Archive& archive, ptxlat::ptx::Readout& readout) {
  archive(readout.launches, readout.threads, readout.words_per_thread, readout.threads_agree, readout.words,
          readout.buffers);
  if (Archive::is_loading::value && !readout.has_all_words())
    throw std::runtime_error("a readout does not have the words that it says");
}

template <class Archive>
void serialize(Archive& archive, ptxlat::ptx::LaunchOutcome& outcome) {
  archive(outcome.status, outcome.message, outcome.readout, outcome.may_be_trap);
}

template <class Archive>
void serialize(Archive& archive, ptxlat::counters::Offer& offer) {
  archive(offer.library, offer.name, offer.pipes);
}

template <class Archive>
void serialize(Archive& archive, ptxlat::counters::Counts& counts) {
  archive(counts.executed, counts.on_pipes);
}

template <class Archive>
void serialize(Archive& archive, ptxlat::assemble::ModuleOutcome& outcome) {
  archive(outcome.cubin, outcome.log, outcome.assembler_failed, outcome.lacked_memory);
}

template <class Archive>
void serialize(Archive& archive, ptxlat::assemble::CodeOrigin& origin) {
  archive(origin.is_whole_program, origin.way);
}

template <class Archive>
void serialize(Archive& archive, ptxlat::assemble::CompileOutcome& outcome) {
  archive(outcome.ptx, outcome.log, outcome.compiler_failed, outcome.lacked_memory);
}

template <class Archive>
void serialize(Archive& archive, ptxlat::isa::Target& target) {
  archive(target.sm, target.suffix);
}

template <class Archive>
void serialize(Archive& archive, ptxlat::gpu::DeviceInfo& info) {
  archive(info.index, info.name, info.uuid, info.sm, info.sm_count, info.sm_clock_khz, info.memory_clock_khz,
          info.driver_version, info.cuda_api_version, info.memory_bus_bits, info.l2_bytes, info.memory_bytes,
          info.page_bytes, info.shared_per_sm, info.persisting_l2_bytes, info.window_bytes, info.device_count);
}

template <class Archive>
void serialize(Archive& archive, ptxlat::nvml::Process& process) {
  archive(process.pid, process.name);
}

template <class Archive>
void serialize(Archive& archive, ptxlat::nvml::Condition& condition) {
  archive(condition.problem, condition.processes, condition.sees_all_processes, condition.is_mig,
          condition.has_mps_clients, condition.drives_display, condition.has_ecc, condition.uncorrected_errors,
          condition.clock_reasons, condition.throttled_by_power_ns, condition.throttled_by_heat_ns);
}

}  // namespace cereal

namespace ptxlat::worker {

enum class Kind : std::uint8_t {
  prepare,
  open,
  opened,
  open_jit,
  opened_jit,
  info,
  device,
  launch,
  loaded,
  outcome,
  assemble,
  module,
  compile,
  compiled,
  open_counters,
  counters,
  count,
  counts,
  ask_condition,
  condition,
  error
};

template <class Archive>
void serialize(Archive& archive, KernelLaunch& kernel) {
  archive(kernel.kernel, kernel.launch, kernel.launches);
}

template <class Archive>
void serialize(Archive& archive, LaunchBatch& batch) {
  archive(batch.cubin, batch.kernels, batch.keeps_module);
}

//   lacks_memory  the device did not have enough memory for the launch
struct Outcome {
  ptx::LaunchOutcome launch;
  bool process_ends = false;
  bool lacks_memory = false;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(launch, process_ends, lacks_memory);
  }
};

//   libcuptis  the first that opens hands over the code of loaded modules
//   folder     for the driver's cache, if none opens
struct OpenJitRequest {
  int device = 0;
  std::vector<std::string> libcuptis;
  std::string folder;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(device, libcuptis, folder);
  }
};

struct AssembleRequest {
  assemble::ToolchainKind toolchain = assemble::ToolchainKind::driver;
  std::string library;
  std::string ptx;
  isa::Target target;
  int level = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(toolchain, library, ptx, target, level);
  }
};

struct CompileRequest {
  std::string library;
  std::string program;
  std::vector<std::string> options;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(library, program, options);
  }
};

struct ErrorReply {
  int exit_code = 0;
  std::string message;
  std::string advice;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(exit_code, message, advice);
  }
};

// A message as it was received.
class Message {
 public:
  // std::runtime_error for an empty payload.
  explicit Message(const Bytes& payload);

  Kind kind() const { return kind_; }
  // Its content; throws a std::exception if it is truncated.
  template <class Content>
  Content as() const {
    CheckedInput archive(content_);
    Content content{};
    archive(content);
    return content;
  }

 private:
  Kind kind_;
  std::string content_;
};

// Takes the first message off received bytes; empty if it is not whole yet.
std::optional<Message> take_message(Bytes& received);

// `payload` preceded by its length.
Bytes frame_of(Kind kind, const std::string& content);

inline Bytes frame(Kind kind) { return frame_of(kind, {}); }
template <class Content>
Bytes frame(Kind kind, const Content& content) {
  std::ostringstream stream;
  {
    cereal::BinaryOutputArchive archive(stream);
    archive(content);
  }
  return frame_of(kind, std::move(stream).str());
}

}  // namespace ptxlat::worker
