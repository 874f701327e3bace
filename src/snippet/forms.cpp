// SPDX-License-Identifier: Apache-2.0
#include "snippet/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "isa/types.h"
#include "snippet/addresses.h"

namespace ptxlat::snippet {

namespace {

constexpr int lanes = 32;

// A name that is valid for holes, kernels and columns: "%r1" is "r1".
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    if (c != '%' && c != '$') plain += c;
  }
  return plain.empty() ? "r" : plain;
}

isa::Value literal(const std::string& text) { return {text, text, true}; }

// Each register is a different operand, and nothing surrounds the instruction.
bool is_as_in_the_catalogue(const Snippet& snippet) {
  if (snippet.instructions.size() != 1) return false;
  const auto& instruction = snippet.instructions.front();
  const auto& flow = snippet.flows.front();
  if (flow.guard) return false;
  std::set<std::string> names;
  for (const auto& bound : instruction.operands) {
    const auto& tokens = instruction.statement->operands;
    if (bound.operand == nullptr || bound.is_sink || bound.element > 0 || bound.element == 0) return false;
    if (bound.token > 0 && tokens[bound.token - 1].text == "!") return false;
    if (bound.token + 1 < tokens.size() && isa::find_type(bound.type) == nullptr && tokens[bound.token + 1].text != "]")
      return false;
    if ((bound.operand->type == "imm" && !bound.is_literal) || !tokens[bound.token].selector.empty()) return false;
    if (!bound.is_literal && !names.insert(tokens[bound.token].text).second) return false;
    if (bound.is_literal) continue;
    const auto& type = snippet.values[flow.of_token.at(bound.token)].type;
    const auto* object = isa::find_type(bound.type);
    if (isa::register_bits(type) != (object == nullptr ? 64 : object->register_bits)) return false;
  }
  return true;
}

SnippetForm catalogue_form(const Snippet& snippet, std::optional<std::size_t> result) {
  const auto& instruction = snippet.instructions.front();
  SnippetForm made{*instruction.form, {}, 0};
  auto& form = made.form;
  form.inputs.resize(1);  // its default class
  for (const auto& bound : instruction.operands) {
    const auto& token = instruction.statement->operands[bound.token];
    if (bound.is_literal) {
      form.inputs.front().values[bound.operand->name] = literal(token.text);
      std::erase(form.dependence, bound.operand->name);
    } else {
      made.operand_of[snippet.flows.front().of_token.at(bound.token)] = bound.operand->name;
    }
  }
  for (const auto value : snippet.flows.front().reads) {
    if (snippet.values[value].type == "carry") made.operand_of[value] = "cc";
  }
  for (const auto& [made_value, old] : snippet.flows.front().ties) made.operand_of[old] = made.operand_of[made_value];
  const auto first = result ? made.operand_of.find(*result) : made.operand_of.end();
  if (first == made.operand_of.end()) return made;
  const auto wanted = std::find_if(form.operands.begin(), form.operands.end(), [&](const isa::Operand& operand) {
    return operand.is_result && operand.name == first->second;
  });
  const auto leading = std::find_if(form.operands.begin(), form.operands.end(), [](const isa::Operand& operand) {
    return operand.is_result && operand.type != "carry";
  });
  if (wanted != form.operands.end() && wanted != leading) {
    std::iter_swap(wanted, leading);
    form.consumers.clear();  // they are for the other result
    form.consumed = -1;
  }
  return made;
}

// Assembles a form from instructions of a snippet.
class Builder {
 public:
  Builder(const Snippet& snippet, const std::vector<std::size_t>& instructions, std::size_t result,
          const isa::Catalogue& catalogue, bool keeps_values)
      : snippet_(snippet),
        instructions_(instructions),
        result_(result),
        catalogue_(catalogue),
        keeps_values_(keeps_values) {}

  SnippetForm build() {
    find_values();
    join_ties();
    is_result_moved_ = result_is_written_too_early();
    name_values();
    add_operands();
    made_.form.text = text();
    add_properties();
    return std::move(made_);
  }

 private:
  const Value& value(std::size_t number) const { return snippet_.values[number]; }
  bool is_made(std::size_t number) const { return makers_.contains(number); }

