// SPDX-License-Identifier: Apache-2.0
#include "catalogue_text.h"
#include "catch.h"

using namespace ptxlat;
using namespace ptxlat::isa;

namespace {

// What is said about one [[op]] that begins at line 6, below the preamble.
std::string mistakes_in(const std::string& entry) { return CatalogueText(preamble + entry).mistakes(); }

std::string mistakes_in_add(const std::string& more) {
  return mistakes_in(
      "[[op]]\nname = \"add\"\nsyntax = \"add.{type} {d:u32}, {a:u32}, {b:u32}\"\ntype = [\"u32\", \"s32\"]\n" + more);
}

}  // namespace

TEST_CASE("an entry without mistakes has none") { CHECK(mistakes_in_add("").empty()); }

TEST_CASE("unreadable TOML is reported with its line") {
  CHECK_THAT(CatalogueText("chapter = \"x\"\nname = \n").mistakes(), Catch::Matchers::StartsWith("a.toml:2: "));
}

TEST_CASE("a missing folder is reported") {
  CHECK_THROWS_WITH(load_catalogue({"/no/such/folder"}), "/no/such/folder: there is no such catalogue folder");
}

TEST_CASE("a folder without entries is reported, and a folder named like a file is not a file") {
  const CatalogueText entries(preamble + std::string());
  std::filesystem::create_directory(entries.folder() / "b.toml");
  CHECK_NOTHROW(entries.load());
  CHECK_THROWS_WITH(load_catalogue({entries.folder() / "b.toml"}),
                    Catch::Matchers::EndsWith("there is no *.toml in it"));
}

TEST_CASE("an entry with more forms than there can be is a mistake, and found soon") {
  std::string axes, syntax;
  for (const std::string axis : {"p", "q", "r", "s", "t", "v"}) {
    axes += axis + " = [\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\"]\n";
    syntax += "{" + axis + "}";
  }
  CHECK(mistakes_in("[[op]]\nname = \"x\"\nsyntax = \"x" + syntax + " {d:u32}, {a:u32}\"\n" + axes) ==
        "a.toml:6: \"x\" has more than 100000 forms; rules (only, except) leave fewer");
}

TEST_CASE("a misspelt key is reported with the intended one") {
  CHECK(mistakes_in_add("targt = \"sm_80\"\n") == "a.toml:10: unknown key \"targt\"; did you mean \"target\"?");
  CHECK(mistakes_in_add("exept = [\"type=u32\"]\n") ==
        "a.toml:10: the syntax does not mention the axis \"exept\"; did you mean \"except\"?");
  CHECK(CatalogueText("chaptr = \"x\"\n").mistakes() == "a.toml:1: unknown key \"chaptr\"; did you mean \"chapter\"?");
}

TEST_CASE("an unknown word for the audit is reported with the known ones, for a file and an entry") {
  CHECK(mistakes_in_add("audit = \"memory\"\n") ==
        "a.toml:10: audit = \"memory\": write \"arithmetic\" or \"effects\"");
  CHECK(mistakes_in_add("audit = true\n") == "a.toml:10: \"audit\" must be a string");
  CHECK(CatalogueText("audit = \"\"\n" + preamble).mistakes() ==
        "a.toml:1: audit = \"\": write \"arithmetic\" or \"effects\"");
}

TEST_CASE("an order that is not a whole number is reported") {
  for (const std::string order : {"-1", "1.5", "\"first\"", "1000000"})
    CHECK(CatalogueText("order = " + order + "\n" + preamble).mistakes() ==
          "a.toml:1: \"order\" must be a whole number below 1000000");
}

TEST_CASE("an axis that the syntax leaves out, or that repeats itself, is a mistake") {
  CHECK(mistakes_in_add("colour = [\".red\"]\n") == "a.toml:10: the syntax does not mention the axis \"colour\"");
  CHECK(mistakes_in("[[op]]\nname = \"x\"\nsyntax = \"x{m} {d:u32}, {a:u32}\"\nm = [\".a\", \".a\"]\n") ==
        "a.toml:9: axis \"m\" has \".a\" twice");
  for (const std::string no_axis : {"[]", "\".a\"", "[1]"}) {
    CHECK_THAT(mistakes_in("[[op]]\nname = \"x\"\nsyntax = \"x{m} {d:u32}, {a:u32}\"\nm = " + no_axis + "\n"),
               Catch::Matchers::StartsWith("a.toml:9: the axis \"m\" must be an array of one string or more"));
  }
}

