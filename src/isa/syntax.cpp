#include "isa/syntax.h"

#include <fmt/format.h>

#include <regex>
#include <set>

#include "isa/types.h"

namespace ptxlat {
namespace {

std::vector<std::string> words_for_a_type(const Axes& axes) {
  std::vector<std::string> words = type_names();
  for (const auto& [name, values] : axes) words.push_back(name);
  return words;
}

void check_hole(const Piece& piece, const Axes& axes, const Maps& maps, const SourceLocation& where,
                Mistakes& mistakes) {
  const bool is_axis = axes.contains(piece.axis);
  const bool is_type = piece.kind == Piece::Kind::operand && piece.map.empty() && find_type(piece.axis) != nullptr;
  if (!is_axis && !is_type) {
    const bool is_operand = piece.kind == Piece::Kind::operand;
    report(mistakes, where,
           fmt::format("syntax: \"{}\" is no axis of this entry{}{}", piece.axis, is_operand ? " and no type" : "",
                       did_you_mean(piece.axis, words_for_a_type(axes))));
    return;
  }
  if (piece.map.empty()) return;
  const auto map = maps.find(piece.map);
  if (map == maps.end()) {
    std::vector<std::string> names;
    for (const auto& [name, table] : maps) names.push_back(name);
    report(mistakes, where,
           fmt::format("syntax: there is no table \"{}\"{}", piece.map, did_you_mean(piece.map, names)));
    return;
  }
  for (const std::string& value : axes.at(piece.axis)) {
    if (map->second.contains(value)) continue;
    report(mistakes, where, fmt::format("table \"{}\" has nothing for {}={}", piece.map, piece.axis, value));
  }
}

// The braces left in the text must be PTX's vector braces: they pair up, and none is the torso of a misspelt hole.
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

std::vector<Piece> read_syntax(const std::string& text, const Axes& axes, const Maps& maps, const SourceLocation& where,
                               Mistakes& mistakes) {
  static const std::regex hole(R"(\{(?:([A-Za-z_]\w*):)?(?:([A-Za-z_]\w*)\(([A-Za-z_]\w*)\)|([A-Za-z_]\w*))\})");
  std::vector<Piece> pieces;
  std::set<std::string> operands;
  auto begin = text.begin();
  for (std::sregex_iterator match(text.begin(), text.end(), hole), end; match != end; ++match) {
    const auto hole_begin = text.begin() + match->position();
    if (hole_begin != begin) pieces.push_back({Piece::Kind::text, std::string(begin, hole_begin), "", ""});
    begin = hole_begin + match->length();

    const bool is_operand = (*match)[1].matched;
    Piece piece{is_operand ? Piece::Kind::operand : Piece::Kind::value, (*match)[1], (*match)[2],
                (*match)[3].matched ? (*match)[3] : (*match)[4]};
    if (is_operand && !operands.insert(piece.text).second) {
      report(mistakes, where, fmt::format("syntax: operand \"{}\" appears twice", piece.text));
    }
    check_hole(piece, axes, maps, where, mistakes);
    pieces.push_back(std::move(piece));
  }
  if (begin != text.end()) pieces.push_back({Piece::Kind::text, std::string(begin, text.end()), "", ""});

  check_braces(pieces, where, mistakes);
  return pieces;
}

std::string value_in(const Piece& piece, const Choice& choice, const Maps& maps) {
  const auto axis = choice.find(piece.axis);
  if (axis == choice.end()) return piece.axis;
  return piece.map.empty() ? axis->second : maps.at(piece.map).at(axis->second);
}

bool is_result_name(const std::string& name) {
  return name == "d" || (name.size() == 2 && name[0] == 'd' && name[1] >= '0' && name[1] <= '9');
}

}  // namespace ptxlat