  void find_values() {
    std::set<std::size_t> inside(instructions_.begin(), instructions_.end());
    for (const auto i : instructions_) makers_.insert(snippet_.flows[i].writes.begin(), snippet_.flows[i].writes.end());
    for (const auto i : instructions_) {
      for (const auto read : snippet_.flows[i].reads) {
        if (!is_made(read) && std::find(sources_.begin(), sources_.end(), read) == sources_.end())
          sources_.push_back(read);
      }
    }
    for (const auto made : makers_) {
      const bool is_wanted =
          std::find(snippet_.results.begin(), snippet_.results.end(), made) != snippet_.results.end();
      bool is_read_outside = false;
      for (std::size_t i = 0; i < snippet_.flows.size(); ++i) {
        const auto& reads = snippet_.flows[i].reads;
        if (!inside.contains(i) && snippet_.live[i] && std::find(reads.begin(), reads.end(), made) != reads.end())
          is_read_outside = true;
      }
      is_read_outside = is_read_outside && !makes_constant(snippet_, *value(made).definition);
      if (keeps_values_ && made != result_ && (is_wanted || is_read_outside)) kept_.insert(made);
    }
  }

  // The root of those values that share a register.
  std::size_t root_of(std::size_t number) const {
    for (auto found = same_register_.find(number); found != same_register_.end(); found = same_register_.find(number))
      number = found->second;
    return number;
  }

  // A value that keeps a part of an old one shares its register, if nothing else needs the old one.
  void join_ties() {
    for (const auto i : instructions_) {
      for (const auto& [made, old] : snippet_.flows[i].ties) {
        if (value(made).type == "carry") continue;
        int readers = 0;
        for (const auto j : instructions_) {
          const auto& reads = snippet_.flows[j].reads;
          if (std::find(reads.begin(), reads.end(), old) != reads.end()) ++readers;
        }
        if (is_made(old) && !kept_.contains(old) && readers == 1) {
          same_register_[old] = made;
        } else {
          copied_.insert(made);
        }
      }
    }
  }

  // In a chain, the result is in the register of a source: no instruction may read sources after it has been written.
  bool result_is_written_too_early() const {
    bool is_written = false;
    for (const auto i : instructions_) {
      const auto& flow = snippet_.flows[i];
      const auto writes_result = std::any_of(flow.writes.begin(), flow.writes.end(),
                                             [&](std::size_t made) { return root_of(made) == result_; });
      const bool is_copied_first = std::any_of(flow.ties.begin(), flow.ties.end(), [&](const auto& tie) {
        return root_of(tie.first) == result_ && copied_.contains(tie.first);
      });
      const bool reads_source =
          std::any_of(flow.reads.begin(), flow.reads.end(), [&](std::size_t read) { return !is_made(read); });
      if (reads_source && (is_written || is_copied_first)) return true;
      is_written = is_written || writes_result;
    }
    return false;
  }

  std::string unused_name(std::string name) {
    while (!names_.insert(name).second) name += "_result";
    return name;
  }

  void name_values() {
    for (const auto source : sources_) made_.operand_of[source] = unused_name(plain_name(value(source).name));
    made_.operand_of[result_] = unused_name(plain_name(value(result_).name));
    for (const auto kept : kept_) {
      if (value(kept).type != "carry") made_.operand_of[kept] = unused_name(plain_name(value(kept).name));
    }
    for (const auto source : sources_) {
      if (value(source).type == "carry") made_.operand_of[source] = "cc";
    }
  }

  // How a value is spelled in the text.
  std::string spelled(std::size_t number) {
    const auto root = root_of(number);
    const auto operand = made_.operand_of.find(root);
    if (operand != made_.operand_of.end() && !(root == result_ && is_result_moved_)) return "{" + operand->second + "}";
    temporaries_.insert(root);
    return fmt::format("%temp_{}", root);
  }

