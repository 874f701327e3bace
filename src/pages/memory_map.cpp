// SPDX-License-Identifier: Apache-2.0
#include "pages/memory_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>

#include "pages/plot.h"
#include "tables/curves.h"
#include "tables/number.h"

namespace ptxlat::pages {

namespace {

enum class Style { value, yes_no, word, set_sizes };

struct LineSpec {
  const char* label;
  const char* quantity;
  const char* suffix = "";
  const char* condition = "";  // only facts with this one
  Style style = Style::value;
};
struct BoxSpec {
  const char* name;
  const char* title;
  std::vector<const char*> latencies;  // the first known one is used
  std::vector<LineSpec> lines;
};

std::vector<BoxSpec> boxes_of_sm() {
  return {{"l1",
           "L1 data cache",
           {"chase.ca.l1"},
           {{"size", "l1.bytes"},
            {"line", "l1.line_bytes"},
            {"sector", "l1.sector_bytes"},
            {"sets", "l1.tag_sets"},
            {"ways", "l1.ways"},
            {"index", "l1.index", "", "", Style::word},
            {"policy", "l1.policy", "", "", Style::word},
            {"reads", "bw.l1"}}},
          {"texture",
           "Texture cache",
           {"tex.latency"},
           {{"size", "tex.bytes"},
            {"line", "tex.line"},
            {"sector", "tex.sector_bytes"},
            {"sets", "tex.tag_sets"},
            {"ways", "tex.ways"},
            {"index", "tex.index", "", "", Style::word},
            {"policy", "tex.policy", "", "", Style::word},
            {"data shared with L1", "tex.shares_data", "", "", Style::yes_no},
            {"tags shared with L1", "tex.shares_tags", "", "", Style::yes_no}}},
          {"shared",
           "Shared memory",
           {"shared.latency"},
           {{"maximum per CTA", "shared.max_per_block"},
            {"reserved by the system", "shared.reserved_bytes"},
            {"banks", "shared.banks"},
            {"conflict, 4 bytes", "shared.conflict_slope", " a lane", "bits=32"},
            {"conflict, 16 bytes", "shared.conflict_slope", " a lane", "bits=128"},
            {"atomic add", "shared.atomic", "", "operation=add"},
            {"reads", "bw.shared"}}},
          {"constant",
           "Constant cache",
           {"const.l1_latency"},
           {{"size", "const.l1_bytes"},
            {"line", "const.l1_line"},
            {"sets", "const.l1_sets"},
            {"ways", "const.l1_ways"},
            {"policy", "const.l1_policy", "", "", Style::word},
            {"for each further word", "const.divergent_slope"},
            {"immediate constants", "const.imm_bytes"}}}};
}

std::vector<BoxSpec> boxes_beyond_sm() {
  return {{"remote",
           "Shared memory of the cluster",
           {},
           {{"latency, nearest", "dsmem.remote_min"},
            {"latency, farthest", "dsmem.remote_max"},
            {"reads", "dsmem.bandwidth"}}},
          {"constant2",
           "L1.5 constant cache",
           {"const.l15_latency"},
           {{"shared by a", "icache.l15_scope", "", "", Style::word},
            {"size", "icache.l15_bytes"},
            {"line", "icache.l15_line"},
            {"ways", "icache.l15_ways"},
            {"holds code too", "const.shares_code", "", "", Style::yes_no},
            {"misses in flight", "const.outstanding"}}},
          {"l2",
           "Second-level cache",
           {},
           {{"size", "l2.total_capacity"},
            {"line", "l2.line_bytes"},
            {"smallest fetch", "l2.sector_bytes"},
            {"slices", "l2.slices"},
            {"ways", "l2.ways"},
            {"policy", "l2.policy", "", "", Style::word},
            {"home changes every", "l2.home_granule"},
            {"atomic", "atomic.latency", "", "="},
            {"all SMs read", "bw.l2_gbs"},
            {"one SM reads", "bw.l2_one_sm"}}},
          {"near",
           "Near partition",
           {"l2.near_hit", "chase.ca.l2"},
           {{"one SM can fill", "l2.near_capacity"}, {"a miss takes", "l2.miss_near"}}},
          {"far",
           "Far partition",
           {"l2.far_first_read", "chase.ca.l2_far"},
           {{"read lines are copied near", "l2.copies_near", "", "", Style::yes_no}, {"a miss takes", "l2.miss_far"}}}};
}

std::vector<BoxSpec> boxes_of_memory() {
  return {{"tlb1",
           "First level",
           {},
           {{"a miss costs", "tlb.l1_miss_extra"},
            {"entries", "tlb.l1_entries"},
            {"an entry covers", "tlb.l1_entry_coverage"},
            {"ways", "tlb.l1_ways"},
            {"policy", "tlb.l1_policy", "", "", Style::word},
            {"victim entries", "tlb.victim_entries"},
            {"L1 hits pay for a miss", "tlb.behind_l1", "", "", Style::yes_no}}},
          {"tlb2",
           "Second level",
           {},
           {{"a miss costs", "tlb.l2_miss_extra"},
            {"entries", "tlb.l2_entries"},
            {"an entry covers", "tlb.l2_entry_coverage"},
            {"ways", "tlb.l2_ways"},
            {"sets", "tlb.l2_sets", "", "", Style::set_sizes},
            {"policy", "tlb.l2_policy", "", "", Style::word}}},
          {"pages", "Pages", {}, {{"driver's smallest", "tlb.page_bytes"}}},
          {"memory",
           "Memory",
           {"chase.ca.dram"},
           {{"under load", "load.dram.latency_at_max"},
            {"read", "bw.dram_read_gbs"},
            {"written", "bw.dram_write_gbs"},
            {"copied", "bw.dram_copy_gbs"},
            {"its bus could", "bw.dram_ideal_gbs"}}}};
}

std::vector<const results::Fact*> known_facts(const std::vector<results::Record>& records, const LineSpec& spec) {
  std::vector<const results::Fact*> found;
  const std::string wanted = spec.condition;
  for (const auto& record : records) {
    for (const auto& fact : record.facts) {
      const bool is_known =
          fact.verdict == results::FactVerdict::inferred || fact.verdict == results::FactVerdict::measured;
      if (fact.quantity != spec.quantity || !is_known || fact.value.empty()) continue;
      // "=" means the fact without a condition, if others have one.
      if (wanted == "=" ? fact.condition.empty() : tables::has_condition(fact.condition, wanted))
        found.push_back(&fact);
    }
  }
  return found;
}

// Three digits are enough for a drawing; whole numbers are not rounded.
std::string number_text(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

std::string quantity_text(double value, const std::string& unit) {
  if (unit == "bytes") {
    const auto text = bytes_text(value, 3);
    return text.find('e') == std::string::npos ? text : bytes_text(value);  // 1023 KiB has four digits
  }
  return unit.empty() || unit == "count" ? number_text(value) : fmt::format("{} {}", number_text(value), unit);
}

// "17 17 8 8 8": "2 of 17, 3 of 8".
std::string set_sizes_text(const std::string& list) {
  std::istringstream in(list);
  std::vector<std::pair<std::string, int>> sizes;
  for (std::string size; in >> size;) {
    const auto same = std::find_if(sizes.begin(), sizes.end(),
                                   [&](const std::pair<std::string, int>& one) { return one.first == size; });
    if (same == sizes.end()) {
      sizes.emplace_back(size, 1);
    } else {
      ++same->second;
    }
  }
  std::string text;
  for (const auto& [size, count] : sizes) text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", count, size);
  return text;
}

std::string word_text(const std::string& word) {
  // Most policies and scopes are acronyms; "random" and an index are words.
  static const std::set<std::string> acronyms{"lru", "fifo", "plru", "nru", "srrip", "gpc", "tpc", "sm", "cpc"};
  std::string text = word;
  if (acronyms.contains(word))
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); });
  return text;
}

