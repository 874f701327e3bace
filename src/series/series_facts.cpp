// SPDX-License-Identifier: Apache-2.0
#include "series/series_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "series/allotment.h"
#include "series/domains.h"
#include "series/facts.h"
#include "series/fetch.h"
#include "series/issue.h"
#include "series/knees.h"
#include "series/paths.h"
#include "series/scheduling.h"
#include "series/series_groups.h"
#include "series/series_models.h"

namespace ptxlat::series {

using results::Fact;
using results::FactVerdict;
using results::Series;

namespace {

// The facts of one group, each with its rule's unit, scope and sentence.
class Reading {
 public:
  Reading(const FactRule& rule, const Series& series, const SeriesGroup& group)
      : rule_(rule), series_(series), group_(group), curve_(curve_of(group, series)) {}

  std::vector<Fact> facts() {
    if (group_.points.empty()) return nothing("the series has no values there");
    if (curve_.empty() && !is_read_off()) return nothing("the series has no axis");
    if (const auto found = finding())
      add(*found);
    else
      read();
    return std::move(facts_);
  }

 private:
  // The results of models that find one value.
  std::optional<Finding> finding() const {
    switch (rule_.model) {
      case FactModel::overlap:
        return find_overlap(curve_);
      case FactModel::period:
        return find_period(curve_, slack_of_first());
      case FactModel::between:
        return count_between(curve_, slack_of_first());
      case FactModel::ways:
        return find_ways(curve_, slack_of_first());
      case FactModel::growth:
        return find_growth(curve_, slack_of_first());
      case FactModel::knee:
        return find_knee(curve_, slack_of_first());
      case FactModel::best_rate:
        return find_best_rate(rule_, series_, group_);
      case FactModel::exceeds_one:
        return find_exceeds_one(rule_, series_, group_);
      case FactModel::queue:
        return find_queue(curve_, rule_.least);
      case FactModel::overtakes:
        return find_overtaking(rule_, series_, group_);
      case FactModel::difference:
        return find_difference_between(rule_, series_, group_);
      case FactModel::crossing:
        return find_crossing(rule_, series_, group_);
      case FactModel::offset:
        return find_offset(rule_, series_, group_);
      case FactModel::gap:
        return find_gap(rule_, series_, group_);
      case FactModel::common_divisor:
        return find_common_divisor(curve_);
      case FactModel::steps:
        return find_steps(rule_, series_, group_);
      case FactModel::path_order:
        return find_path_order(series_, group_);
      case FactModel::meeting:
        return find_meeting(rule_, series_, group_);
      case FactModel::together:
        return find_together(rule_, series_, group_);
      case FactModel::outcome:
        return find_outcome(curve_);
      case FactModel::list:
        return find_list(curve_);
      case FactModel::spacing:
        return find_spacing(curve_, rule_.least);
      case FactModel::stride_ways:
        return find_stride_ways(rule_, series_, group_);
      case FactModel::disturbed:
        return find_disturbed(rule_, curve_, slack_of_first());
      default:
        return std::nullopt;
    }
  }

  void read() {
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
      case FactModel::plateau_ends:
        find_plateaus();
        break;
      case FactModel::clusters:
        find_clusters();
        break;
      case FactModel::domains:
        add_levels(find_domains(series_, group_, rule_.least));
        break;
      case FactModel::capacity:
        add_levels(find_capacity(series_, group_));
        break;
      case FactModel::allotment:
        add_levels(find_allotment(series_, group_));
        break;
      case FactModel::nearer:
        compare();
        break;
      case FactModel::last:
        add(group_.quantity, curve_.x.back(), curve_.x.back(), curve_.x.back(), "the last that ran");
        break;
      case FactModel::differs:
        find_difference();
        break;
      case FactModel::sharing:
        find_sharing();
        break;
      case FactModel::lowest:
        find_lowest();
        break;
      case FactModel::sets:
        list_sets();
        break;
      case FactModel::rise:
        add_risen(find_rise(curve_, slack_of_first()));
        break;
      case FactModel::scheduling:
        find_scheduler();
        break;
      case FactModel::unknown:
        push(inferred(group_.quantity, "", "", "", rule_.how));
        break;
      default:
        break;
    }
  }

  bool is_read_off() const {
    return rule_.model == FactModel::median || rule_.model == FactModel::minimum || rule_.model == FactModel::maximum;
  }

