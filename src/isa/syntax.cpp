// SPDX-License-Identifier: Apache-2.0
#include "isa/syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

#include "isa/types.h"

namespace ptxlat::isa {
namespace {

std::vector<std::string> words_for_a_type(const Words& words) {
  std::vector<std::string> names = type_names();
  names.insert(names.end(), words.objects.begin(), words.objects.end());
  for (const auto& [name, values] : words.axes) names.push_back(name);
  return names;
}

bool is_operand_type(const std::string& name, const Words& words) {
  return find_type(name) != nullptr || words.objects.contains(name);
}

bool is_number(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// A table must have an entry for every value of its axis.
void check_table(const Reference& reference, const Words& words, const SourceLocation& where, Mistakes& mistakes) {
  if (reference.map.empty()) return;
  const auto map = words.maps.find(reference.map);
  if (map == words.maps.end()) {
    std::vector<std::string> names;
    for (const auto& [name, table] : words.maps) names.push_back(name);
    report(mistakes, where,
           fmt::format("syntax: there is no table \"{}\"{}", reference.map, did_you_mean(reference.map, names)));
    return;
  }
  for (const std::string& value : words.axes.at(reference.name)) {
    if (map->second.contains(value)) continue;
    report(mistakes, where, fmt::format("table \"{}\" has nothing for {}={}", reference.map, reference.name, value));
  }
}

void check_hole(const Piece& piece, const Words& words, const SourceLocation& where, Mistakes& mistakes) {
  const bool is_operand = piece.kind == Piece::Kind::operand;
  const bool is_type = is_operand && piece.value.map.empty() && is_operand_type(piece.value.name, words);
  if (!words.axes.contains(piece.value.name) && !is_type) {
    report(mistakes, where,
           fmt::format("syntax: \"{}\" is not an axis of this entry{}{}", piece.value.name,
                       is_operand ? ", nor a type" : "", did_you_mean(piece.value.name, words_for_a_type(words))));
    return;
  }
  check_table(piece.value, words, where, mistakes);
  if (!piece.count) return;
  if (words.axes.contains(piece.count->name)) {
    check_table(*piece.count, words, where, mistakes);
  } else if (!piece.count->map.empty() || !is_number(piece.count->name)) {
    report(mistakes, where,
           fmt::format("syntax: \"{}\" is neither a number of registers nor an axis", piece.count->name));
  }
}

// The braces left in the text must be PTX's vector braces: they pair up, and none is the remainder of a misspelt hole.
void check_braces(const std::vector<Piece>& pieces, const SourceLocation& where, Mistakes& mistakes) {
  static const std::regex torso(R"(\{\s*[\w(:])");
  int depth = 0;
  bool is_balanced = true;
  for (const Piece& piece : pieces) {
    if (piece.kind != Piece::Kind::text) continue;
    if (std::regex_search(piece.text, torso)) {
      report(mistakes, where,
             fmt::format("syntax: cannot read \"{}\": write {{axis}} or {{operand:type}}", piece.text));
      return;
    }
    for (const char c : piece.text) {
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      is_balanced = is_balanced && depth >= 0;
    }
  }
  if (depth != 0 || !is_balanced) report(mistakes, where, "syntax: the braces do not pair up");
}

}  // namespace

std::vector<Piece> read_syntax(const std::string& text, const Words& words, const SourceLocation& where,
                               Mistakes& mistakes) {
  // {type} {wide(type)} {d:type} {d:wide(type)} {d:type[4]} {d:type[count(vector)]}
  static const std::regex hole(R"(\{(?:([A-Za-z_]\w*):)?(?:([A-Za-z_]\w*)\(([A-Za-z_]\w*)\)|([A-Za-z_]\w*)))"
                               R"((\[(?:([A-Za-z_]\w*)\(([A-Za-z_]\w*)\)|(\w+))\])?\})");
  std::vector<Piece> pieces;
  std::set<std::string> operands;
  auto begin = text.begin();
  for (std::sregex_iterator match(text.begin(), text.end(), hole), end; match != end; ++match) {
    const auto hole_begin = text.begin() + match->position();
    if (hole_begin != begin) pieces.push_back({Piece::Kind::text, std::string(begin, hole_begin), {}, {}});
    begin = hole_begin + match->length();

    const bool is_operand = (*match)[1].matched;
    Piece piece{is_operand ? Piece::Kind::operand : Piece::Kind::value,
                (*match)[1],
                {(*match)[2], (*match)[3].matched ? (*match)[3] : (*match)[4]},
                {}};
    if ((*match)[5].matched) piece.count = {(*match)[6], (*match)[7].matched ? (*match)[7] : (*match)[8]};
    if (is_operand && !operands.insert(piece.text).second) {
      report(mistakes, where, fmt::format("syntax: operand \"{}\" appears twice", piece.text));
    }
    check_hole(piece, words, where, mistakes);
    pieces.push_back(std::move(piece));
  }
  if (begin != text.end()) pieces.push_back({Piece::Kind::text, std::string(begin, text.end()), {}, {}});

  check_braces(pieces, where, mistakes);
  return pieces;
}

std::string value_in(const Reference& reference, const Choice& choice, const Maps& maps) {
  const auto axis = choice.find(reference.name);
  if (axis == choice.end()) return reference.name;
  return reference.map.empty() ? axis->second : maps.at(reference.map).at(axis->second);
}

namespace {

// The name at the beginning of a text; empty if there is none.
std::string_view name_at(std::string_view text) {
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; };
  if (text.empty() || !is_letter(static_cast<unsigned char>(text.front()))) return {};
  const auto end = std::find_if_not(text.begin(), text.end(), [&](char c) {
    return is_letter(static_cast<unsigned char>(c)) || std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// "{axis}" or "{table(axis)}" at the beginning of a text; its length, 0 if there is none. By hand: loading a catalogue
// does this a million times, and a regular expression took a third of it.
std::size_t hole_at(std::string_view text, Reference& reference) {
  auto rest = text.substr(1);
  const auto first = name_at(rest);
  rest.remove_prefix(first.size());
  reference = {"", std::string(first)};
  if (!first.empty() && rest.starts_with('(')) {
    const auto second = name_at(rest.substr(1));
    rest.remove_prefix(1 + second.size());
    if (second.empty() || !rest.starts_with(')')) return 0;
    rest.remove_prefix(1);
    reference = {std::string(first), std::string(second)};
  }
  return first.empty() || !rest.starts_with('}') ? 0 : text.size() - rest.size() + 1;
}

}  // namespace

std::string fill_axes(const std::string& text, const Choice& choice, const Maps& maps) {
  std::string filled;
  std::size_t done = 0;
  for (auto at = text.find('{'); at != std::string::npos; at = text.find('{', at)) {
    Reference reference;
    const auto length = hole_at(std::string_view(text).substr(at), reference);
    const auto map = maps.find(reference.map);
    const bool is_known =
        length > 0 && choice.contains(reference.name) &&
        (reference.map.empty() || (map != maps.end() && map->second.contains(choice.at(reference.name))));
    if (is_known) {
      filled.append(text, done, at - done);
      filled += value_in(reference, choice, maps);
      done = at + length;
    }
    at += std::max(length, std::size_t{1});
  }
  return filled.append(text, done);
}

bool is_result_name(const std::string& name) {
  return name == "d" || (name.size() == 2 && name[0] == 'd' && name[1] >= '0' && name[1] <= '9');
}

}  // namespace ptxlat::isa
