// SPDX-License-Identifier: Apache-2.0
#include "series/series_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "series/allotment.h"
#include "series/issue.h"
#include "series/issue_rules.h"
#include "series/places.h"
#include "series/rounds.h"
#include "series/series_groups.h"
#include "series/series_models.h"

namespace ptxlat::series {

using results::Fact;
using results::FactVerdict;
using results::Series;

// The facts of one group, each with its rule's unit, scope and sentence.
class Reading {
 public:
  Reading(const FactRule& of, const Series& from, const SeriesGroup& part)
      : rule(of), series(from), group(part), curve(curve_of(part, from)), model_(*find_model(of.model)) {}

  std::vector<Fact> facts() {
    if (group.points.empty()) return nothing("the series has no values there");
    if (curve.empty() && !model_.is_of_values) return nothing("the series has no axis");
    if (model_.read != nullptr) model_.read(*this);
    return std::move(facts_);
  }

  const FactRule& rule;
  const Series& series;
  const SeriesGroup& group;
  const Curve curve;

  // None of the rule's facts can be determined, for one reason.
  std::vector<Fact> nothing(const std::string& why) {
    if (model_.needs == Needs::levels) {
      for (const auto& level : rule.levels) {
        if (!level.empty()) add_undetermined(filled(group.quantity, "level", level), why);
      }
    } else if (rule.model == "nearer") {
      for (const auto& place : places_to_compare()) add_undetermined(filled(group.quantity, "place", place), why);
    } else {
      add_undetermined(group.quantity, why);
    }
    return std::move(facts_);
  }

  double slack(double value) const { return std::max(rule.least, rule.tolerance / 100 * std::abs(value)); }
  std::string how(const std::string& more) const { return more.empty() ? rule.how : rule.how + "; " + more; }

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
    fact.unit = rule.unit.empty() ? series.unit : rule.unit;
    fact.scope = rule.scope;
    fact.condition = group.condition;
    facts_.push_back(std::move(fact));
  }

