// SPDX-License-Identifier: Apache-2.0

// A page's value with the quantity of a fact in parentheses, as in "33 cycles (`chase.ca.l1`)", is what the committed
// facts say, as far as it is printed. So a page cannot go stale, and no two pages have two values of one fact.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>

#include "base/file.h"
#include "catch.h"
#include "pages/memory_map.h"
#include "tables/folder.h"
#include "tables/number.h"
#include "tables/probe_files.h"

using namespace ptxlat;
namespace fs = std::filesystem;

namespace {

const std::string h200 = PTXLAT_SOURCE_DIR "/tables/sm_90/nvidia-h200/driver-580.159.04";
const std::string h100 = PTXLAT_SOURCE_DIR "/tables/sm_90/nvidia-h100-80gb-hbm3/driver-580.159.04";
const std::string findings = PTXLAT_SOURCE_DIR "/docs/findings/";

struct KnownFact {
  std::string value, unit, verdict;
};

// A line of csv with quoted fields; none of ours spans lines.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

// By quantity and condition: "l1.bytes carveout=102400".
std::map<std::string, KnownFact> facts_in(const std::string& csv) {
  std::map<std::string, KnownFact> facts;
  std::istringstream in(csv);
  std::string line;
  std::getline(in, line);
  REQUIRE(line == "probe,quantity,condition,value,low,high,unit,scope,verdict,how");
  while (std::getline(in, line)) {
    const auto field = fields_of(line);
    REQUIRE(field.size() == 10);
    const auto name = field[2].empty() ? field[1] : field[1] + " " + field[2];
    facts[name] = {field[3], field[6], field[8]};
  }
  return facts;
}

struct Claim {
  std::string words;     // "A load takes 33 cycles"
  std::string quantity;  // with its condition
};

// Every "words (`quantity`)". The words go back to what separates statements or cells.
std::vector<Claim> claims_in(std::string page) {
  std::replace(page.begin(), page.end(), '\n', ' ');
  std::vector<Claim> claims;
  for (auto open = page.find(" (`"); open != std::string::npos; open = page.find(" (`", open + 1)) {
    const auto close = page.find("`)", open);
    if (close == std::string::npos) break;
    const auto quantity = page.substr(open + 3, close - open - 3);
    if (quantity.find('.') == std::string::npos) continue;
    const auto begin = page.find_last_of("|();:,", open - 1);
    auto words = page.substr(begin + 1, open - begin - 1);
    claims.push_back({std::move(words), quantity});
  }
  return claims;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// A number in units without a prefix, and what rounding may have taken from it: half of its last digit.
struct Printed {
  double number = 0, half = 0;
};

Printed printed(const std::string& digits, double number, double unit) {
  const auto point = digits.find('.');
  const auto decimals = point == std::string::npos ? 0 : digits.size() - point - 1;
  return {number * unit, unit / 2 / std::pow(10, static_cast<double>(decimals))};
}

// The last number of the words.
std::optional<Printed> number_at_end(const std::vector<std::string>& words) {
  static const std::map<std::string, double> prefixes{
      {"KiB", 1024.0}, {"MiB", 1024.0 * 1024}, {"GiB", 1024.0 * 1024 * 1024}};
  for (std::size_t i = words.size(); i-- > 0;) {
    const auto number = tables::number_in(words[i]);
    if (!number) continue;
    const auto prefix = i + 1 < words.size() ? prefixes.find(words[i + 1]) : prefixes.end();
    return printed(words[i], *number, prefix == prefixes.end() ? 1 : prefix->second);
  }
  return std::nullopt;
}

// "256 × 8" as the list that it represents.
std::string list_of(const std::vector<std::string>& words) {
  if (words.size() < 3 || words[words.size() - 2] != "×") return "";
  std::string list;
  for (int i = 0; i < std::stoi(words[words.size() - 3]); ++i) list += (i == 0 ? "" : " ") + words.back();
  return list;
}

// Why the claim is not what the fact says; empty if it is.
std::string difference(const Claim& claim, const KnownFact& fact) {
  const auto words = split(claim.words);
  if (words.empty()) return "no value";
  const auto says = lower(words.back());
  if (fact.verdict == "undetermined" || fact.verdict == "contradicted" || says == "undetermined")
    return says == fact.verdict ? "" : "the fact is " + fact.verdict;
  if (fact.unit == "text") {
    return (" " + lower(claim.words)).ends_with(" " + lower(fact.value)) ? "" : "the fact is " + fact.value;
  }
  if (says == "yes" || says == "no") return (fact.value == "0") == (says == "no") ? "" : "the fact is " + fact.value;
  if (fact.value.find(' ') != std::string::npos) return list_of(words) == fact.value ? "" : "the list is another";
  const auto number = number_at_end(words);
  const auto value = tables::number_in(fact.value);
  if (!number || !value) return "no number";
  constexpr double exact = 1e-9;
  if (std::abs(number->number - *value) <= number->half * (1 + exact)) return "";
  return "the fact is " + fact.value;
}

}  // namespace

TEST_CASE("claims of a page are found with their words, and compared as numbers, bytes, words, lists and answers") {
  const auto facts = facts_in(
      "probe,quantity,condition,value,low,high,unit,scope,verdict,how\n"
      "p,a.x,,33,32,34,cycles,kind,measured,\"a, b\"\n"
      "p,a.bytes,c=1 d=2,2048,2048,2048,bytes,kind,inferred,\n"
      "p,a.policy,,lru,,,text,kind,inferred,\n"
      "p,a.sets,,8 8 8,,,count,kind,inferred,\n"
      "p,a.shares,,1,1,1,count,kind,measured,\n"
      "p,a.ways,,,,,count,kind,undetermined,why\n");
  const auto claims = claims_in(
      "From 100, a load takes 33.0 cycles\n(`a.x`), or 33.4 cycles (`a.x`).\n| 2 KiB (`a.bytes c=1 d=2`) | 2 KiB of 9 "
      "(`a.bytes c=1 d=2`) | it is LRU (`a.policy`) | it is not (`a.policy`) | 3 × 8 (`a.sets`) | 2 × 8 (`a.sets`) | "
      "yes (`a.shares`) | no (`a.shares`) | undetermined (`a.ways`) | 4 (`a.ways`) | undetermined (`a.x`) |");
  REQUIRE(claims.size() == 13);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    INFO(claims[i].words << " (" << claims[i].quantity << ")");
    REQUIRE(facts.contains(claims[i].quantity));
    const bool is_true = i < 12 ? i % 2 == 0 : false;
    CHECK(difference(claims[i], facts.at(claims[i].quantity)).empty() == is_true);
  }
}

