// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <random>

#include "results/record.h"

namespace ptxlat {

// Records with every field used, absent and at its edges, for tests that write and read back.
class RandomRecords {
 public:
  explicit RandomRecords(unsigned seed) : generator_(seed) {}

  results::Record cell() {
    results::Record cell;
    cell.ptx = "op" + std::to_string(integer(0, 999'999)) + text();
    cell.chapter = text();
    cell.operand = text();
    cell.input = text();
    cell.level = integer(0, 4);
    for (const results::MetricKind& kind : results::metric_kinds()) {
      cell.set(kind.tag, optional_number(),
               integer(0, 1) ? std::vector<std::string>{"chain", "chain twice"} : std::vector<std::string>{});
    }
    cell.set(results::metric::far_cycles, std::nullopt);  // a table would make two rows of it
    for (results::Metric& metric : cell.metrics) {
      if (integer(0, 3) == 0) metric.verdict = verdict();
    }
    for (int i = integer(0, 2); i > 0; --i)
      cell.add_flag(integer(0, 1) ? results::flag::spread : results::flag::branches);
    for (int i = integer(0, 5); i > 0; --i) cell.sass.push_back(integer(0, 1) ? "IADD3.X" : "MUFU.RCP");
    cell.sass_count = integer(0, 500);
    cell.verdict = verdict();
    cell.note = text();
    if (integer(0, 1)) cell.measure = static_cast<results::Measure>(integer(0, 5));
    cell.consumer = text();
    cell.differential_consumer = text();
    cell.recipe = text();
    if (integer(0, 3) == 0) cell.code_of_level = integer(0, 4);
    for (int i = integer(0, 6); i > 0; --i) cell.windows.push_back(window());
    return cell;
  }

  // A probe's record: numbers over axes and what follows from them.
  results::Record probe() {
    results::Record probe = cell();
    probe.kind = results::RecordKind::probe;
    probe.code = text();
    for (int i = integer(0, 3); i > 0; --i) probe.series.push_back(series());
    for (int i = integer(0, 3); i > 0; --i) {
      probe.facts.push_back({"size" + text(), text(), text(), optional_number(), optional_number(), "bytes", "kind",
                             static_cast<results::FactVerdict>(integer(0, 3)), text()});
    }
    return probe;
  }

 private:
  results::Series series() {
    results::Series series{"curve" + text(), integer(0, 1) ? "cycles" : "", {}, {}};
    std::size_t points = 1;
    for (int i = integer(1, 2); i > 0; --i) {
      results::Axis axis{"axis " + std::to_string(i), integer(0, 1) ? "B" : "", {}};
      const bool is_named = integer(0, 1) == 1;
      for (int point = integer(0, 5); point > 0; --point) {
        axis.values.push_back(point * 1.5);
        if (is_named) axis.names.push_back(text());
      }
      points *= axis.values.size();
      series.axes.push_back(std::move(axis));
    }
    for (std::size_t point = 0; point < points; ++point) series.values.push_back(optional_number());
    return series;
  }

  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }

  // What files have trouble with: separators, quotes, line ends, several bytes a character.
  std::string text() {
    static const std::string pieces[] = {"a", ",", "\"", ";", "|", "\n", "\r\n", " ", "≥", "\\", "{", "\t", "O3", "-"};
    std::string text;
    for (int i = integer(0, 4); i > 0; --i) text += pieces[integer(0, static_cast<int>(std::size(pieces)) - 1)];
    return text;
  }

  std::optional<double> optional_number() {
    switch (integer(0, 3)) {
      case 0:
        return std::nullopt;
      case 1:
        return integer(0, 1000);
      case 2:
        return integer(-1000, 1000) / 8.0;
      default:
        return std::uniform_real_distribution<double>(0, 1e7)(generator_);
    }
  }

  sass::Verdict verdict() {
    return static_cast<sass::Verdict>(integer(0, static_cast<int>(sass::Verdict::no_dependency)));
  }

  results::WindowRecord window() {
    results::WindowRecord window;
    window.role = "chain " + std::to_string(integer(1, 64));
    window.operand = text();
    window.verdict = verdict();
    window.reason = text();
    window.static_cycles = integer(0, 2000);
    window.static_is_lower_bound = integer(0, 1) == 1;
    window.cycles = optional_number();
    const auto sample = [&] { return static_cast<std::uint32_t>(integer(0, 2)) * 0x7fffffffu; };
    window.samples.resize(static_cast<std::size_t>(integer(0, 9)));
    std::generate(window.samples.begin(), window.samples.end(), sample);
    if (integer(0, 1)) {
      window.cycles = 23;
      std::fill(window.samples.begin(), window.samples.end(), 23u);
    }
    window.mode_share = integer(0, 4) / 4.0;
    window.measured_as = text();
    for (int i = integer(0, 8), offset = 16 * integer(0, 100); i > 0; --i, offset += 16 * integer(1, 3)) {
      window.sass.push_back({offset, integer(0, 1) ? "POPC R6, |R6|" : "@!P0 BRA `(.L_x_1)", integer(0, 15),
                             integer(0, 1) == 1, integer(0, 7), integer(0, 7), integer(0, 63), integer(0, 15)});
    }
    return window;
  }

  std::mt19937 generator_;
};

}  // namespace ptxlat
