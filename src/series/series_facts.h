// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/record.h"

namespace ptxlat::series {

class Reading;

// What a rule must name for a model: the levels that it gives facts for, the places `like` and `unlike`, or the
// expression `value`.
enum class Needs { nothing, levels, places, value };

// How a fact is read off a series (docs/probes.md, "Facts of a series"). A new model is a line of fact_models().
//   read          null for `given`, which needs no series
//   is_of_values  of the values alone: the series needs no axis
struct FactModel {
  std::string_view name;
  Needs needs = Needs::nothing;
  void (*read)(Reading&) = nullptr;
  bool is_of_values = false;
};
std::span<const FactModel> fact_models();
// Null if there is none of this name.
const FactModel* find_model(std::string_view name);

// A fact requested by a probe's file.
//   quantity   {{axis}} in it is the name of the axis' value, {{level}} that of a plateau or cluster
//   by         axes whose values become the condition; the facts are found for each of them
//   where      the values of an axis to use; all, if it is not named
//   tolerance  how far a repetition may differ from the value, in percent, and at least `least` in its unit; for a
//              model, also how far a point may differ from the prediction
//   how        a sentence for people; the model adds what it did
struct FactRule {
  std::string quantity;
  std::string model = "median";  // the name of a FactModel
  std::string unit;              // empty: the series'
  std::string scope = "kind";
  std::vector<std::string> by, levels;
  std::map<std::string, std::vector<std::string>> where;
  std::string like, unlike;
  std::string value;  // of `given`: an expression, evaluated by code that knows its names
  double tolerance = 2, least = 1;
  std::string how;
};

// The facts of a rule, one for each combination of the axes in `by` and in the quantity's name. A series without values
// gives undetermined facts. Of a series with several rounds, a fact is what all of them say (series/rounds.h).
std::vector<results::Fact> facts_of(const FactRule& rule, const results::Series& series);

}  // namespace ptxlat::series
