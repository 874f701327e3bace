// SPDX-License-Identifier: Apache-2.0
#include "gpu/buffers.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>

namespace ptxlat::gpu {

namespace {

constexpr std::uint64_t word_bytes = 8;

// SplitMix64 (Steele, Lea and Flood 2014): a different word for each index, so that any part can be made separately.
std::uint64_t random_word(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// For each place the next one, in one random cycle through all. Not std::shuffle, whose result differs from library to
// library.
std::vector<std::uint32_t> random_cycle(std::uint64_t places, std::uint64_t seed) {
  std::vector<std::uint32_t> order(places);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937_64 random(seed);
  for (std::uint64_t i = places - 1; i > 1; --i) std::swap(order[i], order[1 + random() % i]);
  std::vector<std::uint32_t> next(places);
  for (std::uint64_t i = 0; i < places; ++i) next[order[i]] = order[(i + 1) % places];
  return next;
}

bool is_chase(const ptx::Buffer& buffer) {
  return buffer.contents == ptx::Buffer::Contents::ring || buffer.contents == ptx::Buffer::Contents::permutation;
}

constexpr std::uint64_t most_of_box = 256;

// The driver's name for a swizzle; empty for an unknown one.
std::optional<CUtensorMapSwizzle> swizzle_of(std::uint64_t bytes) {
  switch (bytes) {
    case 0:
      return CU_TENSOR_MAP_SWIZZLE_NONE;
    case 32:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    case 128:
      return CU_TENSOR_MAP_SWIZZLE_128B;
    default:
      return {};
  }
}

// The driver also rejects these, but does not say why.
void require_tensor(const ptx::Buffer& buffer) {
  if (buffer.pitch % 16 != 0 || buffer.pitch > buffer.bytes)
    throw std::invalid_argument("a tensor's pitch is not a multiple of 16 up to its buffer's bytes");
  if (buffer.box_row == 0 || buffer.box_row % 16 != 0 || buffer.box_row > most_of_box)
    throw std::invalid_argument("the bytes of a row in a tensor's box are not a multiple of 16 from 16 to 256");
  if (buffer.box_rows == 0 || buffer.box_rows > most_of_box)
    throw std::invalid_argument("a tensor's box has no rows, or more than 256");
  if (!swizzle_of(buffer.swizzle)) throw std::invalid_argument("a tensor's swizzle is not 0, 32, 64 or 128 bytes");
  if (buffer.swizzle != 0 && buffer.box_row > buffer.swizzle)
    throw std::invalid_argument("a row of a tensor's box is longer than its swizzle");
}

void require_sense(const ptx::Buffer& buffer) {
  if (buffer.bytes == 0 || buffer.bytes % word_bytes != 0)
    throw std::invalid_argument("a buffer has no bytes, or not a multiple of 8");
  if (buffer.read_words > buffer.bytes / sizeof(std::uint32_t))
    throw std::invalid_argument("more words are read of a buffer than it has");
  if ((buffer.alignment & (buffer.alignment - 1)) != 0 || (buffer.alignment != 0 && buffer.alignment < mapped_pages))
    throw std::invalid_argument("a buffer's alignment is not a power of two of 2 MiB and more");
  if (buffer.pitch != 0) require_tensor(buffer);
  if (!is_chase(buffer)) return;
  if (buffer.stride < word_bytes || buffer.stride % word_bytes != 0 || buffer.stride > buffer.bytes)
    throw std::invalid_argument("a chase's stride is not a multiple of 8 between 8 and its buffer's bytes");
}

CUtensorMap tensor_map_of(const CudaApi& api, const ptx::Buffer& buffer, CUdeviceptr address) {
  const std::uint64_t sizes[2] = {buffer.pitch, buffer.bytes / buffer.pitch}, strides[1] = {buffer.pitch};
  const std::uint32_t box[2] = {static_cast<std::uint32_t>(buffer.box_row),
                                static_cast<std::uint32_t>(buffer.box_rows)};
  constexpr std::uint32_t element_strides[2] = {1, 1};
  CUtensorMap map{};
  PTXLAT_CUDA(api, cuTensorMapEncodeTiled, &map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2u, reinterpret_cast<void*>(address),
              sizes, strides, box, element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, *swizzle_of(buffer.swizzle),
              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

}  // namespace

BufferContents::BufferContents(const ptx::Buffer& buffer, std::uint64_t address) : buffer_(buffer), address_(address) {
  require_sense(buffer);
  if (buffer.contents == ptx::Buffer::Contents::permutation)
    next_ = random_cycle(buffer.bytes / buffer.stride, buffer.seed);
}

std::vector<std::uint64_t> BufferContents::words(std::uint64_t begin, std::uint64_t end) const {
  std::vector<std::uint64_t> words((end - begin) / word_bytes, 0);
  if (buffer_.contents == ptx::Buffer::Contents::random) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = random_word(buffer_.seed, begin / word_bytes + i);
  }
  if (buffer_.contents == ptx::Buffer::Contents::self) {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = address_ + begin + i * word_bytes;
  }
  if (!is_chase(buffer_)) return words;
  const auto places = buffer_.bytes / buffer_.stride;
  for (auto place = (begin + buffer_.stride - 1) / buffer_.stride; place < places && place * buffer_.stride < end;
       ++place) {
    const auto next = next_.empty() ? (place + 1) % places : next_[place];
    const auto distance = next * buffer_.stride;
    words[(place * buffer_.stride - begin) / word_bytes] =
        buffer_.is_texture ? distance / sizeof(std::uint32_t) : address_ + distance;
  }
  return words;
}

FilledBuffer::FilledBuffer(const CudaApi& api, const CudaStream& stream, const ptx::Buffer& buffer) : api_(api) {
  require_sense(buffer);
  if (buffer.alignment == 0)
    memory_.emplace(api, buffer.bytes);
  else
    aligned_.emplace(api, buffer.bytes, buffer.alignment);
  if (buffer.contents == ptx::Buffer::Contents::zeros) {
    PTXLAT_CUDA(api, cuMemsetD8Async, address(), static_cast<unsigned char>(0), buffer.bytes, stream.get());
  } else {
    // A gigabyte is filled piece by piece.
    constexpr std::uint64_t piece = 16 << 20;
    const BufferContents contents(buffer, address());
    for (std::uint64_t begin = 0; begin < buffer.bytes; begin += piece) {
      const auto words = contents.words(begin, std::min(buffer.bytes, begin + piece));
      // Not cuMemcpyHtoD: from pageable memory that may return before the copy has reached the device, and a stream
      // that does not wait for the default one would then launch too early.
      PTXLAT_CUDA(api, cuMemcpyHtoDAsync, address() + begin, words.data(), words.size() * word_bytes, stream.get());
    }
  }
  if (buffer.pitch != 0) {
    const auto map = tensor_map_of(api, buffer, address());
    tensor_map_.emplace(api, sizeof map);
    PTXLAT_CUDA(api, cuMemcpyHtoDAsync, tensor_map_->address(), &map, sizeof map, stream.get());
  }
  if (!buffer.is_texture) return;
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear = {address(), CU_AD_FORMAT_UNSIGNED_INT32, 1, buffer.bytes};
  CUDA_TEXTURE_DESC description{};
  description.flags = CU_TRSF_READ_AS_INTEGER;
  texture_.emplace(api, resource, description);
}

FilledBuffer::~FilledBuffer() { api_.cuCtxResetPersistingL2Cache(); }  // an old driver does not have this function

std::vector<std::uint64_t> FilledBuffer::parameters() const {
  std::vector<std::uint64_t> words;
  if (texture_) words.push_back(texture_->get());
  if (tensor_map_) words.push_back(tensor_map_->address());
  words.push_back(address());
  return words;
}

namespace {

unsigned char* zeroed(const PinnedBuffer& pages) {
  return static_cast<unsigned char*>(std::memset(pages.data(), 0, object_pages * object_page_bytes));
}

std::vector<CUdeviceptr> lines_of_tensors(const KernelMemory& memory) {
  std::vector<CUdeviceptr> lines;
  for (std::size_t page = 0; page < object_pages; ++page) lines.push_back(memory.line(page));
  return lines;
}

}  // namespace

KernelMemory::KernelMemory(const CudaApi& api)
    : api_(api),
      buffer_(api, scratch_bytes + object_pages * object_page_bytes),
      pages_(api, object_pages * object_page_bytes),
      originals_(api, object_pages * object_page_bytes),
      objects_(api, lines_of_tensors(*this), zeroed(pages_)) {
  PTXLAT_CUDA(api_, cuMemcpyHtoD, originals_.address(), pages_.data(), object_pages * object_page_bytes);
}

void KernelMemory::restore(const CudaStream& stream) const {
  PTXLAT_CUDA(api_, cuMemsetD8Async, buffer_.address(), static_cast<unsigned char>(0), scratch_bytes, stream.get());
  PTXLAT_CUDA(api_, cuMemcpyDtoDAsync, objects(0), originals_.address(), object_pages * object_page_bytes,
              stream.get());
}

// Slices do not fill evenly, and replacement is not LRU: use several times as many lines as fit.
L2Filler::L2Filler(const CudaApi& api, std::size_t l2_bytes)
    : api_(api), bytes_(4 * l2_bytes + line_distance), buffer_(api, bytes_) {}

void L2Filler::fill(const CudaStream& stream) const {
  PTXLAT_CUDA(api_, cuMemsetD8Async, buffer_.address(), static_cast<unsigned char>(0), bytes_, stream.get());
}

}  // namespace ptxlat::gpu
