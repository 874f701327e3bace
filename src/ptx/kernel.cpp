// SPDX-License-Identifier: Apache-2.0
#include "ptx/kernel.h"

#include <fmt/format.h>

#include "base/hash.h"

namespace ptxlat::ptx {

void add(Hash& hash, const Launch& launch) {
  for (const int number : {launch.threads, launch.ctas, launch.dynamic_shared, launch.carve_out,
                           launch.uses_memory ? 1 : 0, launch.output_ctas})
    hash.add(number);
  // Only if they differ from the default, so that older recipes stay the same.
  if (launch.bank_bytes != 0 || launch.large_cluster || launch.keeps_buffers) {
    for (const int number : {launch.bank_bytes, launch.large_cluster ? 1 : 0, launch.keeps_buffers ? 1 : 0})
      hash.add(number);
  }
  if (launch.persisting_bytes != 0) hash.add(launch.persisting_bytes);
  if (launch.evicts_l2) hash.add("evicts L2");
  if (launch.succession != Succession::stream)
    hash.add(fmt::format("succession {}", static_cast<int>(launch.succession)));
  if (launch.places != 0) hash.add(fmt::format("{} places", launch.places));
  if (launch.round != 0) hash.add(fmt::format("round {}", launch.round));
  if (launch.output_step != 1) hash.add(fmt::format("every {}", launch.output_step));
  hash.add(launch.input);
  hash.add(launch.parameters);
  hash.add(launch.output_words);
  for (const auto& buffer : launch.buffers) {
    for (const auto number : {buffer.bytes, buffer.stride, buffer.seed, buffer.read_words}) hash.add(number);
    hash.add(buffer.contents);
    if (buffer.is_texture) hash.add(1);
    if (buffer.pitch != 0) {
      for (const auto number : {buffer.pitch, buffer.box_row, buffer.box_rows, buffer.swizzle}) hash.add(number);
    }
    if (buffer.alignment != 0) hash.add(fmt::format("aligned to {}", buffer.alignment));
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

}  // namespace ptxlat::ptx
