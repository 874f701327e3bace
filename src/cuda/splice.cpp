// SPDX-License-Identifier: Apache-2.0
#include "cuda/splice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/hash.h"
#include "cuda/part.h"
#include "isa/form.h"

namespace ptxlat::cuda {

namespace {

constexpr char end_label[] = "END_OF_FUNCTION";

using Names = std::set<std::string>;

Names names_in(const std::string& text) {
  Names names;
  replace_names(text, [&](const std::string& name) {
    names.insert(name);
    return name;
  });
  return names;
}

std::string renamed(const std::string& text, const std::map<std::string, std::string>& new_names) {
  return replace_names(text, [&](const std::string& name) {
    const auto found = new_names.find(name);
    return found == new_names.end() ? name : found->second;
  });
}

bool is_directive(const std::string& statement) { return statement.front() == '.'; }

// For std::regex, whose stack grows with the text: the statements that are searched for are not longer.
bool matches(const std::string& statement, std::smatch& match, const std::regex& pattern) {
  constexpr std::size_t longest = 500;
  return statement.size() <= longest && std::regex_match(statement, match, pattern);
}

// "%f1" of "@%p2 add.f32 %f1, %f2, %f3;" and both of a vector; nothing if no register is written.
Names registers_written(const std::string& statement) {
  if (is_directive(statement)) return {};
  std::size_t begin = 0;
  if (statement.front() == '@') begin = std::min(statement.find(' '), statement.size() - 1) + 1;
  const auto space = statement.find(' ', begin);
  if (space == std::string::npos) return {};
  const std::string_view opcode = std::string_view(statement).substr(begin, space - begin);
  if (opcode.starts_with("st.") || opcode.starts_with("bra") || opcode.starts_with("call")) return {};
  const bool is_vector = statement.compare(space + 1, 1, "{") == 0;
  const auto end = statement.find_first_of(is_vector ? "}" : ",;", space + 1);
  return names_in(statement.substr(space + 1, end - space - 1));
}

// Eight hexadecimal digits.
std::string hash_of(const std::string& text) {
  Hash hash;
  hash.add(std::string_view(text));
  return hash.text().substr(0, 8);
}

std::string text_of(const PtxFunction& function) {
  std::string text = function.signature + "\n{\n";
  for (const auto& statement : function.statements) text += statement + "\n";
  return text + "}";
}

// Collects the used definitions at module scope, each after those that it uses, and renames them.
class Closure {
 public:
  explicit Closure(const PtxModule& module) : module_(module) {}

  std::string use(const std::string& text) {
    return replace_names(text, [&](const std::string& name) {
      if (const auto known = new_names_.find(name); known != new_names_.end()) return known->second;
      if (const auto variable = module_.variables.find(name); variable != module_.variables.end())
        return define(name, variable->second);
      if (const auto function = module_.functions.find(name); function != module_.functions.end())
        return define(name, text_of(function->second));
      return name;
    });
  }

  std::vector<std::string> texts;
  bool is_too_deep = false;

 private:
  std::string define(const std::string& name, const std::string& text) {
    constexpr int deepest = 100;
    if (depth_ == deepest) {
      is_too_deep = true;
      return name;
    }
    new_names_[name] = name;  // references to itself
    ++depth_;
    auto definition = use(text);
    --depth_;
    auto new_name = fmt::format("{}_{}", name, hash_of(definition));
    new_names_[name] = new_name;
    texts.push_back(renamed(definition, {{name, new_name}}));
    return new_name;
  }

  const PtxModule& module_;
  std::map<std::string, std::string> new_names_;
  int depth_ = 0;
};

// The body of one function on its way to the text of a form.
class Splicer {
 public:
  Splicer(const PtxFunction& function, const FunctionInterface& interface)
      : function_(function), interface_(interface), statements_(function.statements) {}