TEST_CASE("every value of a fact in README and docs is that of a committed fact") {
  // A name that begins with the GPU is a fact of a different table.
  auto facts = facts_in(read_file(h200 + "/facts.csv"));
  for (const auto& [name, fact] : facts_in(read_file(h100 + "/facts.csv"))) facts.emplace("H100 " + name, fact);
  // These are made of facts: all that they name are in the tables. Others also name what is not a fact, and rules in
  // their own words.
  const std::map<std::string, std::size_t> of_facts = {{"memory.md", 100}, {"hopper.md", 30}, {"pipeline.md", 50}};
  std::vector<fs::path> pages = {PTXLAT_SOURCE_DIR "/README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(PTXLAT_SOURCE_DIR "/docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  CHECK(pages.size() > 20);
  for (const auto& page : pages) {
    const auto claims = claims_in(read_file(page));
    const auto least = of_facts.find(page.filename().string());
    if (least != of_facts.end()) CHECK(claims.size() > least->second);
    for (const auto& claim : claims) {
      const auto fact = facts.find(claim.quantity);
      INFO("facts.csv: " << claim.quantity);
      INFO(page << ": " << claim.words);
      if (least != of_facts.end()) CHECK(fact != facts.end());
      if (fact == facts.end() || (least == of_facts.end() && fact->second.unit == "text")) continue;
      CHECK(difference(claim, fact->second) == "");
    }
  }
}

TEST_CASE("docs/findings/memory.svg has the values of the committed facts") {
  const auto svg = read_file(findings + "memory.svg");
  for (const auto& box : pages::memory_map(tables::read_table(h200, {tables::Part::probes}).probes)) {
    INFO("run ptxlat show memory --table " << h200 << " --plot docs/findings");
    const auto check = [&](const std::string& text) {
      INFO("memory.svg lacks, of " << box.title << ": " << text);
      CHECK(svg.find(text) != std::string::npos);
    };
    check(box.title);
    check(box.latency);
    for (const auto& line : box.lines) {
      check(line.label);
      check(line.value);
    }
  }
}