// The keys over which the conditions of the facts differ: "carveout".
std::string keys_of(const std::vector<const results::Fact*>& facts) {
  std::vector<std::string> keys;
  for (const auto* fact : facts) {
    for (const auto& pair : tables::pairs_of(fact->condition)) {
      const auto key = pair.substr(0, pair.find('='));
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  std::string text;
  for (const auto& key : keys) text += fmt::format("{}{}", text.empty() ? "" : " and ", key);
  return text;
}

std::string value_of(const std::vector<const results::Fact*>& facts, Style style) {
  const auto& first = *facts.front();
  switch (style) {
    case Style::word:
      return word_text(first.value);
    case Style::set_sizes:
      return set_sizes_text(first.value);
    case Style::yes_no:
      return first.value == "0" ? "no" : "yes";
    case Style::value:
      break;
  }
  std::vector<double> values;
  for (const auto* fact : facts) {
    if (const auto value = tables::number_in(fact->value)) values.push_back(*value);
  }
  if (values.empty()) return "";
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const auto least = quantity_text(*low, first.unit);
  auto most = quantity_text(*high, first.unit);
  if (least == most) return most;
  // "53 to 149 KiB", "10.9 to 17 B/clk/SM": the unit only once if it is the same.
  const auto unit_of = [](const std::string& text) { return text.substr(std::min(text.find(' '), text.size())); };
  return unit_of(least) == unit_of(most) ? fmt::format("{} to {}", least.substr(0, least.find(' ')), most)
                                         : fmt::format("{} to {}", least, most);
}

std::optional<MemoryLine> line_of(const std::vector<results::Record>& records, const LineSpec& spec) {
  const auto facts = known_facts(records, spec);
  if (facts.empty()) return std::nullopt;
  const auto value = value_of(facts, spec.style);
  if (value.empty()) return std::nullopt;
  return MemoryLine{spec.label, value + spec.suffix, facts.size() > 1 ? keys_of(facts) : "", spec.quantity};
}

}  // namespace

std::vector<MemoryBox> memory_map(const std::vector<results::Record>& records) {
  std::vector<MemoryBox> map;
  auto specs = boxes_of_sm();
  for (const auto& more : {boxes_beyond_sm(), boxes_of_memory()}) specs.insert(specs.end(), more.begin(), more.end());
  for (const auto& spec : specs) {
    MemoryBox box{spec.name, spec.title, "", "", {}};
    for (const char* quantity : spec.latencies) {
      const auto latency = line_of(records, {"latency", quantity});
      if (!latency) continue;
      box.latency = latency->value;
      box.latency_of = quantity;
      break;
    }
    for (const auto& line : spec.lines) {
      if (auto one = line_of(records, line)) box.lines.push_back(std::move(*one));
    }
    if (!box.latency.empty() || !box.lines.empty()) map.push_back(std::move(box));
  }
  // Without a far part there is no near one.
  const auto find = [&](std::string_view name) {
    return std::find_if(map.begin(), map.end(), [&](const MemoryBox& box) { return box.name == name; });
  };
  if (const auto near = find("near"); near != map.end() && find("far") == map.end()) near->title = "One partition";
  return map;
}

void write_memory_text(std::ostream& out, const std::vector<MemoryBox>& map) {
  const char* separator = "";
  for (const auto& box : map) {
    out << separator << box.title << '\n';
    separator = "\n";
    const auto write = [&](const std::string& label, const std::string& value, const std::string& quantity) {
      out << fmt::format("  {:<32} {:<24} {}\n", label, value, quantity);
    };
    if (!box.latency.empty()) write("latency", box.latency, box.latency_of);
    for (const auto& line : box.lines)
      write(line.over.empty() ? line.label : fmt::format("{}, over {}", line.label, line.over), line.value,
            line.quantity);
  }
}

std::vector<std::string> map_quantities() {
  std::vector<std::string> quantities;
  for (const auto& boxes : {boxes_of_sm(), boxes_beyond_sm(), boxes_of_memory()}) {
    for (const auto& box : boxes) {
      quantities.insert(quantities.end(), box.latencies.begin(), box.latencies.end());
      for (const auto& line : box.lines) quantities.emplace_back(line.quantity);
    }
  }
  return quantities;
}

}  // namespace ptxlat::pages
