// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "catch.h"
#include "results/json.h"

namespace ptxlat {

// The value of a shard, by a reader of its own: `ptxlatShard("name","base 85 of zlib");`.
inline results::Json decoded(const std::string& shard) {
  static const std::string digits =
      "!#%()*+,-./0123456789:;=@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_abcdefghijklmnopqrstuvwxyz{|}~";
  const auto begin = shard.find("\",\"") + 3, end = shard.rfind("\");");
  REQUIRE(begin < end);
  std::string packed;
  for (auto at = begin; at < end; at += 5) {
    const auto count = std::min<std::size_t>(5, end - at);
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 5; ++k) word = 85 * word + (k < count ? digits.find(shard[at + k]) : 84);
    for (std::size_t k = 0; k + 1 < count; ++k) packed += static_cast<char>(word >> (24 - 8 * k) & 255);
  }
  std::string text(std::size_t{1} << 22, '\0');
  uLongf size = text.size();
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(text.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                     packed.size()) == Z_OK);
  return results::Json::parse(text.substr(0, size));
}

}  // namespace ptxlat
