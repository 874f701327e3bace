// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>

#include "base/error.h"
#include "bundle/bundle.h"
#include "bundle/bytes.h"
#include "bundle/cells.h"
#include "fuzz.h"

namespace ptxlat::fuzz {

namespace {

Bytes compressed(std::string_view content) {
  Bytes frame(ZSTD_compressBound(content.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), content.data(), content.size(), 1));
  return frame;
}

}  // namespace

// The contents of a bundle's sections, which libFuzzer would not find behind the compression: the first byte is the
// kind of the section.
void section(std::string_view input) {
  if (input.empty()) return;
  const auto content = input.substr(1);
  switch (input.front()) {
    case 'f': {
      const auto files = bundle::decode_files(compressed(content));
      bundle::functions_in(files, "ptxas-13.0.88");
      break;
    }
    case 'c':
      bundle::decode_cells(compressed(content));
      break;
    case 'w': {
      bundle::KnownWords words;
      bundle::decode_words(compressed(content), words);
      for (const auto& [key, text] : words) sass::text_at(text, 16);
      break;
    }
    case 'k': {
      // Kernels in the clear, then the frame: "count, hashes" as the first 4 + 8 · count bytes.
      const auto clear = std::min<std::size_t>(content.size(), 12);
      Bytes whole(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(clear));
      const auto frame = compressed(content.substr(clear));
      whole.insert(whole.end(), frame.begin(), frame.end());
      bundle::kernels_in_code(whole);
      for (const std::size_t configuration : {0, 1}) bundle::decode_configuration(whole, configuration);
      break;
    }
    default:
      bundle::decompress(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
  }
}

}  // namespace ptxlat::fuzz
