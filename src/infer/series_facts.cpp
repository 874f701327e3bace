#include "infer/series_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "infer/facts.h"
#include "infer/series_models.h"

namespace ptxlat::infer {

using results::Axis;
using results::Fact;
using results::FactVerdict;
using results::Series;

namespace {

std::string name_of(const Axis& axis, std::size_t place) {
  return axis.names.empty() ? fmt::format("{:.15g}", axis.values[place]) : axis.names[place];
}

std::string with(std::string text, const std::string& hole, const std::string& value) {
  const std::string marked = "{{" + hole + "}}";
  for (auto at = text.find(marked); at != std::string::npos; at = text.find(marked, at))
    text.replace(at, marked.size(), value);
  return text;
}

struct Point {
  std::vector<std::size_t> places;  // on each axis
  double value = 0;
};

// The points of one combination of the axes that tell facts apart.
struct Group {
  std::string quantity, condition;
  std::vector<Point> points;
};

bool is_wanted(const FactRule& rule, const Axis& axis, std::size_t place) {
  const auto found = rule.where.find(axis.name);
  if (found == rule.where.end()) return true;
  return std::find(found->second.begin(), found->second.end(), name_of(axis, place)) != found->second.end();
}

// The group of a point: what the rule's texts and axes make of it.
Group group_of(const FactRule& rule, const Series& series, const std::vector<std::size_t>& places) {
  Group group{rule.quantity, "", {}};
  std::vector<std::string> conditions;
  for (std::size_t i = 0; i < series.axes.size(); ++i) {
    const auto& axis = series.axes[i];
    const std::string name = name_of(axis, places[i]);
    group.quantity = with(group.quantity, axis.name, name);
    if (std::find(rule.by.begin(), rule.by.end(), axis.name) != rule.by.end())
      conditions.push_back(axis.name + "=" + name);
  }
  std::sort(conditions.begin(), conditions.end());
  for (const auto& condition : conditions) group.condition += (group.condition.empty() ? "" : " ") + condition;
  return group;
}

std::vector<Group> groups_of(const FactRule& rule, const Series& series) {
  std::vector<Group> groups;
  for (std::size_t number = 0; number < series.values.size(); ++number) {
    std::vector<std::size_t> places(series.axes.size());
    auto rest = number;
    bool wanted = true;
    for (std::size_t i = places.size(); i-- > 0; rest /= series.axes[i].values.size()) {
      places[i] = rest % series.axes[i].values.size();
      wanted = wanted && is_wanted(rule, series.axes[i], places[i]);
    }
    if (!wanted) continue;
    auto group = group_of(rule, series, places);
    auto known = std::find_if(groups.begin(), groups.end(), [&](const Group& other) {
      return other.quantity == group.quantity && other.condition == group.condition;
    });
    if (known == groups.end()) known = groups.insert(groups.end(), std::move(group));
    if (const auto& value = series.values[number]) known->points.push_back({std::move(places), *value});
  }
  return groups;
}

// The axis along which a group's points lie: the one that has more than one place in it.
std::size_t axis_along(const Group& group) {
  for (std::size_t axis = 0; axis < group.points.front().places.size(); ++axis) {
    for (const auto& point : group.points) {
      if (point.places[axis] != group.points.front().places[axis]) return axis;
    }
  }
  return 0;
}

Curve curve_of(const Group& group, const Series& series) {
  Curve curve;
  if (group.points.empty() || series.axes.empty()) return curve;
  const auto axis = axis_along(group);
  for (const auto& point : group.points) {
    curve.x.push_back(series.axes[axis].values[point.places[axis]]);
    curve.y.push_back(point.value);
  }
  return curve;
}

// The facts of one group, each with its rule's unit, scope and sentence.
class Reading {
 public:
  Reading(const FactRule& rule, const Series& series, const Group& group)
      : rule_(rule), series_(series), group_(group), curve_(curve_of(group, series)) {}

