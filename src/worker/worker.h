// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assemble/assembler.h"
#include "assemble/nvrtc.h"
#include "assemble/toolchain.h"
#include "base/environment.h"
#include "counters/pipe_counters.h"
#include "gpu/device.h"
#include "ptx/kernel.h"
#include "ptx/readout.h"

namespace ptxlat::worker {

// One kernel to be run, by its name in the cubin.
struct KernelLaunch {
  std::string kernel;
  ptx::Launch launch;
  int launches = 9;
};

//   stops_at_failure  whether kernels after one that fails get its outcome and do not run: each fault costs a process
//   keeps_module      whether one of the next batches launches the same cubin, which has no state: it stays loaded, and
//                     one other with it
struct LaunchBatch {
  Bytes cubin;
  std::vector<KernelLaunch> kernels;
  bool stops_at_failure = false;
  bool keeps_module = false;
};

// The outcome of a kernel that was launched once with hardware counters read around it.
//   counts  of the pipes that open_counters offered, if the launch is ok
struct CountOutcome {
  ptx::LaunchOutcome launch;
  counters::Counts counts;
};

struct WorkerOptions {
  std::filesystem::path program;  // this executable; it is started as `PROGRAM worker`
  int device = 0;
  bool expects_faults = false;            // whether a second process waits to replace one that faults or hangs
  std::vector<int> spare_devices = {};    // of the same kind, whose driver assembles if `device` has died
  std::filesystem::path jit_folder = {};  // of a process that only assembles, with the driver; else empty
  std::chrono::milliseconds kernel_deadline =
      scaled_deadline(std::chrono::seconds(5));  // for one kernel's launches, before it counts as hung
  std::chrono::milliseconds assemble_deadline =
      scaled_deadline(std::chrono::seconds(60));  // for one module, or for one program of CUDA C++
  std::chrono::milliseconds start_deadline =
      scaled_deadline(std::chrono::seconds(60));  // to load the driver and make a context, or to load a cubin
};

// How a worker has spent its time, in seconds.
//   processes  that were started for its device
//   starting   them: the driver and a context, and before that the end of the process that is replaced
//   loading    cubins
//   running    kernels, until each answered or missed its deadline
struct WorkerTimes {
  int processes = 0;
  double starting = 0, loading = 0, running = 0;
};
WorkerTimes operator-(const WorkerTimes& later, const WorkerTimes& earlier);

class WorkerProcess;

// The supervisor's end of one worker process, the only place where driver, nvJitLink and NVRTC code runs. A fault,
// trap, hang or crash costs the kernel that caused it: the process is replaced and the batch continues with the
// remaining kernels (method.md, trap 21: only a new process recovers from a fault). Used by one thread at a time. The
// process is started when first needed and dies with the supervisor, even if that is killed with SIGKILL.
class Worker {
 public:
  explicit Worker(WorkerOptions options);
  ~Worker();
  Worker(const Worker&) = delete;  // owns a process
  Worker& operator=(const Worker&) = delete;

  // The driver's report about the device. Error{no_gpu} if there is none, with what to do instead.
  gpu::DeviceInfo device_info();

  // One outcome per kernel, in order. Never throws because of a kernel; Error{no_gpu} if the device itself is gone. A
  // process killed from outside, or that missed its deadline, is replaced once, and its kernel run again, before the
  // kernel is given up. A kernel
  // that runs out of memory in a process that has launched others is run again in a new process.
  std::vector<ptx::LaunchOutcome> launch(const LaunchBatch& batch);

  // Opens the hardware counters of the device with this libcupti. The process that does so should serve nothing else:
  // the library hooks into the driver. counters::Unavailable with the reason, even if the library ended the process.
  counters::Offer open_counters(const std::filesystem::path& library);
  // The one kernel of each batch, launched once (CUPTI runs it several times), with the counters that were opened last;
  // a new process opens them again. Many kernels share a session of CUPTI, whose counts are lost if one of them fails:
  // the others are then counted again. A crash or a hang is the kernel's outcome, as for launch. counters::Unavailable
  // if CUPTI fails.
  std::vector<CountOutcome> count(const std::vector<LaunchBatch>& batches);

  // The driver's JIT (level 0…4) or, with a toolchain of kind nvjitlink, that library. A crash or a hang is a
  // rejection. Error{missing_tool} if the library cannot be opened. Without WorkerOptions::jit_folder, the driver's
  // code is relocatable: for kernels of the tool's own.
  assemble::ModuleOutcome assemble(const assemble::Toolchain& toolchain, const std::string& ptx,
                                   const isa::Target& target, int level);

  // NVRTC on a program of CUDA C++. A crash or a hang is a rejection. Error{missing_tool} if the library cannot be
  // opened.
  assemble::CompileOutcome compile(const assemble::Toolchain& nvrtc, const std::string& program,
                                   const std::vector<std::string>& options);

  int device() const { return options_.device; }
  // Starts a process that opens the device, without waiting for it. The driver takes a while, in which the caller has
  // something else to do.
  void begin_opening();
  // Of what the driver assembles in a process with a jit_folder. Opens the device.
  const assemble::CodeOrigin& origin();

  // Ends the process; the next call starts a new one. Used to repeat a sample of cells in a fresh process.
  void restart();

  // The process id, 0 if there is none: for tests, which kill it.
  int process_id() const;

  const WorkerTimes& times() const { return times_; }

 private:
  struct Ending;

  void start_process();
  void ask_to_open();
  void prepare_standby();
  void open_device();
  Ending run_remaining(const LaunchBatch& batch, std::vector<ptx::LaunchOutcome>& outcomes);
  std::vector<std::size_t> count_together(const std::vector<LaunchBatch>& batches,
                                          const std::vector<std::size_t>& session, std::vector<CountOutcome>& outcomes);
  // The reply for a toolchain that runs in the process, or in a new process if the first was killed from outside. If
  // there is no reply, how the process ended.
  template <typename Outcome>
  Outcome ask(const assemble::Toolchain& toolchain, const Bytes& request);

  WorkerOptions options_;
  std::unique_ptr<WorkerProcess> process_;
  std::unique_ptr<WorkerProcess> standby_;  // has initialised the driver, but has no context, so it uses no GPU
  bool device_is_open_ = false;
  bool is_opening_ = false;  // it has been asked to open the device and has not answered
  assemble::CodeOrigin origin_;
  bool has_launched_ = false;    // this process
  std::filesystem::path cupti_;  // used to open the counters; empty before
  bool counters_are_open_ = false;
  WorkerTimes times_;
};

// `count` Assemblers, each for one thread, that share worker processes. nvJitLink's have one each. The driver's share
// one for every two of them: a thread that waits for nvdisasm needs none, and the driver makes contexts one after
// another (on an H200's host one takes 0.2 s, sixteen take 2.3 s) and assembles one module at a time in each process.
// The first process starts at once, the others when they are needed. A module that crashes or hangs only costs itself.
// A driver that dies is replaced by that of a spare device; a process that does not start, by the others.
std::vector<std::unique_ptr<assemble::Assembler>> make_worker_assemblers(const WorkerOptions& options,
                                                                         const assemble::Toolchain& toolchain,
                                                                         std::size_t count);

// The body of the hidden `worker` subcommand: serves requests from standard input until it closes. Returns the exit
// status.
int worker_main();

}  // namespace ptxlat::worker
