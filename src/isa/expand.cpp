// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <regex>
#include <string_view>

#include "base/limits.h"
#include "isa/cuda_text.h"
#include "isa/op.h"
#include "isa/value.h"

namespace ptxlat::isa {
namespace {

void add_axis(const Op& op, const std::string& name, std::vector<std::string>& order) {
  if (op.axes.contains(name) && std::find(order.begin(), order.end(), name) == order.end()) order.push_back(name);
}

// The axes in the order in which the syntax first mentions them, so that forms come in the order of their spelling;
// those that only tables mention come last.
std::vector<std::string> axis_order(const Op& op) {
  std::vector<std::string> order;
  for (const Piece& piece : op.syntax) {
    add_axis(op, piece.value.name, order);
    if (piece.count) add_axis(op, piece.count->name, order);
  }
  for (const auto& [name, values] : op.axes) add_axis(op, name, order);
  return order;
}

std::set<std::string> axes_of(const Rule& rule) {
  std::set<std::string> axes;
  for (const Condition* condition : {&rule.if_holds, &rule.then_holds}) {
    for (const Comparison& comparison : *condition) axes.insert(comparison.axis);
  }
  return axes;
}

// A rule that can be applied once the axes up to a place in the order are chosen.
struct PlacedRule {
  const Rule* rule;
  bool must_hold;
};

// The cross product of ld's dozen axes has millions of members, but its rules leave thousands: each rule is applied as
// soon as the axes that it names are chosen.
struct ChoiceMaker {
  // Ten times as many as any entry has: with an axis too many, all memory would be used before the error is reported.
  static constexpr std::size_t most_choices = 100'000;
  // Rules that leave nothing show it only when everything has been tried. The shipped entries take 7,000 at most.
  static constexpr std::size_t most_steps = 500'000;

  const Op& op;
  std::vector<std::string> order;
  std::vector<std::vector<PlacedRule>> rules_at;  // by place in the order
  std::vector<Choice> choices;
  std::size_t steps = 0;

  explicit ChoiceMaker(const Op& from) : op(from), order(axis_order(from)), rules_at(order.size()) {
    for (const Rule& rule : op.only) place(rule, true);
    for (const Rule& rule : op.except) place(rule, false);
    Choice choice;
    choose(0, choice);
  }

  void place(const Rule& rule, bool must_hold) {
    const auto axes = axes_of(rule);
    for (std::size_t i = order.size(); i-- > 0;) {
      if (!axes.contains(order[i])) continue;
      rules_at[i].push_back({&rule, must_hold});
      return;
    }
  }

  void choose(std::size_t place, Choice& choice) {
    if (choices.size() > most_choices || ++steps > most_steps) return;
    if (place == order.size()) {
      choices.push_back(choice);
      return;
    }
    for (const std::string& value : op.axes.at(order[place])) {
      choice[order[place]] = value;
      const bool is_allowed =
          std::all_of(rules_at[place].begin(), rules_at[place].end(),
                      [&](const PlacedRule& placed) { return holds(*placed.rule, choice) == placed.must_hold; });
      if (is_allowed) choose(place + 1, choice);
    }
  }
};

void add_carry(const Op& op, Form& form) {
  const auto first_source = std::find_if(form.operands.begin(), form.operands.end(),
                                         [](const Operand& operand) { return !operand.is_result; });
  if (op.writes_carry) form.operands.insert(first_source, {"cc", "carry", true});
  if (op.reads_carry) form.operands.push_back({"cc", "carry", false});
}

// Spells one choice. Tables may contain texts with holes, each of which is read once.
struct Speller {
  const Op& op;
  const std::set<std::string>& objects;
  Mistakes& mistakes;
  std::map<std::string, std::vector<Piece>> read_before;

  const std::vector<Piece>& pieces_of(const std::string& text) {
    const auto known = read_before.find(text);
    if (known != read_before.end()) return known->second;
    return read_before.emplace(text, read_syntax(text, {op.axes, op.maps, objects}, op.where, mistakes)).first->second;
  }

