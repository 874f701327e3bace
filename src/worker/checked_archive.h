// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cereal/archives/binary.hpp>
#include <cereal/cereal.hpp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>

namespace ptxlat::worker {

// Reads the output of cereal's binary archive, from bytes that outlive it, without trusting its counts: cereal's own
// reader reserves memory for a size before it checks that as many bytes follow, and accepts any byte as a bool. A
// worker runs untrusted kernels, which may have overwritten its memory. std::runtime_error for malformed bytes.
class CheckedInput : public cereal::InputArchive<CheckedInput, cereal::AllowEmptyClassElision> {
 public:
  explicit CheckedInput(std::string_view bytes) : InputArchive(this), bytes_(bytes) {}

  void take(void* to, std::uint64_t size) {
    if (size > bytes_.size()) throw std::runtime_error("a worker's message is truncated");
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  // Each item has at least one byte.
  void take_count(cereal::size_type& count) {
    take(&count, sizeof count);
    if (count > bytes_.size()) throw std::runtime_error("a worker's message has fewer items than it says");
  }

 private:
  std::string_view bytes_;
};

template <class Number>
requires std::is_arithmetic_v<Number>
void load(CheckedInput& archive, Number& number) { archive.take(std::addressof(number), sizeof number); }

inline void load(CheckedInput& archive, bool& flag) {
  std::uint8_t byte = 0;
  archive.take(&byte, sizeof byte);
  if (byte > 1) throw std::runtime_error("a worker's message is damaged");
  flag = byte == 1;
}

template <class Item>
void load(CheckedInput& archive, cereal::NameValuePair<Item>& pair) {
  archive(pair.value);
}

template <class Size>
void load(CheckedInput& archive, cereal::SizeTag<Size>& tag) {
  archive.take_count(tag.size);
}

template <class Item>
void load(CheckedInput& archive, cereal::BinaryData<Item>& data) {
  archive.take(data.data, static_cast<std::uint64_t>(data.size));
}

}  // namespace ptxlat::worker

// It reads the output of this one.
template <>
struct cereal::traits::detail::get_output_from_input<ptxlat::worker::CheckedInput> {
  using type = cereal::BinaryOutputArchive;
};
