// SPDX-License-Identifier: Apache-2.0
#include "machine/curves.h"

#include <algorithm>

#include "machine/rates.h"
#include "machine/saturated_kernel.h"
#include "results/curve.h"

namespace ptxlat::machine {

namespace {

constexpr char curve_name[] = "warps";

}  // namespace

void put_rates(results::Record& record, const std::vector<int>& warps, const std::vector<double>& cycles) {
  results::Series series{curve_name, "results/clk/SM", {{"warps", "warps", {}}}, {}};
  for (std::size_t i = 0; i < warps.size(); ++i) {
    if (cycles[i] <= 0) {
      record.verdict = sass::Verdict::unstable;
      record.note = "more copies did not take longer";
      return;
    }
    series.axes.front().values.push_back(warps[i]);
    series.values.emplace_back(lanes_of_a_warp * warps[i] / cycles[i]);
  }
  record.series.push_back(std::move(series));
  read_again(record);
}

void read_again(results::Record& record) {
  const auto curve = std::find_if(record.series.begin(), record.series.end(),
                                  [](const results::Series& series) { return series.name == curve_name; });
  if (record.kind != results::RecordKind::throughput || curve == record.series.end() || record.windows.empty()) return;
  if (!results::is_curve(*curve)) return;
  std::vector<int> warps;
  std::vector<double> rates;
  for (std::size_t i = 0; i < curve->values.size(); ++i) {
    warps.push_back(static_cast<int>(curve->axes.front().values[i]));
    rates.push_back(curve->values[i].value_or(0));
  }
  if (*std::max_element(rates.begin(), rates.end()) <= 0) return;
  const auto saturation = saturation_of(warps, rates);
  namespace metric = results::metric;
  record.set(metric::throughput, saturation.per_clock, {record.windows.front().role});
  record.set(metric::interval, saturation.interval);
  record.set(metric::saturates_at, saturation.saturates_at);
  record.note = saturation.still_rises ? "more warps would do more" : "";
}

std::optional<Curve> MeasuredCurves::find(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  const auto found = curves_.find(key);
  return found == curves_.end() ? std::nullopt : std::optional(found->second);
}

void MeasuredCurves::keep(const std::string& key, const Curve& curve) {
  const std::scoped_lock lock(mutex_);
  curves_.emplace(key, curve);
}

}  // namespace ptxlat::machine
