// SPDX-License-Identifier: Apache-2.0
#include "bundle/cells.h"

#include "bundle/bytes.h"
#include "bundle/compress.h"

namespace ptxlat::bundle {

std::vector<BundledCell> bundled_cells(const std::vector<latency::CellPlan>& cells) {
  std::vector<BundledCell> bundled;
  for (const auto& cell : cells) {
    const auto& form = *cell.variant.form;
    bundled.push_back(
        {form.ptx, cell.variant.operand, cell.variant.input->name, form.cuda ? std::string{} : cell.recipe});
  }
  return bundled;
}

Bytes encode_cells(const std::vector<BundledCell>& cells) {
  ByteWriter frame;
  for (const auto& cell : cells) {
    for (const auto* text : {&cell.ptx, &cell.operand, &cell.input, &cell.recipe}) frame.put_text(*text);
  }
  return compress(frame.take());
}

std::vector<BundledCell> decode_cells(const Bytes& section) {
  const auto frame = decompress(section.data(), section.size());
  std::vector<BundledCell> cells;
  for (ByteReader reader(frame); reader.rest() > 0;) {
    auto& cell = cells.emplace_back();
    for (auto* text : {&cell.ptx, &cell.operand, &cell.input, &cell.recipe}) *text = reader.get_text();
  }
  return cells;
}

}  // namespace ptxlat::bundle
