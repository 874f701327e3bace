// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

#include "catch.h"
#include "results/json.h"

namespace ptxlat {

// The value of a shard, by a reader of its own: `ptxlatShard("name","base64 of zlib");`.
inline results::Json decoded(const std::string& shard) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto begin = shard.find("\",\"") + 3, end = shard.rfind("\");");
  REQUIRE(begin < end);
  std::string packed;
  unsigned bits = 0, word = 0;
  for (const char c : shard.substr(begin, end - begin)) {
    if (c == '=') break;
    word = word << 6 | static_cast<unsigned>(digits.find(c));
    bits += 6;
    if (bits >= 8) packed += static_cast<char>(word >> (bits -= 8) & 255);
  }
  std::string text(std::size_t{1} << 22, '\0');
  uLongf size = text.size();
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(text.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                     packed.size()) == Z_OK);
  return results::Json::parse(text.substr(0, size));
}

}  // namespace ptxlat
