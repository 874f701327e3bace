#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "measure/worker.h"

// What the supervisor and its worker process say to each other: frames of a u32 length and a payload, whose first byte
// is the kind. Both ends are the same executable on the same machine, so numbers travel as they lie in memory. A
// reply's time-out starts anew with each message, so a reply in parts says which part was the last.
//
//   open      → opened                                  the driver is loaded and the device has a context
//   info      → device
//   launch    → loaded, then one outcome per kernel     an outcome may end the process (`process_ends`)
//   assemble  → module
//   compile   → compiled
//   channels, no reply                                  further sockets, on each of which a thread answers `assemble`
//   any       → error                                   becomes an Error in the supervisor
namespace ptxlat::worker {

enum class Kind : std::uint8_t {
  open,
  opened,
  info,
  device,
  launch,
  loaded,
  outcome,
  assemble,
  module,
  compile,
  compiled,
  channels,
  error
};

class Writer {
 public:
  explicit Writer(Kind kind) : frame_(sizeof(std::uint32_t)) { put(kind); }

  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { append(&value, sizeof value); }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    append(text.data(), text.size());
  }
  void put_bytes(const Bytes& bytes) { put_text({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); }

  // The frame, ready to be sent; leaves the writer empty.
  Bytes frame() {
    const auto payload = static_cast<std::uint32_t>(frame_.size() - sizeof(std::uint32_t));
    std::memcpy(frame_.data(), &payload, sizeof payload);
    return std::move(frame_);
  }

 private:
  void append(const void* data, std::size_t size) {
    if (size == 0) return;
    const std::size_t end = frame_.size();
    frame_.resize(end + size);
    std::memcpy(frame_.data() + end, data, size);
  }
  Bytes frame_;
};

class Reader {
 public:
  explicit Reader(Bytes payload) : payload_(std::move(payload)) { kind_ = get<Kind>(); }

  Kind kind() const { return kind_; }

  template <typename T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string get_text() {
    const auto size = get<std::uint32_t>();
    return {reinterpret_cast<const char*>(take(size)), size};
  }
  Bytes get_bytes() {
    const auto size = get<std::uint32_t>();
    const std::uint8_t* data = take(size);
    return {data, data + size};
  }

 private:
  const std::uint8_t* take(std::size_t size) {
    if (size > payload_.size() - position_) throw std::runtime_error("a worker's message is cut short");
    position_ += size;
    return payload_.data() + position_ - size;
  }
  Bytes payload_;
  std::size_t position_ = 0;
  Kind kind_;
};

// A launch as it travels: kernels often share their input, which is sent and copied to the device once.
struct LaunchRequest {
  struct Kernel {
    std::string name;
    std::uint32_t lanes = 0;
    std::uint32_t cluster = 1;
    std::uint32_t dynamic_shared = 0;
    bool uses_memory = false;
    std::uint64_t input_offset = 0;  // in bytes

    std::size_t slots() const { return std::size_t{lanes} * cluster; }
  };
  Bytes cubin;
  std::uint32_t launches = 0;
  Bytes inputs;
  std::vector<Kernel> kernels;
};

struct AssembleRequest {
  ToolchainKind toolchain = ToolchainKind::driver;
  std::string library;
  std::string ptx;
  Target target;
  std::int32_t level = 0;
};

struct CompileRequest {
  std::string library;
  std::string program;
  std::vector<std::string> options;
};

// `first` is the first kernel of the batch that is still to be run.
Bytes encode_launch(const LaunchBatch& batch, std::size_t first);
LaunchRequest decode_launch(Reader& reader);

Bytes encode_assemble(const Toolchain& toolchain, const std::string& ptx, const Target& target, int level);
AssembleRequest decode_assemble(Reader& reader);

Bytes encode_compile(const Toolchain& nvrtc, const std::string& program, const std::vector<std::string>& options);
CompileRequest decode_compile(Reader& reader);

Bytes encode_device(const DeviceInfo& info);
DeviceInfo decode_device(Reader& reader);

Bytes encode_outcome(const LaunchOutcome& outcome, bool process_ends);
LaunchOutcome decode_outcome(Reader& reader, bool& process_ends);

Bytes encode_module(const ModuleOutcome& outcome);
ModuleOutcome decode_module(Reader& reader);

Bytes encode_compiled(const CompileOutcome& outcome);
CompileOutcome decode_compiled(Reader& reader);

}  // namespace ptxlat::worker
