#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "gpu/handles.h"
#include "kernel/kernel.h"

namespace ptxlat::gpu {

// The words of 64 bits that a buffer at `address` holds from byte `begin` up to `end`, both multiples of 8.
// Deterministic: the same description gives the same contents at the same address on every machine.
class BufferContents {
 public:
  BufferContents(const kernel::Buffer& buffer, std::uint64_t address);
  std::vector<std::uint64_t> words(std::uint64_t begin, std::uint64_t end) const;

 private:
  kernel::Buffer buffer_;
  std::uint64_t address_;
  std::vector<std::uint32_t> next_;  // of each place, for a permutation
};

// A buffer on the device, with its texture or tensor map if it has one. It is filled in the stream's order. CudaError
// where there is no room for it; std::invalid_argument for a description that makes no sense (a stride below 8 or not a
// multiple of 8, a size that is not a multiple of 8, more words to be read than there are, a box that no copy brings).
class FilledBuffer {
 public:
  FilledBuffer(const CudaApi& api, const CudaStream& stream, const kernel::Buffer& buffer);
  // No line stays in the second-level cache because of the priority that a kernel gave it: the next buffer may get this
  // memory, and would find lines that no stream evicts.
  ~FilledBuffer();
  FilledBuffer(const FilledBuffer&) = delete;
  FilledBuffer& operator=(const FilledBuffer&) = delete;
  CUdeviceptr address() const { return aligned_ ? aligned_->address() : memory_->address(); }
  // What a kernel gets: the texture's handle and the tensor map's address, if there are such, and the address.
  std::vector<std::uint64_t> parameters() const;

 private:
  const CudaApi& api_;
  std::optional<DeviceBuffer> memory_;  // one of the two
  std::optional<AlignedBuffer> aligned_;
  std::optional<TextureObject> texture_;
  std::optional<DeviceBuffer> tensor_map_;
};

}  // namespace ptxlat::gpu
