// SPDX-License-Identifier: Apache-2.0
#include "memory/l2_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/quantile.h"
#include "memory/slice_clusters.h"
#include "series/series_groups.h"

namespace ptxlat::memory {

namespace {

constexpr int most_sms = 144;  // all of a GPU's: two slices may differ from only a few of them
constexpr std::uint64_t repeats_of_line = 6;

std::string operator_of(const L2Talk& talk) { return talk.has("atom") ? "atom" : talk.info().usual_operator(); }

Fingerprints fingerprints_of(L2Talk& talk, const Lines& lines, const std::vector<int>& sms, std::uint64_t times) {
  Fingerprints prints;
  prints.of_line.resize(lines.size());
  std::vector<Addresses> list;
  for (const auto line : lines) list.push_back({line, 0, times + 1});  // the first may miss
  for (const int sm : sms) {
    const auto cycles = talk.access(list, operator_of(talk), sm);
    std::vector<double> variances;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const auto first = cycles.begin() + static_cast<std::ptrdiff_t>(i * (times + 1) + 1);
      const Repeats one = summary_of({first, first + static_cast<std::ptrdiff_t>(times)});
      prints.of_line[i].push_back(static_cast<float>(one.mean));
      variances.push_back(one.variance);
    }
    prints.noise.push_back(noise_of(std::move(variances)));
  }
  return prints;
}

// The slices of lines, determined from some of the SMs.
class Finder {
 public:
  Finder(L2Talk& talk, const SliceClusters& slices, const std::vector<int>& sms) : talk_(talk), slices_(slices) {
    const std::size_t count = std::min<std::size_t>(36, sms.size());
    for (std::size_t one = 0; one < count; ++one) {
      const std::size_t i = one * sms.size() / count;
      at_.push_back(i);
      sms_.push_back(sms[i]);
    }
  }
  std::vector<int> slices_of(const Lines& lines, std::uint64_t times) const {
    return slices_of(fingerprints_of(talk_, lines, sms_, times));
  }
  // Lines of a missed slice are close to each other, disturbed ones are not: the largest group among the lines in no
  // slice.
  struct Further {
    std::vector<int> slices;
    std::size_t lost = 0, together = 0;
  };
  Further further(std::size_t count, std::uint64_t times) const {
    const auto prints = fingerprints_of(talk_, talk_.random_lines(count), sms_, times);
    Further found{slices_of(prints), 0, 0};
    SliceClusters others;
    for (const auto at : at_) others.noise.push_back(slices_.noise[at]);
    others.limit = 2 * slices_.limit;
    std::vector<std::vector<float>> lost;
    for (std::size_t i = 0; i < count; ++i)
      if (found.slices[i] < 0) lost.push_back(prints.of_line[i]);
    found.lost = lost.size();
    std::vector<std::size_t> all(at_.size());
    std::iota(all.begin(), all.end(), 0U);
    for (const auto& one : lost) {
      others.centres = {one};
      const auto near =
          std::count_if(lost.begin(), lost.end(), [&](const auto& other) { return slice_of(others, other, all) == 0; });
      found.together = std::max(found.together, static_cast<std::size_t>(near));
    }
    return found;
  }

 private:
  std::vector<int> slices_of(const Fingerprints& prints) const {
    std::vector<int> found;
    for (const auto& print : prints.of_line) found.push_back(slice_of(slices_, print, at_));
    return found;
  }

  L2Talk& talk_;
  const SliceClusters& slices_;
  std::vector<std::size_t> at_;
  std::vector<int> sms_;
};

results::Fact granule_fact(L2Talk& talk, const Finder& finder) {
  constexpr std::size_t tries = 40, held_out = 128;
  const int low = 4, top = std::min(22, static_cast<int>(std::bit_width(talk.info().bytes)) - 1);
  const auto slices_of = [&](const Lines& lines) { return finder.slices_of(lines, repeats_of_line); };
  // The share of pairs in one slice, among pairs whose slices are known.
  const auto share = [](const std::vector<int>& one, const std::vector<int>& two) {
    double same = 0, all = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (one[i] < 0 || two[i] < 0) continue;
      ++all;
      same += one[i] == two[i];
    }
    return all > 0 ? same / all : 0;
  };
  const Lines bases = talk.random_lines(tries);
  const auto slices = slices_of(bases);
  std::string shares;
  int granule_bit = -1;
  for (int bit = low; bit < top; ++bit) {
    Lines flipped = bases;
    for (auto& line : flipped)
      if ((line ^ (std::uint64_t{1} << bit)) < talk.info().bytes) line ^= std::uint64_t{1} << bit;
    const double same = share(slices, slices_of(flipped));
    shares += fmt::format("{}{}:{:.2f}", shares.empty() ? "" : " ", bit, same);
    if (same < 0.9) {
      granule_bit = bit;
      break;
    }
  }
  const std::string seen = "share of lines that stay in their slice when one bit is flipped: " + shares;
  results::Fact fact = series::inferred("l2.slice_granule", "", "bytes", "", seen);
  if (granule_bit <= low) return fact;
  const std::uint64_t granule = std::uint64_t{1} << granule_bit;
  const Lines one = talk.random_lines(held_out);
  Lines inside;
  for (const auto line : one) inside.push_back(line - line % granule + talk.random()() % granule);
  // In this order: a log answers only what was asked when it was made. As arguments of one call, their order would be
  // the compiler's choice.
  const auto of_inside = slices_of(inside), of_one = slices_of(one);
  const double same = share(of_one, of_inside);
  fact.how = fmt::format("{}; {:.2f} of {} fresh pairs in a block share a slice", seen, same, held_out);
  if (same < 0.95) return fact;
  fact.value = fmt::format("{}", granule);
  fact.low = fact.high = static_cast<double>(granule);
  fact.verdict = results::FactVerdict::inferred;
  return fact;
}

}  // namespace