  void add_operand(const Piece& piece, const Choice& choice, Form& form) {
    form.text += "{" + piece.text + "}";
    Operand operand{piece.text, value_in(piece.value, choice, op.maps), is_result_name(piece.text),
                    op.inout.contains(piece.text), 0};
    if (piece.count) {
      const std::string count = value_in(*piece.count, choice, op.maps);
      const auto read = std::from_chars(count.data(), count.data() + count.size(), operand.count);
      if (read.ec == std::errc::result_out_of_range) operand.count = most_registers_of_operand + 1;
    }
    if (operand.count < 0 || operand.count > most_registers_of_operand) {
      report(mistakes, op.where,
             fmt::format("operand \"{}\" has more than {} registers", piece.text, most_registers_of_operand));
      operand.count = 0;
    }
    if (find_type(operand.type) == nullptr && !objects.contains(operand.type)) {
      report(mistakes, op.where,
             fmt::format("operand \"{}\": there is no type \"{}\"{}", piece.text, operand.type,
                         did_you_mean(operand.type, type_names())));
    }
    form.operands.push_back(std::move(operand));
  }

  // `depth` counts texts of tables within texts of tables, which may name themselves.
  void add(const std::vector<Piece>& pieces, const Choice& choice, Form& form, int depth = 0) {
    constexpr int deepest = 16;
    constexpr std::size_t longest = 64 << 10;
    if (depth > deepest || form.text.size() > longest) {
      report(mistakes, op.where, fmt::format("the texts of \"{}\" name each other without end", op.name));
      return;
    }
    for (const Piece& piece : pieces) {
      if (piece.kind == Piece::Kind::text) form.text += piece.text;
      if (piece.kind == Piece::Kind::operand) add_operand(piece, choice, form);
      if (piece.kind != Piece::Kind::value) continue;
      const std::string value = value_in(piece.value, choice, op.maps);
      if (value.find('{') == std::string::npos) {
        form.text += value;
      } else {
        add(pieces_of(value), choice, form, depth + 1);
      }
    }
  }

  // Named after its function, or as its entry says, plus the compiler option.
  void spell_cuda(const Choice& choice, Form& form) {
    static const std::regex function(R"((\w{1,200})\()");
    if (const auto problem = problem_of_call(form.text); !problem.empty()) {
      report(mistakes, op.where, fmt::format("a call is one expression, or one assignment to an operand: {}", problem));
      return;
    }
    form.opcode = fill_axes(op.name, choice, op.maps);
    std::smatch match;
    if (form.opcode.empty() && std::regex_search(form.text, match, function)) form.opcode = match[1];
    if (form.opcode.empty()) {
      report(mistakes, op.where, fmt::format("\"{}\" calls no function: give it a name", form.text));
    }
    const auto option = choice.find(options_axis);
    form.cuda = {form.text, *op.header, option == choice.end() ? std::string{} : option->second};
    form.ptx = form.opcode + (form.cuda->option.empty() ? "" : " " + form.cuda->option);
    form.unsupported_because = "it is CUDA C and was not compiled by NVRTC";
    for (const Operand& operand : form.operands) {
      constexpr int most_elements = 4;
      const bool has_type = !cuda_type(operand.type, operand.count).empty() && operand.count <= most_elements;
      if (find_type(operand.type) == nullptr || has_type) continue;
      report(mistakes, op.where,
             fmt::format("operand \"{}\": CUDA C has no type for {}{}", operand.name, operand.type,
                         operand.count == 0 ? "" : fmt::format("[{}]", operand.count)));
    }
  }