  // None of the rule's facts can be determined, for one reason.
  std::vector<Fact> nothing(const std::string& why) {
    if (has_levels(rule_.model)) {
      for (const auto& level : rule_.levels) {
        if (!level.empty()) add_undetermined(filled(group_.quantity, "level", level), why);
      }
    } else if (rule_.model == FactModel::nearer) {
      for (const auto& place : places_to_compare()) add_undetermined(filled(group_.quantity, "place", place), why);
    } else {
      add_undetermined(group_.quantity, why);
    }
    return std::move(facts_);
  }

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

  void add(const Finding& found) { add(group_.quantity, found); }
  void add(const std::string& quantity, const Finding& found) {
    if (!found.word.empty()) {
      Fact fact = inferred(quantity, found.word, "", how(found.more), "");
      fact.verdict = found.verdict;
      return push(std::move(fact));
    }
    if (!found.value) return add_undetermined(quantity, found.more);
    add(quantity, *found.value, found.low, found.high, found.more, found.verdict);
  }
  // In the order of the rule's levels; those without a name are left out.
  void add_levels(const std::vector<Finding>& found) {
    for (std::size_t i = 0; i < std::min(found.size(), rule_.levels.size()); ++i) {
      if (!rule_.levels[i].empty()) add(filled(group_.quantity, "level", rule_.levels[i]), found[i]);
    }
  }
  void add_risen(const Finding& found) {
    if (!found.value) return add_undetermined(group_.quantity, found.more);
    add_spread(group_.quantity, *found.value, *found.value, *found.value, found.more);
  }
  double slack_of_first() const { return slack(curve_.y.front()); }