TEST_CASE("a syntax that cannot be read is a mistake") {
  const auto syntax = [](const std::string& text) {
    return mistakes_in("[[op]]\nname = \"x\"\nsyntax = \"" + text + "\"\ntype = [\"u32\"]\nwide = {u16 = \"u32\"}\n");
  };
  CHECK(syntax("x.{type} {d:typ}, {a:u32}") ==
        "a.toml:8: syntax: \"typ\" is not an axis of this entry, nor a type; did you mean \"type\"?");
  CHECK(syntax("x.{type}{sat} {d:u32}, {a:u32}") == "a.toml:8: syntax: \"sat\" is not an axis of this entry");
  CHECK(syntax("x.{type} {d:u32}, {a:u32}, {a:u32}") == "a.toml:8: syntax: operand \"a\" appears twice");
  CHECK(syntax("x.{type} {d:u32}, {a:wid(type)}") ==
        "a.toml:8: syntax: there is no table \"wid\"; did you mean \"wide\"?");
  CHECK(syntax("x.{type} {d:u32}, {a:wide(type)}") == "a.toml:8: table \"wide\" has nothing for type=u32");
  CHECK(syntax("x.{type} {d u32}, {a:u32}") ==
        "a.toml:8: syntax: cannot read \" {d u32}, \": write {axis} or {operand:type}");
  CHECK(syntax("x.{type} {d:u32}, {{a:u32}") == "a.toml:8: syntax: the braces do not pair up");
}

TEST_CASE("a rule about something that does not exist is a mistake") {
  CHECK(mistakes_in_add("only = [\"typ=u32\"]\n") == "a.toml:10: there is no axis \"typ\"; did you mean \"type\"?");
  CHECK(mistakes_in_add("except = [\"type=u33\"]\n") ==
        "a.toml:10: axis \"type\" has no value \"u33\"; did you mean \"u32\"?");
  CHECK(mistakes_in_add("only = [\n  \"type=u32\",\n  \"u32\",\n]\n") ==
        "a.toml:12: \"u32\" is not a condition: write axis=value or axis!=value");
  CHECK(mistakes_in_add("except = [\"type=u32|s32\"]\n") == "a.toml:6: the rules of \"add\" leave no form");
}

TEST_CASE("a requirement that cannot be read is a mistake") {
  CHECK(mistakes_in_add("ptx = \"seven\"\n") == "a.toml:10: ptx = \"seven\": write a version such as \"7.8\"");
  CHECK(mistakes_in_add("target = \"ampere\"\n") ==
        "a.toml:10: target = \"ampere\": write a target such as \"sm_80\" or \"sm_90a|sm_100a\"");
  CHECK(mistakes_in_add("needs = [\"type=u32\"]\n") == "a.toml:10: \"type=u32\": write \"condition -> ptx 7.8 sm_90\"");
  CHECK(mistakes_in_add("needs = [\"type=u32 -> volta\"]\n") ==
        "a.toml:10: \"volta\" is not a requirement: write \"ptx 7.8\", \"sm_90\" or both");
}

TEST_CASE("a value that its operand cannot hold is a mistake") {
  const auto value = [](const std::string& text) { return mistakes_in_add("values = {b = \"" + text + "\"}\n"); };
  CHECK(value("5000000000") == "a.toml:10: operand \"b\": 5000000000 does not fit u32");
  CHECK(value("1.5") == "a.toml:10: operand \"b\": \"1.5\" is not an integer, which u32 needs");
  CHECK(value("= 1 .. 2") ==
        "a.toml:10: operand \"b\": \"= 1 .. 2\": a value that the compiler knows is the same in every lane");
  CHECK(mistakes_in_add("values = {bb = \"1\"}\n") ==
        "a.toml:10: \"bb\" is not a source operand of add.u32; did you mean \"b\"?\n"
        "a.toml:10: \"bb\" is not a source operand of add.s32; did you mean \"b\"?");
  CHECK(mistakes_in_add("values = {b = 1}\n") ==
        "a.toml:10: the value of \"b\" must be a string such as \"8\", \"1 .. 2\" or \"= 8\"");
}

