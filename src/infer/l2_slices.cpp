#include "infer/l2_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "infer/facts.h"

namespace ptxlat::infer {

namespace {

using Fingerprint = std::vector<float>;  // cycles from each of some SMs

constexpr int most_sms = 32;
constexpr std::size_t least_lines = 3;  // fewer are not taken for a slice

std::string operator_of(const L2Talk& talk) { return talk.has("atom") ? "atom" : talk.info().usual_operator(); }

std::vector<Fingerprint> fingerprints_of(L2Talk& talk, const Lines& lines, int times) {
  std::vector<Fingerprint> found(lines.size());
  for (const int sm : talk.spread_sms(most_sms)) {
    const auto cycles = talk.hot(lines, operator_of(talk), sm, times);
    for (std::size_t i = 0; i < lines.size(); ++i) found[i].push_back(static_cast<float>(cycles[i]));
  }
  return found;
}

// The mean difference. No SM counts more than `most`: an outlier in one of them does not make another slice.
float distance(const Fingerprint& x, const Fingerprint& y) {
  constexpr float most = 25;
  float sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += std::min(most, std::abs(x[i] - y[i]));
  return sum / static_cast<float>(x.size());
}

struct Clusters {
  std::vector<int> of_line;  // -1: with too few others
  int count = 0;
  std::size_t alone = 0;
};

// Lines that a chain of others, each closer than `limit` to the next, connects.
class Sample {
 public:
  explicit Sample(std::vector<Fingerprint> prints) : prints_(std::move(prints)) {
    for (std::uint32_t i = 0; i < prints_.size(); ++i)
      for (std::uint32_t j = i + 1; j < prints_.size(); ++j) pairs_.push_back({distance(prints_[i], prints_[j]), i, j});
    std::sort(pairs_.begin(), pairs_.end(), [](const auto& x, const auto& y) { return x.apart < y.apart; });
  }
  const std::vector<Fingerprint>& prints() const { return prints_; }

  Clusters clusters(float limit) const {
    std::vector<std::uint32_t> parent(prints_.size());
    std::iota(parent.begin(), parent.end(), 0U);
    const auto root = [&](std::uint32_t i) {
      while (parent[i] != i) i = parent[i] = parent[parent[i]];
      return i;
    };
    for (const Pair& pair : pairs_) {
      if (pair.apart > limit) break;
      parent[root(pair.i)] = root(pair.j);
    }
    std::map<std::uint32_t, std::size_t> sizes;
    for (std::uint32_t i = 0; i < parent.size(); ++i) ++sizes[root(i)];
    Clusters found;
    std::map<std::uint32_t, int> numbers;
    for (const auto& [of, size] : sizes) {
      numbers[of] = size < least_lines ? -1 : found.count++;
      if (size < least_lines) found.alone += size;
    }
    for (std::uint32_t i = 0; i < parent.size(); ++i) found.of_line.push_back(numbers[root(i)]);
    return found;
  }