  void add(const Finding& found) { add(group.quantity, found); }
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
    for (std::size_t i = 0; i < std::min(found.size(), rule.levels.size()); ++i) {
      if (!rule.levels[i].empty()) add(filled(group.quantity, "level", rule.levels[i]), found[i]);
    }
  }
  void add_risen(const Finding& found) {
    if (!found.value) return add_undetermined(group.quantity, found.more);
    add_spread(group.quantity, *found.value, *found.value, *found.value, found.more);
  }
  double slack_of_first() const { return slack(curve.y.front()); }

  // `low` and `high` are those of the measurement; a repetition may lie a little outside.
  void add_spread(const std::string& quantity, double value, double low, double high, const std::string& more) {
    add(quantity, value, std::min(low, value - slack(value)), std::max(high, value + slack(value)), more);
  }

  std::vector<double> values() const {
    std::vector<double> all;
    for (const auto& point : group.points) all.push_back(point.value);
    return all;
  }

  void add_value(double value, double low, double high, const char* which) {
    const auto count = group.points.size();
    add_spread(group.quantity, value, low, high, count == 1 ? "" : fmt::format("the {} of {} values", which, count));
  }
  void find_least() {
    const auto all = values();
    const double least = *std::min_element(all.begin(), all.end());
    add_value(least, least, least, "least");
  }
  void find_greatest() {
    const auto all = values();
    const double most = *std::max_element(all.begin(), all.end());
    add_value(most, most, most, "greatest");
  }
  void find_median() {
    const auto all = values();
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    const double median = median_of(all);
    // The extremes of many values are outliers; those of a few are the spread.
    const bool is_few = all.size() <= 16;
    add_value(median, is_few ? *least : median, is_few ? *most : median, "median");
  }

  void fit_line(bool is_intercept) {
    const auto line = line_through(curve, rule.tolerance / 100, rule.least);
    if (!line) return add_undetermined(group.quantity, "there are not two points for a line");
    const auto model = fmt::format("{:.6g} + {:.6g} n, which predicted {} of {} held-out points", line->a, line->b,
                                   line->held_out - line->misses, line->held_out);
    if (line->misses * 4 > line->held_out) return add_undetermined(group.quantity, "not a straight line: " + model);
    const auto verdict = line->held_out > 0 && line->misses == 0 ? FactVerdict::inferred : FactVerdict::measured;
    double value = line->b, low = line->low, high = line->high;
    if (is_intercept) value = low = high = line->a;
    const double room = is_intercept ? slack(value) : std::abs(value) * rule.tolerance / 100 + 0.05;
    add(group.quantity, value, std::min(low, value - room), std::max(high, value + room), model, verdict);
  }

  void find_plateaus(bool are_ends) {
    const auto plateaus = plateaus_of(curve, rule.tolerance / 100);
    for (std::size_t i = 0; i < rule.levels.size(); ++i) {
      if (rule.levels[i].empty()) continue;
      const auto quantity = filled(group.quantity, "level", rule.levels[i]);
      if (i >= plateaus.size())
        add_undetermined(quantity, fmt::format("there are {} plateaus", plateaus.size()));
      else if (are_ends)
        add_end(quantity, plateaus[i], i + 1 == plateaus.size());
      else
        add_spread(quantity, plateaus[i].value, plateaus[i].low, plateaus[i].high,
                   fmt::format("level up to {:.15g}", plateaus[i].last_x));
    }
  }

  // Where a plateau ends, the first place after it is already too much.
  void add_end(const std::string& quantity, const Plateau& plateau, bool is_last) {
    const auto next = std::upper_bound(curve.x.begin(), curve.x.end(), plateau.last_x);
    if (is_last && next == curve.x.end())
      return add_undetermined(quantity, fmt::format("{:.4g} up to the end", plateau.value));
    for (auto i = next - curve.x.begin(); i < std::ssize(curve.x); ++i) {
      const double value = curve.y[static_cast<std::size_t>(i)];
      if (std::abs(value - plateau.value) <= rule.tolerance / 100 * std::abs(plateau.value))
        return add_undetermined(quantity, fmt::format("{:.4g} up to {:.15g}, but again at {:.15g}", plateau.value,
                                                      plateau.last_x, curve.x[static_cast<std::size_t>(i)]));
    }
    const double first_out = next == curve.x.end() ? plateau.last_x : *next;
    add(quantity, first_out, plateau.last_x - rule.least, first_out + rule.least,
        fmt::format("{:.4g} up to {:.15g}", plateau.value, plateau.last_x));
  }

  void find_clusters() {
    const auto all = values();
    const auto clusters = clusters_of(all, rule.levels.size());
    for (std::size_t i = 0; i < rule.levels.size(); ++i) {
      if (rule.levels[i].empty()) continue;
      const auto quantity = filled(group.quantity, "level", rule.levels[i]);
      if (clusters.empty())
        add_undetermined(quantity, "the values do not fall apart");
      else if (i > 0 && clusters[i].median - clusters[i - 1].median <= slack(clusters[i].median) / 2)
        add_undetermined(quantity, fmt::format("{:.4g} is not apart from the values below it, {:.4g}",
                                               clusters[i].median, clusters[i - 1].median));
      else
        add_spread(quantity, clusters[i].median, clusters[i].low, clusters[i].high,
                   fmt::format("the median of {} of {} values that lie together", clusters[i].size, all.size()));
    }
  }

  // The remaining places, used by the rule, of the axis that has `like` and `unlike`.
  std::vector<std::string> places_to_compare() const {
    std::vector<std::string> names;
    if (series.axes.empty()) return names;
    const auto& axis = series.axes[axis_to_compare(rule, series, group)];
    for (std::size_t place = 0; place < axis.values.size(); ++place) {
      const auto name = name_of(axis, place);
      if (is_wanted(rule, axis, place) && name != rule.like && name != rule.unlike) names.push_back(name);
    }
    return names;
  }

  // The median of the values there.
  std::optional<double> at_place(std::size_t axis, const std::string& name) const {
    std::vector<double> values;
    for (const auto& point : group.points) {
      if (name_of(series.axes[axis], point.places[axis]) == name) values.push_back(point.value);
    }
    if (values.empty()) return std::nullopt;
    return median_of(std::move(values));
  }

  void compare() {
    const auto axis = axis_to_compare(rule, series, group);
    const auto like = at_place(axis, rule.like), unlike = at_place(axis, rule.unlike);
    for (const auto& name : places_to_compare()) {
      const auto quantity = filled(group.quantity, "place", name);
      const auto value = at_place(axis, name);
      if (!value || !like || !unlike) {
        const auto& missing = !value ? name : !like ? rule.like : rule.unlike;
        add_undetermined(quantity, fmt::format("the series has no value at {}", missing));
        continue;
      }
      if (std::abs(*like - *unlike) <= slack(*like) / 2) {
        add_undetermined(quantity, fmt::format("{} and {} do not differ", rule.like, rule.unlike));
        continue;
      }
      const double share = (*value - *unlike) / (*like - *unlike);
      const auto model =
          fmt::format("{:.4g} beside {:.4g} at {} and {:.4g} at {}", *value, *like, rule.like, *unlike, rule.unlike);
      if (share > 0.4 && share < 0.6)
        add_undetermined(quantity, "between the two: " + model);
      else
        add(quantity, share > 0.5, share > 0.5, share > 0.5, model);
    }
  }

  void find_difference() {
    const auto [least, most] = std::minmax_element(curve.y.begin(), curve.y.end());
    if (curve.y.size() < 2) return add_undetermined(group.quantity, "there is one value only");
    const double differs = *most - *least > slack(*least);
    add(group.quantity, differs, differs, differs, fmt::format("{:.4g} and {:.4g}", *least, *most));
  }

  void find_sharing() {
    if (rule.levels.size() < 3) return add_undetermined(group.quantity, "`levels` needs three names");
    std::size_t alike = 0;
    for (const double value : curve.y) alike += std::abs(value - curve.y.front()) <= slack(curve.y.front());
    Fact fact = inferred(group.quantity, rule.levels[std::min<std::size_t>(alike, 3) - 1], "",
                         how(fmt::format("{} of {} are as fast as the first, {:.4g} beside {:.4g} in the middle",
                                         alike - 1, curve.y.size() - 1, curve.y.front(), median_of(curve.y))),
                         "");
    fact.verdict = FactVerdict::measured;
    push(std::move(fact));
  }

  // All are the same: sets of different sizes would not begin to miss at one rate.
  void list_sets() {
    const auto ways = find_growth(curve, slack_of_first());
    const auto entries = find_knee(curve, slack_of_first());
    if (!ways.value || !entries.value) return add_undetermined(group.quantity, ways.value ? entries.more : ways.more);
    const auto count = static_cast<std::size_t>(*entries.value / *ways.value);
    const std::vector<std::string> sizes(count, fmt::format("{:.15g}", *ways.value));
    Fact fact = inferred(group.quantity, fmt::format("{}", fmt::join(sizes, " ")), "",
                         how(fmt::format("{} sets; {}", count, ways.more)), "");
    fact.verdict = ways.verdict;
    push(std::move(fact));
  }

  void find_scheduler() {
    const auto runs = runs_of(series, group);
    const auto found = find_scheduling(runs);
    if (found.name.empty()) return add_undetermined(group.quantity, found.why);
    push(inferred(
        group.quantity, found.name, "",
        how(fmt::format("chosen by {} runs, and predicted {} others", runs.size() - found.predicted, found.predicted)),
        ""));
  }

  void find_lowest() {
    const auto axis = group.along;
    const auto least = std::min_element(curve.y.begin(), curve.y.end());
    const auto& places = group.points[static_cast<std::size_t>(least - curve.y.begin())].places;
    for (const double value : curve.y) {
      if (value != *least && value - *least < slack(*least))
        return add_undetermined(group.quantity, fmt::format("{:.4g} and {:.4g} are not apart", *least, value));
    }
    Fact fact =
        inferred(group.quantity, name_of(series.axes[axis], places[axis]), "",
                 how(fmt::format("{:.4g} for it, at least {:.4g} less than for any other", *least, slack(*least))), "");
    fact.verdict = FactVerdict::measured;
    push(std::move(fact));
  }

 private:
  const FactModel& model_;
  std::vector<Fact> facts_;
};

