// SPDX-License-Identifier: Apache-2.0
#include "counters/ncu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "base/file.h"
#include "base/process.h"
#include "counters/metrics.h"

namespace ptxlat::counters {

namespace {

constexpr std::chrono::seconds query_deadline{60};

// "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission …": what it says, or else the end of its output.
std::string reason_in(const std::string& output) {
  constexpr std::string_view mark = "==ERROR== ";
  const auto found = output.find(mark);
  const auto begin = found == std::string::npos ? 0 : found + mark.size();
  return output.substr(begin, output.find('\n', begin) - begin);
}

std::string run(const std::filesystem::path& ncu, const std::vector<std::string>& arguments,
                const std::filesystem::path& folder, std::chrono::milliseconds deadline) {
  const auto outcome = run_program(ncu, arguments, folder, deadline);
  if (!outcome.ok())
    throw Unavailable(fmt::format("{} {}: {}", ncu.string(), describe(outcome, deadline), reason_in(outcome.output)),
                      {});
  return outcome.output;
}

// Of "Version 2022.3.0.0 (build 31729285) (public-release)".
std::string version_in(const std::string& output) {
  constexpr std::string_view mark = "Version ";
  const auto found = output.find(mark);
  if (found == std::string::npos) return {};
  const auto begin = found + mark.size();
  return output.substr(begin, output.find_first_of(" \n", begin) - begin);
}

std::string metric(const std::string& counter) { return counter + ".sum"; }

// The fields of one line of RFC 4180; all of ncu's are in quotes.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

// "28,672" in some locales.
double number_of(std::string field) {
  std::erase(field, ',');
  char* end = nullptr;
  const double number = std::strtod(field.c_str(), &end);
  if (field.empty() || *end != '\0')
    throw Unavailable(fmt::format("ncu counted \"{}\", which is not a number", field), {});
  return number;
}

}  // namespace

Offer offer_of_ncu(const std::filesystem::path& program) {
  const TemporaryFolder folder;
  Offer offer{program.string(), "ncu-" + version_in(run(program, {"--version"}, folder.path(), query_deadline)), {}};
  std::vector<std::string> counters;
  std::istringstream lines(run(program, {"--query-metrics"}, folder.path(), query_deadline));
  for (std::string line; std::getline(lines, line);) counters.push_back(line.substr(0, line.find(' ')));
  offer.pipes = pipes_among(counters);
  if (offer.pipes.empty() || std::find(counters.begin(), counters.end(), executed_counter) == counters.end())
    throw Unavailable(fmt::format("{} knows no counters of instructions by pipe here", program.string()), {});
  return offer;
}

std::vector<Counts> count_with_ncu(const Offer& offer, const std::vector<std::string>& command,
                                   const std::filesystem::path& folder, std::chrono::milliseconds deadline) {
  std::vector<std::string> metrics{metric(executed_counter)};
  for (const auto& pipe : offer.pipes) metrics.push_back(metric(counter_of_pipe(pipe)));
  // It would lock the clocks, and empty the caches before each pass.
  std::vector<std::string> arguments{"--csv",
                                     "--page",
                                     "raw",
                                     "--print-units",
                                     "base",
                                     "--clock-control",
                                     "none",
                                     "--cache-control",
                                     "none",
                                     "--log-file",
                                     "counts.csv",
                                     "--metrics",
                                     fmt::format("{}", fmt::join(metrics, ","))};
  arguments.insert(arguments.end(), command.begin(), command.end());
  const auto outcome = run_program(offer.library, arguments, folder, deadline);
  std::error_code none;
  const auto log = folder / "counts.csv";
  const auto written = std::filesystem::exists(log, none) ? read_file(log) : outcome.output;
  auto counts = counts_in(written, offer.pipes);
  if (counts.empty() && outcome.ok()) throw Unavailable(fmt::format("ncu counted nothing: {}", reason_in(written)), {});
  return counts;
}

std::vector<Counts> counts_in(const std::string& output, const std::vector<std::string>& pipes) {
  std::istringstream lines(output);
  std::string line;
  while (std::getline(lines, line) && !line.starts_with("\"ID\"")) {
  }
  const auto names = fields_of(line);
  const auto column_of = [&](const std::string& counter) {
    const auto found = std::find(names.begin(), names.end(), metric(counter));
    if (found == names.end()) throw Unavailable(fmt::format("ncu did not count {}", counter), {});
    return static_cast<std::size_t>(found - names.begin());
  };
  std::vector<Counts> counts;
  if (!std::getline(lines, line)) return counts;  // the units
  const auto executed = column_of(executed_counter);
  std::vector<std::size_t> of_pipes;
  for (const auto& pipe : pipes) of_pipes.push_back(column_of(counter_of_pipe(pipe)));
  while (std::getline(lines, line)) {
    const auto fields = fields_of(line);
    if (fields.size() != names.size()) continue;  // a message at the end
    auto& one = counts.emplace_back(Counts{number_of(fields[executed]), {}});
    for (const auto column : of_pipes) one.on_pipes.push_back(number_of(fields[column]));
  }
  return counts;
}

}  // namespace ptxlat::counters