 private:
  struct Pair {
    float apart;
    std::uint32_t i, j;
  };
  std::vector<Fingerprint> prints_;
  std::vector<Pair> pairs_;
};

// Where the number of clusters stays the same over the widest range of limits, in steps of a twelfth. Limits begin at
// the noise.
struct Stable {
  int count = 0;
  float limit = 0;        // its middle
  double width = 0;       // last limit over first
  int low = 0, high = 0;  // counts at the limits next to it that are not its own
};

Stable plateau_of(const Sample& sample, float noise) {
  constexpr int steps = 36;
  constexpr float ratio = 1.083F;
  constexpr double wide = 1.5;
  std::vector<std::pair<float, int>> counts;
  float limit = 0.7F * noise;
  for (int i = 0; i < steps; ++i, limit *= ratio) {
    const Clusters found = sample.clusters(limit);
    // Where many lines are left alone, the limit is below the noise.
    const bool is_good = found.alone * 50 <= sample.prints().size();
    counts.emplace_back(limit, is_good ? found.count : 0);
  }
  Stable best;
  for (std::size_t begin = 0; begin < counts.size();) {
    std::size_t end = begin;
    while (end < counts.size() && counts[end].second == counts[begin].second) ++end;
    const double width = counts[end - 1].first / counts[begin].first;
    // The first that is wide enough: at wider limits slices that are beside each other, and at last the halves of the
    // chip, stay together for long too. One cluster of all that there is says only that the limit is wide.
    if (counts[begin].second > 1 && width > best.width && best.width < wide) {
      best = {counts[begin].second, std::sqrt(counts[begin].first * counts[end - 1].first), width, 0, 0};
      best.high =
          begin > 0 && counts[begin - 1].second > 0 ? std::max(best.count, counts[begin - 1].second) : best.count;
      best.low = end < counts.size() ? std::min(best.count, counts[end].second) : best.count;
    }
    begin = end;
  }
  return best;
}

std::vector<Fingerprint> middles_of(const Sample& sample, const Clusters& clusters) {
  std::vector<Fingerprint> middles;
  const std::size_t sms = sample.prints().front().size();
  for (int cluster = 0; cluster < clusters.count; ++cluster) {
    Fingerprint& middle = middles.emplace_back();
    for (std::size_t sm = 0; sm < sms; ++sm) {
      std::vector<double> values;
      for (std::size_t i = 0; i < sample.prints().size(); ++i)
        if (clusters.of_line[i] == cluster) values.push_back(sample.prints()[i][sm]);
      middle.push_back(static_cast<float>(median_of(values)));
    }
  }
  return middles;
}

// Which of the middles a fingerprint is closest to; -1 if to none within the limit.
int closest(const std::vector<Fingerprint>& middles, const Fingerprint& print, float limit) {
  int best = -1;
  for (std::size_t i = 0; i < middles.size(); ++i) {
    const float apart = distance(middles[i], print);
    if (apart <= limit) {
      limit = apart;
      best = static_cast<int>(i);
    }
  }
  return best;
}

results::Fact granule_fact(L2Talk& talk, const std::vector<Fingerprint>& middles, float limit) {
  constexpr std::size_t tries = 40, held_out = 128;
  const int low = 4, top = std::min(22, static_cast<int>(std::bit_width(talk.info().bytes)) - 1);
  const auto slices_of = [&](const Lines& lines) {
    std::vector<int> found;
    for (const auto& print : fingerprints_of(talk, lines, 5)) found.push_back(closest(middles, print, 2 * limit));
    return found;
  };
  // Of pairs whose slices are known: the share in one slice.
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
  results::Fact fact = inferred("l2.slice_granule", "", "bytes", "", seen);
  if (granule_bit <= low) return fact;
  const std::uint64_t granule = std::uint64_t{1} << granule_bit;
  const Lines one = talk.random_lines(held_out);
  Lines inside;
  for (const auto line : one) inside.push_back(line - line % granule + talk.random()() % granule);
  const double same = share(slices_of(one), slices_of(inside));
  fact.how = fmt::format("{}; {:.2f} of {} fresh pairs in a block share a slice", seen, same, held_out);
  if (same < 0.95) return fact;
  fact.value = fmt::format("{}", granule);
  fact.low = fact.high = static_cast<double>(granule);
  fact.verdict = results::FactVerdict::inferred;
  return fact;
}

}  // namespace

std::vector<results::Fact> find_slices(L2Talk& talk) {
  constexpr std::size_t line_count = 1280;
  const std::string with = operator_of(talk);
  const auto undetermined = [](const std::string& reason) {
    std::vector<results::Fact> facts = {inferred("l2.slices", "", "count", "", reason),
                                        inferred("l2.slice_granule", "", "bytes", "", reason)};
    facts.front().scope = "card";
    return facts;
  };
  if (talk.info().sms < 4) return undetermined("too few SMs to tell slices by their distances");

  // Noise: how far apart one line's fingerprints are, measured twice.
  const Lines few = talk.random_lines(256);
  const auto once = fingerprints_of(talk, few, 5), again = fingerprints_of(talk, few, 5);
  std::vector<double> differences;
  for (std::size_t i = 0; i < few.size(); ++i) differences.push_back(distance(once[i], again[i]));
  const auto noise = static_cast<float>(std::max(0.3, quantile_of(differences, 0.98)));

  std::vector<Sample> samples;
  std::vector<Stable> plateaus;
  for (int i = 0; i < 2; ++i) {
    samples.emplace_back(fingerprints_of(talk, talk.random_lines(line_count), 5));
    plateaus.push_back(plateau_of(samples.back(), noise));
  }
  const std::string how = fmt::format(
      "two samples of {} lines, {} from {} SMs each, fingerprints clustered: {} and {} clusters, stable over limits of "
      "a "
      "ratio of {:.2f} and {:.2f} about {:.2f} cycles; noise {:.2f} cycles",
      line_count, with, std::min(most_sms, talk.info().sms), plateaus[0].count, plateaus[1].count, plateaus[0].width,
      plateaus[1].width, plateaus[0].limit, noise);
  if (plateaus[0].count == 0 || plateaus[1].count == 0) return undetermined(how);
  const Clusters first = samples[0].clusters(plateaus[0].limit), second = samples[1].clusters(plateaus[1].limit);
  const auto middles = middles_of(samples[0], first), others = middles_of(samples[1], second);
  std::vector<int> used;
  for (const auto& middle : others) used.push_back(closest(middles, middle, plateaus[0].limit));
  std::sort(used.begin(), used.end());
  const bool is_one_to_one = !used.empty() && used.front() >= 0 && std::unique(used.begin(), used.end()) == used.end();

  std::vector<results::Fact> facts;
  auto& slices = facts.emplace_back(inferred("l2.slices", "", "count", "", how));
  slices.scope = "card";
  slices.low = std::min(plateaus[0].low, plateaus[1].low);
  slices.high = std::max(plateaus[0].high, plateaus[1].high);
  if (first.count == second.count && is_one_to_one) {
    slices.value = fmt::format("{}", first.count);
    slices.verdict = results::FactVerdict::inferred;
    slices.how += "; each cluster of one sample is at the place of one of the other's";
  }
  facts.push_back(granule_fact(talk, middles, plateaus[0].limit));
  return facts;
}

}  // namespace ptxlat::infer
