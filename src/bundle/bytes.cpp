// SPDX-License-Identifier: Apache-2.0
#include "bundle/bytes.h"

#include <fmt/format.h>
#include <zstd.h>

#include <memory>

#include "base/error.h"
#include "base/limits.h"

namespace ptxlat::bundle {

// Each field of all words together: similar data compress well together.
Bytes encode_words(const Words& words) {
  ByteWriter frame;
  frame.put(static_cast<std::uint64_t>(words.size()));
  for (const auto& [key, text] : words) frame.put(key.low);
  for (const auto& [key, text] : words) frame.put(key.high);
  for (const auto& [key, text] : words) frame.put(static_cast<std::uint8_t>(text.has_target));
  for (const auto& [key, text] : words) frame.put(static_cast<std::int32_t>(text.target_distance));
  for (const auto& [key, text] : words) frame.put_text(text.text);
  return compress(frame.take());
}

void decode_words(const Bytes& section, KnownWords& words) {
  const auto frame = decompress(section.data(), section.size());
  ByteReader reader(frame);
  const auto count = reader.get_count<std::uint64_t>(2 * sizeof(std::uint64_t));
  std::vector<std::pair<sass::InstructionWord, sass::WordText>> read(count);
  for (auto& [key, text] : read) key.low = reader.get<std::uint64_t>();
  for (auto& [key, text] : read) key.high = reader.get<std::uint64_t>();
  for (auto& [key, text] : read) text.has_target = reader.get<std::uint8_t>() != 0;
  for (auto& [key, text] : read) text.target_distance = reader.get<std::int32_t>();
  for (auto& [key, text] : read) {
    text.text = reader.get_text();
    if (text.text.empty()) throw Error(ExitCode::storage, "an instruction in it has no text");
  }
  words.insert(read.begin(), read.end());
}

namespace {

// Level 16 compresses the cubins of all toolchains and levels of a chunk to 0.7 % of their size, at 35 MB/s. Level 9 is
// ten times as fast and a quarter larger, 19 half as fast and a tenth smaller.
constexpr int compression_level = 16;
constexpr int window_log = 27;

void check(std::size_t result, const char* doing) {
  if (ZSTD_isError(result) != 0)
    throw Error(ExitCode::storage, fmt::format("{} a section of the bundle: {}", doing, ZSTD_getErrorName(result)));
}

}  // namespace

Bytes compress(const Bytes& bytes) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  const auto set = [&](ZSTD_cParameter parameter, int value) {
    check(ZSTD_CCtx_setParameter(context.get(), parameter, value), "compressing");
  };
  set(ZSTD_c_compressionLevel, compression_level);
  set(ZSTD_c_windowLog, window_log);
  set(ZSTD_c_enableLongDistanceMatching, 1);
  set(ZSTD_c_checksumFlag, 1);
  Bytes frame(ZSTD_compressBound(bytes.size()));
  const auto size = ZSTD_compress2(context.get(), frame.data(), frame.size(), bytes.data(), bytes.size());
  check(size, "compressing");
  frame.resize(size);
  frame.shrink_to_fit();
  return frame;
}

Bytes decompress(const std::uint8_t* frame, std::size_t size) {
  const auto content = ZSTD_getFrameContentSize(frame, size);
  if (content == ZSTD_CONTENTSIZE_ERROR || content == ZSTD_CONTENTSIZE_UNKNOWN)
    throw Error(ExitCode::storage, "a section of the bundle is not compressed as it should be");
  if (content > most_unpacked_bytes(size, most_section_bytes))
    throw Error(ExitCode::storage, "a section of the bundle claims to unpack to too many bytes");
  Bytes bytes(content);
  const auto unpacked = ZSTD_decompress(bytes.data(), bytes.size(), frame, size);
  check(unpacked, "decompressing");
  bytes.resize(unpacked);
  return bytes;
}

}  // namespace ptxlat::bundle
