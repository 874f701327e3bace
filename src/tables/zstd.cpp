// SPDX-License-Identifier: Apache-2.0
#include "tables/zstd.h"

#include <zstd.h>

#include <memory>
#include <stdexcept>

#include "base/limits.h"

namespace ptxlat::tables {

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
