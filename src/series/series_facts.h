// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/named_values.h"
#include "results/record.h"

namespace ptxlat::series {

// How a fact is read off a series (docs/probes.md, "Facts of a series").
//   median, minimum, maximum   of the values
//   slope      of a straight line through them, fitted to every second point and tested on the others
//   intercept  of that line
//   plateaus   values that stay the same over several points, in the order of `levels`
//   clusters   groups of similar values, as many as `levels` has, ascending; a level with an empty name is left out
//   nearer     1 if the value is nearer to that at `like`, 0 if it is nearer to that at `unlike`
//   last       the last place with a value
//   knee       the last place before the values leave the first value
//   ways       the knee over the steps from it until the values stay: sets of a cyclic visit miss one after the other
//   period     the first place whose value is not the first one's, if the values leave it at each multiple and nowhere
//              else
//   growth     ways: after the knee, misses of a cyclic visit grow by one more than these for each place, up to all
//   sets       the same as a list: the ways of each set
//   rise       the last values minus the first
//   lowest     the name of the place with the lowest value
//   between    how many places have neither the first value nor at least 85 % of the last: a level in between
//   overlap    how many are in flight at once: the last place before one more adds a quarter of the first value
//   differs    1 if the values are not all the same, 0 if they are
//   sharing    how many values equal the first: only itself, one more, or more, as named by `levels`
//   best_rate  1 / the slope of the least steep curve along the last axis, over all combinations of the other axes
//   exceeds_one  1 if that is clearly above one
//   queue      the last place before a warp waits, which costs a different slope
//   overtakes  1 if the second instruction (`like`) ends first, while the first (`unlike`) is in flight
//   difference the values at `like` minus those at `unlike`, at the same places of the other axes
//   crossing   where the line through the values at `like` meets that through those at `unlike`, along the last axis
//   offset     how far apart those lines begin
//   gap        how many places of the last axis come before one at which `like` is later than `unlike`, by more than
//              at the first
//   scheduling the rule by which a scheduler chooses among ready warps (series/scheduling.h)
//   common_divisor  the largest number that divides all values
//   domains    which SMs share a clock: how many groups, their sizes, and the skew in one, in the order of `levels`
//   allotment  how an SM shares out its registers: CTAs, warps, registers of a part, parts, and the multiple to which
//              registers are rounded up, in the order of `levels`
//   capacity   the same from the largest CTAs that can be launched: registers of a part, parts, and the multiple
//   steps      the median difference between neighbours
//   path_order the order in which the clauses of a chain begin
//   meeting    whether lanes go on (`like`) together, after all have ended (`unlike`)
//   together   which places have the same value, as a text
//   outcome    whether a kernel passes or hangs, from its first word
//   list       the values
//   plateau_ends  the last place of each plateau, in the order of `levels`
//   spacing    the distance at which values stand out of the others
//   disturbed  how many places are slower than the first, as named by `levels`
//   stride_ways  ways of a cache: how many places can be visited in turn before a visit costs more than `least`
//   unknown    nothing: `how` says why the quantity cannot be determined
//   given      the value of an expression, without a series
enum class FactModel {
  median,
  minimum,
  maximum,
  slope,
  intercept,
  plateaus,
  clusters,
  nearer,
  last,
  knee,
  ways,
  growth,
  sets,
  rise,
  lowest,
  between,
  period,
  overlap,
  differs,
  sharing,
  best_rate,
  exceeds_one,
  queue,
  overtakes,
  difference,
  crossing,
  offset,
  gap,
  scheduling,
  common_divisor,
  domains,
  allotment,
  capacity,
  steps,
  path_order,
  meeting,
  together,
  outcome,
  list,
  plateau_ends,
  spacing,
  disturbed,
  stride_ways,
  unknown,
  given
};

inline constexpr NamedValues<FactModel, 45> fact_model_names = {{{FactModel::median, "median"},
                                                                 {FactModel::minimum, "minimum"},
                                                                 {FactModel::maximum, "maximum"},
                                                                 {FactModel::slope, "slope"},
                                                                 {FactModel::intercept, "intercept"},
                                                                 {FactModel::plateaus, "plateaus"},
                                                                 {FactModel::clusters, "clusters"},
                                                                 {FactModel::nearer, "nearer"},
                                                                 {FactModel::last, "last"},
                                                                 {FactModel::knee, "knee"},
                                                                 {FactModel::ways, "ways"},
                                                                 {FactModel::growth, "growth"},
                                                                 {FactModel::rise, "rise"},
                                                                 {FactModel::sets, "sets"},
                                                                 {FactModel::lowest, "lowest"},
                                                                 {FactModel::between, "between"},
                                                                 {FactModel::period, "period"},
                                                                 {FactModel::overlap, "overlap"},
                                                                 {FactModel::differs, "differs"},
                                                                 {FactModel::sharing, "sharing"},
                                                                 {FactModel::best_rate, "best_rate"},
                                                                 {FactModel::exceeds_one, "exceeds_one"},
                                                                 {FactModel::queue, "queue"},
                                                                 {FactModel::overtakes, "overtakes"},
                                                                 {FactModel::difference, "difference"},
                                                                 {FactModel::crossing, "crossing"},
                                                                 {FactModel::offset, "offset"},
                                                                 {FactModel::gap, "gap"},
                                                                 {FactModel::scheduling, "scheduling"},
                                                                 {FactModel::common_divisor, "common_divisor"},
                                                                 {FactModel::domains, "domains"},
                                                                 {FactModel::allotment, "allotment"},
                                                                 {FactModel::capacity, "capacity"},
                                                                 {FactModel::steps, "steps"},
                                                                 {FactModel::path_order, "path_order"},
                                                                 {FactModel::meeting, "meeting"},
                                                                 {FactModel::together, "together"},
                                                                 {FactModel::outcome, "outcome"},
                                                                 {FactModel::list, "list"},
                                                                 {FactModel::plateau_ends, "plateau_ends"},
                                                                 {FactModel::spacing, "spacing"},
                                                                 {FactModel::disturbed, "disturbed"},
                                                                 {FactModel::stride_ways, "stride_ways"},
                                                                 {FactModel::unknown, "unknown"},
                                                                 {FactModel::given, "given"}}};

// A fact requested by a probe's file.
//   quantity   {{axis}} in it is the name of the axis' value, {{level}} that of a plateau or cluster
//   by         axes whose values become the condition; the facts are found for each of them
//   where      the values of an axis to use; all, if it is not named
//   tolerance  how far a repetition may differ from the value, in percent, and at least `least` in its unit; for a
//              model, also how far a point may differ from the prediction
//   how        a sentence for people; the model adds what it did
struct FactRule {
  std::string quantity;
  FactModel model = FactModel::median;
  std::string unit;  // empty: the series'
  std::string scope = "kind";
  std::vector<std::string> by, levels;
  std::map<std::string, std::vector<std::string>> where;
  std::string like, unlike;
  std::string value;  // of `given`: an expression, evaluated by code that knows its names
  double tolerance = 2, least = 1;
  std::string how;
};

// Whether a model gives a fact for each of the rule's levels.
bool has_levels(FactModel model);

// The facts of a rule, one for each combination of the axes in `by` and in the quantity's name. A series without values
// gives undetermined facts.
std::vector<results::Fact> facts_of(const FactRule& rule, const results::Series& series);

}  // namespace ptxlat::series
