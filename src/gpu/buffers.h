// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "gpu/handles.h"
#include "ptx/kernel.h"

namespace ptxlat::gpu {

// The 64-bit words of a buffer at `address` from byte `begin` up to `end`, both multiples of 8. Deterministic: the same
// description gives the same contents at the same address on every machine.
class BufferContents {
 public:
  BufferContents(const ptx::Buffer& buffer, std::uint64_t address);
  std::vector<std::uint64_t> words(std::uint64_t begin, std::uint64_t end) const;

 private:
  ptx::Buffer buffer_;
  std::uint64_t address_;
  std::vector<std::uint32_t> next_;  // of each place, for a permutation
};

// A buffer on the device, with its texture or tensor map if it has one. It is filled in the stream's order. CudaError
// if it does not fit; std::invalid_argument for an invalid description (a stride below 8 or not a multiple of 8, a size
// that is not a multiple of 8, more words to read than there are, an impossible box).
class FilledBuffer {
 public:
  FilledBuffer(const CudaApi& api, const CudaStream& stream, const ptx::Buffer& buffer);
  // Resets lines that a kernel marked as persisting: the next buffer may get this memory, and would find lines that no
  // stream evicts.
  ~FilledBuffer();
  FilledBuffer(const FilledBuffer&) = delete;
  FilledBuffer& operator=(const FilledBuffer&) = delete;
  CUdeviceptr address() const { return aligned_ ? aligned_->address() : memory_->address(); }
  // The parameters for a kernel: the texture's handle and the tensor map's address, if any, and the address.
  std::vector<std::uint64_t> parameters() const;

 private:
  const CudaApi& api_;
  std::optional<DeviceBuffer> memory_;  // one of the two
  std::optional<AlignedBuffer> aligned_;
  std::optional<TextureObject> texture_;
  std::optional<DeviceBuffer> tensor_map_;
};

}  // namespace ptxlat::gpu
