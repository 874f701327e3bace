// SPDX-License-Identifier: Apache-2.0
#include "results/record.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "base/named_values.h"

namespace ptxlat::results {

namespace {

constexpr NamedValues<RecordKind, 8> kind_names = {{
    {RecordKind::latency, "latency"},
    {RecordKind::probe, "probe"},
    {RecordKind::throughput, "throughput"},
    {RecordKind::contention, "contention"},
    {RecordKind::counters, "counters"},
    {RecordKind::operand_cost, "operand_cost"},
    {RecordKind::hazard, "hazard"},
    {RecordKind::in_flight, "in_flight"},
}};

constexpr NamedValues<FactVerdict, 4> fact_verdict_names = {{
    {FactVerdict::inferred, "inferred"},
    {FactVerdict::measured, "measured"},
    {FactVerdict::undetermined, "undetermined"},
    {FactVerdict::contradicted, "contradicted"},
}};

}  // namespace

const char* to_string(FactVerdict verdict) { return name_in(fact_verdict_names, verdict); }
std::optional<FactVerdict> fact_verdict_from(const std::string& name) { return value_in(fact_verdict_names, name); }

const char* to_string(RecordKind kind) { return name_in(kind_names, kind); }
std::optional<RecordKind> record_kind_from(const std::string& name) { return value_in(kind_names, name); }

const Metric* Record::find(std::string_view tag) const {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const Metric& m) { return m.tag == tag; });
  return found == metrics.end() ? nullptr : &*found;
}

std::optional<double> Record::number(std::string_view tag) const {
  const auto* metric = find(tag);
  return metric == nullptr ? std::nullopt : std::optional(metric->value);
}

void Record::set(std::string_view tag, std::optional<double> value, std::vector<std::string> from) {
  const MetricKind* wanted = find_metric(tag);
  assert(wanted != nullptr);
  // MetricKinds are stored in the order of the columns, so their addresses say which metric comes first.
  const auto place = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const Metric& metric) { return find_metric(metric.tag) >= wanted; });
  const bool is_there = place != metrics.end() && place->tag == tag;
  if (!value) {
    if (is_there) metrics.erase(place);
    return;
  }
  Metric metric{wanted->tag, *value, sass::Verdict::proven, std::move(from)};
  if (is_there) {
    *place = std::move(metric);
  } else {
    metrics.insert(place, std::move(metric));
  }
}

void Record::add_flag(const char* flag) {
  if (!has_flag(flag)) flags.emplace_back(flag);
}

void Record::set_flag(const char* flag, bool is_set) {
  if (is_set) return add_flag(flag);
  std::erase(flags, flag);
}

bool Record::has_flag(std::string_view flag) const {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

void give_up(Record& record, sass::Verdict verdict, const std::string& note) {
  record.verdict = verdict;
  record.note = note;
}

void prove(Record& record, std::vector<std::string> sass) {
  record.verdict = sass::Verdict::proven;
  record.note.clear();
  record.set_flag(flag::retry, false);
  record.sass_count = static_cast<int>(sass.size());
  record.sass = std::move(sass);
}

bool is_final(const Record& record) {
  const auto has_failed = [](sass::Verdict verdict) {
    return verdict == sass::Verdict::fault || verdict == sass::Verdict::timeout;
  };
  const bool is_contradiction = record.kind == RecordKind::counters && record.verdict == sass::Verdict::unstable;
  return !is_contradiction && !record.has_flag(flag::retry) && !has_failed(record.verdict) &&
         std::none_of(record.windows.begin(), record.windows.end(),
                      [&](const WindowRecord& window) { return has_failed(window.verdict); });
}

const WindowRecord* window_of_role(const Record& record, std::string_view role) {
  const auto found = std::find_if(record.windows.begin(), record.windows.end(),
                                  [&](const WindowRecord& window) { return window.role == role; });
  return found == record.windows.end() ? nullptr : &*found;
}

std::vector<const WindowRecord*> backing_windows(const Record& record) {
  const auto* headline = record.find(metric::cycles);
  if (headline == nullptr) headline = record.find(metric::static_cycles);
  std::vector<const WindowRecord*> windows;
  if (headline == nullptr) return windows;
  for (const auto& role : headline->from) {
    if (const auto* window = window_of_role(record, role)) windows.push_back(window);
  }
  return windows;
}

std::vector<std::size_t> places_of(std::size_t number, const std::vector<std::size_t>& lengths) {
  std::vector<std::size_t> places(lengths.size());
  for (std::size_t axis = lengths.size(); axis-- > 0; number /= lengths[axis]) places[axis] = number % lengths[axis];
  return places;
}

std::vector<std::size_t> lengths_of(const Series& series) {
  std::vector<std::size_t> lengths;
  for (const auto& axis : series.axes) lengths.push_back(axis.values.size());
  return lengths;
}

}  // namespace ptxlat::results