  void replace_parameters() {
    static const std::regex load(R"(ld\.param(?:\.v\d)?\.([a-z])(\d{1,3}) (%\w+|\{[^}]*\}), \[(\w+)(?:\+(\d+))?\];)");
    read_registers();
    std::map<std::string, std::string> holes;
    std::vector<std::string> kept;
    for (const auto& statement : statements_) {
      std::smatch match;
      const auto* parameter = matches(statement, match, load) ? parameter_called(match[4]) : nullptr;
      if (parameter == nullptr) {
        kept.push_back(statement);
        continue;
      }
      const int bits = isa::register_bits(parameter->type), loaded = std::stoi(match[2]);
      const int offset = match[5].matched ? 8 * std::stoi(match[5]) : 0;
      const std::string to = match[3];
      const bool is_signed = match[1] == "s";
      if (parameter->type == "pred") {
        kept.push_back(fmt::format("selp.b{} {}, 1, 0, {};", declared_bits(to), to, parameter->hole));
      } else if (loaded < bits) {
        const auto registers = values_in(to);
        auto part = part_of(parameter->hole, bits, {registers, width_of(registers), loaded, offset, is_signed});
        if (part.empty()) part.push_back(statement);  // left for problem()
        kept.insert(kept.end(), part.begin(), part.end());
      } else if (const int wide = declared_bits(to); wide > bits) {
        const char* sign = is_signed ? "s" : "u";
        kept.push_back(fmt::format("cvt.{0}{1}.{0}{2} {3}, {4};", sign, wide, bits, to, parameter->hole));
      } else if (is_written_once(to) && !is_returned_with_others(to)) {
        holes[to] = parameter->hole;
      } else {
        kept.push_back(fmt::format("mov.b{} {}, {};", bits, to, parameter->hole));
      }
    }
    statements_ = std::move(kept);
    for (auto& statement : statements_) statement = renamed(statement, holes);
  }

  void replace_results() {
    static const std::regex store(
        R"(st\.param(?:\.v\d)?\.[a-z](\d{1,3}) \[(\w+)(?:\+(\d{1,6}))?\], (\{[^}]*\}|[^;]+);)");
    std::vector<std::string> kept;
    for (const auto& statement : statements_) {
      std::smatch match;
      if (!matches(statement, match, store) || match[2] != function_.result) {
        kept.push_back(statement);
        continue;
      }
      const int bits = std::stoi(match[1]);
      auto offset = match[3].matched ? std::stoi(match[3]) : 0;
      for (const auto& value : values_in(match[4])) {
        const auto* result = result_at(offset);
        const bool is_predicate = result != nullptr && result->type == "pred";
        if (result == nullptr || bits != (is_predicate ? 32 : isa::register_bits(result->type))) {
          kept.push_back(statement);  // left for problem()
          break;
        }
        kept.push_back(is_predicate ? fmt::format("setp.ne.b32 {}, {}, 0;", result->hole, value)
                                    : fmt::format("mov.b{} {}, {};", bits, result->hole, value));
        offset += bits / 8;
      }
    }
    statements_ = std::move(kept);
  }

  // A remaining parameter or result: it was used in an unknown way.
  std::string problem() const {
    for (const auto& statement : statements_) {
      for (const auto& name : names_in(statement)) {
        if (name == function_.result || parameter_called(name) != nullptr)
          return "its PTX passes its operands in an unknown way: " + statement;
      }
    }
    return {};
  }

  // A return before the end becomes a branch to the end.
  void replace_returns() {
    if (!statements_.empty() && statements_.back() == "ret;") statements_.pop_back();
    bool is_needed = false;
    for (auto& statement : statements_) {
      if (statement != "ret;" && !statement.ends_with(" ret;")) continue;
      statement.replace(statement.size() - 4, 4, fmt::format("bra {};", end_label));
      is_needed = true;
    }
    if (is_needed) statements_.push_back(std::string(end_label) + ":");
  }

  // "sin.approx.f32 %f2, {a}; mov.b32 {d}, %f2;" writes the result itself. Only the last statement may, because the
  // result can be the register of a source.
  void write_result_directly() {
    static const std::regex move(R"(mov\.b\d+ (\{[\w.]+\}), (%\w+);)");
    std::smatch match;
    if (statements_.size() < 2 || !matches(statements_.back(), match, move)) return;
    const std::string hole = match[1], result = match[2];
    const auto mentions = [&](const std::string& statement) { return names_in(statement).contains(result); };
    auto writer = statements_.end() - 2;
    while (writer > statements_.begin() && *writer == "}") --writer;
    const bool is_only_writer = std::count_if(statements_.begin(), statements_.end(), mentions) == 2;
    if (!is_only_writer || !registers_written(*writer).contains(result)) return;
    *writer = renamed(*writer, {{result, hole}});
    statements_.pop_back();
  }

  // Unneeded scopes and registers are left out: a function of one instruction reads like one.
  std::string text() const {
    std::vector<std::string> code;
    for (const auto& statement : statements_) {
      if (statement != "{" && statement != "}" && !statement.starts_with(".reg ")) code.push_back(statement);
    }
    if (code.size() == 1 && code.front().find('%') == std::string::npos && !declares(statements_)) return code.front();
    std::string text = "{\n";
    for (const auto& statement : statements_) text += "  " + statement + "\n";
    return text + "  }";
  }

