// SPDX-License-Identifier: Apache-2.0
#include "counters/ncu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string_view>

#include "base/csv_row.h"
#include "base/file.h"
#include "base/process.h"
#include "counters/metrics.h"

namespace ptxlat::counters {

namespace {

constexpr std::chrono::seconds query_deadline{60};
constexpr char log_name[] = "counts.csv";
constexpr char no_permission[] = "ERR_NVGPUCTRPERM";

// "==ERROR== Failed to access the following metrics: …": what it says, or else its first line.
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
  std::istringstream options("--csv --page raw --print-units base --clock-control none --cache-control none");
  std::vector<std::string> arguments(std::istream_iterator<std::string>(options), {});
  arguments.insert(arguments.end(), {"--log-file", log_name, "--metrics", fmt::format("{}", fmt::join(metrics, ","))});
  arguments.insert(arguments.end(), command.begin(), command.end());
  const auto outcome = run_program(offer.library, arguments, folder, deadline);
  std::error_code none;
  const auto log = folder / log_name;
  const auto written = std::filesystem::exists(log, none) ? read_file(log) : outcome.output;
  if (written.find(no_permission) != std::string::npos) throw forbidden();
  auto counts = counts_in(written, offer.pipes);
  if (counts.empty() && outcome.ok()) throw Unavailable(fmt::format("ncu counted nothing: {}", reason_in(written)), {});
  return counts;
}

std::vector<Counts> counts_in(const std::string& output, const std::vector<std::string>& pipes) {
  std::istringstream in(output);
  std::vector<std::string> names, fields;
  int line = 0;
  std::string ignored;
  while (names.empty() || names.front() != "ID") {
    if (!read_csv_row(in, names, line, ignored)) return {};
  }
  const auto column_of = [&](const std::string& counter) {
    const auto found = std::find(names.begin(), names.end(), metric(counter));
    if (found == names.end()) throw Unavailable(fmt::format("ncu did not count {}", counter), {});
    return static_cast<std::size_t>(found - names.begin());
  };
  const auto executed = column_of(executed_counter);
  std::vector<std::size_t> of_pipes;
  for (const auto& pipe : pipes) of_pipes.push_back(column_of(counter_of_pipe(pipe)));
  std::vector<Counts> counts;
  read_csv_row(in, fields, line, ignored);  // the units
  while (read_csv_row(in, fields, line, ignored)) {
    if (fields.size() != names.size()) continue;  // a message at the end
    auto& one = counts.emplace_back(Counts{number_of(fields[executed]), {}});
    for (const auto column : of_pipes) one.on_pipes.push_back(number_of(fields[column]));
  }
  return counts;
}

}  // namespace ptxlat::counters