TEST_CASE("an input class needs its own name") {
  CHECK(mistakes_in_add("inputs = [{b = \"8\"}]\n") == "a.toml:10: an input class needs a name");
  CHECK(mistakes_in_add("inputs = [\n{name = \"x\", b = \"8\"},\n{name = \"x\", b = \"7\"}]\n") ==
        "a.toml:12: input class \"x\" appears twice");
}

TEST_CASE("a source operand without any value is a mistake") {
  CHECK(mistakes_in("[[op]]\nname = \"x\"\nsyntax = \"x {d:u32}, {a:imm}, {b:u32}\"\n") ==
        "a.toml:6: the immediate operand \"a\" needs a value: values = {a = \"…\"}");
  CHECK(mistakes_in("[[op]]\nname = \"x\"\nsyntax = \"x {d:u32}, {a:f64}\"\n") ==
        "a.toml:6: operand \"a\" of x: no default for the type f64; give it with values or [default]");
}

TEST_CASE("a dependence goes through a source register") {
  CHECK(mistakes_in_add("dependence = [\"e\"]\n") ==
        "a.toml:10: dependence: \"e\" is not a source register of add.u32\n"
        "a.toml:10: dependence: \"e\" is not a source register of add.s32");
}

TEST_CASE("a vector's count and a table's use are checked") {
  const auto syntax = [](const std::string& text) {
    return mistakes_in(
        "[[op]]\nname = \"x\"\nsyntax = \"" + text +
        "\"\nvec = [\"\", \".v2\"]\nn = {\".v2\" = \"2\"}\nmore = {\"\" = \"\", \".v2\" = \", {p:u33}\"}\n");
  };
  CHECK(syntax("x{vec} {d:u32[two]}, {a:u32}") ==
        "a.toml:8: syntax: \"two\" is neither a number of registers nor an axis");
  CHECK(syntax("x{vec} {d:u32[n(vec)]}, {a:u32}") == "a.toml:8: table \"n\" has nothing for vec=");
  CHECK(syntax("x{vec} {d:u32[m(vec)]}, {a:u32}") == "a.toml:8: syntax: there is no table \"m\"");
  CHECK_THAT(syntax("x{vec} {d:u32}, {a:u32}{more(vec)}"),
             Catch::Matchers::StartsWith(
                 "a.toml:6: syntax: \"u33\" is not an axis of this entry, nor a type; did you mean \"u32\"?\n"));
}

TEST_CASE("names of axes and operands in modifiers and inout must be there") {
  CHECK(mistakes_in_add("modifiers = [\"typ\"]\n") ==
        "a.toml:10: modifiers: there is no \"typ\"; did you mean \"type\"?");
  CHECK(mistakes_in_add("core_modifiers = [\"typ\"]\n") ==
        "a.toml:10: core_modifiers: there is no \"typ\"; did you mean \"type\"?");
  CHECK(mistakes_in_add("inout = [\"e\"]\n") == "a.toml:10: inout: there is no \"e\"");
  CHECK(mistakes_in_add("core = 1\n") == "a.toml:10: \"core\" must be true, false or a condition such as \"n=8|16\"");
  CHECK(mistakes_in_add("cluster = 9\n") == "a.toml:10: \"cluster\" must be a number of CTAs from 1 to 8");
  CHECK(mistakes_in_add("completion = [\"wait;\"]\n") == "a.toml:10: \"completion\" must be a string");
  CHECK(mistakes_in_add("completion_is = \"load\"\n") ==
        "a.toml:10: completion_is = \"load\": write \"wait\", \"read back\" or \"use\"");
}

TEST_CASE("objects are checked, and those that operands name must be there") {
  const auto object = [](const std::string& more) { return CatalogueText("[[object]]\n" + more).mistakes(); };
  CHECK(object("name = \"o\"\neach = \"mov.u64 {r}, 0;\"\n").empty());
  CHECK(object("name = \"o\"\n") == "a.toml:1: object \"o\": each = \"…\" must make its register {r}");
  CHECK(object("name = \"u32\"\neach = \"mov.u64 {r}, 0;\"\n") ==
        "a.toml:1: an [[object]] needs a name that is not a register type");
  CHECK(object("name = \"o\"\neach = \"mov.u64 {r}, 0;\"\nregister = \"b46\"\n") ==
        "a.toml:1: there is no type \"b46\"; did you mean \"b16\"?");
  CHECK(object("name = \"o\"\neach = \"mov.u64 {r}, 0;\"\naddres = true\n") ==
        "a.toml:4: unknown key \"addres\"; did you mean \"address\"?");
  CHECK(mistakes_in_add("values = {b = \"@shred\"}\n\n[[object]]\nname = \"shared\"\neach = \"mov.u64 {r}, 0;\"\n") ==
        "a.toml:10: operand \"b\": there is no object \"shred\"; did you mean \"shared\"?");
  const CatalogueText twice("[[object]]\nname = \"o\"\neach = \"mov.u64 {r}, 0;\"\n");
  twice.write("b.toml", "\n[[object]]\nname = \"o\"\neach = \"mov.u64 {r}, 1;\"\n");
  CHECK(twice.mistakes() == "b.toml:2: object \"o\" is already at a.toml:1");
}