  void add_operands() {
    auto& form = made_.form;
    form.inputs.resize(1);
    auto& input = form.inputs.front();
    form.operands.push_back({made_.operand_of.at(result_), value(result_).type, true});
    for (const auto kept : kept_) {
      if (value(kept).type != "carry") form.operands.push_back({made_.operand_of.at(kept), value(kept).type, true});
    }
    const bool sets_carry = std::any_of(makers_.begin(), makers_.end(), [&](std::size_t made) {
      return value(made).type == "carry" && !is_read_here(made);
    });
    if (sets_carry) form.operands.push_back({"cc", "carry", true});
    const auto addresses = addresses_in(snippet_, instructions_, catalogue_);
    for (const auto source : sources_) {
      const auto& name = made_.operand_of.at(source);
      form.dependence.push_back(name);
      if (const auto pointer = addresses.pointers.find(source); pointer != addresses.pointers.end()) {
        form.operands.push_back({name, pointer->second});
        const auto& object = catalogue_.objects.at(pointer->second);
        const int apart = object.offset == isa::Offset::per_lane ? (lanes - 1) * addresses.bytes.at(source) : 0;
        const auto first = begin_of(source, pointer->second, addresses.reach.at(source), apart);
        input.values[name] = {std::to_string(first), std::to_string(first + apart), false,
                              object.offset == isa::Offset::uniform};
        continue;
      }
      if (addresses.offsets.contains(source)) {
        const auto bits = isa::register_bits(value(source).type);
        form.operands.push_back(
            {name, bits == 32 || bits == 64 ? fmt::format("offset_b{}", bits) : value(source).type});
        input.values[name] = {"0", "0", false};
        continue;
      }
      form.operands.push_back({name, value(source).type});
      if (const auto own = value_of_its_own(source)) {
        input.values[name] = *own;
      } else if (const auto shared = value_of_many(source)) {
        input.values[name] = *shared;
      }
    }
  }

  // Where in scratch memory a pointer points, so that all that is added to it stays inside.
  std::int64_t begin_of(std::size_t source, const std::string& object, const Addresses::Reach& reach, int apart) const {
    const bool is_shared = object.starts_with("shared");
    const bool is_known = is_shared || object.starts_with("global") || object.starts_with("generic");
    if (!is_known || object.find("pointers") != std::string::npos) return 0;
    // Of shared memory what the catalogue declares; of global memory what no other object uses. Lines stay lines.
    const std::int64_t room = is_shared ? 16 << 10 : 64 << 10, alignment = 128, widest = 16;
    const auto begin = (std::max<std::int64_t>(0, -reach.least) + alignment - 1) / alignment * alignment;
    if (begin + reach.most + apart + widest <= room) return begin;
    fail(snippet_.name, value(source).place,
         fmt::format("{} is used at {} to {} bytes, and scratch memory has {} of them", value(source).name, reach.least,
                     reach.most, room),
         "use a smaller offset, or add it in a register");
  }

  bool is_read_here(std::size_t number) const {
    return std::any_of(instructions_.begin(), instructions_.end(), [&](std::size_t i) {
      const auto& reads = snippet_.flows[i].reads;
      return std::find(reads.begin(), reads.end(), number) != reads.end();
    });
  }

  // The catalogue's value for the operand in the instruction that first reads it: a bit field, a lane, a divisor.
  std::optional<isa::Value> value_of_its_own(std::size_t number) const {
    for (const auto i : instructions_) {
      for (const auto& bound : snippet_.instructions[i].operands) {
        const auto token = snippet_.flows[i].of_token.find(bound.token);
        if (token == snippet_.flows[i].of_token.end() || token->second != number || bound.operand == nullptr) continue;
        const auto& values = snippet_.instructions[i].form->inputs.front().values;
        const auto own = values.find(bound.operand->name);
        if (own == values.end() || isa::register_bits(value(number).type) != isa::register_bits(bound.type)) continue;
        auto given = own->second;
        given.is_known_to_compiler = false;
        return given;
      }
    }
    return std::nullopt;
  }

  // A kernel has room for eight values in total (ptx::operands_per_slot), including the consumer's: many sources of
  // one type share a few values in turn. Empty if there is room for the usual ones.
  std::optional<isa::Value> value_of_many(std::size_t number) const {
    constexpr std::size_t room = 6;
    if (sources_.size() <= room) return std::nullopt;
    std::set<std::string> types;
    std::size_t position = 0;
    for (const auto source : sources_) {
      types.insert(value(source).type);
      if (source < number && value(source).type == value(number).type) ++position;
    }
    const auto values = catalogue_.defaults.find(value(number).type);
    if (values == catalogue_.defaults.end() || values->second.empty()) return std::nullopt;
    const auto different = std::clamp<std::size_t>(room / types.size(), 1, values->second.size());
    return values->second[position % different];
  }

