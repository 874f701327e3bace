// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <thread>

#include "assemble/log_lines.h"
#include "assemble/nvjitlink.h"
#include "assemble/nvrtc.h"
#include "base/error.h"
#include "base/limits.h"
#include "counters/loaded_cubins.h"
#include "gpu/jit.h"
#include "gpu/jit_cache.h"
#include "worker/launch.h"
#include "worker/process.h"
#include "worker/protocol.h"
#include "worker/socket.h"
#include "worker/worker.h"

namespace ptxlat::worker {
namespace {

// Ends the process when the supervisor is gone, whatever the main thread is doing: it may be waiting for a kernel that
// never finishes.
void watch_supervisor(int socket) {
  std::thread([socket] {
    pollfd watched{socket, 0, 0};  // a hang-up is always reported
    while (poll(&watched, 1, -1) < 0 && errno == EINTR) {
    }
    _exit(0);
  }).detach();
}

bool read_exactly(int socket, void* to, std::size_t size) {
  auto* bytes = static_cast<std::uint8_t*>(to);
  while (size > 0) {
    const ssize_t got = recv(socket, bytes, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

void send_frame(int socket, const Bytes& frame) {
  std::size_t sent = 0;
  while (sent < frame.size()) {
    const ssize_t size = send(socket, frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) _exit(0);  // the supervisor is gone
    sent += static_cast<std::size_t>(size);
  }
}

// Turns an exception into the Message that answers the request.
std::optional<Bytes> read_payload(int socket) {
  std::uint32_t length = 0;
  if (!read_exactly(socket, &length, sizeof length)) return std::nullopt;
  Bytes payload(length);
  if (!read_exactly(socket, payload.data(), length)) return std::nullopt;
  return payload;
}

void send_error(int socket, ExitCode code, const std::string& message, const std::string& advice) {
  send_frame(socket, frame(Kind::error, ErrorReply{static_cast<int>(code), message, advice}));
}

// Answers a request on this socket; an exception becomes the answer. False if the process must end.
template <typename Action>
bool answer(int socket, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    send_error(socket, error.exit_code, error.what(), error.advice);
  } catch (const gpu::CudaError& error) {
    send_error(socket, ExitCode::no_gpu, error.what(), gpu::without_gpu_advice());
  } catch (const std::exception& error) {
    send_error(socket, ExitCode::failure, std::string("in a worker: ") + error.what(), {});
  }
  return true;
}

rlimit memory_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  return limit;
}

// Bounds the address space of this process, or frees it again for the driver, which reserves terabytes; so do the
// sanitizers. A limit of the user's stays.
void bound_memory([[maybe_unused]] rlim_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  static const rlimit before = memory_limit();
  const rlimit limit{std::min(bytes, before.rlim_cur), before.rlim_max};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

// PTX that every driver takes for every GPU.
constexpr char attempted_ptx[] = ".version 6.0\n.target sm_52\n.address_size 64\n.visible .entry attempt() { ret; }\n";

// Everything that a worker process keeps between requests.
class Service {
 public:
  explicit Service(int socket) : socket_(socket) {}

  // Answers one request; false if the process must end.
  bool serve(const Message& request) {
    switch (request.kind()) {
      case Kind::prepare:
        bound_memory(RLIM_INFINITY);
        gpu::load_cuda_api().cuInit(0);  // if that fails, opening says so
        return true;
      case Kind::open:
        bound_memory(RLIM_INFINITY);
        device_ = std::make_unique<OpenDevice>(request.as<int>());
        send_frame(socket_, frame(Kind::opened));
        return true;
      case Kind::open_jit:
        send_frame(socket_, frame(Kind::opened_jit, open_jit(request.as<OpenJitRequest>())));
        return true;
      case Kind::info:
        send_frame(socket_, frame(Kind::device, gpu::describe_device(device_->api, request.as<int>())));
        return true;
      case Kind::launch:
        return run_kernels(*device_, on_every_sm(request.as<LaunchBatch>(), device_->sm_count),
                           [this](const Bytes& reply) { send_frame(socket_, reply); });
      case Kind::open_counters:
        counters_ = std::make_unique<counters::PipeCounters>(request.as<std::string>(), device_->device,
                                                             device_->context.get());
        send_frame(socket_, frame(Kind::counters, counters_->offer()));
        return true;
      case Kind::count:
        return count(request.as<std::vector<LaunchBatch>>());
      case Kind::assemble:
        send_frame(socket_, assemble(request.as<AssembleRequest>()));
        return true;
      case Kind::compile:
        send_frame(socket_, compile(request.as<CompileRequest>()));
        return true;
      case Kind::ask_condition:
        send_frame(socket_, frame(Kind::condition, nvml::condition_of(request.as<std::string>())));
        return true;
      default:
        throw std::logic_error("a worker received a message that is not a request");
    }
  }

 private:
  bool count(const std::vector<LaunchBatch>& batches) {
    const auto run = [this](const LaunchBatch& batch) {
      return run_kernels(*device_, batch, [this](const Bytes& reply) { send_frame(socket_, reply); });
    };
    const auto counts =
        counters_->count(batches.size(), [&] { return std::all_of(batches.begin(), batches.end(), run); });
    if (counts) send_frame(socket_, frame(Kind::counts, *counts));
    return counts.has_value();
  }

  // Opens the device in a process that only assembles. What hands over the code of loaded modules must be there before
  // the driver starts.
  assemble::CodeOrigin open_jit(const OpenJitRequest& request) {
    bound_memory(RLIM_INFINITY);
    // The code need not reach the GPU, on which a kernel may be measured.
    setenv("CUDA_MODULE_LOADING", "LAZY", 1);
    const auto way = take_cubins(request);
    device_ = std::make_unique<OpenDevice>(request.device);
    const auto log = why_no_cubin();
    const auto problem = log.substr(0, log.find('\n'));
    if (problem.empty()) return {true, "cuModuleLoadDataEx, with " + way};
    take_cubin_ = nullptr;
    return {false, fmt::format("cuLink, because cuModuleLoadDataEx with {} shows no code: {}", way, problem)};
  }

  // Loads a module as an attempt. Empty if its cubin can be had.
  std::string why_no_cubin() const {
    try {
      const auto outcome = jit(attempted_ptx, {device_->sm, ""}, 3);
      return outcome.cubin ? std::string() : outcome.log;
    } catch (const gpu::CudaError& error) {
      return error.driver_words;
    }
  }

  // Sets take_cubin_; returns how it does so.
  std::string take_cubins(const OpenJitRequest& request) {
    std::string problem;
    for (const auto& library : request.libcuptis) {
      try {
        loaded_ = std::make_unique<counters::LoadedCubins>(library);
        take_cubin_ = [this] { return loaded_->take(); };
        return "CUPTI";
      } catch (const counters::Unavailable& error) {
        problem = fmt::format(", without CUPTI: {}", error.what());  // unless the next one does
      }
    }
    const auto folder = std::filesystem::path(request.folder) / std::to_string(getpid());
    std::filesystem::create_directory(folder);
    cache_.emplace(folder);
    take_cubin_ = [this] { return cache_->take(); };
    return "the driver's cache" + problem;
  }

  assemble::ModuleOutcome jit(const std::string& ptx, const isa::Target& target, int level) const {
    if (take_cubin_) return gpu::jit_load(device_->api, device_->sm, ptx, target, level, take_cubin_);
    return gpu::jit_link(device_->api, device_->sm, ptx, target, level);
  }

  // The frame of the outcome.
  Bytes assemble(const AssembleRequest& request) {
    if (request.toolchain == assemble::ToolchainKind::driver)
      return frame(Kind::module, jit(request.ptx, request.target, request.level));
    return answer_of_library<assemble::ModuleOutcome>("nvJitLink", Kind::module, [&] {
      return library(request.library).assemble(request.ptx, request.target, request.level);
    });
  }

  Bytes compile(const CompileRequest& request) {
    return answer_of_library<assemble::CompileOutcome>("NVRTC", Kind::compiled, [&] {
      return compilers_.try_emplace(request.library, request.library)
          .first->second.compile(request.program, request.options);
    });
  }

  // A library takes as much memory as its input makes it.
  template <typename Outcome, typename Action>
  Bytes answer_of_library(const char* name, Kind kind, Action action) {
    if (!device_) bound_memory(most_assembler_bytes);
    try {
      return frame(kind, action());
    } catch (const std::bad_alloc&) {
      return frame(kind, Outcome{std::nullopt, assemble::lacked_memory(name), true, true});
    }
  }

  const assemble::NvJitLink& library(const std::string& path) {
    return libraries_.try_emplace(path, path).first->second;
  }

  int socket_;
  std::unique_ptr<OpenDevice> device_;
  // In a process that only assembles; else relocatable code will do.
  gpu::TakeCubin take_cubin_;
  std::unique_ptr<counters::LoadedCubins> loaded_;
  std::optional<gpu::JitCache> cache_;
  std::unique_ptr<counters::PipeCounters> counters_;
  std::map<std::string, assemble::NvJitLink> libraries_;
  std::map<std::string, assemble::Nvrtc> compilers_;
};

// Moves the socket away from standard input, so that no library can read from it, and sets the variables that the
// driver reads at its start.
int prepare_process() {
  const int socket = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  close(nothing);
  setenv("CUDA_CACHE_DISABLE", "1", 1);       // the cache hides a change of options: method.md, trap 20
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);  // no kernel is loaded between two launches of a measurement
  const rlimit no_core{0, 0};                 // a crashing assembler must not fill the disk with dumps
  setrlimit(RLIMIT_CORE, &no_core);
  watch_supervisor(socket);
  return socket;
}

}  // namespace

int worker_main() {
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &size) != 0) {
    std::fprintf(stderr, "ptxlat worker: started by ptxlat itself, not by hand\n");
    return static_cast<int>(ExitCode::usage);
  }
  const int socket = prepare_process();
  Service service(socket);
  while (const auto payload = read_payload(socket))
    if (!answer(socket, [&] { return service.serve(Message(*payload)); })) break;
  _exit(0);  // no destructors: after a fault every driver call would fail again, and threads may still be assembling
}

}  // namespace ptxlat::worker
