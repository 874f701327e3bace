// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "../isa/catalogue_text.h"
#include "catch.h"
#include "latency/experiment.h"

namespace ptxlat {

// A catalogue of one entry, between defaults, a consumer of each width and a few objects, with the skeletons that are
// shipped.
struct LittleCatalogue {
  CatalogueText text;
  ptx::LoadedCatalogue loaded{text.load(),
                              ptx::load_skeletons(std::filesystem::path(PTXLAT_SOURCE_DIR) / "ptx_templates")};

  explicit LittleCatalogue(const std::string& entry)
      : text(R"(chapter = "test"
consumer = [
  {name = "eat.b32", types = ["u32", "f32", "b32", "b16"], result = "b32", text = "mov.b32 {q}, {a};"},
  {name = "chew.b32", types = ["u32"], result = "b32", text = "mov.u32 {q}, {a};"},
  {name = "eat.b128", types = ["b128"], result = "b64", text = "mov.b128 {{q}, {u0}}, {a};"},
]
object = [
  {name = "near", module = ".const .b32 table[8];", declare = ".shared .b8 bytes[64];", once = "first {u};", )" +
             std::string(R"(each = "mov.u64 {u}, bytes; add.u64 {r}, {u}, {o};", address = true, dynamic_shared = 4096},
  {name = "far", each = "add.u64 {r}, %memory, {o};", address = true},
  {name = "policy", each = "createpolicy {r};"},
  {name = "barrier", each = "mov.u64 {u}, it; xor.b64 {r}, {u}, {o};", prepare = "init [{r}];", offset = "uniform"},
]
default = {u16 = ["3 .. 65"], b16 = ["3 .. 65"], u32 = ["9 .. 71", "5 .. 67"], f32 = ["1.0 .. 2.0"], b32 = ["3 .. 65"], b64 = ["7 .. 69"], b128 = ["1 .. 63"]}

[[op]]
name = "x"
)") + entry) {}

  const isa::Form& form() const { return loaded.catalogue.forms.front(); }
  // The variant through `operand` of input class `input`.
  isa::Variant variant(const std::string& operand, std::size_t input = 0) const {
    return {&form(), operand, &form().inputs.at(input)};
  }
  latency::Experiment experiment(const std::string& operand, std::size_t input = 0) const {
    const auto of = variant(operand, input);
    return latency::expand(loaded, of, latency::consumers_for(loaded.catalogue, of).front());
  }
  void shorten_stream(const std::string& operand, latency::Experiment& experiment) const {
    latency::shorten_stream(loaded, variant(operand), experiment);
  }
  std::string kernel(latency::Role role, const std::string& operand, std::size_t input = 0) const {
    return experiment(operand, input).trials[role].kernel.text;
  }
};

inline std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// The lines between the two clock reads, without indentation and blank lines.
inline std::vector<std::string> window_lines(const std::string& text) {
  std::vector<std::string> lines;
  const auto begin = text.find("%clock_1, %clock;"), end = text.find("mov.u32 %clock_2, %clock;");
  REQUIRE(begin < end);
  std::size_t at = text.find('\n', begin) + 1;
  while (at < end) {
    const auto stop = text.find('\n', at);
    const auto first = text.find_first_not_of(' ', at);
    if (first < stop && first < end) lines.push_back(text.substr(first, stop - first));
    at = stop + 1;
  }
  return lines;
}

inline std::string before_the_clock(const std::string& text) { return text.substr(0, text.find("mov.u32 %clock_1")); }
inline std::string behind_the_clock(const std::string& text) {
  return text.substr(text.find("mov.u32 %clock_2, %clock;"));
}

}  // namespace ptxlat
