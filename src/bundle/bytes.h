// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "assemble/assembler.h"
#include "base/error.h"
#include "sass/disassembler.h"

namespace ptxlat::bundle {

// Writes numbers in memory order (little-endian) and texts preceded by their length.
class ByteWriter {
 public:
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { append(&value, sizeof value); }
  void put_text(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    append(text.data(), text.size());
  }
  void append(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
  }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

// Reads them back from bytes that outlive it. Error{storage} if they end early.
class ByteReader {
 public:
  explicit ByteReader(const Bytes& bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  // The number of items that follow, each of at least this many bytes: a larger number cannot be true, and must not be
  // reserved.
  template <typename Count>
  Count get_count(std::uint64_t bytes_each) {
    const auto count = get<Count>();
    if (count > rest() / bytes_each) throw Error(ExitCode::storage, "a section of the bundle ends early");
    return count;
  }
  std::string get_text() {
    const auto size = get<std::uint64_t>();
    return {reinterpret_cast<const char*>(take(size)), size};
  }
  const std::uint8_t* take(std::uint64_t size) {
    if (size > rest()) throw Error(ExitCode::storage, "a section of the bundle ends early");
    position_ += size;
    return bytes_.data() + position_ - size;
  }
  std::uint64_t rest() const { return bytes_.size() - position_; }

 private:
  const Bytes& bytes_;
  std::uint64_t position_ = 0;
};

struct WordOrder {
  bool operator()(const sass::InstructionWord& x, const sass::InstructionWord& y) const {
    return x.low != y.low ? x.low < y.low : x.high < y.high;
  }
};
// Disassembled words by disassembly_key, in an order that does not depend on the order of requests.
using Words = std::map<sass::InstructionWord, sass::WordText, WordOrder>;
using KnownWords = std::unordered_map<sass::InstructionWord, sass::WordText, sass::DisassemblyKeyHash>;

// As a section of a bundle.
Bytes encode_words(const Words& words);
// Error{storage} if encode_words did not make it.
void decode_words(const Bytes& section, KnownWords& words);

// One frame of Zstandard, with its size and a checksum. Repetitions megabytes apart are found: the same kernels
// assembled by a different version.
Bytes compress(const Bytes& bytes);
// Error{storage} if compress did not make it.
Bytes decompress(const std::uint8_t* frame, std::size_t size);

}  // namespace ptxlat::bundle