  void spell(const Choice& choice, Form& form) {
    add(op.syntax, choice, form);
    if (op.header) {
      spell_cuda(choice, form);
      return;
    }
    form.ptx = form.text.substr(0, form.text.find(' '));
    if (form.ptx != op.name && !form.ptx.starts_with(op.name + ".") && !form.ptx.starts_with(op.name + "::")) {
      report(mistakes, op.where, fmt::format("\"{}\" does not begin with the name \"{}\"", form.ptx, op.name));
    }
  }
};

const Operand* find_source(const Form& form, const std::string& name) {
  const auto found = std::find_if(form.operands.begin(), form.operands.end(),
                                  [&](const Operand& operand) { return operand.name == name && is_source(operand); });
  return found == form.operands.end() ? nullptr : &*found;
}

std::vector<std::string> source_names(const Form& form) {
  std::vector<std::string> names;
  for (const Operand& operand : form.operands) {
    if (is_source(operand)) names.push_back(operand.name);
  }
  return names;
}

void add_dependence(const Op& op, const std::set<std::string>& addresses, Form& form, Mistakes& mistakes) {
  const auto can_depend = [&](const std::string& name) {
    const Operand* source = find_source(form, name);
    if (source == nullptr || source->type == "imm") return false;
    return find_type(source->type) != nullptr || addresses.contains(source->type);
  };
  const bool has_result =
      std::any_of(form.operands.begin(), form.operands.end(), [](const Operand& operand) { return operand.is_result; });
  const bool is_waited_for =
      std::any_of(op.inputs.begin(), op.inputs.end(), [](const InputText& input) { return !input.completion.empty(); });
  if (!form.not_measurable.empty() || !has_result || (is_waited_for && !op.dependence)) return;
  for (const std::string& name : source_names(form)) {
    const auto is_named = [&](const Text& text) { return text.text == name; };
    const bool is_wanted = !op.dependence || std::any_of(op.dependence->begin(), op.dependence->end(), is_named);
    if (is_wanted && can_depend(name)) form.dependence.push_back(name);
  }
  for (const Text& text : op.dependence.value_or(std::vector<Text>{})) {
    if (can_depend(text.text) || (op.operand_names.contains(text.text) && find_source(form, text.text) == nullptr))
      continue;
    report(mistakes, text.where,
           fmt::format("dependence: \"{}\" is not a source register of {}{}", text.text, form.ptx,
                       did_you_mean(text.text, source_names(form))));
  }
}

// "@global_l2": the operand is a different object in this class.
bool add_object(const std::string& name, const Text& written, const std::set<std::string>& objects, Input& input,
                Mistakes& mistakes) {
  if (!written.text.starts_with('@')) return false;
  const std::string object = written.text.substr(1);
  if (!objects.contains(object)) {
    report(mistakes, written.where,
           fmt::format("operand \"{}\": there is no object \"{}\"{}", name, object,
                       did_you_mean(object, {objects.begin(), objects.end()})));
  }
  input.objects[name] = object;
  return true;
}

// The type whose values an operand takes; an object's is the offset of its address.
const TypeInfo* value_type(const Operand& operand) {
  const TypeInfo* type = find_type(operand.type);
  return type == nullptr ? find_type("b64") : type;
}

void add_inputs(const Op& op, const std::set<std::string>& objects, const Choice& choice, Form& form,
                Mistakes& mistakes) {
  for (const InputText& text : op.inputs) {
    if (!holds(text.only_if, choice)) continue;
    Input input;
    input.name = text.name;
    input.requirement = text.requirement;
    Choice without_op = choice;  // {op} is the instruction here, even if an axis has that name
    without_op.erase("op");
    input.around = fill_axes(text.around, without_op, op.maps);
    input.prepare = fill_axes(text.prepare, choice, op.maps);
    input.before = fill_axes(text.before, choice, op.maps);
    input.completion = fill_axes(text.completion, choice, op.maps);
    input.completion_is = text.completion_is;
    for (const auto& [name, unfilled] : text.values) {
      const Operand* source = find_source(form, name);
      if (source == nullptr) {
        if (op.operand_names.contains(name)) continue;  // different forms of the entry have it
        report(mistakes, unfilled.where,
               fmt::format("\"{}\" is not a source operand of {}{}", name, form.ptx,
                           did_you_mean(name, source_names(form))));
        continue;
      }
      const Text written{fill_axes(unfilled.text, choice, op.maps), unfilled.where};
      if (add_object(name, written, objects, input, mistakes)) continue;
      std::string problem;
      if (auto value = parse_value(written.text, *value_type(*source), problem)) {
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

// PTX has two names for these state spaces (sections 5.1.5 and 5.1.6): in a kernel they are the same.
std::string_view short_name(std::string_view space) {
  if (space == ".shared::cta") return ".shared";
  if (space == ".param::entry") return ".param";
  return space;
}

// The choice without its modifiers: forms for which it is equal share a core form.
std::string core_key(const Op& op, const Choice& choice) {
  std::string key;
  for (const auto& [axis, value] : choice) {
    if (!op.modifiers.contains(axis)) key.append(short_name(value)).push_back('\n');
  }
  return key;
}

// The forms of an entry that represent the others that only differ from them in modifiers.
class CoreForms {
 public:
  explicit CoreForms(const Op& op) : op_(op) {}

  // The spelling of the form that represents this one; forms come in their order.
  std::string representative(const Choice& choice, const std::string& spelling) {
    const auto [plainest, is_new] = plainest_.try_emplace(core_key(op_, choice), Plainest{choice, spelling});
    return is_new || !has_single_core_modifier(choice, plainest->second.choice) ? plainest->second.spelling : spelling;
  }

 private:
  struct Plainest {
    Choice choice;
    std::string spelling;
  };

  bool has_single_core_modifier(const Choice& choice, const Choice& plainest) const {
    int different = 0;
    bool is_core = false;
    for (const std::string& modifier : op_.modifiers) {
      if (choice.at(modifier) == plainest.at(modifier)) continue;
      ++different;
      is_core = op_.core_modifiers.contains(modifier);
    }
    return different == 1 && is_core;
  }

  const Op& op_;
  std::map<std::string, Plainest> plainest_;
};

// Memory, barriers and everything else that is not a register are objects.
AuditRule audit_rule_for(const std::vector<Operand>& operands) {
  const bool has_objects = std::any_of(operands.begin(), operands.end(),
                                       [](const Operand& operand) { return find_type(operand.type) == nullptr; });
  return has_objects ? AuditRule::effects : AuditRule::arithmetic;
}

Form form_of(const Op& op) {
  Form form;
  form.opcode = op.name;
  form.chapter = op.chapter;
  form.section = op.section;
  form.threads = op.threads;
  form.cluster = op.cluster;
  form.consumed = op.consumed;
  form.order = op.order;
  form.not_streamable = op.not_streamable;
  form.depends_on_values = op.depends_on_values;
  form.not_measurable = op.not_measurable;
  form.where = op.where;
  form.requirement = op.requirement;
  for (const Text& consumer : op.consumers) form.consumers.push_back(consumer.text);
  return form;
}

}  // namespace

std::vector<Form> expand(const Op& op, const Objects& objects, Mistakes& mistakes) {
  std::vector<Form> forms;
  CoreForms core_forms(op);
  Speller speller{op, objects.names, mistakes, {}};
  const ChoiceMaker maker(op);
  if (maker.choices.size() > ChoiceMaker::most_choices) {
    report(mistakes, op.where,
           fmt::format("\"{}\" has more than {} forms; rules (only, except) leave fewer", op.name,
                       ChoiceMaker::most_choices));
    return forms;
  }
  if (maker.steps > ChoiceMaker::most_steps) {
    report(mistakes, op.where, fmt::format("the axes of \"{}\" have too many combinations", op.name));
    return forms;
  }
  // Each form repeats them, and a suggestion for each takes time.
  constexpr std::size_t enough_mistakes = 100;
  const std::size_t mistakes_before = mistakes.size();
  for (const Choice& choice : maker.choices) {
    if (mistakes.size() > mistakes_before + enough_mistakes) break;
    Form form = form_of(op);
    for (const ConditionalRequirement& need : op.needs) {
      if (holds(need.if_holds, choice)) form.requirement = stricter(form.requirement, need.requirement);
    }
    form.cleanup = fill_axes(op.cleanup, choice, op.maps);
    form.directives = fill_axes(op.directives, choice, op.maps);
    speller.spell(choice, form);
    add_carry(op, form);
    form.audit = op.audit.value_or(audit_rule_for(form.operands));
    add_dependence(op, objects.addresses, form, mistakes);
    add_inputs(op, objects.names, choice, form, mistakes);
    if (op.has_core && holds(op.core_if, choice)) form.core = core_forms.representative(choice, form.ptx);
    forms.push_back(std::move(form));
  }
  if (forms.empty()) report(mistakes, op.where, fmt::format("the rules of \"{}\" leave no form", op.name));
  return forms;
}

}  // namespace ptxlat::isa
