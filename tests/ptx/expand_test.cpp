// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "base/error.h"
#include "catch.h"
#include "isa/catalogue.h"
#include "latency/experiment.h"
#include "shipped_catalogue.h"

using namespace ptxlat;
using namespace ptxlat::ptx;
using namespace ptxlat::latency;

namespace {

// Calls `visit` with every experiment that the shipped catalogue can make.
template <typename Visit>
void for_each_experiment(const Visit& visit) {
  std::size_t others = 0;
  for (const auto& form : shipped().catalogue.forms) {
    // Of the forms that only differ from a core form in a modifier, some: all of them take minutes.
    constexpr std::size_t one_in = 50;
    const bool is_core = form.core == form.ptx;
    if (!form.not_measurable.empty() || (!is_core && ++others % one_in != 0)) continue;
    for (const auto& variant : isa::variants_of(form)) {
      for (const auto* consumer : consumers_for(shipped().catalogue, variant)) {
        visit(variant, consumer, expand(shipped(), variant, consumer));
      }
    }
  }
}

// Whether one instruction can wait for the previous one: some objects change with their first use.
bool can_chain(const isa::Variant& variant) {
  const auto& operands = variant.form->operands;
  const auto source = std::find_if(operands.begin(), operands.end(), [&](const isa::Operand& operand) {
    return operand.name == variant.operand && (!operand.is_result || operand.is_inout);
  });
  if (source == operands.end()) return false;
  const isa::Object* object = isa::object_of(shipped().catalogue, *variant.input, *source);
  return object == nullptr || object->is_address;
}

// A word in braces, besides the kernel's name.
std::string hole_in(const std::string& text) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  const auto may_begin = std::string(letters) + '#', may_follow = std::string(letters) + "0123456789.:()";
  for (auto open = text.find('{'); open != std::string::npos; open = text.find('{', open + 1)) {
    const auto close = text.find_first_not_of(may_follow, open + 2);
    if (close == std::string::npos || text[close] != '}' || may_begin.find(text[open + 1]) == std::string::npos)
      continue;
    if (const auto hole = text.substr(open, close - open + 1); hole != "{name}") return hole;
  }
  return {};
}

// The first thing that is wrong with a kernel's text, or nothing.
std::string mistake_in(const ptx::Trial& trial) {
  const auto& text = trial.kernel.text;
  const auto name = text.find("{{name}}");
  if (name == std::string::npos) return "no place for the name";
  if (text.find("{{", name + 2) != std::string::npos) return "a hole of the skeleton is left";
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > 126; }))
    return "not ASCII";
  if (const auto hole = hole_in(text); !hole.empty()) return "the hole is left: " + hole;
  for (const std::string clock : {"%clock_1, %clock;", "%clock_2, %clock;"}) {
    const auto read = text.find(clock);
    if (read == std::string::npos || text.find(clock, read + 1) != std::string::npos)
      return "not one read into " + clock;
  }
  std::size_t loads = 0;
  const auto first_clock = text.find("mov.u32 %clock_1, %clock;");
  for (auto at = text.find(" ld."); at < first_clock; at = text.find(" ld.", at + 1)) {
    if (text.substr(at + 1, text.find(' ', at + 1) - at).find(".global") != std::string::npos) ++loads;
  }
  if (loads != trial.kernel.operand_loads.size()) return "other loads before the first clock than it says";
  constexpr std::string_view slot = "[%in+";
  for (auto at = text.find(slot); at != std::string::npos; at = text.find(slot, at + 1)) {
    if (std::stoul(text.substr(at + slot.size(), 10)) >= 8 * ptx::operands_per_slot)
      return "an operand behind the lane's slot: " + text.substr(at, 20);
  }
  const auto& launch = trial.launch;
  if (launch.input.size() != static_cast<std::size_t>(launch.threads * launch.ctas * ptx::operands_per_slot))
    return "values for other threads";
  return {};
}

// The first of an experiment's kernels that should be there and is not, or the reverse, or nothing.
std::string missing_in(const isa::Variant& variant, const Experiment& experiment) {
  const auto has = [&](Role role) { return !experiment.trials[role].kernel.text.empty(); };
  const auto observation = observation_of(variant);
  const bool is_consumed = observation == Observation::consumed;
  if (has(Role::overhead) != is_consumed || has(Role::bracket) != is_consumed) return "overhead or bracket";
  const bool ends = observation != Observation::none;
  if (has(Role::differential) != ends || has(Role::differential_base) != ends) return "differential or its base";
  if (has(Role::completion) != !variant.input->completion.empty()) return "completion";
  const bool has_own_input = experiment.consumer != nullptr && !experiment.consumer->input.empty();
  const bool is_chained = can_chain(variant) && !has_own_input;
  if (has(Role::chain) != is_chained || has(Role::chain_twice) != is_chained) return "chain";
  const bool is_streamed = variant.form->not_streamable.empty();
  if (has(Role::stream) != is_streamed || has(Role::stream_twice) != is_streamed) return "stream";
  const auto are_equal = [&](Role a, Role b) { return experiment.trials[a].kernel == experiment.trials[b].kernel; };
  if (ends && are_equal(Role::differential, Role::differential_base)) return "the instruction is not in its window";
  if (is_streamed && are_equal(Role::stream, Role::stream_twice)) return "twice the copies are as many";
  return {};
}

}  // namespace