namespace {

constexpr auto models = std::to_array<FactModel>({
    // The median of the values.
    {"median", Needs::nothing, [](Reading& reading) { reading.find_median(); }, true},
    // The minimum of the values.
    {"minimum", Needs::nothing, [](Reading& reading) { reading.find_least(); }, true},
    // The maximum of the values.
    {"maximum", Needs::nothing, [](Reading& reading) { reading.find_greatest(); }, true},
    // Of a straight line through them, fitted to every second point and tested on the others.
    {"slope", Needs::nothing, [](Reading& reading) { reading.fit_line(false); }},
    // Of that line.
    {"intercept", Needs::nothing, [](Reading& reading) { reading.fit_line(true); }},
    // Values that stay the same over several points, in the order of `levels`.
    {"plateaus", Needs::levels, [](Reading& reading) { reading.find_plateaus(false); }},
    // Groups of similar values, as many as `levels` has, ascending; a level with an empty name is left out.
    {"clusters", Needs::levels, [](Reading& reading) { reading.find_clusters(); }},
    // 1 if the value is nearer to that at `like`, 0 if it is nearer to that at `unlike`.
    {"nearer", Needs::places, [](Reading& reading) { reading.compare(); }},
    // The last place with a value.
    {"last", Needs::nothing,
     [](Reading& reading) {
       reading.add(reading.group.quantity, reading.curve.x.back(), reading.curve.x.back(), reading.curve.x.back(),
                   "the last that ran");
     }},
    // The last place before the values leave the first value.
    {"knee", Needs::nothing, [](Reading& reading) { reading.add(find_knee(reading.curve, reading.slack_of_first())); }},
    // The knee over the steps from it until the values stay: sets of a cyclic visit miss one after the other.
    {"ways", Needs::nothing, [](Reading& reading) { reading.add(find_ways(reading.curve, reading.slack_of_first())); }},
    // Ways: after the knee, misses of a cyclic visit grow by one more than these for each place, up to all.
    {"growth", Needs::nothing,
     [](Reading& reading) { reading.add(find_growth(reading.curve, reading.slack_of_first())); }},
    // The last values minus the first.
    {"rise", Needs::nothing,
     [](Reading& reading) { reading.add_risen(find_rise(reading.curve, reading.slack_of_first())); }},
    // The same as a list: the ways of each set.
    {"sets", Needs::nothing, [](Reading& reading) { reading.list_sets(); }},
    // The name of the place with the lowest value.
    {"lowest", Needs::nothing, [](Reading& reading) { reading.find_lowest(); }},
    // How many places have neither the first value nor at least 85 % of the last: a level in between.
    {"between", Needs::nothing,
     [](Reading& reading) { reading.add(count_between(reading.curve, reading.slack_of_first())); }},
    // The first place whose value is not the first one's, if the values leave it at each multiple and nowhere else.
    {"period", Needs::nothing,
     [](Reading& reading) { reading.add(find_period(reading.curve, reading.slack_of_first())); }},
    // How many are in flight at once: the last place before one more adds a quarter of the first value.
    {"overlap", Needs::nothing, [](Reading& reading) { reading.add(find_overlap(reading.curve)); }},
    // 1 if the values are not all the same, 0 if they are.
    {"differs", Needs::nothing, [](Reading& reading) { reading.find_difference(); }},
    // How many values equal the first: only itself, one more, or more, as named by `levels`.
    {"sharing", Needs::nothing, [](Reading& reading) { reading.find_sharing(); }},
    // 1 / the slope of the least steep curve along the last axis, over all combinations of the other axes.
    {"best_rate", Needs::nothing,
     [](Reading& reading) { reading.add(find_best_rate(reading.rule, reading.series, reading.group)); }},
    // 1 if that is clearly above one.
    {"exceeds_one", Needs::nothing,
     [](Reading& reading) { reading.add(find_exceeds_one(reading.rule, reading.series, reading.group)); }},
    // The last place before a warp waits, which costs a different slope.
    {"queue", Needs::nothing, [](Reading& reading) { reading.add(find_queue(reading.curve, reading.rule.least)); }},
    // 1 if the second instruction (`like`) ends first, while the first (`unlike`) is in flight.
    {"overtakes", Needs::places,
     [](Reading& reading) { reading.add(find_overtaking(reading.rule, reading.series, reading.group)); }},
    // The values at `like` minus those at `unlike`, at the same places of the other axes.
    {"difference", Needs::places,
     [](Reading& reading) { reading.add(find_difference_between(reading.rule, reading.series, reading.group)); }},
    // Where the line through the values at `like` meets that through those at `unlike`, along the last axis.
    {"crossing", Needs::places,
     [](Reading& reading) { reading.add(find_crossing(reading.rule, reading.series, reading.group)); }},
    // How far apart those lines begin.
    {"offset", Needs::places,
     [](Reading& reading) { reading.add(find_offset(reading.rule, reading.series, reading.group)); }},
    // How many places of the last axis come before one at which `like` is later than `unlike`, by more than at the
    // first.
    {"gap", Needs::places,
     [](Reading& reading) { reading.add(find_gap(reading.rule, reading.series, reading.group)); }},
    // The rule by which a scheduler chooses among ready warps (series/issue_rules.h).
    {"scheduling", Needs::nothing, [](Reading& reading) { reading.find_scheduler(); }},
    // The largest number that divides all values.
    {"common_divisor", Needs::nothing, [](Reading& reading) { reading.add(find_common_divisor(reading.curve)); }},
    // Which SMs share a clock: how many groups, their sizes, and the skew in one, in the order of `levels`.
    {"domains", Needs::levels,
     [](Reading& reading) { reading.add_levels(find_domains(reading.series, reading.group, reading.rule.least)); }},
    // How an SM shares out its registers: CTAs, warps, registers of a part, parts, and the multiple to which registers
    // are rounded up, in the order of `levels`.
    {"allotment", Needs::levels,
     [](Reading& reading) { reading.add_levels(find_allotment(reading.series, reading.group)); }},
    // The same from the largest CTAs that can be launched: registers of a part, parts, and the multiple.
    {"capacity", Needs::levels,
     [](Reading& reading) { reading.add_levels(find_capacity(reading.series, reading.group)); }},
    // The median difference between neighbours.
    {"steps", Needs::nothing,
     [](Reading& reading) { reading.add(find_steps(reading.rule, reading.series, reading.group)); }},
    // The order in which the clauses of a chain begin.
    {"path_order", Needs::nothing,
     [](Reading& reading) { reading.add(find_path_order(reading.series, reading.group)); }},
    // Whether lanes go on (`like`) together, after all have ended (`unlike`).
    {"meeting", Needs::places,
     [](Reading& reading) { reading.add(find_meeting(reading.rule, reading.series, reading.group)); }},
    // Which places have the same value, as a text.
    {"together", Needs::nothing,
     [](Reading& reading) { reading.add(find_together(reading.rule, reading.series, reading.group)); }},
    // Whether a kernel passes or hangs, from its first word.
    {"outcome", Needs::nothing, [](Reading& reading) { reading.add(find_outcome(reading.curve)); }},
    // The values.
    {"list", Needs::nothing, [](Reading& reading) { reading.add(find_list(reading.curve)); }},
    // The last place of each plateau, in the order of `levels`.
    {"plateau_ends", Needs::levels, [](Reading& reading) { reading.find_plateaus(true); }},
    // The distance at which values stand out of the others.
    {"spacing", Needs::nothing, [](Reading& reading) { reading.add(find_spacing(reading.curve, reading.rule.least)); }},
    // How many places are slower than the first, as named by `levels`.
    {"disturbed", Needs::nothing,
     [](Reading& reading) { reading.add(find_disturbed(reading.rule, reading.curve, reading.slack_of_first())); }},
    // Ways of a cache: how many places can be visited in turn before a visit costs more than `least`.
    {"stride_ways", Needs::nothing,
     [](Reading& reading) { reading.add(find_stride_ways(reading.rule, reading.series, reading.group)); }},
    // Nothing: `how` says why the quantity cannot be determined.
    {"unknown", Needs::nothing,
     [](Reading& reading) { reading.push(inferred(reading.group.quantity, "", "", "", reading.rule.how)); }},
    // The value of an expression, without a series.
    {"given", Needs::value, nullptr},
});

}  // namespace

std::span<const FactModel> fact_models() { return models; }

const FactModel* find_model(std::string_view name) {
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const FactModel& model) { return model.name == name; });
  return found == models.end() ? nullptr : &*found;
}

namespace {

std::vector<Fact> facts_of_round(const FactRule& rule, const Series& series) {
  std::vector<Fact> facts;
  for (const auto& group : groups_of(rule, series)) {
    auto of_group = Reading(rule, series, group).facts();
    facts.insert(facts.end(), of_group.begin(), of_group.end());
  }
  return facts;
}

}  // namespace

std::vector<Fact> facts_of(const FactRule& rule, const Series& series) {
  std::vector<std::vector<Fact>> of_rounds;
  for (const auto& round : rounds_of(series)) of_rounds.push_back(facts_of_round(rule, round));
  std::vector<Fact> facts;
  // A model's facts depend on the rule and the axes alone, so each round has the same ones.
  for (std::size_t i = 0; i < of_rounds.front().size(); ++i) {
    std::vector<Fact> same;
    for (const auto& round : of_rounds) same.push_back(round.at(i));
    facts.push_back(agreed(same));
  }
  return facts;
}

}  // namespace ptxlat::series
