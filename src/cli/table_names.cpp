// SPDX-License-Identifier: Apache-2.0
#include "cli/table_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/nearest_names.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/tables.h"
#include "cli/toolchains.h"
#include "run/nearest_card.h"
#include "run/provenance.h"
#include "tables/find_tables.h"

namespace ptxlat::cli {

namespace {

namespace fs = std::filesystem;

// A table by the folders that it is in: sm_90/nvidia-h200/driver-580.159.04.
struct Place {
  fs::path folder;
  std::string sm, gpu, toolchain;
  bool is_own = false;

  bool is_static() const { return gpu == "static"; }
  bool is_driver() const { return toolchain.starts_with("driver"); }
};

void add_places(const fs::path& root, bool is_own, std::vector<Place>& places) {
  std::error_code ignored;
  if (root.empty() || !fs::is_directory(root, ignored) || fs::is_empty(root, ignored)) return;
  std::vector<fs::path> unreadable, folders;
  try {
    folders = tables::find_tables(root.string(), unreadable);
  } catch (const Error&) {
    return;  // a folder without tables offers none
  }
  for (const auto& folder : folders) {
    const auto toolchain = folder.filename().string(), gpu = folder.parent_path().filename().string();
    places.push_back({folder, folder.parent_path().parent_path().filename().string(), gpu, toolchain, is_own});
  }
}

// Best first.
std::vector<Place> all_places() {
  std::vector<Place> places;
  add_places(default_tables, true, places);
  add_places(run::shipped_tables(), false, places);
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    const auto kind = [](const Place& place) { return std::tuple(place.is_static(), !place.is_driver()); };
    if (kind(a) != kind(b)) return kind(a) < kind(b);
    for (const auto part : {&Place::sm, &Place::gpu, &Place::toolchain}) {
      if (a.*part != b.*part) return tables::natural_less(b.*part, a.*part);
    }
    return a.is_own && !b.is_own;
  });
  return places;
}

// "driver" and "ptxas-12" begin driver-580.159.04 and ptxas-12.4.131, "ptxas-1" does not.
bool begins(const std::string& word, const std::string& whole) {
  if (!whole.starts_with(word)) return false;
  return whole.size() == word.size() || whole[word.size()] == '-' || whole[word.size()] == '.';
}

// "h200" is in nvidia-h200, "h20" is not.
bool has_words(const std::string& gpu, const std::string& word) {
  return ('-' + gpu + '-').find('-' + word + '-') != std::string::npos;
}

bool fits(const Place& place, const std::vector<std::string>& words) {
  return !words.empty() && std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return place.sm == word || has_words(place.gpu, word) || begins(word, place.toolchain);
  });
}

std::string place_name(const Place& place) {
  return fmt::format("{}@{}", place.is_static() ? place.sm : place.gpu, place.toolchain);
}

// What may have been meant: a GPU or an architecture, else a whole name.
std::string advice_for_table(const std::string& name, const std::vector<Place>& places) {
  std::set<std::string> names, words;
  for (const auto& place : places) {
    names.insert({place.sm, place_name(place)});
    if (!place.is_static()) words.insert(place.gpu);
    if (!place.is_static()) names.insert(place.gpu);
  }
  const auto nearest = nearest_names(lower_case(name), {names.begin(), names.end()});
  auto advice = nearest.empty() ? std::string() : fmt::format("Did you mean {}? ", fmt::join(nearest, ", "));
  advice += "Name a folder, a glob in quotes, or a table by its GPU, architecture or toolchain";
  if (words.empty()) return advice + ".";
  return advice + fmt::format(": {}, sm_90, nvidia-h200@ptxas-13.0.", fmt::join(words, ", "));
}

// "nvidia-h200@O3" without the level.
std::pair<std::string, std::optional<int>> split_level(const std::string& text) {
  const auto at = text.rfind('@');
  if (at == std::string::npos) return {text, std::nullopt};
  const auto level = text.substr(at + 1);
  if (level.size() < 2 || (level[0] != 'O' && level[0] != 'o') || !is_digit(level[1])) return {text, std::nullopt};
  if (level.size() != 2 || level[1] > '4')
    throw Error(ExitCode::unknown_name, "no such optimisation level: " + level, "write TABLE@O0 … TABLE@O4");
  return {text.substr(0, at), level[1] - '0'};
}

// Whether the text is meant as a path: it exists, or it looks like one.
bool is_path(const std::string& text) {
  std::error_code ignored;
  return text.find_first_of("/*?[~") != std::string::npos || fs::exists(text, ignored);
}

void say_table(const std::string& folder) { remark("table {}\n", folder); }

// The first of the driver's tables of this GPU, if a driver has one.
std::optional<Place> place_of_this_gpu(const std::vector<Place>& places) {
  std::string gpu;
  try {
    worker::Worker worker(worker_options(0));
    gpu = run::folder_name(worker.device_info().name);
  } catch (const Error&) {
    return std::nullopt;
  }
  const auto found = std::find_if(places.begin(), places.end(), [&](const Place& place) { return place.gpu == gpu; });
  return found == places.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::vector<NamedTable> tables_named(const std::string& name, Take of_a_name) {
  const auto [text, level] = split_level(name);
  std::vector<NamedTable> found;
  if (is_path(text)) {
    std::vector<fs::path> unreadable;
    for (const auto& folder : tables::find_tables(text, unreadable)) found.push_back({folder.string(), level});
    warn_of_unreadable(unreadable);
    return found;
  }
  const auto places = all_places();
  const auto words = words_in(lower_case(text), "@");
  for (const auto& place : places) {
    if (!fits(place, words)) continue;
    found.push_back({place.folder.string(), level});
    if (of_a_name == Take::best) return found;
  }
  if (found.empty())
    throw Error(ExitCode::unknown_name, fmt::format("there is no table called {}", text),
                advice_for_table(text, places));
  return found;
}

std::string table_named(const std::string& name) {
  if (is_path(name)) return name;
  const auto table = tables_named(name, Take::best).front();
  if (table.level)
    throw Error(ExitCode::usage, fmt::format("{} names a level of a table", name),
                fmt::format("write {}; the levels are an option, -O, of the commands that take some",
                            name.substr(0, name.rfind('@'))));
  say_table(table.folder);
  return table.folder;
}

std::string usual_table() {
  const auto places = all_places();
  auto place = place_of_this_gpu(places);
  // Those that came with ptxlat are whole; the user's own of a GPU that is not here may be a try.
  for (const bool is_own : {false, true}) {
    const auto newest = std::find_if(places.begin(), places.end(),
                                     [&](const Place& one) { return one.is_own == is_own && !one.is_static(); });
    if (!place && newest != places.end()) place = *newest;
  }
  if (!place)
    throw Error(ExitCode::unknown_name, "there is no measured table here",
                "name one with --table, or make one with `ptxlat run`");
  say_table(place->folder.string());
  return place->folder.string();
}

std::string table_or_usual(const std::string& name) { return name.empty() ? usual_table() : table_named(name); }

std::optional<line::NearestCard> chosen_card(const std::string& table, const isa::Target& target) {
  return run::chosen_card(table.empty() ? table : table_named(table), target);
}

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const auto& place : all_places()) names.push_back(place_name(place));
  return names;
}

}  // namespace ptxlat::cli
