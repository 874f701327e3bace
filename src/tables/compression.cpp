// SPDX-License-Identifier: Apache-2.0
#include "tables/compression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/parallel.h"

namespace ptxlat::tables {

namespace {

constexpr int gzip_format = 16;  // added to the window bits: zlib's header is gzip's, with time 0

// zlib counts in unsigned int, but a text may be longer.
void feed(z_stream& stream, std::string_view input, std::size_t& position) {
  const std::size_t left = input.size() - position;
  const auto chunk = static_cast<uInt>(std::min<std::size_t>(left, std::numeric_limits<uInt>::max()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data())) + position;
  stream.avail_in = chunk;
  position += chunk;
}

// Calls `step` until the stream or the input ends, and `take` with each part of the output; returns zlib's status.
template <typename Take, typename Step>
int pump(z_stream& stream, std::string_view input, Take take, Step step) {
  std::array<char, 1 << 16> buffer;
  std::size_t position = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.avail_in == 0) feed(stream, input, position);
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    status = step(position == input.size() ? Z_FINISH : Z_NO_FLUSH);
    // Z_FINISH with output space left is not an error before the end of the input was seen.
    if (status == Z_BUF_ERROR && stream.avail_out == 0) status = Z_OK;
    take(std::string_view(buffer.data(), buffer.size() - stream.avail_out));
  }
  return status;
}

// A separate gzip member.
std::string member(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip_format, MAX_MEM_LEVEL,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string compressed;
  pump(
      stream, text, [&](std::string_view part) { compressed += part; },
      [&](int flush) { return deflate(&stream, flush); });
  deflateEnd(&stream);
  return compressed;
}

struct EndInflating {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

// Unpacks all members and passes on each part of their text.
template <typename Take>
void unpack(std::string_view compressed, Take take) {
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + gzip_format) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, EndInflating> ends(&stream);
  do {
    const int status = pump(stream, compressed, take, [&](int) { return inflate(&stream, Z_NO_FLUSH); });
    if (status != Z_STREAM_END)
      throw std::runtime_error(stream.msg != nullptr ? stream.msg : "the file is truncated or has data after its end");
    compressed.remove_prefix(stream.total_in);
    stream.avail_in = 0;  // pump begins anew, behind this member
    inflateReset(&stream);
  } while (!compressed.empty());
}

}  // namespace

std::string gzip(const std::string& text) {
  // Large enough not to hurt compression, small enough to keep all cores busy. At least one: an empty file also has a
  // member.
  constexpr std::size_t text_per_member = 8 << 20;
  const std::size_t count = std::max<std::size_t>(1, (text.size() + text_per_member - 1) / text_per_member);
  std::vector<std::string> members(count);
  in_parallel(count, [&](std::size_t i) {
    members[i] = member(std::string_view(text).substr(i * text_per_member, text_per_member));
  });
  std::string compressed;
  for (const auto& one : members) compressed += one;
  return compressed;
}

std::string gunzip(const std::string& compressed) {
  const auto most = most_unpacked_bytes(compressed.size(), most_gzip_bytes);
  std::uint64_t size = 0;
  unpack(compressed, [&](std::string_view part) {
    size += part.size();
    if (size > most) throw std::runtime_error("it unpacks to too many bytes");
  });
  // A text that grows while it is unpacked would need three times its size.
  std::string text;
  text.reserve(size);
  unpack(compressed, [&](std::string_view part) { text += part; });
  return text;
}

namespace {

// Level 12 compresses a table of all forms to a fiftieth at 240 MB/s. Level 19 is an eighth smaller at 6 MB/s.
constexpr int compression_level = 12;

std::size_t checked(std::size_t result) {
  if (ZSTD_isError(result) != 0) throw std::runtime_error(ZSTD_getErrorName(result));
  return result;
}

}  // namespace

std::string zstd(std::string_view text) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, compression_level));
  checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1));
  // Of this room, which is as large as the text, only what is written takes memory.
  const auto most = ZSTD_compressBound(text.size());
  const auto frame = std::make_unique_for_overwrite<char[]>(most);
  const auto size = checked(ZSTD_compress2(context.get(), frame.get(), most, text.data(), text.size()));
  return {frame.get(), size};
}

std::string unzstd(const std::string& frame, std::string_view base) {
  const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
    throw std::runtime_error("it is not a Zstandard frame with a content size");
  // What it repeats of the base is in no byte of the frame.
  if (size > most_unpacked_bytes(frame.size(), most_zstd_bytes) + base.size())
    throw std::runtime_error("it claims to unpack to too many bytes");
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  checked(ZSTD_DCtx_refPrefix(context.get(), base.data(), base.size()));
  std::string text(size, '\0');
  text.resize(checked(ZSTD_decompressDCtx(context.get(), text.data(), text.size(), frame.data(), frame.size())));
  return text;
}

}  // namespace ptxlat::tables