  std::vector<Fact> facts() {
    if (group_.points.empty()) {
      add_undetermined(group_.quantity, "the series has no values there");
      return std::move(facts_);
    }
    switch (rule_.model) {
      case FactModel::median:
      case FactModel::minimum:
      case FactModel::maximum:
        read_off();
        break;
      case FactModel::slope:
      case FactModel::intercept:
        fit_line();
        break;
      case FactModel::plateaus:
        find_plateaus();
        break;
      case FactModel::clusters:
        find_clusters();
        break;
      case FactModel::nearer:
        compare();
        break;
      case FactModel::last:
        add(group_.quantity, curve_.x.back(), curve_.x.back(), curve_.x.back(), "the last that ran");
        break;
      case FactModel::period:
        find_period();
        break;
      case FactModel::differs:
        find_difference();
        break;
      case FactModel::sharing:
        find_sharing();
        break;
      case FactModel::overlap:
        find_overlap();
        break;
      case FactModel::between:
        count_between();
        break;
      case FactModel::ways:
        find_ways();
        break;
      case FactModel::knee:
        find_knee();
        break;
      case FactModel::given:
        break;
    }
    return std::move(facts_);
  }

 private:
  double slack(double value) const { return std::max(rule_.least, rule_.tolerance / 100 * std::abs(value)); }
  std::string how(const std::string& more) const { return more.empty() ? rule_.how : rule_.how + "; " + more; }

  void add_undetermined(const std::string& quantity, const std::string& why) {
    push(inferred(quantity, "", "", "", how(why)));
  }
  void add(const std::string& quantity, double value, double low, double high, const std::string& more,
           FactVerdict verdict = FactVerdict::measured) {
    Fact fact = measured(quantity, value, 0, "", how(more));
    fact.low = low;
    fact.high = high;
    fact.verdict = verdict;
    push(std::move(fact));
  }
  void push(Fact fact) {
    fact.unit = rule_.unit.empty() ? series_.unit : rule_.unit;
    fact.scope = rule_.scope;
    fact.condition = group_.condition;
    facts_.push_back(std::move(fact));
  }

  // `low` and `high` are of what was measured; a repetition may lie a little outside.
  void add_spread(const std::string& quantity, double value, double low, double high, const std::string& more) {
    add(quantity, value, std::min(low, value - slack(value)), std::max(high, value + slack(value)), more);
  }

  void read_off() {
    std::vector<double> values;
    for (const auto& point : group_.points) values.push_back(point.value);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double value = rule_.model == FactModel::minimum   ? *least
                         : rule_.model == FactModel::maximum ? *most
                                                             : median_of(values);
    // Of many values the extremes are outliers, of a few they are the spread.
    const bool is_few = values.size() <= 16 && rule_.model == FactModel::median;
    add_spread(group_.quantity, value, is_few ? *least : value, is_few ? *most : value,
               values.size() == 1 ? ""
                                  : fmt::format("the {} of {} values",
                                                rule_.model == FactModel::minimum   ? "least"
                                                : rule_.model == FactModel::maximum ? "greatest"
                                                                                    : "median",
                                                values.size()));
  }

  void fit_line() {
    const auto line = line_through(curve_, rule_.tolerance / 100, rule_.least);
    if (!line) return add_undetermined(group_.quantity, "there are not two points for a line");
    const auto model = fmt::format("{:.6g} + {:.6g} n, which predicted {} of {} held-out points", line->a, line->b,
                                   line->held_out - line->misses, line->held_out);
    if (line->misses * 4 > line->held_out) return add_undetermined(group_.quantity, "not a straight line: " + model);
    const auto verdict = line->held_out > 0 && line->misses == 0 ? FactVerdict::inferred : FactVerdict::measured;
    double value = line->b, low = line->low, high = line->high;
    if (rule_.model == FactModel::intercept) value = low = high = line->a;
    const double room = rule_.model == FactModel::slope ? std::abs(value) * rule_.tolerance / 100 + 0.05 : slack(value);
    add(group_.quantity, value, std::min(low, value - room), std::max(high, value + room), model, verdict);
  }

  void find_plateaus() {
    const auto plateaus = plateaus_of(curve_, rule_.tolerance / 100);
    for (std::size_t i = 0; i < rule_.levels.size(); ++i) {
      if (rule_.levels[i].empty()) continue;
      const auto quantity = with(group_.quantity, "level", rule_.levels[i]);
      if (i >= plateaus.size())
        add_undetermined(quantity, fmt::format("there are {} plateaus", plateaus.size()));
      else
        add_spread(quantity, plateaus[i].value, plateaus[i].low, plateaus[i].high,
                   fmt::format("level up to {:.15g}", plateaus[i].last_x));
    }
  }