 private:
  const FunctionValue* parameter_called(const std::string& name) const {
    const auto at = std::find(function_.parameters.begin(), function_.parameters.end(), name);
    if (at == function_.parameters.end()) return nullptr;
    return &interface_.parameters[static_cast<std::size_t>(at - function_.parameters.begin())];
  }

  // The registers' declarations and uses in the statements; replace_parameters looks them up for each of its loads.
  void read_registers() {
    static const std::regex declaration(R"(\.reg \.[a-z]+(\d{1,3}) (%[A-Za-z_]+)<\d+>;)");
    for (const auto& statement : statements_) {
      std::smatch match;
      if (matches(statement, match, declaration)) declared_bits_.try_emplace(match[2], std::stoi(match[1]));
      if (is_directive(statement)) named_in_directives_.merge(names_in(statement));
      for (const auto& name : registers_written(statement)) ++writers_[name];
    }
  }

  // 32 for "%r7" if ".reg .b32 %r<9>;" declares it; 0 if it is not declared like that.
  int declared_bits(const std::string& name) const {
    const auto found = declared_bits_.find(name.substr(0, name.find_last_not_of("0123456789") + 1));
    return found == declared_bits_.end() ? 0 : found->second;
  }

  // The width of all of these; 0 if they have none in common.
  int width_of(const std::vector<std::string>& registers) const {
    const int width = registers.empty() ? 0 : declared_bits(registers.front());
    const bool is_common = std::all_of(registers.begin(), registers.end(),
                                       [&](const std::string& one) { return declared_bits(one) == width; });
    return is_common ? width : 0;
  }

  // Written by one statement, and no scope has a second register of that name.
  bool is_written_once(const std::string& name) const {
    const auto found = writers_.find(name);
    return found != writers_.end() && found->second == 1 && !named_in_directives_.contains(name);
  }

  // With several results, the first may be in this parameter's register by then.
  bool is_returned_with_others(const std::string& name) const {
    return interface_.results.size() > 1 &&
           std::any_of(statements_.begin(), statements_.end(),
                       [&](const std::string& statement) { return statement.ends_with("}, " + name + ";"); });
  }

  const FunctionValue* result_at(int offset) const {
    const auto found = std::find_if(interface_.results.begin(), interface_.results.end(),
                                    [&](const FunctionValue& value) { return value.offset == offset; });
    return found == interface_.results.end() ? nullptr : &*found;
  }

  // "%f1" or "{%f1, %f2}".
  static std::vector<std::string> values_in(std::string list) {
    std::erase_if(list, [](char c) { return c == '{' || c == '}' || c == ' '; });
    std::vector<std::string> values;
    for (std::size_t begin = 0; begin <= list.size();) {
      const auto end = std::min(list.find(',', begin), list.size());
      values.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
    return values;
  }

  // A scope has registers or labels with names that no other scope has.
  static bool declares(const std::vector<std::string>& statements) {
    return std::any_of(statements.begin(), statements.end(), [](const std::string& statement) {
      return statement.ends_with(':') || (statement.starts_with(".reg ") && statement.find('<') == std::string::npos);
    });
  }

  const PtxFunction& function_;
  const FunctionInterface& interface_;
  std::vector<std::string> statements_;
  std::map<std::string, int> declared_bits_, writers_;
  Names named_in_directives_;
};

// A declaration without a definition: NVRTC expects it in a different file.
std::string undefined_in(const PtxModule& module, const std::string& text) {
  static const std::regex call(R"(.*\bcall(?:\.uni)? (?:\([^)]*\), )?(\w+).*)");
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (matches(line, match, call) && !module.functions.contains(match[1])) return match[1];
  }
  return {};
}

}  // namespace

SplicedFunction splice(const PtxModule& module, const std::string& function, const FunctionInterface& interface) {
  const auto found = module.functions.find(function);
  if (found == module.functions.end()) return {{}, {}, "NVRTC did not generate a function for it"};
  if (found->second.parameters.size() != interface.parameters.size())
    return {{}, {}, "its PTX has different parameters from its operands"};
  Splicer splicer(found->second, interface);
  splicer.replace_results();
  splicer.replace_parameters();
  splicer.replace_returns();
  splicer.write_result_directly();
  if (auto problem = splicer.problem(); !problem.empty()) return {{}, {}, std::move(problem)};
  Closure closure(module);
  SplicedFunction spliced;
  const auto text = splicer.text();
  if (const auto missing = undefined_in(module, text); !missing.empty())
    return {{}, {}, "its PTX calls " + missing + ", which is not in it"};
  spliced.text = closure.use(text);
  if (closure.is_too_deep) return {{}, {}, "its PTX has functions that use each other too deeply"};
  spliced.module = std::move(closure.texts);
  return spliced;
}

}  // namespace ptxlat::cuda