  // `low` and `high` are those of the measurement; a repetition may lie a little outside.
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
    // The extremes of many values are outliers; those of a few are the spread.
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
      const auto quantity = filled(group_.quantity, "level", rule_.levels[i]);
      if (i >= plateaus.size())
        add_undetermined(quantity, fmt::format("there are {} plateaus", plateaus.size()));
      else if (rule_.model == FactModel::plateau_ends)
        add_end(quantity, plateaus[i], i + 1 == plateaus.size());
      else
        add_spread(quantity, plateaus[i].value, plateaus[i].low, plateaus[i].high,
                   fmt::format("level up to {:.15g}", plateaus[i].last_x));
    }
  }

  // Where a plateau ends, the first place after it is already too much.
  void add_end(const std::string& quantity, const Plateau& plateau, bool is_last) {
    const auto next = std::upper_bound(curve_.x.begin(), curve_.x.end(), plateau.last_x);
    if (is_last && next == curve_.x.end())
      return add_undetermined(quantity, fmt::format("{:.4g} up to the end", plateau.value));
    const double first_out = next == curve_.x.end() ? plateau.last_x : *next;
    add(quantity, first_out, plateau.last_x, first_out,
        fmt::format("{:.4g} up to {:.15g}", plateau.value, plateau.last_x));
  }

  void find_clusters() {
    std::vector<double> values;
    for (const auto& point : group_.points) values.push_back(point.value);
    const auto clusters = clusters_of(values, rule_.levels.size());
    for (std::size_t i = 0; i < rule_.levels.size(); ++i) {
      if (rule_.levels[i].empty()) continue;
      const auto quantity = filled(group_.quantity, "level", rule_.levels[i]);
      if (clusters.empty())
        add_undetermined(quantity, "the values do not fall apart");
      else if (i > 0 && clusters[i].median - clusters[i - 1].median <= slack(clusters[i].median) / 2)
        add_undetermined(quantity, fmt::format("{:.4g} is not apart from the values below it, {:.4g}",
                                               clusters[i].median, clusters[i - 1].median));
      else
        add_spread(quantity, clusters[i].median, clusters[i].low, clusters[i].high,
                   fmt::format("the median of {} of {} values that lie together", clusters[i].size, values.size()));
    }
  }

  // The remaining places, used by the rule, of the axis that has `like` and `unlike`.
  std::vector<std::string> places_to_compare() const {
    std::vector<std::string> names;
    if (series_.axes.empty()) return names;
    const auto& axis = series_.axes[axis_to_compare(rule_, series_, group_)];
    for (std::size_t place = 0; place < axis.values.size(); ++place) {
      const auto name = name_of(axis, place);
      if (is_wanted(rule_, axis, place) && name != rule_.like && name != rule_.unlike) names.push_back(name);
    }
    return names;
  }

  // The median of the values there.
  std::optional<double> at_place(std::size_t axis, const std::string& name) const {
    std::vector<double> values;
    for (const auto& point : group_.points) {
      if (name_of(series_.axes[axis], point.places[axis]) == name) values.push_back(point.value);
    }
    if (values.empty()) return std::nullopt;
    return median_of(std::move(values));
  }

  void compare() {
    const auto axis = axis_to_compare(rule_, series_, group_);
    const auto like = at_place(axis, rule_.like), unlike = at_place(axis, rule_.unlike);
    for (const auto& name : places_to_compare()) {
      const auto quantity = filled(group_.quantity, "place", name);
      const auto value = at_place(axis, name);
      if (!value || !like || !unlike) {
        const auto& missing = !value ? name : !like ? rule_.like : rule_.unlike;
        add_undetermined(quantity, fmt::format("the series has no value at {}", missing));
        continue;
      }
      if (std::abs(*like - *unlike) <= slack(*like) / 2) {
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

  void find_difference() {
    const auto [least, most] = std::minmax_element(curve_.y.begin(), curve_.y.end());
    if (curve_.y.size() < 2) return add_undetermined(group_.quantity, "there is one value only");
    const double differs = *most - *least > slack(*least);
    add(group_.quantity, differs, differs, differs, fmt::format("{:.4g} and {:.4g}", *least, *most));
  }

  void find_sharing() {
    if (rule_.levels.size() < 3) return add_undetermined(group_.quantity, "`levels` needs three names");
    std::size_t alike = 0;
    for (const double value : curve_.y) alike += std::abs(value - curve_.y.front()) <= slack(curve_.y.front());
    Fact fact = inferred(group_.quantity, rule_.levels[std::min<std::size_t>(alike, 3) - 1], "",
                         how(fmt::format("{} of {} are as fast as the first, {:.4g} beside {:.4g} in the middle",
                                         alike - 1, curve_.y.size() - 1, curve_.y.front(), median_of(curve_.y))),
                         "");
    fact.verdict = FactVerdict::measured;
    push(std::move(fact));
  }

  // All are the same: sets of different sizes would not begin to miss at one rate.
  void list_sets() {
    const auto ways = find_growth(curve_, slack_of_first());
    const auto entries = find_knee(curve_, slack_of_first());
    if (!ways.value || !entries.value) return add_undetermined(group_.quantity, ways.value ? entries.more : ways.more);
    const auto count = static_cast<std::size_t>(*entries.value / *ways.value);
    const std::vector<std::string> sizes(count, fmt::format("{:.15g}", *ways.value));
    Fact fact = inferred(group_.quantity, fmt::format("{}", fmt::join(sizes, " ")), "",
                         how(fmt::format("{} sets; {}", count, ways.more)), "");
    fact.verdict = ways.verdict;
    push(std::move(fact));
  }

  void find_scheduler() {
    const auto runs = runs_of(series_, group_);
    const auto found = find_scheduling(runs);
    if (found.name.empty()) return add_undetermined(group_.quantity, found.why);
    push(inferred(
        group_.quantity, found.name, "",
        how(fmt::format("chosen by {} runs, and predicted {} others", runs.size() - found.predicted, found.predicted)),
        ""));
  }

  void find_lowest() {
    const auto axis = group_.along;
    const auto least = std::min_element(curve_.y.begin(), curve_.y.end());
    const auto& places = group_.points[static_cast<std::size_t>(least - curve_.y.begin())].places;
    for (const double value : curve_.y) {
      if (value != *least && value - *least < slack(*least))
        return add_undetermined(group_.quantity, fmt::format("{:.4g} and {:.4g} are not apart", *least, value));
    }
    Fact fact =
        inferred(group_.quantity, name_of(series_.axes[axis], places[axis]), "",
                 how(fmt::format("{:.4g} for it, at least {:.4g} less than for any other", *least, slack(*least))), "");
    fact.verdict = FactVerdict::measured;
    push(std::move(fact));
  }

  const FactRule& rule_;
  const Series& series_;
  const SeriesGroup& group_;
  Curve curve_;
  std::vector<Fact> facts_;
};

}  // namespace

bool has_levels(FactModel model) {
  return model == FactModel::plateaus || model == FactModel::plateau_ends || model == FactModel::clusters ||
         model == FactModel::domains || model == FactModel::allotment || model == FactModel::capacity;
}

std::vector<Fact> facts_of(const FactRule& rule, const Series& series) {
  std::vector<Fact> facts;
  for (const auto& group : groups_of(rule, series)) {
    auto of_group = Reading(rule, series, group).facts();
    facts.insert(facts.end(), of_group.begin(), of_group.end());
  }
  return facts;
}

}  // namespace ptxlat::series