  void find_clusters() {
    std::vector<double> values;
    for (const auto& point : group_.points) values.push_back(point.value);
    const auto clusters = clusters_of(values, rule_.levels.size());
    for (std::size_t i = 0; i < rule_.levels.size(); ++i) {
      if (rule_.levels[i].empty()) continue;
      const auto quantity = with(group_.quantity, "level", rule_.levels[i]);
      if (clusters.empty())
        add_undetermined(quantity, "the values do not fall apart");
      else
        add_spread(quantity, clusters[i].median, clusters[i].low, clusters[i].high,
                   fmt::format("the median of {} of {} values that lie together", clusters[i].size, values.size()));
    }
  }

  // The other places of the axis that `like` and `unlike` are on.
  void compare() {
    const auto axis = axis_along(group_);
    const auto at = [&](const std::string& name) -> std::optional<double> {
      std::vector<double> values;
      for (const auto& point : group_.points) {
        if (name_of(series_.axes[axis], point.places[axis]) == name) values.push_back(point.value);
      }
      if (values.empty()) return std::nullopt;
      return median_of(values);
    };
    const auto like = at(rule_.like), unlike = at(rule_.unlike);
    std::vector<std::string> done{rule_.like, rule_.unlike};
    for (const auto& point : group_.points) {
      const auto name = name_of(series_.axes[axis], point.places[axis]);
      if (std::find(done.begin(), done.end(), name) != done.end()) continue;
      done.push_back(name);
      const auto quantity = with(group_.quantity, "place", name);
      const auto value = at(name);
      if (!like || !unlike || std::abs(*like - *unlike) <= slack(*like) / 2) {
        add_undetermined(quantity, fmt::format("{} and {} do not differ", rule_.like, rule_.unlike));
        continue;
      }
      const double share = (*value - *unlike) / (*like - *unlike);
      const auto model =
          fmt::format("{:.4g} beside {:.4g} at {} and {:.4g} at {}", *value, *like, rule_.like, *unlike, rule_.unlike);
      if (share > 0.4 && share < 0.6)
        add_undetermined(quantity, "between the two: " + model);
      else
        add(quantity, share > 0.5, share > 0.5, share > 0.5, model);
    }
  }

  // What does not wait for those before it adds little to the time of one; the first that does, adds its own.
  void find_overlap() {
    const double step = curve_.y.front() / 4;
    std::size_t last = 0;
    while (last + 1 < curve_.y.size() && curve_.y[last + 1] - curve_.y[last] < step) ++last;
    if (last + 1 == curve_.y.size())
      return add_undetermined(group_.quantity, fmt::format("none waits up to {:.15g}", curve_.x.back()));
    add(group_.quantity, curve_.x[last], curve_.x[last], curve_.x[last],
        fmt::format("{:.4g} for one, {:.4g} for so many, {:.4g} for one more", curve_.y.front(), curve_.y[last],
                    curve_.y[last + 1]));
  }

  void find_difference() {
    const auto [least, most] = std::minmax_element(curve_.y.begin(), curve_.y.end());
    if (curve_.y.size() < 2) return add_undetermined(group_.quantity, "there is one value only");
    const double differs = *most - *least > slack(*least);
    add(group_.quantity, differs, differs, differs, fmt::format("{:.4g} and {:.4g}", *least, *most));
  }

  void find_sharing() {
    if (rule_.levels.size() < 3) return add_undetermined(group_.quantity, "three names are wanted in `levels`");
    std::size_t alike = 0;
    for (const double value : curve_.y) alike += std::abs(value - curve_.y.front()) <= slack(curve_.y.front());
    Fact fact = inferred(group_.quantity, rule_.levels[std::min<std::size_t>(alike, 3) - 1], "",
                         how(fmt::format("{} of {} are as fast as the first, {:.4g} beside {:.4g} in the middle",
                                         alike - 1, curve_.y.size() - 1, curve_.y.front(), median_of(curve_.y))),
                         "");
    fact.verdict = FactVerdict::measured;
    push(std::move(fact));
  }

  bool leaves_first(std::size_t i) const { return std::abs(curve_.y[i] - curve_.y.front()) > slack(curve_.y.front()); }
  std::size_t first_that_leaves() const {
    std::size_t end = 0;
    while (end < curve_.y.size() && !leaves_first(end)) ++end;
    return end;
  }

