// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "gpu/handles.h"
#include "gpu/host_objects.h"
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

// Successive launches rotate through this many lines, because a line's address decides which slice of L2 serves it.
// Their distance is not a power of two, so that they spread over the slices, and all have the same alignment for the
// first-level cache. They are in many pages, because a page's place in physical memory matters, too: with all of them
// in two pages, medians differed by half a percent from process to process. The launches go from page to page so that
// each place of a survey (latency/samples.h) sees all of them.
inline constexpr std::size_t memory_lines = 1024;
inline constexpr std::size_t memory_pages = 16;
inline constexpr std::size_t lines_in_a_row = 16;
inline constexpr std::size_t page_distance = std::size_t{2} * 1024 * 1024;
inline constexpr std::size_t line_distance = std::size_t{5} * 1024;

// There are fewer object pages, each with tensors at a different line.
inline constexpr std::size_t object_pages = 128;

// Bytes that a kernel may use, starting at its line.
inline constexpr std::size_t line_reach = std::size_t{2} * 1024 * 1024;

// Where a launch's line begins in scratch memory.
constexpr std::size_t line_offset(std::size_t launch) {
  const auto line = launch % memory_lines, turn = line / lines_in_a_row;
  return (turn + turn / memory_pages) % memory_pages * page_distance +
         (turn / memory_pages * lines_in_a_row + line % lines_in_a_row) * line_distance;
}
inline constexpr std::size_t scratch_bytes = memory_pages * page_distance + line_reach;

// Scratch memory, and the object pages that a kernel's parameter `memory` points to. Made once per process.
class KernelMemory {
 public:
  explicit KernelMemory(const CudaApi& api);

  CUdeviceptr objects(std::size_t launch) const {
    return buffer_.address() + scratch_bytes + launch % object_pages * object_page_bytes;
  }
  // Where a launch's scratch memory begins.
  CUdeviceptr line(std::size_t launch) const { return buffer_.address() + line_offset(launch); }
  std::string rejected_objects() const { return objects_.rejected(); }

  // Makes all scratch memory zero, in the stream's order. The objects are rewritten too, because a kernel can change
  // them, as tensormap.replace does. Their originals are on the device: from the host, a copy takes 40 µs.
  void restore(const CudaStream& stream) const;

 private:
  const CudaApi& api_;
  DeviceBuffer buffer_;
  PinnedBuffer pages_;
  DeviceBuffer originals_;
  HostObjects objects_;
};

// Fills the second-level cache with its own lines, which evicts all others.
class L2Filler {
 public:
  L2Filler(const CudaApi& api, std::size_t l2_bytes);

  // In the stream's order.
  void fill(const CudaStream& stream) const;

 private:
  const CudaApi& api_;
  std::size_t bytes_;
  DeviceBuffer buffer_;
};

}  // namespace ptxlat::gpu