TEST_CASE("all other meaningless words are mistakes") {
  CHECK(mistakes_in_add("carry = \"yes\"\n") == "a.toml:10: carry = \"yes\": write \"in\", \"out\" or \"inout\"");
  CHECK(mistakes_in_add("threads = 31\n") == "a.toml:10: \"threads\" must be 1 or a multiple of 32 up to 1024");
  CHECK(mistakes_in_add("consumers = [\"eta\"]\n") == "a.toml:6: there is no consumer \"eta\"; did you mean \"eat\"?");
  CHECK(mistakes_in_add("section = 9\n") == "a.toml:10: \"section\" must be a string");
  CHECK(mistakes_in("[[op]]\nsyntax = \"x {d:u32}, {a:u32}\"\n") == "a.toml:6: an [[op]] needs a name, its opcode");
  CHECK(mistakes_in("[[op]]\nname = \"y\"\nsyntax = \"x {d:u32}, {a:u32}\"\n") ==
        "a.toml:6: \"x\" does not begin with the name \"y\"");
}

TEST_CASE("a spelling that already exists is reported with both places") {
  const CatalogueText text(preamble + "[[op]]\nname = \"x\"\nsyntax = \"x.u32 {d:u32}, {a:u32}\"\n");
  text.write("b.toml", "chapter = \"own\"\n\n[[op]]\nname = \"x\"\nsyntax = \"x.u32 {d:u32}, {a:u32}\"\n");
  CHECK(text.mistakes() == "b.toml:3: x.u32 is already at a.toml:6");
}

TEST_CASE("consumers and defaults are checked too") {
  const auto consumer = [](const std::string& text, const std::string& more = "") {
    return CatalogueText("[[consumer]]\nname = \"c\"\ntypes = [\"u32\"]\nresult = \"u32\"\ntext = \"" + text + "\"\n" +
                         more)
        .mistakes();
  };
  CHECK(consumer("mov.u32 {q}, {a};").empty());
  CHECK(consumer("mov.u32 {q}, {a}") == "a.toml:1: consumer \"c\": every statement of the text ends with ';'");
  CHECK(consumer("mov.u32 {q}, 1;") == "a.toml:1: consumer \"c\": the text must read {a} and write {q}");
  CHECK(consumer("add.u32 {q}, {a}, {k};") == "a.toml:1: consumer \"c\": k = \"type\" and the hole {k} go together");
  CHECK(consumer("add.u32 {q}, {a}, {b};") == "a.toml:1: consumer \"c\": no hole is called {b}");
  CHECK(consumer("mov.u32 {q}, {a};", "k_type = \"u32\"\n") == "a.toml:6: unknown key \"k_type\"");
  CHECK(CatalogueText("[default]\nu23 = [\"1\"]\n").mistakes() ==
        "a.toml:2: there is no type \"u23\"; did you mean \"u32\"?");
  CHECK(CatalogueText("[default]\nu8 = [\"1\", \"256\"]\n").mistakes() ==
        "a.toml:2: default of \"u8\": 256 does not fit u8");
}

TEST_CASE("the mistakes of all files come together, each once") {
  const CatalogueText text("chapter = 1\n");
  text.write("b.toml", "[[op]]\nname = \"x\"\n");
  CHECK(text.mistakes() ==
        "a.toml:1: \"chapter\" must be a string\n"
        "b.toml:1: a file of [[op]] begins with chapter = \"…\", the chapter of the PTX ISA\n"
        "b.toml:1: an [[op]] needs a syntax such as \"add.{type} {d:type}, {a:type}, {b:type}\"");
}
