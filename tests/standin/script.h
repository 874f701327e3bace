// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <variant>
#include <vector>

#include "gpu/cuda_api.h"
#include "window.h"

// PTXLAT_STANDIN_SCRIPT names a TOML file with the stand-in driver's devices and the answers to launches. A launch that
// no rule matches is answered from the kernel's schedule (window.h). All counting starts at 0.
//
//   [[device]]                   # the imaginary GPUs in order; without any there is one "Stand-in H200"
//   name = "Stand-in H200"       # all keys are optional and these are the defaults
//   sm = 90
//   sms = 132                    # multiprocessors
//   clock_khz = 1980000
//   memory_clock_khz = 3201000
//   memory = 150754820096        # bytes that cuMemAlloc can hand out
//   uuid = "00010203-0405-0607-0809-0a0b0c0d0e0f"  # the first byte is the device's ordinal
//   attributes = {38 = 52428800} # by the numbers of CUdevice_attribute
//   # CUDA_VISIBLE_DEVICES, as numbers, chooses among them and gives their order, as for the driver.
//
//   [[rule]]                     # the first rule of which every condition holds answers the launch
//   # Conditions, all optional. Of a list, one has to hold.
//   kernel = "^chain_"           # regular expression, searched for in the function's name
//   code = "FFMA"                # an instruction between the clocks: a mnemonic that script.cpp knows, or the 12 bits
//                                # of its opcode (0x223); of the whole kernel if it does not read the clock twice
//   launch = [0, 3]              # of this function in this process
//   process = 1                  # counts the processes that launch; they are listed in SCRIPT.processes
//   device = 0                   # in the script, whatever CUDA_VISIBLE_DEVICES says
//   threads = 1024               # of a CTA
//   operand = {index = 0, bits = 0x3f800000, lane = 5}  # without a lane: in the input slot of every thread
//   # Exactly one answer:
//   cycles = 40                  # between the two clocks
//   spread = [40, 44, 52]        # launch n of this function takes the n-th of them, and so on from the start
//   lanes = [40, 44]             # lane n takes the n-th of them, and so on from the start
//   words = [0, 1, 2]            # 32-bit words at the start of the output buffer, and nothing else
//   words = [[0, 1], [2, 3]]     # thread n, counted across CTAs, stores the n-th of them
//   die = "fault"                # an illegal address; or "hang"; or the process ends: "exit", "crash", "kill"; or
//                                # "gpu": the device is gone, for all processes: SCRIPT.gone.DEVICE exists
//   out_of_memory = true         # cuLaunchKernel returns CUDA_ERROR_OUT_OF_MEMORY
//   # In addition to words of threads:
//   thread_bytes = 64            # from one thread's words to the next thread's
namespace standin {

struct Device {
  std::string name = "Stand-in H200";
  int sm = 90;
  std::uint64_t memory = 150754820096;
  std::array<unsigned char, 16> uuid = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  std::map<ptxlat::gpu::CUdevice_attribute, int> attributes;
  int number = 0;  // in the script
};

// The bits of an instruction's opcode under the mask.
struct Opcode {
  unsigned bits = 0;
  unsigned mask = 0xfff;
};

struct Operand {
  unsigned index = 0;
  std::uint64_t bits = 0;
  std::optional<unsigned> lane;
};

struct Cycles {
  std::vector<std::uint32_t> by_launch;
};
struct LaneCycles {
  std::vector<std::uint32_t> by_lane;
};
struct Words {
  std::vector<std::uint32_t> words;
};
struct ThreadWords {
  std::vector<std::vector<std::uint32_t>> by_thread;
  std::size_t thread_bytes = 64;
};
enum class Death { fault, hang, exit, crash, kill, gpu };
struct OutOfMemory {};
using Answer = std::variant<Cycles, LaneCycles, Words, ThreadWords, Death, OutOfMemory>;

// A launch, as conditions see it.
//   input   the input slots that lie in device memory, of all CTAs' threads
struct Launch {
  std::string kernel;
  const Code* code = nullptr;
  int number = 0;
  int process = 0;
  int device = 0;
  unsigned ctas = 1, threads = 1;
  std::vector<std::array<std::uint64_t, 8>> input;
};

struct Rule {
  std::optional<std::regex> kernel;
  std::optional<Opcode> code;
  std::vector<std::int64_t> launches, processes, devices, threads;  // empty: any
  std::optional<Operand> operand;
  Answer answer;

  bool matches(const Launch& launch) const;
};

struct Script {
  std::vector<Device> devices;
  std::vector<Rule> rules;
  bool is_valid = true;
};

// Throws std::runtime_error{"FILE:LINE: what is wrong"}.
Script read_script(const std::string& path);

// The script of this process, read when it is first needed. A bad one is reported on standard error and leaves no
// device.
const Script& script();

// Lets a device be gone, and says whether it is.
void lose_device(int device);
bool is_gone(int device);

// How many processes have launched with this script before this one did.
int process_number();

}  // namespace standin