  std::string statement_text(std::size_t index) {
    const auto& statement = *snippet_.instructions[index].statement;
    const auto& flow = snippet_.flows[index];
    std::string text;
    for (const auto& [made, old] : flow.ties) {
      if (!copied_.contains(made)) continue;
      const auto& type = value(made).type;
      const auto suffix = type == "pred" ? type : fmt::format("b{}", isa::register_bits(type));
      text += fmt::format("mov.{} {}, {}; ", suffix, spelled(made), spelled(old));
    }
    if (flow.guard) text += fmt::format("@{}{} ", statement.guard->is_negated ? "!" : "", spelled(*flow.guard));
    text += statement.opcode;
    std::string before = " ";
    for (std::size_t i = 0; i < statement.operands.size(); ++i) {
      const auto& token = statement.operands[i];
      const auto named = flow.of_token.find(i);
      const bool is_negative_offset = token.kind == Token::Kind::number && token.text.front() == '-' && i > 0 &&
                                      statement.operands[i - 1].kind == Token::Kind::name;
      text += before + (is_negative_offset ? "+" : "") +
              (named == flow.of_token.end() ? token.text : spelled(named->second)) + token.selector;
      before = token.text == "," ? " " : "";
    }
    return text + ";";
  }

  std::string text() {
    std::vector<std::string> statements;
    for (const auto i : instructions_) statements.push_back(statement_text(i));
    if (is_result_moved_) {
      const auto& type = value(result_).type;
      statements.push_back(fmt::format("mov.{} {{{}}}, {};",
                                       type == "pred" ? type : fmt::format("b{}", isa::register_bits(type)),
                                       made_.operand_of.at(result_), spelled(result_)));
    }
    if (temporaries_.empty() && statements.size() == 1) return statements.front();
    std::string block = "{\n";
    for (const auto temporary : temporaries_) {
      const auto& type = value(temporary).type;
      block += fmt::format("  .reg .{} %temp_{};\n",
                           type == "pred" ? type : fmt::format("b{}", isa::register_bits(type)), temporary);
    }
    for (const auto& statement : statements) block += "  " + statement + "\n";
    return block + "  }";
  }

  void add_properties() {
    auto& form = made_.form;
    form.is_block = true;
    form.chapter = "snippet";
    form.opcode = "snippet";
    for (const auto i : instructions_) {
      const auto& from = *snippet_.instructions[i].form;
      form.requirement = isa::stricter(form.requirement, from.requirement);
      form.requirement = isa::stricter(form.requirement, from.inputs.front().requirement);
      if (from.audit == isa::AuditRule::effects) form.audit = isa::AuditRule::effects;
      if (form.not_streamable.empty()) form.not_streamable = from.not_streamable;
      if (form.depends_on_values.empty()) form.depends_on_values = from.depends_on_values;
      // Of a compiler's kernel, a narrower access is what the program has.
      const bool accesses = loads(snippet_.instructions[i]) || stores(snippet_.instructions[i]);
      if (accesses && !snippet_.text.is_of_kernel) made_.bytes += bytes_moved(snippet_.instructions[i]);
      form.ptx += (form.ptx.empty() ? "" : "; ") + snippet_.instructions[i].statement->opcode;
    }
    const auto& last = snippet_.instructions[instructions_.back()];
    // An instruction of the snippet that is not among these needs the condition code: it is read after the clocks.
    if (std::any_of(kept_.begin(), kept_.end(), [&](std::size_t kept) { return value(kept).type == "carry"; }))
      form.cleanup = "addc.u32 %low, 0, 0; st.volatile.global.u32 [%out+24], %low;";
    if (instructions_.size() == 1 && !last.writes_carry) form.consumers = last.form->consumers;
  }

  const Snippet& snippet_;
  const std::vector<std::size_t>& instructions_;
  std::size_t result_;
  const isa::Catalogue& catalogue_;
  bool keeps_values_;
  std::set<std::size_t> makers_, kept_, copied_, temporaries_;
  std::vector<std::size_t> sources_;
  std::map<std::size_t, std::size_t> same_register_;
  std::set<std::string> names_{"cc"};
  bool is_result_moved_ = false;
  SnippetForm made_;
};

}  // namespace

SnippetForm form_of(const Snippet& snippet, const std::vector<std::size_t>& instructions, std::size_t result,
                    const isa::Catalogue& catalogue, bool keeps_values) {
  if (is_as_in_the_catalogue(snippet)) return catalogue_form(snippet, result);
  return Builder(snippet, instructions, result, catalogue, keeps_values).build();
}

SnippetForm form_without_result(const Snippet& snippet) { return catalogue_form(snippet, std::nullopt); }

}  // namespace ptxlat::snippet