  void find_knee() {
    const auto end = first_that_leaves();
    if (end == curve_.y.size())
      return add_undetermined(group_.quantity, fmt::format("there is no knee up to {:.15g}", curve_.x.back()));
    std::size_t predicted = 0;
    for (auto i = end + 1; i < curve_.y.size(); ++i) predicted += leaves_first(i);
    const bool holds = predicted >= 3 && predicted == curve_.y.size() - end - 1;
    // Between whole numbers nothing is left open.
    const double next = std::abs(curve_.x[end] - curve_.x[end - 1]) == 1 ? curve_.x[end - 1] : curve_.x[end];
    add(group_.quantity, curve_.x[end - 1], std::min(curve_.x[end - 1], next), std::max(curve_.x[end - 1], next),
        fmt::format("{:.4g} up to there, {:.4g} after it, and {} points further on", curve_.y[end - 1], curve_.y[end],
                    predicted),
        holds ? FactVerdict::inferred : FactVerdict::measured);
  }

  // Of a cyclic visit that a set has one page too many for, all its pages miss if it evicts what it used or got first.
  void find_ways() {
    const auto end = first_that_leaves();
    if (end == curve_.y.size() || end == 0) return add_undetermined(group_.quantity, "there is no knee");
    const double last = median_of({curve_.y.end() - std::min<std::ptrdiff_t>(3, std::ssize(curve_.y)), curve_.y.end()});
    std::size_t full = end;
    while (full < curve_.y.size() && curve_.y[full] < 0.85 * last) ++full;
    const double sets = curve_.x[full] - curve_.x[end - 1];
    const double ways = curve_.x[end - 1] / sets;
    if (ways != std::floor(ways))
      return add_undetermined(group_.quantity,
                              fmt::format("{:.15g} pages until all miss, from {:.15g} on", sets, curve_.x[end - 1]));
    add(group_.quantity, ways, ways, ways, fmt::format("all miss from {:.15g} on: {:.15g} sets", curve_.x[full], sets));
  }

  void count_between() {
    const auto first = first_that_leaves();
    if (first == curve_.y.size()) return add_undetermined(group_.quantity, "there is no knee");
    const double last = median_of({curve_.y.end() - std::min<std::ptrdiff_t>(3, std::ssize(curve_.y)), curve_.y.end()});
    std::size_t full = first;
    while (full < curve_.y.size() && curve_.y[full] < 0.85 * last) ++full;
    const double places = full == first ? 0 : curve_.x[full] - curve_.x[first];
    add(group_.quantity, places, places, places,
        fmt::format("the values rise from {:.15g} to {:.15g}", curve_.x[first - 1], curve_.x[full]));
  }

  void find_period() {
    const auto differs = [&](std::size_t i) {
      return std::abs(curve_.y[i] - curve_.y.front()) > slack(curve_.y.front());
    };
    std::size_t first = 0;
    while (first < curve_.y.size() && !differs(first)) ++first;
    if (first == curve_.y.size()) return add_undetermined(group_.quantity, "all values are alike");
    const double period = curve_.x[first];
    std::size_t predicted = 0;
    for (std::size_t i = first + 1; i < curve_.y.size(); ++i) {
      if (differs(i) != (std::fmod(curve_.x[i], period) == 0))
        return add_undetermined(group_.quantity,
                                fmt::format("{:.15g} is the first, but not a period: {:.15g}", period, curve_.x[i]));
      ++predicted;
    }
    add(group_.quantity, period, period, period, fmt::format("a period that predicted {} points", predicted),
        static_cast<double>(predicted) > period ? FactVerdict::inferred : FactVerdict::measured);
  }

  const FactRule& rule_;
  const Series& series_;
  const Group& group_;
  Curve curve_;
  std::vector<Fact> facts_;
};

}  // namespace

std::vector<Fact> facts_of(const FactRule& rule, const Series& series) {
  std::vector<Fact> facts;
  for (const auto& group : groups_of(rule, series)) {
    auto of_group = Reading(rule, series, group).facts();
    facts.insert(facts.end(), of_group.begin(), of_group.end());
  }
  return facts;
}

}  // namespace ptxlat::infer
