#include "kernel/kernel.h"

#include "base/hash.h"

namespace ptxlat::kernel {

void add(Hash& hash, const Launch& launch) {
  for (const int number : {launch.threads, launch.ctas, launch.dynamic_shared, launch.carve_out,
                           launch.uses_memory ? 1 : 0, launch.output_ctas})
    hash.add(number);
  hash.add(launch.input);
  hash.add(launch.parameters);
  hash.add(launch.output_words);
  for (const auto& buffer : launch.buffers) {
    for (const auto number : {buffer.bytes, buffer.stride, buffer.seed, buffer.read_words}) hash.add(number);
    hash.add(buffer.contents);
  }
}

void add(Hash& hash, const Kernel& kernel) {
  hash.add(kernel.text);
  hash.add(kernel.module.size());
  for (const auto& text : kernel.module) hash.add(text);
}

void add(Hash& hash, const Trial& trial) {
  add(hash, trial.kernel);
  add(hash, trial.launch);
  hash.add(trial.launches);
}

}  // namespace ptxlat::kernel
