// SPDX-License-Identifier: Apache-2.0
#include "site/shard.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstdint>
#include <stdexcept>

namespace ptxlat::site {

namespace {

std::string deflated(const std::string& text) {
  uLongf size = compressBound(text.size());
  std::string packed(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                               reinterpret_cast<const Bytef*>(text.data()), text.size(), Z_BEST_COMPRESSION);
  if (status != Z_OK) throw std::runtime_error(fmt::format("zlib cannot compress {} bytes", text.size()));
  packed.resize(size);
  return packed;
}

}  // namespace

std::string base64(const std::string& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string shard(const std::string& name, const results::Json& value) {
  const auto text = value.dump(-1, ' ', false, results::Json::error_handler_t::replace);
  return fmt::format("ptxlatShard(\"{}\",\"{}\");\n", name, base64(deflated(text)));
}

}  // namespace ptxlat::site
