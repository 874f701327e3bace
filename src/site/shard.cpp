// SPDX-License-Identifier: Apache-2.0
#include "site/shard.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

namespace ptxlat::site {

Names names_of(const SiteTables& tables) {
  Names names;
  for (const auto& table : tables) {
    for (const auto& spelling : table->spellings) names.all.push_back(spelling.ptx);
    for (const auto& row : table->rows) names.all.push_back(row.record.ptx);
  }
  std::sort(names.all.begin(), names.all.end());
  names.all.erase(std::unique(names.all.begin(), names.all.end()), names.all.end());
  for (std::size_t i = 0; i < names.all.size(); ++i) names.place.emplace(names.all[i], i);
  return names;
}

std::vector<int> differences_of(const std::vector<int>& numbers) {
  std::vector<int> differences;
  differences.reserve(numbers.size());
  int before = 0;
  for (const int number : numbers) {
    differences.push_back(number - before);
    before = number;
  }
  return differences;
}

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

std::string base85(const std::string& bytes) {
  constexpr std::size_t bytes_of_group = 4, digits_of_group = 5;
  constexpr auto base = static_cast<std::uint32_t>(base85_digits.size());
  std::string text;
  text.reserve((bytes.size() + bytes_of_group - 1) / bytes_of_group * digits_of_group);
  for (std::size_t i = 0; i < bytes.size(); i += bytes_of_group) {
    const std::size_t count = std::min(bytes_of_group, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < bytes_of_group; ++k)
      word = word << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0);
    std::array<char, digits_of_group> group{};
    for (std::size_t k = digits_of_group; k-- > 0; word /= base) group[k] = base85_digits[word % base];
    text.append(group.data(), count + 1);
  }
  return text;
}

std::string shard(const std::string& name, const results::Json& value) {
  const auto text = value.dump(-1, ' ', false, results::Json::error_handler_t::replace);
  return fmt::format("ptxlatShard(\"{}\",\"{}\");\n", name, base85(deflated(text)));
}

}  // namespace ptxlat::site