std::vector<results::Fact> find_slices(L2Talk& talk) {
  constexpr std::size_t line_count = 2048, held_out = 1536, further = 4096;
  constexpr double block = 32 << 10;  // lines this far apart are in independent slices
  const auto undetermined = [](const std::string& reason) {
    std::vector<results::Fact> facts = {series::inferred("l2.slices", "", "count", "", reason),
                                        series::inferred("l2.slice_granule", "", "bytes", "", reason)};
    facts.front().scope = "card";
    return facts;
  };
  if (talk.info().sms < 4) return undetermined("too few SMs to tell slices by their distances");
  const auto sms = talk.spread_sms(most_sms);
  const auto prints = fingerprints_of(talk, talk.random_lines(line_count), sms, repeats_of_line);
  const auto fresh = fingerprints_of(talk, talk.random_lines(held_out), sms, repeats_of_line);
  SliceClusters slices = cluster_slices(prints, fresh);
  const std::size_t count = slices.centres.size();
  if (count < 2) return undetermined("all lines take as long as each other from every SM");

  const Finder finder(talk, slices, sms);
  const auto more = finder.further(further, repeats_of_line);
  for (const int slice : more.slices)
    if (slice >= 0) ++slices.sizes[static_cast<std::size_t>(slice)];
  const auto sizes = std::minmax_element(slices.sizes.begin(), slices.sizes.end());
  const Shares shares = shares_of(slices.sizes, static_cast<double>(talk.info().bytes) / block);
  std::vector<results::Fact> facts;
  auto& fact = facts.emplace_back(series::inferred(
      "l2.slices", "", "count", "",
      fmt::format("{} of {} lines from {} SMs, mean of {}, noise {:.2f} cycles: {} clusters, gaps of a ratio of {:.2f} "
                  "or more between them; of {} held-out lines {} are in none of them, of {} further ones {}, {} of "
                  "them together; {} to {} "
                  "lines in one; {} with as many as two would have, {} with as few as a half, {} that are not one by "
                  "their held-out lines",
                  operator_of(talk), line_count, sms.size(), repeats_of_line, median_of(slices.noise), count,
                  slices.least_gap, held_out, slices.strangers, further, more.lost, more.together, *sizes.first,
                  *sizes.second, shares.crowded, shares.sparse, slices.unresolved)));
  fact.scope = "card";
  fact.low = static_cast<double>(count - std::min(count, shares.sparse));
  fact.high = static_cast<double>(shares.slices + slices.unresolved);
  const bool is_complete = slices.alone * 50 <= line_count && slices.strangers * 50 <= held_out &&
                           more.lost * 10 <= further && more.together * 2 * count < further;
  // A few slices that no SM can tell apart are counted by their number of lines, which is not proof.
  constexpr std::size_t few = 10;  // of a hundred
  if (is_complete && shares.crowded * 100 <= few * count && shares.sparse == 0 && slices.unresolved == 0) {
    fact.value = fmt::format("{}", shares.slices);
    fact.verdict = shares.crowded == 0 ? results::FactVerdict::inferred : results::FactVerdict::measured;
  }
  auto granule = granule_fact(talk, finder);
  // If many slices are mistaken for one, lines that leave their slice may seem to stay.
  if (!is_complete || (shares.crowded + slices.unresolved) * 10 > count)
    granule = series::inferred(granule.quantity, "", granule.unit, "", "slices are not told apart; " + granule.how);
  facts.push_back(granule);
  return facts;
}

}  // namespace ptxlat::memory