// Both together, because expanding all of them takes half a minute.
TEST_CASE(
    "every experiment of the shipped catalogue has what its witnesses need, and is complete PTX: no hole left, ASCII, "
    "two clocks, 8 slots a lane") {
  std::size_t experiments = 0;
  for_each_experiment([&](const isa::Variant& variant, const isa::Consumer* consumer, const Experiment& experiment) {
    ++experiments;
    INFO(variant.form->ptx << ", operand " << variant.operand << ", "
                           << (consumer == nullptr ? "no consumer" : consumer->name));
    if (const auto missing = missing_in(variant, experiment); !missing.empty()) FAIL(missing);
    for (const Role role : all_roles) {
      const ptx::Trial& trial = experiment.trials[role];
      if (trial.kernel.text.empty()) continue;
      if (const auto mistake = mistake_in(trial); !mistake.empty()) FAIL(to_string(role) << ": " << mistake);
    }
  });
  CHECK(experiments > 1000);
}

TEST_CASE("every variant of a result has a consumer that takes it") {
  for (const auto& form : shipped().catalogue.forms) {
    if (!form.not_measurable.empty()) continue;
    for (const auto& variant : isa::variants_of(form)) {
      const auto consumers = consumers_for(shipped().catalogue, variant);
      if (consumers.empty()) FAIL(form.ptx << " has none");
      const bool is_consumed = observation_of(variant) == Observation::consumed;
      if ((consumers.front() != nullptr) != is_consumed) FAIL(form.ptx);
    }
  }
}

TEST_CASE("expanding twice gives the same trials") {
  for (const auto& form : shipped().catalogue.forms) {
    if (!form.not_measurable.empty() || form.core != form.ptx) continue;
    const auto variant = isa::variants_of(form).front();
    const auto* consumer = consumers_for(shipped().catalogue, variant).front();
    const auto once = expand(shipped(), variant, consumer);
    const auto twice = expand(shipped(), variant, consumer);
    if (once.trials.values != twice.trials.values) FAIL(form.ptx);
  }
}

TEST_CASE(
    "a different consumer changes the differential and its base as if they were expanded with it, and nothing else") {
  for (const auto& form : shipped().catalogue.forms) {
    if (!form.not_measurable.empty() || form.core != form.ptx) continue;
    const auto variant = isa::variants_of(form).front();
    const auto consumers = consumers_for(shipped().catalogue, variant);
    if (consumers.size() < 2) continue;
    const auto first = expand(shipped(), variant, consumers.front());
    const auto whole = expand(shipped(), variant, consumers.back());
    auto changed = first;
    change_consumer(shipped(), variant, consumers.back(), changed);
    INFO(form.ptx);
    CHECK(changed.consumer == consumers.back());
    for (const Role role : all_roles) {
      const bool has_consumer = role == Role::differential || role == Role::differential_base;
      if (changed.trials[role] != (has_consumer ? whole : first).trials[role]) FAIL(to_string(role));
    }
  }
}

TEST_CASE("lanes do not agree in an operand that the compiler shall not take for uniform") {
  const auto& form = *std::find_if(shipped().catalogue.forms.begin(), shipped().catalogue.forms.end(),
                                   [](const isa::Form& f) { return f.ptx == "add.u32"; });
  const auto variant = isa::variants_of(form).front();
  const auto experiment = expand(shipped(), variant, consumers_for(shipped().catalogue, variant).front());
  for (std::size_t operand = 0; operand < 2; ++operand) {
    std::set<std::uint64_t> values;
    for (std::size_t lane = 0; lane < 32; ++lane)
      values.insert(experiment.trials[Role::differential].launch.input[lane * ptx::operands_per_slot + operand]);
    CHECK(values.size() == 32);
  }
}

TEST_CASE("a hole without a filling names the skeleton and the hole") {
  try {
    fill({"my.ptx", "a {{missing}} b"}, {});
    FAIL("filled");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::catalogue);
    CHECK(std::string(error.what()) == "my.ptx: nothing fills the hole {{missing}}");
  }
  CHECK_THROWS_AS(fill({"my.ptx", "a {{open"}, {}), Error);
  CHECK(fill({"my.ptx", "a {{x}} b"}, {{"x", "1"}, {"unused", "2"}}) == "a 1 b");
}

TEST_CASE("a missing skeleton is an error of the catalogue") {
  try {
    load_skeletons("/nonexistent");
    FAIL("loaded");
  } catch (const Error& error) {
    CHECK(error.exit_code == ExitCode::catalogue);
    CHECK(std::string(error.what()).find("frame.ptx") != std::string::npos);
  }
}
