#include <fmt/format.h>

#include <algorithm>

#include "isa/op.h"
#include "isa/value.h"

namespace ptxlat {
namespace {

// The axes in the order in which the syntax first mentions them, so that forms come in the order of their spelling.
std::vector<std::string> axis_order(const Op& op) {
  std::vector<std::string> order;
  for (const Piece& piece : op.syntax) {
    const bool is_new =
        op.axes.contains(piece.axis) && std::find(order.begin(), order.end(), piece.axis) == order.end();
    if (is_new) order.push_back(piece.axis);
  }
  return order;
}

std::vector<Choice> all_choices(const Op& op) {
  std::vector<Choice> choices = {{}};
  for (const std::string& axis : axis_order(op)) {
    std::vector<Choice> longer;
    for (const Choice& choice : choices) {
      for (const std::string& value : op.axes.at(axis)) {
        longer.push_back(choice);
        longer.back()[axis] = value;
      }
    }
    choices = std::move(longer);
  }
  return choices;
}

bool is_allowed(const Op& op, const Choice& choice) {
  const auto rule_holds = [&](const Rule& rule) { return holds(rule, choice); };
  return std::all_of(op.only.begin(), op.only.end(), rule_holds) &&
         std::none_of(op.except.begin(), op.except.end(), rule_holds);
}

void add_carry(const Op& op, Form& form) {
  const auto first_source = std::find_if(form.operands.begin(), form.operands.end(),
                                         [](const Operand& operand) { return !operand.is_result; });
  if (op.writes_carry) form.operands.insert(first_source, {"cc", "carry", true});
  if (op.reads_carry) form.operands.push_back({"cc", "carry", false});
}

void spell(const Op& op, const Choice& choice, Form& form, Mistakes& mistakes) {
  for (const Piece& piece : op.syntax) {
    if (piece.kind == Piece::Kind::text) form.text += piece.text;
    if (piece.kind == Piece::Kind::value) form.text += value_in(piece, choice, op.maps);
    if (piece.kind != Piece::Kind::operand) continue;
    form.text += "{" + piece.text + "}";
    const std::string type = value_in(piece, choice, op.maps);
    if (find_type(type) == nullptr) {
      report(
          mistakes, op.where,
          fmt::format("operand \"{}\": there is no type \"{}\"{}", piece.text, type, did_you_mean(type, type_names())));
    }
    form.operands.push_back({piece.text, type, is_result_name(piece.text)});
  }
  form.ptx = form.text.substr(0, form.text.find(' '));
  if (form.ptx != op.name && !form.ptx.starts_with(op.name + ".")) {
    report(mistakes, op.where, fmt::format("\"{}\" does not begin with the name \"{}\"", form.ptx, op.name));
  }
}

const Operand* find_source(const Form& form, const std::string& name) {
  const auto found = std::find_if(form.operands.begin(), form.operands.end(),
                                  [&](const Operand& operand) { return operand.name == name && !operand.is_result; });
  return found == form.operands.end() ? nullptr : &*found;
}

std::vector<std::string> source_names(const Form& form) {
  std::vector<std::string> names;
  for (const Operand& operand : form.operands) {
    if (!operand.is_result) names.push_back(operand.name);
  }
  return names;
}

void add_dependence(const Op& op, Form& form, Mistakes& mistakes) {
  const auto can_depend = [&](const std::string& name) {
    const Operand* source = find_source(form, name);
    return source != nullptr && source->type != "imm";
  };
  if (!form.no_dependency.empty()) return;
  for (const std::string& name : source_names(form)) {
    const auto is_named = [&](const Text& text) { return text.text == name; };
    const bool is_wanted = !op.dependence || std::any_of(op.dependence->begin(), op.dependence->end(), is_named);
    if (is_wanted && can_depend(name)) form.dependence.push_back(name);
  }
  for (const Text& text : op.dependence.value_or(std::vector<Text>{})) {
    if (can_depend(text.text)) continue;
    report(mistakes, text.where,
           fmt::format("dependence: \"{}\" is no source register of {}{}", text.text, form.ptx,
                       did_you_mean(text.text, source_names(form))));
  }
  const bool has_result =
      std::any_of(form.operands.begin(), form.operands.end(), [](const Operand& operand) { return operand.is_result; });
  if (form.dependence.empty() || !has_result) {
    report(mistakes, op.where,
           fmt::format("{} has no {}: nothing can be measured; say why with no_dependency = \"reason\"", form.ptx,
                       has_result ? "source register" : "result (an operand named d)"));
  }
}

void add_inputs(const Op& op, Form& form, Mistakes& mistakes) {
  for (const InputText& text : op.inputs) {
    Input input{text.name, {}};
    for (const auto& [name, written] : text.values) {
      const Operand* source = find_source(form, name);
      const TypeInfo* type = source == nullptr ? nullptr : find_type(source->type);
      if (source == nullptr) {
        report(
            mistakes, written.where,
            fmt::format("\"{}\" is no source operand of {}{}", name, form.ptx, did_you_mean(name, source_names(form))));
      }
      if (type == nullptr) continue;
      std::string problem;
      if (auto value = parse_value(written.text, *type, problem)) {
        input.values[name] = std::move(*value);
      } else {
        report(mistakes, written.where, fmt::format("operand \"{}\": {}", name, problem));
      }
    }
    for (const Operand& operand : form.operands) {
      if (operand.type != "imm" || text.values.contains(operand.name)) continue;
      report(mistakes, text.where,
             fmt::format("the immediate operand \"{}\" needs a value: values = {{{} = \"…\"}}", operand.name,
                         operand.name));
    }
    form.inputs.push_back(std::move(input));
  }
}

}  // namespace

std::vector<Form> expand(const Op& op, Mistakes& mistakes) {
  std::vector<Form> forms;
  for (const Choice& choice : all_choices(op)) {
    if (!is_allowed(op, choice)) continue;
    Form form;
    form.opcode = op.name;
    form.chapter = op.chapter;
    form.section = op.section;
    form.lanes = op.lanes;
    form.no_dependency = op.no_dependency;
    form.where = op.where;
    form.requirement = op.requirement;
    for (const ConditionalRequirement& need : op.needs) {
      if (holds(need.if_holds, choice)) form.requirement = stricter(form.requirement, need.requirement);
    }
    for (const Text& consumer : op.consumers) form.consumers.push_back(consumer.text);
    spell(op, choice, form, mistakes);
    add_carry(op, form);
    add_dependence(op, form, mistakes);
    add_inputs(op, form, mistakes);
    forms.push_back(std::move(form));
  }
  if (forms.empty()) report(mistakes, op.where, fmt::format("the rules of \"{}\" leave no form", op.name));
  return forms;
}

}  // namespace ptxlat
