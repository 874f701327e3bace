// SPDX-License-Identifier: Apache-2.0
#include "bundle/words.h"

#include "base/error.h"
#include "bundle/bytes.h"
#include "bundle/compress.h"

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

}  // namespace ptxlat::bundle
